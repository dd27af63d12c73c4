/* SPDX-License-Identifier: MIT */
/* bankmodel as a shared library for other languages: libbankmodel. Kernels are text: CUDA, HIP,
   PTX, or the notation of kernel files (examples/guide/README.md). No function writes to standard
   output or keeps what it is given; all may be called by several threads at once. A process that
   forks while another of its threads is in a call must not call in the child. Texts are UTF-8 and
   end with a zero.

     bankmodel_cost cost[2];
     const char* name = "W";
     const int64_t widths[] = {32, 33};
     char* error = NULL;
     int code = bankmodel_totals("sm_90", "block 32 32\nshared float t[32][W]\nload t[tx][ty]\n", 1,
   &name, 2, widths, cost, &error);
     // code 0, cost[0].wavefronts 1024, cost[1].wavefronts 32
     bankmodel_free(error); */
#ifndef BANKMODEL_H
#define BANKMODEL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BANKMODEL_API __attribute__((visibility("default")))
#else
#define BANKMODEL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this interface. It changes when a program that was compiled with an older one could
 * go wrong. */
#define BANKMODEL_ABI 1

/* BANKMODEL_ABI of the library that was loaded: compare it with that of the header. */
BANKMODEL_API int bankmodel_abi(void);

/* "0.1.0" */
BANKMODEL_API const char* bankmodel_version(void);

/* Answers what the command line is asked with these words, which are those behind the program's
   name: {"-m", "sm_90", "--json", "k.cu"}. Not for `reorganize` and --lsp. input   what the word -
   reads, `bytes` bytes; may be NULL out     set to the output, to be freed with bankmodel_free()
     error   set to notes and errors as lines, likewise; empty if there are none
   Returns the exit code: 0; 1 if a limit is exceeded; 2 for an error, `output` being empty or data
   that says so; 3 if something was not read. */
BANKMODEL_API int bankmodel_run(size_t count, const char* const* words, const char* input,
                                size_t bytes, char** output, char** error);

/* One block of a kernel: shared memory, and global memory. */
typedef struct {
  uint64_t requests, wavefronts, ideal; /* conflicts are wavefronts - ideal */
  uint64_t degree;                      /* n of the worst n-way conflict; 0 without accesses */
  uint64_t global_requests, transactions, ideal_transactions;
  uint64_t lines, bytes_used, bytes_moved;
} bankmodel_cost;

/* Counts variants of a kernel in the notation of kernel files on one machine, on all processors.
     machine   "sm_90", "gfx942", "h100"
     names     how many names of the text have values here, instead of those of its `define` lines
   or beside them; its line `block` may have names too name      the names values    variants times
   names: the values of the first variant in the order of the names, then those of the second costs
   the result of each variant error     set to what is wrong and with which variant, to be freed
   with bankmodel_free(), or to NULL Returns 0, or 2: then no cost is set. */
BANKMODEL_API int bankmodel_totals(const char* machine, const char* kernel, size_t names,
                                   const char* const* name, size_t variants, const int64_t* values,
                                   bankmodel_cost* costs, char** error);

/* Frees a text of these functions; NULL is allowed. */
BANKMODEL_API void bankmodel_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
