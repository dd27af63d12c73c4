# nvcc beside Clang's libraries, and instead of them: here a program that writes what nvcc 13.0 wrote once (-arch=sm_90 -lineinfo).
# Included by command_line.cmake, which leaves nvcc out otherwise.
set(by_nvcc ${CMAKE_CURRENT_LIST_DIR}/ptx/by_nvcc.cu)
function(write_nvcc ptx)
  file(WRITE ${SCRATCH}/nvcc/nvcc "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nsed 's#\"by_nvcc.cu\"#\"${by_nvcc}\"#' '${ptx}' > \"$2\"\n")
  file(CHMOD ${SCRATCH}/nvcc/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
set(path $ENV{PATH})

# Launches are followed.
write_nvcc(${KERNELS}/../cuda/transpose.ptx)
unset(ENV{BANKMODEL_NVCC})
set(ENV{PATH} "${SCRATCH}/nvcc:${path}")
run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 8 threads\n.*\nnote: launched as in line 17: grid 32x32, [^\n]*1024\n" ARGUMENTS ${source} --nvcc)
run(CODE 0 OUT "\nassumed: block = 32x8, since no launch of transpose was found; give --block 32x8\n" ARGUMENTS ${SCRATCH}/alone.cu --nvcc)
set(ENV{PATH} "${path}")

# What Clang's libraries do not read is read as nvcc compiles it, without being asked; the rest of the file is read as ever.
set(ENV{BANKMODEL_NVCC} "${SCRATCH}/nvcc/nvcc")
write_nvcc(${CMAKE_CURRENT_LIST_DIR}/ptx/by_nvcc.ptx)
set(is_asked "^bankmodel: note: nvcc is asked about [^\n]*by_nvcc.cu, since Clang's libraries do not read all of it; BANKMODEL_NVCC=none leaves it out\n")
set(by_nvcc_table "^[^\n]*by_nvcc.cu on sm_90, one block of each kernel:\n[^\n]*\n    2  transposed  32x32       1,056     64   6, 32-way           256    256\n   10  strided<4>    128          20      8   13, 4-way            32     32\n\n")
run(CODE 0 ERROR "${is_asked}$" OUT "${by_nvcc_table}.*\n   13  load in .*note: launched as in line 20: grid 2, row=64\n.*\nnote: strided<4> is counted as nvcc compiles it, since Clang's libraries do not read it here:\n[^\n]*by_nvcc.cu:12:[0-9]+: error: " ARGUMENTS ${by_nvcc})
# Both have a plan where there is text of it.
run(CODE 0 ERROR "${is_asked}$" OUT "tile.32..33.*there is no plan of s: PTX has its bytes and not its extents, which source" ARGUMENTS ${by_nvcc} -m sm_90 -m sm_80)
run(CODE 0 ERROR "${is_asked}$" OUT "^sm_90: strided<4>, one block of 64 threads\n" ARGUMENTS ${by_nvcc} --kernel strided --block 64)
run(CODE 0 ERROR "${is_asked}$" OUT "\"launched as in line 20: grid 2, row=64\".*\"strided<4> is counted as nvcc compiles it, " ARGUMENTS ${by_nvcc} --json)
# Where the question is about what was read, nvcc is not asked.
run(CODE 0 OUT "^sm_90: transposed, one block of 32 x 32 threads\n" ARGUMENTS ${by_nvcc} --kernel transposed)
# Without nvcc, in a file that is changed, and for machines that nvcc does not compile for.
foreach(options IN ITEMS "" "--fix=dry-run" "-m;gfx90a")
  if(options STREQUAL "")
    set(ENV{BANKMODEL_NVCC} none)
  else()
    set(ENV{BANKMODEL_NVCC} "${SCRATCH}/nvcc/nvcc")
  endif()
  run(CODE 0 ERROR "^bankmodel: note: strided<4> is not counted: strided<4> does not compile here; " OUT "." ARGUMENTS ${by_nvcc} ${options})
endforeach()
# A file of which nothing is read: what Clang says stands where nvcc refuses it too.
file(READ ${by_nvcc} text)
string(REGEX REPLACE "static __global__ void transposed.*(template <int Step>.*)  transposed<<<.*(  strided)" "\\1\\2" text "${text}")
file(WRITE ${SCRATCH}/nothing_read.cu "${text}")
run(CODE 0 ERROR "^bankmodel: note: nvcc is asked about " OUT "^sm_90: strided<4>, one block of 128 threads\n.*\nnote: the file is counted as nvcc compiles it, since Clang's libraries do not read it here:[ \n][^\n]*nothing_read.cu:[0-9]+:[0-9]+:[ \n]error:[ \n]" ARGUMENTS ${SCRATCH}/nothing_read.cu)
file(WRITE ${SCRATCH}/nvcc/nvcc "#!/bin/sh\nexit 1\n")
run(CODE 2 ERROR "^bankmodel: note: nvcc is asked about [^\n]*\nbankmodel: error: [^\n]*nothing_read.cu does not compile here; [^\n]*\n[^\n]*: error: " ARGUMENTS ${SCRATCH}/nothing_read.cu)
# A header that nobody has would not be found by nvcc either.
file(WRITE ${SCRATCH}/lacks.cu "#include \"nowhere_at_all.h\"\n__global__ void k(nowhere* p) {\n  __shared__ int s[32];\n  s[threadIdx.x] = p->x;\n}\n")
run(CODE 2 ERROR "^bankmodel: error: [^\n]*lacks.cu does not compile here; these headers were not found" ARGUMENTS ${SCRATCH}/lacks.cu)
set(ENV{BANKMODEL_NVCC} none)
find_program(NVCC nvcc)
if(NVCC)
  set(ENV{BANKMODEL_NVCC} "${NVCC}")
  run(CODE 0 ERROR "${is_asked}$" OUT "${by_nvcc_table}" ARGUMENTS ${by_nvcc})
  set(ENV{BANKMODEL_NVCC} none)
  # A device function of the toolkit that is not declared here is named.
  execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/undeclared.sh ${TOOL} ${NVCC} ${SCRATCH}/undeclared
                  RESULT_VARIABLE code OUTPUT_VARIABLE undeclared ERROR_VARIABLE undeclared_error)
  if(NOT code EQUAL 0 OR NOT undeclared STREQUAL "")
    message(SEND_ERROR "undeclared.sh: the toolkit has device functions or enumerators that are not declared as it has them: ${undeclared}${undeclared_error}")
  endif()
else()
  message(STATUS "SKIPPED: nvcc is not on the path, and what it compiles is not read")
endif()
