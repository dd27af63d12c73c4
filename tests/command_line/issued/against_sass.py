#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Accesses as issued against machine code, by hand:

    pip install nvidia-cuda-nvdisasm        # in a virtual environment; the toolkit's own works too
    tests/command_line/issued/against_sass.py build/dev/bankmodel [--arch sm_90] [FILE.cu ..]

Compiles each file with nvcc -cubin -lineinfo, reads the text of nvdisasm (which shares no code with
the program's reader of cubins), and compares loads and stores line by line:

  widths   the widths at each line by `bankmodel --nvcc`, and by the program's estimate without nvcc
  counts   of lines whose instructions are in no loop and have no predicate: the requests of a warp.
           Where a part of the warps executes the line, they are fewer: that is no difference.

Without FILE: examples/cuda, joined.cu and more.cu beside this file. Without nvcc or nvdisasm it says
SKIPPED and ends with 77. Lines that differ are printed; exit code 1 if a line by --nvcc differs that
is not in KNOWN, or if a line of KNOWN no longer does. With --arch all: each machine of MACHINES.
"""
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
MACHINES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "sm_121")
# Lines at which the widths by --nvcc are not those of the machine code, and why; with the machines
# where it is so on some only.
NOT_EXECUTED = "the block that is counted does not come here"
UNROLLED = "ptxas unrolls the loop again, and what is left of it has narrower loads"
ANOTHER_LINE = ("ptxas moves the load out of both loops, and its debug information from 10.0 says "
                "the line of the inner loop's head where PTX says that of the outer one's")
KNOWN = {
    ("convolutionColumnsKernel.cu", 16): NOT_EXECUTED,
    ("convolutionRowsKernel.cu", 16): NOT_EXECUTED,
    ("fft.cu", 16): NOT_EXECUTED,  # sinf of large angles
    ("spmv.cu", 17): UNROLLED,
    ("joined.cu", 183): UNROLLED,
    ("more.cu", 24): ANOTHER_LINE,
    ("more.cu", 25): ANOTHER_LINE,
}
ONLY_FROM_SM_100 = (("more.cu", 24), ("more.cu", 25))
ONLY_BEFORE_SM_100 = (("spmv.cu", 17),)
MEMORIES = {"LDS": ("load", "shared"), "STS": ("store", "shared"), "LDG": ("load", "global"),
            "STG": ("store", "global")}


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def nvdisasm():
    found = shutil.which("nvdisasm")
    if found:
        return found
    places = pathlib.Path(sys.prefix).glob("lib/python*/site-packages/nvidia/*/bin/nvdisasm")
    return next((str(place) for place in places), None)


def instructions(cubin, disassembler):
    """{kernel: [(memory, does, line, bytes, in a loop, predicated)]}"""
    result, kernel, line, labels, jumps, place = {}, None, 0, {}, [], 0
    found = {}
    for text in run(disassembler, "-g", "-c", cubin).stdout.splitlines():
        if match := re.match(r"\.text\.(\S+):", text):
            kernel, labels, jumps, line = match[1], {}, [], 0
            found[kernel] = (labels, jumps, [])
        elif kernel is None:
            continue
        elif match := re.match(r'\s*//## File ".*?", line (\d+)', text):
            line = int(match[1])
        elif match := re.match(r"(\.L_\w+):", text):
            labels[match[1]] = place
        elif match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\d+\s+)?([A-Z0-9_.]+)(.*)", text):
            place = int(match[1], 16) + 16
            words = match[3].split(".")
            if words[0] in ("BRA", "BRX", "JMP") and (to := re.search(r"\((\.L_\w+)\)", match[4])):
                jumps.append((place, to[1]))
            if words[0] in MEMORIES:
                width = next((WIDTHS[word] for word in words[1:] if word in WIDTHS), 4)
                does, memory = MEMORIES[words[0]]
                found[kernel][2].append((memory, does, line, width, place, bool(match[2])))
    for kernel, (labels, jumps, accesses) in found.items():
        loops = [(labels[to], at) for at, to in jumps if to in labels and labels[to] < at]
        result[kernel] = [(memory, does, line, width,
                           any(first < at <= last for first, last in loops), predicated)
                          for memory, does, line, width, at, predicated in accesses]
    return result


def by_line(accesses):
    lines = {}
    for memory, does, line, width, in_loop, predicated in accesses:
        one = lines.setdefault((line, does, memory), {"widths": set(), "count": 0, "plain": True})
        one["widths"].add(width)
        one["count"] += 1
        one["plain"] = one["plain"] and not in_loop and not predicated
    return lines


def issued(tool, words):
    """([a page for each kernel], []) or (None, the message); one call for all kernels of a file."""
    answer = run(tool, *words, "--json", "--no-plan")
    if answer.returncode != 0:
        return None, answer.stderr.strip().splitlines()[:1]
    return json.loads(answer.stdout)["kernels"], []


def unmangled(name):
    """_Z3onePf: one; _ZN39_GLOBAL__N__..7unnamedEPf: unnamed; one: one."""
    rest = re.sub(r"^_ZL?N?", "", name) if name.startswith("_Z") else ""
    result = name
    while match := re.match(r"L?(\d+)", rest):
        end = match.end() + int(match[1])
        result, rest = rest[match.end():end], rest[end:]
    return result


def page_named(pages, kernel):
    """The page of a kernel of machine code, or None."""
    name = unmangled(kernel)
    return next((page for page in pages if page["kernel"].split("::")[-1] == name), None)


def issued_lines(page):
    lines, unknown = {}, set()
    for access in page["accesses"]:
        if access["does"].split()[0] not in ("load", "store"):
            continue
        key = (access["line"], access["does"].split()[0], access["memory"])
        if access["requests"] == 0 or "partial" in access:  # the block does not come here
            unknown.add(key)
        one = lines.setdefault(key, {"widths": set(), "requests": 0, "at most": False})
        one["at most"] |= "makes at most" in access["issued"].get("difference", "")
        one["widths"].update(access["issued"]["bytes"])
        one["requests"] += access["issued"]["requests"]
    threads = page["block"][0] * page["block"][1] * page["block"][2]
    known = {key: one for key, one in lines.items() if one["widths"] and key not in unknown}
    return (known, unknown), (threads + 31) // 32


def known_on(architecture):
    is_new = int(architecture.split("_")[1]) >= 100
    return set(KNOWN) - set(ONLY_BEFORE_SM_100 if is_new else ONLY_FROM_SM_100)


def compare(architecture, name, kind, code, page, warps, tally, known, texts):
    page, unknown = page
    file = name.split(",")[0]
    for key in sorted((set(code) | set(page)) - unknown):
        line, does, memory = key
        mine, its = page.get(key), code.get(key)
        tally["lines"] += 1
        widths = (mine or {"widths": set()})["widths"], (its or {"widths": set()})["widths"]
        if widths[0] != widths[1] and (file, line) in known_on(architecture):
            tally["known differences"] += 1
            known.add((file, line))
        elif widths[0] != widths[1]:
            tally["widths differ"] += 1
            texts.append(f"{name}:{line}: {does} {memory}, {kind}: {sorted(widths[0])} bytes, "
                         f"machine code {sorted(widths[1])}")
        if mine and its and its["plain"]:
            tally["counts"] += 1
            if mine["requests"] > its["count"] * warps and mine["at most"]:
                tally["counts at most"] += 1
            elif mine["requests"] > its["count"] * warps:
                tally["counts differ"] += 1
                texts.append(f"{name}:{line}: {does} {memory}, {kind}: {mine['requests']} "
                             f"requests, machine code {its['count']} a warp of {warps}")
            elif mine["requests"] == its["count"] * warps:
                tally["counts equal"] += 1


NAMES = ("kernels", "lines", "widths differ", "known differences", "counts", "counts equal",
         "counts at most", "counts differ", "not counted")


KINDS = {"nvcc": ["--nvcc"], "estimate": []}
# Kernels whose argument a number decides about, by its name in the source and in PTX.
ARGUMENTS = {"loop_of_argument": {"nvcc": "p1=64", "estimate": "n=64"}}


def compare_file(architecture, tool, disassembler, file):
    """Returns (texts of differences, tallies, lines of KNOWN that differed)."""
    texts = []
    tallies = {kind: dict.fromkeys(NAMES, 0) for kind in KINDS}
    seen = {kind: set() for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "k.cubin"
        made = run("nvcc", f"-arch={architecture}", "-cubin", "-lineinfo", file, "-o", cubin)
        if made.returncode != 0:
            sys.exit(made.stderr)
        every = instructions(cubin, disassembler)
    asked = [file, "-m", architecture]
    if "<<<" not in file.read_text():
        asked += ["--block", 32]
    for kind, more in KINDS.items():
        pages, message = issued(tool, asked + more)
        for kernel, accesses in sorted(every.items()):
            page = page_named(pages or [], kernel)
            if kernel in ARGUMENTS:
                alone, message = issued(tool, asked + more + ["--kernel", kernel, "--arg",
                                                              ARGUMENTS[kernel][kind]])
                page = alone[0] if alone else None
            if page is None:
                tallies[kind]["not counted"] += 1
                texts.append(f"{file.name}, {kernel}, {kind}: not counted: {message}")
                continue
            tallies[kind]["kernels"] += 1
            lines, warps = issued_lines(page)
            compare(architecture, f"{file.name}, {kernel}", kind, by_line(accesses), lines, warps,
                    tallies[kind], seen[kind], texts)
    return texts, tallies, seen


def compare_on(architecture, tool, disassembler, files):
    """Returns (tallies, lines of KNOWN that differed)."""
    tallies = {kind: dict.fromkeys(NAMES, 0) for kind in KINDS}
    seen = {kind: set() for kind in KINDS}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # of programs that run
        for texts, counts, differed in pool.map(
                lambda file: compare_file(architecture, tool, disassembler, file), files):
            print(*texts, sep="\n", end="\n" if texts else "", flush=True)
            for kind in KINDS:
                seen[kind] |= differed[kind]
                for name in NAMES:
                    tallies[kind][name] += counts[kind][name]
    return tallies, seen


def main():
    words = sys.argv[1:]
    architectures = ["sm_90"]
    if "--arch" in words:
        at = words.index("--arch")
        architectures = MACHINES if words[at + 1] == "all" else [words[at + 1]]
        del words[at:at + 2]
    if not words:
        sys.exit(__doc__)
    tool, disassembler = words[0], nvdisasm()
    if not shutil.which("nvcc") or not disassembler:
        print("SKIPPED: nvcc or nvdisasm is not there")
        sys.exit(77)
    files = [pathlib.Path(word) for word in words[1:]]
    is_whole = not files
    if is_whole:
        files = sorted((ROOT / "examples/cuda").glob("*.cu")) + [HERE / "joined.cu", HERE / "more.cu"]
    is_right = True
    for architecture in architectures:
        tallies, seen = compare_on(architecture, tool, disassembler, files)
        for kind, tally in tallies.items():
            print(f"{architecture}, {kind}: " +
                  ", ".join(f"{count} {name}" for name, count in tally.items() if count > 0))
        wrong = tallies["nvcc"]
        is_right = is_right and (wrong["widths differ"] + wrong["counts differ"] +
                                 wrong["not counted"] == 0)
        for file, line in sorted(known_on(architecture) - seen["nvcc"]):
            if is_whole and architecture in ("sm_90", "sm_100"):
                print(f"{architecture}, {file}:{line} does not differ: remove it from KNOWN")
                is_right = False
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
