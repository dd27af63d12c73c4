# SPDX-License-Identifier: MIT
"""The requests of each line of kernels.cu, by bankmodel from source and from nvcc's PTX, and by the machine code, executed.

    python3 compare_with_machine_code.py build/dev/bankmodel FOLDER_FOR_NVCCS_FILES [sm_120]

The machine code that the notes speak of is sm_90's. Of another machine (sm_80 to sm_120) it may make either number, and kernels
with an instruction that sass.py does not execute are named.

It needs nvcc and nvdisasm (on the PATH, in $NVDISASM, or pip install nvidia-cuda-nvdisasm)."""
import glob
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import sass

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.cu")
ARGUMENT = 3


def nvdisasm():
    found = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    if found:
        return found
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "*", "bin", "nvdisasm")):
            return path
    return None


def skip(text):
    print("SKIPPED: " + text)
    sys.exit(0)


def noted(text):
    """{line: (requests, those of the machine code)}"""
    result = {}
    for number, line in enumerate(text.splitlines(), 1):
        if (m := re.search(r"// (\d+)(?:, machine code (\d+))?$", line)):
            result[number] = int(m.group(1)), int(m.group(2) or m.group(1))
    return result


def by_bankmodel(tool, file, kernel, argument):
    done = subprocess.run([tool, file, "--kernel", kernel, "--block", "32", "--arg", f"{argument}={ARGUMENT}", "--json"],
                          capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{kernel}: {done.stderr}")
    result = {}
    for one in json.loads(done.stdout)["kernels"][0]["accesses"]:
        if one["memory"] == "shared":
            result[one["line"]] = result.get(one["line"], 0) + one["requests"]
    return result


def by_machine_code(kernel, machine):
    lanes = list(range(sass.LANES))
    number = int(machine[3:])
    first_parameter = 0x160 if number < 90 else 0x210 if number == 90 else 0x380
    warp = sass.Warp(
        kernel, struct.pack("<QI", 1 << 33, ARGUMENT), (32, 1, 1), {"SR_TID.X": lanes, "SR_LANEID": lanes}, first_parameter)
    try:
        warp.run(lanes)
    except sass.Unknown as why:
        if machine == "sm_90":
            raise
        return str(why)
    result = {}
    for (line, _, memory), count in warp.requests.items():
        if memory == "shared":
            result[line] = result.get(line, 0) + count
    return result


def main(tool, folder, machine="sm_90"):
    if not shutil.which("nvcc"):
        skip("no nvcc")
    if not nvdisasm():
        skip("no nvdisasm: pip install nvidia-cuda-nvdisasm")
    os.makedirs(folder, exist_ok=True)
    made = {}
    for kind in ("cubin", "ptx"):
        made[kind] = os.path.join(folder, "kernels." + kind)
        subprocess.run(["nvcc", "-arch=" + machine, "-lineinfo", "-w", "-" + kind, SOURCE, "-o", made[kind]], check=True)
    kernels = sass.disassembled(nvdisasm(), made["cubin"])
    with open(SOURCE) as file:
        text = file.read()
    right, wrong, differ = noted(text), 0, 0
    starts = [(text[:m.start()].count("\n") + 1, m.group(1)) for m in re.finditer(r"__global__ void (\w+)\(", text)]
    for at, (first, name) in enumerate(starts):
        end = starts[at + 1][0] if at + 1 < len(starts) else 1 << 30
        lines = {line: counts for line, counts in right.items() if first <= line < end}
        differ += any(one != other for one, other in lines.values())
        for whose, found, which in (
            ("source", by_bankmodel(tool, SOURCE, name, "n"), 0),
            ("PTX", by_bankmodel(tool, made["ptx"], name, "p1"), None),
            ("machine code", by_machine_code(kernels[name], machine), 1 if machine == "sm_90" else None),
        ):
            if isinstance(found, str):
                print(f"{name} is not executed: {found}")
                continue
            for line in sorted(set(lines) | set(found)):
                noted_here = lines.get(line, (0, 0))
                expected = noted_here if which is None else noted_here[which:which + 1]
                if found.get(line, 0) not in expected:
                    print(f"{name}, line {line}: {found.get(line, 0)} requests by {whose}, not {expected}")
                    wrong += 1
    print(f"{len(starts)} kernels, {sum(len(k[0]) for k in kernels.values())} instructions: {wrong} lines are wrong; "
          f"in {differ} kernels ptxas lets lanes rejoin elsewhere, as noted")
    return wrong != 0 or len(starts) < 40


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
