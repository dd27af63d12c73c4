# SPDX-License-Identifier: MIT
"""Where ptxas lets lanes rejoin, for small control flows in PTX: a table of experiments.

    python3 shapes.py FOLDER_FOR_PTXASS_FILES

A shape is a list of blocks, LABEL: STEPS. A step is `ld` (four loads from shared memory and stores), `?X` (to X for some lanes), X (to X for
all), `exit`; a block without X or exit at its end goes on with the next one. Upper-case letters after the shape are the blocks
before which ptxas puts a BSYNC, those of sm_75 behind a bar where they are others. All others are executed once for each
group of lanes that comes to them. bankmodel follows the machines from 8.0 on.

It needs ptxas and nvdisasm, as compare_with_machine_code.py does."""
import os
import re
import shutil
import subprocess
import sys

import sass
from compare_with_machine_code import nvdisasm, skip

MACHINES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")

SHAPES = """
# Arms that meet, and short circuits: each block in which lanes of two branches meet.
if_else          T: ?A; B: ld, E; A: ld; E: ld, exit                                             E
or               T: ?A, ?A; B: ld, E; A: ld; E: ld, exit                                         A E
early_exit       T: ?X, ?A; B: ld, E; X: exit; A: ld; E: ld, exit                                E
return_or        T: ?X, ?X; E: ld, exit; X: ld, exit                                             X

# Several such blocks behind one branch: one of them, beside that where all lanes meet. Their order in the text says nothing.
two_labels       T: ?U, ?A, ?B, E; U: ?A, ?B, E; A: ld, E; B: ld, E; E: ld, exit                 B E
two_labels_2     T: ?U, ?A, ?B, E; U: ?A, ?B, E; B: ld, E; A: ld, E; E: ld, exit                 B E
three_labels     T: ?U, ?A, ?B, ?C, E; U: ?A, ?B, ?C, E; A: ld, E; B: ld, E; C: ld, E; E: ld, exit     B E
larger_label     T: ?U, ?A, ?B, E; U: ?A, ?B, E; A: ld, ld, ld, ld, ld, ld, ld, ld, E; B: ld, E; E: ld, exit     A E
fall_through     T: ?U, ?A, ?B, E; U: ?A, ?B, E; A: ld; B: ld, E; E: ld, exit                    B E
fall_through_2   T: ?U, ?A, ?B, E; U: ?A, ?B, E; B: ld; A: ld, E; E: ld, exit                    A E
and_or           T: ?B, ?A, ?B; A: ld, E; B: ld; E: ld, exit                                     A E

# A loop: where its exits meet. Not the code on the way to there, however much it is.
break            T: ld; L: ld, ?B, ?L, E; B: ld, ld, E; E: ld, exit                              E | B E
long_break       T: ld; L: ld, ?B, ?L, E; B: ld, ld, ld, ld, ld, ld, ld, ld, E; E: ld, exit      E | B E
two_breaks       T: ld; L: ld, ?B, ?B, ?L, E; B: ld, ld, E; E: ld, exit                          E | B E
while_return     T: ?X; L: ?X, ?E, ld, ?L; X: ld, ld, ld, ld, ld, ld, ld, ld; E: ld, exit        E | E X
for_return       T: ?X; L: ld, ?E, ?L; X: ld, ld, ld, ld; E: ld, exit                            E | E X

# But the code behind the branch that goes back, if nothing else comes to it and no other exit has more.
do_return        T: ld; L: ld, ?E, ?L; X: ld; E: ld, exit                                        X E
do_break         T: ld; L: ld, ?B, ?L; X: ld, E; B: ld, E; E: ld, exit                           X E | B E
do_long_break    T: ld; L: ld, ?B, ?L; X: ld, E; B: ld, ld, ld, ld, ld, E; E: ld, exit           E | B E
inner_break      T: ld; O: ld; L: ld, ?N, ?L; X: ld; N: ld, ?O; E: ld, exit                      X N E
inner_return     T: ld; O: ld; L: ld, ?R, ?N, ?L; X: ld; N: ld, ?O; E: ld, ld, exit; R: ld, exit     X N E | N R
# And if no other exit leaves the loop around this one, to meet the rest behind it.
out_of_both      T: ld; O: ld; L: ld, ?F, ?N, ?L; X: ld; N: ld, ?O; E: ld; F: ld, exit           N E F

# A loop whose exits never meet: one of them, that with the most behind it; of two with as much the first one.
return_return    T: ld; L: ld, ?X, ?L; Y: ld, exit; X: ld, exit                                  X
longer_end       T: ld; L: ld, ?X, ?L; Y: ld, ld, exit; X: ld, exit                              Y | X
longer_return    T: ld; L: ld, ?X, ?L; Y: ld, exit; X: ld, ld, ld, ld, exit                      X
nothing_behind   T: ld; L: ld, ?X, ?L, E; X: ld; E: exit                                         X
three_returns    T: ld; L: ld, ?X, ?Z, ?L; Y: ld, exit; X: ld, exit; Z: ld, exit                 X
"""
CONDITIONS = 1000  # lines from here on


def shapes():
    """Names, blocks, the blocks where lanes rejoin, the same of sm_75."""
    for text in SHAPES.splitlines():
        if text and text[0] != "#":
            name, rest = text.split(None, 1)
            blocks, joined = re.match(r"^(.*\S)\s{2,}(.*)$", rest).groups()
            after, _, of_turing = joined.partition(" | ")
            yield name, blocks, after.split(), (of_turing or after).split()


def ptx_of(name, blocks):
    """The kernel, and the line of each block's first load."""
    text = [
        f".visible .entry {name}(.param .u64 out) {{",
        ".reg .pred %p<50>; .reg .b32 %r<50>; .reg .b64 %d<4>; .shared .align 4 .b8 s[2048];",
        "mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;",
    ]
    first, loads, conditions = {}, 0, 0
    for block in blocks.split(";"):
        label, steps = (part.strip() for part in block.split(":"))
        text.append(label + ":")
        for step in (part.strip() for part in steps.split(",")):
            if step == "ld":
                loads += 1
                first.setdefault(label, loads)
                text.append(f".loc 1 {loads} 1")
                for at in range(0, 4 * 256, 256):  # as few are executed under a guard, without a branch
                    text += [f"ld.volatile.shared.u32 %r4, [%r3+{at + 4 * loads}];",
                             f"mad.lo.u32 %r4, %r4, %r1, {loads};", f"st.volatile.shared.u32 [%r3+{at + 128 + 4 * loads}], %r4;"]
            elif step == "exit":
                text.append("ret;")
            elif step[0] == "?":
                conditions += 1
                text += [f".loc 1 {CONDITIONS + conditions} 1", f"ld.volatile.shared.u32 %r5, [%r3+{1024 + 4 * conditions}];",
                         f"setp.gt.s32 %p{conditions}, %r5, {conditions};", f"@%p{conditions} bra {step[1:]};"]
            else:
                text.append(f"bra {step};")
    return "\n".join(text + ["}"]), first


def rejoins(code, labels, line):
    """True if a BSYNC is in front of the first load of this line, in its block."""
    at = next(at for at, one in enumerate(code) if one.name == "LDS" and one.line == line and not one.guard)
    while at > 0:
        before = code[at - 1]
        if before.name == "BSYNC":
            return True
        if before.name in ("BRA", "EXIT") or at in labels.values():
            return False
        at -= 1
    return False


def main(folder):
    if not shutil.which("ptxas"):
        skip("no ptxas")
    if not re.search(r"release 13\.", subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout):
        skip("the table is that of ptxas 13")
    if not nvdisasm():
        skip("no nvdisasm: pip install nvidia-cuda-nvdisasm")
    os.makedirs(folder, exist_ok=True)
    wrong = experiments = 0
    for machine in MACHINES:
        made = [
            (name, blocks, of_turing if machine == "sm_75" else joined, *ptx_of(name, blocks))
            for name, blocks, joined, of_turing in shapes()
        ]
        file = os.path.join(folder, f"shapes_{machine}")
        with open(file + ".ptx", "w") as to:
            to.write(f'.version 8.7\n.target {machine}\n.address_size 64\n.file 1 "shapes.cu"\n')
            to.write("\n".join(text for *_, text, _ in made) + "\n")
        subprocess.run(["ptxas", "-arch=" + machine, "-lineinfo", file + ".ptx", "-o", file + ".cubin"], check=True)
        kernels = sass.disassembled(nvdisasm(), file + ".cubin")
        for name, blocks, joined, _, first in made:
            code, labels, _ = kernels[name]
            found = sorted(label for label, line in first.items() if rejoins(code, labels, line))
            experiments += 1
            if found != sorted(joined):
                print(f"{machine}, {name}: {blocks}: rejoins before {' '.join(found)}, not {' '.join(joined)}")
                wrong += 1
    print(f"{experiments} experiments, {wrong} are not as the table says")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
