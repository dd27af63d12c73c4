# SPDX-License-Identifier: MIT
"""What nvcc makes of load_matrix_sync() and store_matrix_sync(): matrices.txt, compared with the machine code, executed.

    python3 matrices.py FOLDER_FOR_NVCCS_FILES [--write]

Every fragment of mma.h, in shared and in global memory, on each machine that nvcc 13 compiles for. A line of the table:

    USE SHAPE TYPE LAYOUT MEMORY FIRST_MACHINE: INSTRUCTION lines 5 NUMBERS bytes 5 NUMBERS from LINES+BYTES ..

The five numbers belong to the bits of the lane's number, and are added up for those that are set: lines of the matrix in
memory, and bytes of a line. Each "from" is an instruction. It needs nvcc and nvdisasm, as compare_with_machine_code.py does."""
import os
import re
import shutil
import struct
import subprocess
import sys

import sass
from compare_with_machine_code import nvdisasm, skip

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "matrices.txt")
MACHINES = (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)
BITS = {"half": 16, "__nv_bfloat16": 16, "signed char": 8, "unsigned char": 8, "precision::tf32": 32, "double": 64, "float": 32,
        "int": 32, "experimental::precision::s4": 4, "experimental::precision::u4": 4, "experimental::precision::b1": 1}
POINTER = {"precision::tf32": "float", "experimental::precision::s4": "int", "experimental::precision::u4": "int",
           "experimental::precision::b1": "int"}
TO, FROM = 0x80000000, 0x40000000  # in global memory; of longer addresses the lower half is looked at


def fragments():
    """(use, shape, type, layout, the first machine)"""
    def of_a_and_b(shape, kind, first):
        for use in ("matrix_a", "matrix_b"):
            for layout in ("row_major", "col_major"):
                if BITS[kind] >= 8 or (use == "matrix_a") == (layout == "row_major"):
                    yield use, shape, kind, layout, first

    def of_sums(shape, kind, first):
        for use in ("load", "store"):
            for layout in ("mem_row_major", "mem_col_major"):
                yield use, shape, kind, layout, first

    for shape in ((16, 16, 16), (32, 8, 16), (8, 32, 16)):
        for kind in ("half", "signed char", "unsigned char"):
            yield from of_a_and_b(shape, kind, 75)
        yield from of_a_and_b(shape, "__nv_bfloat16", 80)
        for kind in ("half", "float", "int"):
            yield from of_sums(shape, kind, 75)
    for kind in ("s4", "u4"):
        yield from of_a_and_b((8, 8, 32), "experimental::precision::" + kind, 75)
    yield from of_sums((8, 8, 32), "int", 75)
    yield from of_a_and_b((8, 8, 128), "experimental::precision::b1", 75)
    yield from of_sums((8, 8, 128), "int", 75)
    yield from of_a_and_b((16, 16, 8), "precision::tf32", 80)
    yield from of_sums((16, 16, 8), "float", 80)
    yield from of_a_and_b((8, 8, 4), "double", 80)
    yield from of_sums((8, 8, 4), "double", 80)


def source(machine):
    """The text, and {kernel: (fragment, memory)}."""
    text, kernels = ["#include <mma.h>\n#include <cuda_bf16.h>\nusing namespace nvcuda::wmma;"], {}
    for use, shape, kind, layout, first in fragments():
        for memory in ("shared", "global"):
            if machine < first:
                continue
            name = f"k{len(kernels)}"
            kernels[name] = (use, shape, kind, layout), memory
            is_sum = use in ("load", "store")
            element = POINTER.get(kind, kind)
            sizes = ", ".join(map(str, shape))
            declared = f"accumulator, {sizes}, {kind}" if is_sum else f"{use}, {sizes}, {kind}, {layout}"
            place = f"({element}*)" + ("s" if memory == "shared" else "from")
            rest = f", line, {layout}" if is_sum else ", line"
            every = "\n#pragma unroll\nfor (int i = 0; i < f.num_storage_elements; ++i) "
            own = "to[threadIdx.x * f.num_storage_elements + i]"
            text.append(
                f'extern "C" __global__ void {name}({element}* to, {element}* from, unsigned line) {{ '
                f"extern __shared__ __align__(128) char s[]; fragment<{declared}> f;" +
                (f"{every} f.x[i] = {own};\nstore_matrix_sync({place}, f{rest}); }}" if use == "store" else
                 f"load_matrix_sync(f, {place}{rest});{every} {own} = f.x[i]; }}"))
    return "\n".join(text), kernels


class Warp(sass.Warp):
    """Notes the addresses of each access."""

    def compute(self, one, lane):
        if one.name == "LDSM":
            self.note(one, lane, self.address(one.operands[1], lane))
        elif one.name in ("LDC", "LDCU") and "128" in one.parts:
            prefix, first, begin = *re.match(r"^(U?R)(\d+)$", one.operands[0]).groups(), int(one.operands[1][7:-1], 0)
            for word in range(4):
                self.set(prefix + str(int(first) + word), lane, self.constant_word(f"c[0x0][{begin + 4 * word}]", lane))
        elif one.name not in ("MOVM", "BMOV", "F2FP"):
            super().compute(one, lane)

    def access(self, one, lane, name, parts, o):
        self.note(one, lane, self.address(o[1] if name[0] == "L" else o[0], lane))
        super().access(one, lane, name, parts, o)

    def note(self, one, lane, address):
        self.noted.setdefault(id(one), (one, {}))[1][lane] = address & sass.MASK


def accesses(kernel, machine, line, memory):
    """[(instruction, addresses)] of those to the matrix."""
    lanes = list(range(sass.LANES))
    first_parameter = 0x160 if machine < 90 else 0x210 if machine == 90 else 0x380
    warp = Warp(kernel, struct.pack("<QQI", TO, FROM, line), (32, 1, 1), {"SR_TID.X": lanes, "SR_LANEID": lanes}, first_parameter)
    warp.noted = {}
    warp.run(lanes)
    begin = FROM if memory == "global" else 1024 if machine >= 90 else 0
    result = []
    for one, by_lane in warp.noted.values():
        at = [by_lane[lane] - begin for lane in lanes]
        if min(at) < 0 or max(at) >= FROM:
            continue
        if one.name == "LDSM":
            name = "ldmatrix." + (one.parts[-1] if one.parts[-1] in ("2", "4") else "1")
        else:
            bits = [int(x) for x in one.parts if x in ("64", "128")]
            bytes_each = bits[0] // 8 if bits else 1 if "U8" in one.parts else 2 if "U16" in one.parts else 4
            name = ("load." if one.name[0] == "L" else "store.") + str(bytes_each)
        result.append((name, at))
    return result


def described(kernel, machine, fragment, memory):
    """The part of a line behind the colon."""
    bits, short, long = BITS[fragment[2]], 1024, 2048
    groups = {}
    for (name, one), (_, other) in zip(accesses(kernel, machine, short, memory), accesses(kernel, machine, long, memory)):
        lines = [8 * (b - a) / (long - short) / bits for a, b in zip(one, other)]
        bytes_ = [a - x * short * bits / 8 for a, x in zip(one, lines)]
        steps = []
        for numbers in (lines, bytes_):
            of_bits = [numbers[1 << bit] - numbers[0] for bit in range(5)]
            if any(x != numbers[0] + sum(of_bits[b] for b in range(5) if lane >> b & 1) for lane, x in enumerate(numbers)):
                raise SystemExit(f"{fragment}: the lanes' addresses are not sums of their bits'")
            steps.append(" ".join(f"{x:g}" for x in of_bits))
        groups.setdefault((name, *steps), []).append((lines[0], bytes_[0]))
    return "; ".join(f"{name} lines {lines} bytes {bytes_} from " + " ".join(f"{a:g}+{b:g}" for a, b in sorted(starts))
                     for (name, lines, bytes_), starts in sorted(groups.items()))


def main(folder, how=""):
    if not shutil.which("nvcc"):
        skip("no nvcc")
    if not re.search(r"release 13\.", subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout):
        skip("the table is that of nvcc 13")
    if not nvdisasm():
        skip("no nvdisasm: pip install nvidia-cuda-nvdisasm")
    os.makedirs(folder, exist_ok=True)
    found = {}  # {(fragment, memory): [(machine, what)]}: where it changes
    experiments = 0
    for machine in MACHINES:
        text, kernels = source(machine)
        file = os.path.join(folder, f"matrices_{machine}")
        with open(file + ".cu", "w") as to:
            to.write(text)
        subprocess.run(["nvcc", f"-arch=sm_{machine}", "-w", "-cubin", file + ".cu", "-o", file + ".cubin"], check=True)
        code = sass.disassembled(nvdisasm(), file + ".cubin")
        for name, key in kernels.items():
            what = described(code[name], machine, *key)
            experiments += 1
            known = found.setdefault(key, [])
            if not known or known[-1][1] != what:
                known.append((machine, what))
    made = []
    for ((use, shape, kind, layout), memory), changes in found.items():
        for machine, what in changes:
            made.append(" ".join((use, "x".join(map(str, shape)), kind.replace(" ", "_"), layout, memory, f"{machine}: {what}")))
    if how == "--write":
        with open(TABLE, "w") as to:
            to.write("# Written by matrices.py, which says what the words mean: nvcc 13.0 for sm_75 to sm_121.\n" + "\n".join(made) + "\n")
    with open(TABLE) as file:
        known = [line.rstrip("\n") for line in file if line[0] != "#"]
    wrong = set(made) ^ set(known)
    for line in sorted(wrong):
        print(("the machine code: " if line in made else "the table:        ") + line)
    print(f"{experiments} experiments, {len(wrong)} lines differ")
    return bool(wrong) or experiments < 2000


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
