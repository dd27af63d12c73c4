// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "../engine/run.hpp"

// Accesses as issued: nvcc joins loads, and stores, to consecutive addresses into wider
// instructions, and loads the same value once. These are its rules, found by experiment with nvcc
// 13.0 for sm_90 (tests/command_line/issued.cpp compiles some of these experiments again):
//
// - Accesses of 4 and of 8 bytes are joined into 8 and 16 bytes, those of 1 and 2 bytes are not.
// - They are in one basic block. A barrier, __syncwarp() or a fence ends it; so does a store to any
//   shared array between loads, and a load or a store to another place between stores. Shuffles and
//   accesses to global memory do not.
// - Their order does not matter, and neither does their type.
// - Loads of three of the four words of 16 bytes become one instruction of 16 bytes. All other
//   instructions are of bytes that are accessed; stores always are.
// - The instruction's alignment follows from the code: shifts, multiples and masks count, values of
//   arguments and of blockDim do not (known_alignment.hpp).
// - Loads from global memory are joined where the types say how they are aligned
//   (float4's members), not where they are elements of a float*.
// - volatile accesses stay as they are.
//
// Code that was compiled again by ptxas may differ: it unrolls more loops, and moves accesses
// between basic blocks. So this is an estimate, which cubin.hpp confirms or corrects.
namespace compiled {

struct joining {
  // Of an instruction. 4: no two words are joined, but each is loaded once.
  int most_bytes = most_joined_bytes;
  // An instruction is aligned in each request that was recorded, instead of whatever the launch is.
  bool as_recorded = false;
  // Of an access that is joined. Less than a word only where machine code has shown it.
  int least_bytes = 4;
};

// Sets issued_with, issued_bytes and issued_offset of accesses number `numbers`, in ascending
// order, or of all.
void join_accesses(recording& recorded, const joining& rules = {});
void join_accesses(recording& recorded, const std::vector<int>& numbers, const joining& rules);

// The bytes of the widest instruction that accesses shared array `number`, as issued: a layout that
// does not keep its alignment makes it several. 0: the array is not accessed.
int widest_issued_bytes(const recording& recorded, int number);

// Bytes of a lane's access.
int bytes_as_issued(const recorded_access& access);

// One of the access's classes, as requests of the instruction that does it.
recorded_class as_issued(const recorded_access& access, const recorded_class& requests);

// True if an instruction does several accesses to shared memory.
bool joins_shared_accesses(const recording& recorded);

}  // namespace compiled
