#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the accesses of all CUDA files of a folder move from block to block, as P. Barua's figure 3 counts them.

    block_strides.py BANKMODEL FOLDER [option of bankmodel ..]

Each access to global memory counts once, of the first count of its kernel: shared if what all blocks access is the same, constant
if it moves by a fixed distance along an axis of the grid, not known if an address is not linear in blockIdx and blocks that were
compared differ, or if it depends on data.
"""
import concurrent.futures
import json
import os
import subprocess
import sys


def rows_of(tool, file, options):
    """Returns the rows of all kernels by access; None if the file is not read within two minutes."""
    command = [tool, "--block-strides", "--no-plan", "--json", file, *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "BANKMODEL_NVCC": "none"})
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    result, said = {}, set()
    for kernel in answer["kernels"]:
        if kernel["block_strides"] is None or kernel["kernel"] in said:
            continue
        said.add(kernel["kernel"])
        for row in kernel["block_strides"]["accesses"]:
            key = (kernel["kernel"], row["file"], row["line"], row["column"], row["array"], row["does"])
            result.setdefault(key, []).append(row)
    return result


def main():
    tool, folder, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    files = sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names
                   if name.endswith(".cu"))
    counts = {"shared": 0, "constant": 0, "not known": 0}
    kernels, unread = set(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, rows in zip(files, pool.map(lambda one: rows_of(tool, one, options), files)):
            if rows is None:
                unread += 1
                continue
            for key, along in rows.items():
                kernels.add((file, key[0]))
                strides = {row["stride"] for row in along}
                counts["not known" if None in strides else "shared" if strides == {0} else "constant"] += 1
    total = sum(counts.values())
    print(f"{len(files)} files, {unread} not read; {len(kernels)} kernels with several blocks, {total} accesses: "
          + ", ".join(f"{count} {name} ({100 * count / max(total, 1):.0f} %)" for name, count in counts.items()))


main()
