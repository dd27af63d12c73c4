# The program itself: arguments, standard input, exit codes, the contents of each stream, and valid JSON.
#   cmake -DTOOL=bankmodel -DKERNELS=examples/kernel_files -DSCRATCH=a folder -P command_line.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
set(runs 0)

# run(CODE code INPUT file OUT regex ERROR regex ARGUMENTS ...): the program must end with this code; a stream without a regex
# must be empty. Sets `printed` to its output.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 wanted "" "CODE;INPUT;OUT;ERROR" "ARGUMENTS")
  if(NOT wanted_INPUT)
    set(wanted_INPUT /dev/null)
  endif()
  execute_process(COMMAND ${TOOL} ${wanted_ARGUMENTS} INPUT_FILE ${wanted_INPUT} TIMEOUT 60
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE error)
  if(NOT code STREQUAL "${wanted_CODE}")
    message(SEND_ERROR "bankmodel ${wanted_ARGUMENTS}: exit code ${code}, not ${wanted_CODE}\n${out}${error}")
  endif()
  foreach(stream IN ITEMS OUT ERROR)
    string(TOLOWER ${stream} said)
    if(NOT DEFINED wanted_${stream} AND NOT "${${said}}" STREQUAL "")
      message(SEND_ERROR "bankmodel ${wanted_ARGUMENTS}: prints more than it should\n${${said}}")
    elseif(DEFINED wanted_${stream} AND NOT "${${said}}" MATCHES "${wanted_${stream}}")
      message(SEND_ERROR "bankmodel ${wanted_ARGUMENTS}: does not print ${wanted_${stream}}\n${${said}}")
    endif()
  endforeach()
  set(printed "${out}" PARENT_SCOPE)
  math(EXPR counted "${runs} + 1")
  set(runs ${counted} PARENT_SCOPE)
endfunction()

set(transpose ${KERNELS}/transpose.kernel)
run(CODE 0 OUT "^sm_90: one block of 32 x 8 threads\n.*1,056.*992  32-way\n.*__shared__ float tile.32..33.;" ARGUMENTS ${transpose})
run(CODE 0 OUT "^Exact bank conflicts.*Usage: bankmodel.*--max-conflicts" ARGUMENTS --help)
run(CODE 0 OUT "^sm_90: " INPUT ${transpose})
run(CODE 0 OUT "^sm_35: .*\nsm_90: " INPUT ${transpose} ARGUMENTS - --machine sm_35 -m 9.0)
run(CODE 0 OUT "^sm_86: .* 2-way" ARGUMENTS -e "block 32" -e "shared float a[64]" -e "load a[2 * tx]" -m sm_86)
run(CODE 0 OUT "sm_10.*sm_121.*gfx600.*gfx1250" ARGUMENTS --all-machines --no-plan ${transpose})

run(CODE 1 OUT "992" ERROR "^bankmodel: sm_90: 992 conflicts, --max-conflicts allows 991\n$" ARGUMENTS ${transpose} --max-conflicts 991)
run(CODE 0 OUT "992" ARGUMENTS ${transpose} --max-conflicts 992)

run(CODE 2 ERROR "^bankmodel: error: standard input is empty; [^\n]*--help\n$" INPUT /dev/null)
run(CODE 2 ERROR "^<arguments>:2:6: error: there is no array b; [^\n]*\n  load b.tx.\n       \\^\n$"
    ARGUMENTS -e "shared int a[8]" -e "load b[tx]")
run(CODE 2 ERROR "^bankmodel: error: cannot read nowhere.kernel: no such file; " ARGUMENTS nowhere.kernel)
run(CODE 2 ERROR "^bankmodel: error: cannot read nowhere.cu: no such file; " ARGUMENTS nowhere.cu --block 32)
run(CODE 2 ERROR "^bankmodel: error: ${KERNELS} has no file with a kernel; name a folder with .cu, .hip or .ptx files\n$" ARGUMENTS ${KERNELS})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*bankmodel[^\n]* is a binary file; give a .cu, a .ptx or a kernel file\n$" ARGUMENTS ${TOOL})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--no-such[^\n]*; --help" ARGUMENTS --no-such ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--max-conflicts[^\n]*\n$" ARGUMENTS --max-conflicts many ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--max-conflicts[^\n]*\n$" ARGUMENTS --max-conflicts -1 ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--max-conflicts[^\n]*\n$" ARGUMENTS --max-conflicts 99999999999999999999 ${transpose})
foreach(option IN ITEMS --shared-bytes --resident-blocks --registers)
  run(CODE 2 ERROR "^bankmodel: error: [^\n]*${option}[^\n]*\n$" ARGUMENTS ${option} -1 ${transpose})
  run(CODE 2 ERROR "^bankmodel: error: " ARGUMENTS ${option} 1000000000 ${transpose})
endforeach()
run(CODE 2 ERROR "^bankmodel: error: there is no machine sm_91; did you mean sm_90. known are sm_10, " ARGUMENTS --machine sm_91 ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; choose one\n$" ARGUMENTS --json --csv ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; choose one\n$" ARGUMENTS --all-machines -m sm_90 ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; choose one\n$" ARGUMENTS -e "block 32" ${transpose})
run(CODE 2 ERROR "^bankmodel: error: there is no machine sm_1000; did you mean sm_100. " ARGUMENTS --machine sm_1000 ${transpose})
run(CODE 2 ERROR "^bankmodel: error: there is no machine sm_122; did you mean sm_121. " ARGUMENTS --machine sm_122 ${transpose})
run(CODE 2 ERROR "^bankmodel: error: several files are given, and [^\n]*transpose.kernel is no .cu, .hip or .ptx file; give it alone\n$" ARGUMENTS ${transpose} ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--other[^\n]*; --help lists the arguments\n$" ARGUMENTS ${transpose} --other)

# Comparison with a profiler's export.
set(profiled -e "machine sm_70" -e "block 32, 32" -e "shared double a[32][32]" -e "store a[tx][ty]" -e "load a[ty][tx]" --no-plan)
set(export ${KERNELS}/../profiles/transpose.csv)
run(CODE 0 OUT "\n[^\n]*transpose.csv, of 16384 blocks:\nsmem_cuda_transpose.*mem_shared_op_st.sum +measured 17,061,038  expected 16,777,216  differs by 283,822\n$"
    ARGUMENTS ${profiled} --profile ${export} --blocks 16384)
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; give both\n$" ARGUMENTS ${profiled} --blocks 16384)
run(CODE 2 ERROR "^bankmodel: error: --profile is given without the number of blocks; give --blocks, or write `grid X Y Z`\n$"
    ARGUMENTS ${profiled} --profile ${export})
run(CODE 0 OUT "\n[^\n]*transpose.csv, of 16384 blocks:\n.*expected 16,777,216  differs by 283,822\n$"
    ARGUMENTS ${profiled} -e "grid 128 128" --profile ${export})
run(CODE 2 ERROR "^bankmodel: error: cannot read nowhere.csv; " ARGUMENTS ${profiled} --profile nowhere.csv --blocks 1)
run(CODE 2 ERROR "^bankmodel: error: [^\n]*transpose.csv: .number is 0, [^\n]*\n$" ARGUMENTS ${profiled} --profile ${export} --blocks 1 --kernel other)
run(CODE 2 ERROR "^bankmodel: error: a profile is of one machine, but 2 are given; " ARGUMENTS ${profiled} -m sm_70 -m sm_90 --profile ${export} --blocks 1)
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; leave them out\n$" ARGUMENTS ${profiled} --json --profile ${export} --blocks 1)

# Compiled code.
set(ptx ${KERNELS}/../cuda/transpose.ptx)
set(launched ${ptx} --block 32x8 --arg p2=1024)
run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 8 threads\n\n line  shared memory .*\n   12  load tile +[^\n]* 32 +1,024 +32 +992 +32-way\n.*global memory.*\n    8  load p1 [^\n]* 32 +128 +128 +4,096 +4,096\n.*\nAs issued: the same, an estimate.*transpose.cu:12:[0-9]+: warning: 32-way bank conflict: 32 requests take 1,024 wavefronts, ideal 32 .bank-conflict.\n   12 . +for[^\n]*\n +. +\\^\n[^\n]*cuda/transpose.cu:12:[0-9]+: note: in the worst request: lanes 0, 1, 2, .. 31 touch"
    ARGUMENTS ${launched})
run(CODE 0 OUT "8  load p1 .in part. .*the whole kernel .in part. .*transpose.cu:8:[0-9]+: warning: counted in part: [^\n]*'p2'; give --arg p2=.." ARGUMENTS ${ptx} --block 32x8 --bounds)
# What nobody gives is assumed, and the page says it.
run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 8 threads\nassumed: p2 = 1024, since an address at transpose.cu:8:[0-9]+ depends on it; give --arg p2=..\n\n line .*    8  load p1 [^\n]* 32 +128 +128 +4,096 +4,096\n" ARGUMENTS ${ptx} --block 32x8)
run(CODE 0 OUT "\"assumed\": .\n        {\"subject\": \"p2\", \"value\": \"1024\", \"option\": \"--arg p2=..\", \"reason\": \"an address at transpose.cu:8:[0-9]+ depends on it\"}" ARGUMENTS ${ptx} --block 32x8 --json)
run(CODE 0 OUT "\nsm_35,\"transpose\",\"transpose.cu\",12,[0-9]+,shared,\"tile\",load,4,32,512,32,480,16,,,,,0,4,32,512,,estimate,,,,\n" ARGUMENTS ${launched} --csv -m sm_35)
run(CODE 0 OUT "\"array\": \"tile\", \"does\": \"load\", \"bytes\": 4, \"requests\": 32, \"wavefronts\": 1024, " ARGUMENTS ${launched} --json)
string(JSON accesses ERROR_VARIABLE wrong LENGTH "${printed}" kernels 0 accesses)
if(NOT accesses EQUAL 4)
  message(SEND_ERROR "the JSON of ${ptx} has ${accesses} accesses, not 4: ${wrong}")
endif()
run(CODE 1 OUT "^sm_90: " ERROR "^bankmodel: sm_90: 992 conflicts, --max-conflicts allows 991\n$" ARGUMENTS ${launched} --max-conflicts 991)
# The formats of compiled code; each with --max-conflicts.
run(CODE 0 OUT "^sm_90: transpose, .*\n   wavefronts  transactions  line\n\n[^\n]*cuda/transpose.cu:4\n.*\n      32 / 32     128 / 128     8    for [^\n]*\n.*\n!  1,024 / 32     128 / 128    12    for [^\n]*\n *13  }\n\n!  1,056 / 64     256 / 256        the whole kernel\n"
    ARGUMENTS ${launched} --format source)
run(CODE 0 OUT "^sm_90: transpose, .*the whole kernel" ARGUMENTS ${launched} --format text)
run(CODE 0 OUT "^machine,kernel,.*\nsm_35,.*\n$" ARGUMENTS ${launched} --format csv -m sm_35)
run(CODE 0 OUT "^<!DOCTYPE html>\n.*<h2>transpose on sm_90</h2>.*<h2>transpose on sm_35</h2>.*</html>\n$" ARGUMENTS ${launched} --format html -m sm_90 -m sm_35)
run(CODE 0 OUT "^sm_90: transpose, " ARGUMENTS ${launched} --html ${SCRATCH}/transpose.html -m sm_90)
file(READ ${SCRATCH}/transpose.html page)
if(NOT page MATCHES "^<!DOCTYPE html>\n.*<details class=.over.><summary>.*Bank map of tile.1024. on sm_90.*</html>\n$")
  message(SEND_ERROR "--html does not write the page")
endif()
run(CODE 2 ERROR "^bankmodel: error: transpose: the argument .p2. is not used as a pointer, [^\n]*give its value, --arg p2=" ARGUMENTS ${ptx} --block 32x8 --data p2=${export})
run(CODE 2 ERROR "^bankmodel: error: cannot write [^\n]*page.html: there is no folder [^\n]*/no/such; make it first\n$" ARGUMENTS ${launched} --html ${SCRATCH}/no/such/page.html)
foreach(format IN ITEMS text json csv sarif html source)
  run(CODE 1 OUT "transpose" ERROR "^bankmodel: sm_90: 992 conflicts, --max-conflicts allows 991\n$" ARGUMENTS ${launched} --format ${format} --max-conflicts 991)
endforeach()
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--format[^\n]*sarif[^\n]*\n$" ARGUMENTS ${launched} --format xml)
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; choose one\n$" ARGUMENTS ${launched} --format csv --json)
run(CODE 0 OUT "^{" ARGUMENTS --format json ${transpose})
foreach(wrong IN ITEMS sarif html source)
  run(CODE 2 ERROR "^bankmodel: error: --format ${wrong} is for compiled code and source; name a .ptx or .cu file, or use --format json\n$" ARGUMENTS ${transpose} --format ${wrong})
endforeach()
# No option is left out silently because of the kind of file.
foreach(of_compiled IN ITEMS "--block;32" "--grid;2" "--at;1" "--arg;n=1" "--assume;1=taken" "--data;a=${export}" --bounds --describe "--cubin;${ptx}" "--html;${SCRATCH}/no.html")
  list(GET of_compiled 0 option)
  run(CODE 2 ERROR "^bankmodel: error: ${option} is for compiled code and source; name a .ptx or .cu file\n$" ARGUMENTS ${transpose} ${of_compiled})
endforeach()
foreach(of_source IN ITEMS "-I;." "-D;N=1" "--std;c++20" "--cuda-path;." "--program-arguments;1" --nvcc --fix)
  list(GET of_source 0 option)
  foreach(other IN ITEMS ${transpose} ${ptx})
    run(CODE 2 ERROR "^bankmodel: error: ${option} is for CUDA and HIP source; name a .cu file\n$" ARGUMENTS ${other} ${of_source})
  endforeach()
endforeach()
foreach(of_kernel_files IN ITEMS "--svg;${SCRATCH}/no.svg" "--plan-header;-" "--profile;p.csv" --brief "--layouts;padding" "--keep;a" "--effort;9" "--shared-bytes;9"
                                 "--resident-blocks;2" "--registers;9" --all-machines)
  list(GET of_kernel_files 0 option)
  run(CODE 2 ERROR "^bankmodel: error: ${option} is for kernel files; leave it out\n$" ARGUMENTS ${launched} ${of_kernel_files})
endforeach()
foreach(both IN ITEMS "--format;text;--json" "--json;--csv" "--fix;--nvcc" "--fix;--cubin;x" "--describe;--bounds" "--nvcc;--cuda-path;.")
  run(CODE 2 ERROR "^bankmodel: error: --[a-z]+ and --[a-z-]+ are both given; choose one\n$" ARGUMENTS kernel.cu ${both})
endforeach()
run(CODE 2 ERROR "^bankmodel: error: --launch is given without --profile; give both\n$" ARGUMENTS ${transpose} --launch 1)
run(CODE 2 ERROR "^bankmodel: error: --kernel is for compiled code, source and profiles; [^\n]*\n$" ARGUMENTS ${transpose} --kernel k)
run(CODE 2 ERROR "^bankmodel: error: --plan-header - prints the header instead of the table; [^\n]*\n$" ARGUMENTS ${transpose} --plan-header - --json)
# SARIF: what readers of it rely on.
run(CODE 0 OUT "^{" ARGUMENTS ${ptx} --block 32x8 --arg p2=1023 --format sarif -m sm_90 -m sm_86)
string(JSON version GET "${printed}" version)
string(JSON runs_in_log LENGTH "${printed}" runs)
string(JSON results LENGTH "${printed}" runs 0 results)
set(found "${version} ${runs_in_log} ${results}")
math(EXPR last "${results} - 1")
foreach(at RANGE ${last})
  string(JSON rule GET "${printed}" runs 0 results ${at} ruleId)
  string(JSON line GET "${printed}" runs 0 results ${at} locations 0 physicalLocation region startLine)
  string(JSON uri GET "${printed}" runs 0 results ${at} locations 0 physicalLocation artifactLocation uri)
  string(JSON text GET "${printed}" runs 0 results ${at} message text)
  string(JSON machine GET "${printed}" runs 0 results ${at} properties machine)
  string(APPEND found " ${rule}:${line}:${machine}")
  if(NOT uri MATCHES "cuda/transpose.cu$" OR NOT text MATCHES " on ${machine}")
    message(SEND_ERROR "a result of SARIF has the place ${uri} and the text ${text}")
  endif()
endforeach()
if(NOT found STREQUAL "2.1.0 1 6 bank-conflict:12:sm_90 uncoalesced:8:sm_90 uncoalesced:12:sm_90 bank-conflict:12:sm_86 uncoalesced:8:sm_86 uncoalesced:12:sm_86")
  message(SEND_ERROR "SARIF has ${found}")
endif()
set(described "")
foreach(at RANGE 2)
  string(JSON rule GET "${printed}" runs 0 tool driver rules ${at} id)
  string(JSON level GET "${printed}" runs 0 tool driver rules ${at} defaultConfiguration level)
  string(APPEND described " ${rule} ${level}")
endforeach()
if(NOT described STREQUAL " bank-conflict warning uncoalesced warning few-lanes warning")
  message(SEND_ERROR "the rules of SARIF are${described}")
endif()
run(CODE 0 OUT "^{" ARGUMENTS ${ptx} --block 32x8 --bounds --format sarif)
string(JSON partial GET "${printed}" runs 0 invocations 0 toolExecutionNotifications 0 message text)
if(NOT partial MATCHES "^counted in part: ")
  message(SEND_ERROR "SARIF does not tell what is counted in part: ${partial}")
endif()
run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 8 threads\nassumed: block = 32x8, since PTX does not say it; give --block 32x8\n" ARGUMENTS ${ptx})
run(CODE 2 ERROR "^bankmodel: error: --block is 32y8, [^\n]*; write --block 32x8\n$" ARGUMENTS ${ptx} --block 32y8)
# What no launch has.
run(CODE 2 ERROR "^bankmodel: error: a block of 128 threads along z; use 1 to 64, as --block 32x8\n$" ARGUMENTS ${ptx} --block 1x1x128)
run(CODE 2 ERROR "^bankmodel: error: transpose: a block of 64 x 32 x 1 threads; |^bankmodel: error: a block of 2048 threads; sm_90 has at most 1024 in a block: " ARGUMENTS ${ptx} --block 64x32)
run(CODE 2 ERROR "^bankmodel: error: --block is 99999999999999999999, and 99999999999999999999 is too large; use 1 to 1024, as --block 32x8\n$" ARGUMENTS ${ptx} --block 99999999999999999999)
run(CODE 2 ERROR "^bankmodel: error: --block is 32x0, and 0 is too small; use 1 to 1024, as --block 32x8\n$" ARGUMENTS ${ptx} --block 32x0)
run(CODE 2 ERROR "^bankmodel: error: --grid is 99999999999, and 99999999999 is too large; use 1 to 2147483647, as --grid 32x8\n$" ARGUMENTS ${ptx} --block 32 --grid 99999999999)
run(CODE 2 ERROR "^bankmodel: error: a grid of 65536 blocks along y; use 1 to 65535, as --grid 32x8\n$" ARGUMENTS ${ptx} --block 32 --grid 1x65536)
run(CODE 0 OUT "the launch fails on sm_90: a block takes 504,096 bytes of shared memory, and may have 232,448;[ \n]give fewer dynamic bytes\n" ARGUMENTS ${launched} --dynamic-bytes 500000)
run(CODE 2 ERROR "^bankmodel: error: --arg is n, [^\n]*; write --arg n=1024\n$" ARGUMENTS ${ptx} --block 32 --arg n)
run(CODE 2 ERROR "^bankmodel: error: --assume is 17, [^\n]*; write --assume 17=taken, --assume 17=4, or --assume 17=0..4\n$" ARGUMENTS ${ptx} --block 32 --assume 17)
run(CODE 2 ERROR "^bankmodel: error: --arg is p2=4294967296, which is no value of u32; give a value of its type\n$" ARGUMENTS ${ptx} --block 32 --arg p2=4294967296)
run(CODE 2 ERROR "^bankmodel: error: --arg p2=2 is the second value of this argument; give one\n$" ARGUMENTS ${launched} --arg p2=2)
run(CODE 0 OUT "\nnote: --assume 9 decides nothing: at this line no branch" ARGUMENTS ${launched} --assume 9=taken)
run(CODE 2 ERROR "^bankmodel: error: --at 1 is not a block of the grid; raise --grid\n$" ARGUMENTS ${ptx} --block 32 --at 1)
run(CODE 2 ERROR "^bankmodel: error: no kernel is named copy; give a part of a name with --kernel, of transpose\n$" ARGUMENTS ${ptx} --block 32 --kernel copy)
run(CODE 2 ERROR "^bankmodel: error: [^\n]*warps of 32 lanes, and gfx942 has 64; " ARGUMENTS ${launched} -m gfx942)
run(CODE 0 OUT "\n    bm::block_dim{32, 8, 1},\n    // transpose.cu:8:[0-9]+\n    bm::store\\(tile.tid.\\),\n.*\nstatic_assert\\(on_sm_90.requests == 64 && on_sm_90.wavefronts == 1056 && on_sm_90.ideal == 64\\);\nstatic_assert\\(bm::guard<on_sm_90, 992>\\);\n.*on_sm_35_4_byte_banks = bm::total\\(bm::nvidia::sm_35, kernel"
    ARGUMENTS ${launched} --describe -m sm_90 -m sm_35)
run(CODE 2 ERROR "^bankmodel: error: --describe does not work with --json, --csv or another --format than text; leave them out\n$" ARGUMENTS ${launched} --describe --csv)
run(CODE 2 ERROR "^bankmodel: error: --fix and --describe are both given; choose one\n$" ARGUMENTS ${launched} --describe --fix)

# Accesses as issued, and what a cubin says of them.
set(issued ${CMAKE_CURRENT_LIST_DIR}/issued)
set(joined ${issued}/joined.ptx --block 32 --kernel)
run(CODE 0 OUT "\n +[0-9]+  load s +4 +16 +4 [^\n]* 1 of 16 B +4\n" ARGUMENTS ${joined} four_words)
run(CODE 0 OUT "\n +[0-9]+  load s [^\n]* 4 +16 +4 +12 +4-way\n" ARGUMENTS ${joined} stays_volatile)
run(CODE 2 ERROR "^bankmodel: error: cannot read the cubin no.cubin; name the file that nvcc -cubin -lineinfo wrote\n$" ARGUMENTS ${joined} four_words --cubin no.cubin)
run(CODE 2 ERROR "^bankmodel: error: the cubin [^\n]*joined.ptx is not a cubin [^\n]*; give the file that nvcc -cubin -lineinfo writes\n$" ARGUMENTS ${joined} four_words --cubin ${issued}/joined.ptx)
run(CODE 2 ERROR "^bankmodel: error: the cubin [^\n]*widths.cubin has no kernel four_words; it has widths\n$" ARGUMENTS ${joined} four_words --cubin ${issued}/widths.cubin)

# Source, with and without Clang's libraries.
set(source ${KERNELS}/../cuda/transpose.cu)
if(CLANG)
  run(CODE 0 OUT "^sm_90: transpose, .*\n   12  load tile +[^\n]* 32 +1,024 +32 +992 +32-way\n.*\n    8  load in [^\n]* 32 +128 +128 +4,096 +4,096\n.*transpose.cu:12:58: warning: 32-way"
      ARGUMENTS ${source} --arg n=1024) # the launch is in the file
  set(widths ${issued}/widths.cu --block 32 --cubin ${issued}/widths.cubin)
  run(CODE 0 OUT "As issued: an estimate: LLVM's passes remove [^.]*. The cubin has the same widths at each line; it does not show counts.\n" ARGUMENTS ${widths})
  run(CODE 0 OUT ",widths-confirmed,[^\n]*\n" ARGUMENTS ${widths} --csv)
  run(CODE 2 ERROR "^bankmodel: error: the cubin [^\n]*widths.cubin is for sm_90, and not for sm_80; [^\n]*--machine sm_90\n$" ARGUMENTS ${widths} -m sm_80)
  file(WRITE ${SCRATCH}/wrong.cu "__global__ void f(int* a) { a[0] = missing; }\n")
  run(CODE 2 ERROR "^bankmodel: error: [^\n]*wrong.cu does not compile here; correct it, or give the same -I, -D and --std that your build uses\n[^\n]*wrong.cu:1:36: error: use of undeclared identifier 'missing'" ARGUMENTS ${SCRATCH}/wrong.cu --block 32)
  file(WRITE ${SCRATCH}/none.cu "#include \"none.h\"\n__device__ int f() { return missing; }\n")
  run(CODE 2 ERROR "^bankmodel: error: [^\n]*none.cu does not compile here; these headers were not found, give their folder with -I: none.h\n[^\n]*none.cu:2:29: error: " ARGUMENTS ${SCRATCH}/none.cu --block 32)
  file(WRITE ${SCRATCH}/none.cu "int main() {}\n")
  run(CODE 2 ERROR "^bankmodel: error: [^\n]*none.cu has no kernel: no __global__ function is defined in it; give another file; [^\n]*\n$" ARGUMENTS ${SCRATCH}/none.cu --block 32)
  # Kernels of one name are told apart by their mangled names.
  file(WRITE ${SCRATCH}/two.cu "__global__ void k(int* a) { __shared__ int t[64]; a[0] = t[threadIdx.x]; }\n__global__ void k(float* a) { __shared__ int t[64]; a[0] = t[2 * threadIdx.x]; }\n__global__ void kk(float* a) {}\n")
  run(CODE 0 OUT "^[^\n]*two.cu on sm_90, one block of each kernel:\n line  kernel +block +wavefronts +ideal +worst line +transactions +ideal\n    2  k +32 +2 +1 +2, 2-way +1 +1\n    1  k +32 +1 +1 +1 +1\n    3  kk +32 +0 +0 +0 +0\nKernels that take no more [^\n]*\n\n\nsm_90: k, one block [^\n]*\n" ARGUMENTS ${SCRATCH}/two.cu --block 32)
  run(CODE 0 OUT "\n    1  k .*\nsm_90: k, .*\nsm_90: k, " ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel k)
  run(CODE 0 OUT "\n    3  kk .*\nsm_90: kk, .*\nsm_90: k, " ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel kk --kernel _Z1kPf)
  run(CODE 0 OUT "\n    3  kk " ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel "k*")
  run(CODE 2 ERROR "^bankmodel: error: no kernel is named \\?k.; give a part of a name with --kernel, of _Z1kPi, _Z1kPf, kk\n$" ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel "?kx")
  run(CODE 2 ERROR "^bankmodel: error: the file has 3 kernels; choose one with --kernel: _Z1kPi, _Z1kPf, kk\n$" ARGUMENTS ${SCRATCH}/two.cu --block 32 --describe)
  run(CODE 2 ERROR "^bankmodel: error: 2 kernels have k as their name; choose one with --kernel: _Z1kPi, _Z1kPf\n$" ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel k --fix)
  run(CODE 1 OUT "\n    2  k " ERROR "^bankmodel: k: sm_90: 1 conflict, --max-conflicts allows 0\n$" ARGUMENTS ${SCRATCH}/two.cu --block 32 --max-conflicts 0)
  # A kernel that does not compile hides no other; a limit is not kept by what was not read.
  file(WRITE ${SCRATCH}/three.cu "__global__ void k(int* a) { __shared__ int t[64]; a[0] = t[threadIdx.x]; }\n__global__ void wrong(float* a) { a[0] = missing; }\n")
  run(CODE 0 OUT "\n    1  k " ERROR "^bankmodel: note: wrong is not counted: wrong does not compile here; correct it[^\n]*\n[^\n]*three.cu:2:42: error: " ARGUMENTS ${SCRATCH}/three.cu --block 32)
  run(CODE 3 OUT "\n    1  k " ERROR "^bankmodel: note: wrong is not counted: " ARGUMENTS ${SCRATCH}/three.cu --block 32 --max-conflicts 0)
  run(CODE 0 OUT "\"not_counted\": .\n    {\"kernel\": \"wrong\", \"reason\": \"wrong does not compile here; " ERROR "^bankmodel: note: wrong is not counted: " ARGUMENTS ${SCRATCH}/three.cu --block 32 --json)
  # A flag that nobody knows: both arms are counted, each with its value. A block that nobody knows is one that the arrays fit.
  file(WRITE ${SCRATCH}/flag.cu "__global__ void __launch_bounds__(256) f(float* out, bool padded) {\n  __shared__ float t[32][32], w[32][33];\n  for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = w[threadIdx.y + j][threadIdx.x] = j;\n  __syncthreads();\n  for (int j = 0; j < 32; j += 8)\n    if (padded)\n      out[32 * threadIdx.y + threadIdx.x] = w[threadIdx.x][threadIdx.y + j];\n    else\n      out[32 * threadIdx.y + threadIdx.x] = t[threadIdx.x][threadIdx.y + j];\n}\n")
  run(CODE 0 OUT "\n    1  f, padded = 0 . +32x8 +1,088 +96 +9, 32-way .*\n    1  f, padded = 1 . +32x8 +96 +96 " ARGUMENTS ${SCRATCH}/flag.cu)
  run(CODE 1 OUT "f, padded = 0" ERROR "bankmodel: f: sm_90: 992 conflicts, --max-conflicts allows 0 as written .as issued, an estimate, it has 248.\n" ARGUMENTS ${SCRATCH}/flag.cu --max-conflicts 0)
  run(CODE 0 OUT "^sm_90: f, one block of 32 x 4 threads\n\n line .* 7  load w " ARGUMENTS ${SCRATCH}/flag.cu --arg padded=1 --block 32x4)
  # A range is not the whole of a kernel of which something else is not counted at all; a limit is not kept by smaller arguments.
  file(WRITE ${SCRATCH}/two_reasons.cu "__global__ void f(const int* in, float* out) {\n  __shared__ float a[64];\n  a[threadIdx.x] = 1;\n  a[in[threadIdx.x] & 63] = 2;\n  out[threadIdx.x] = a[threadIdx.x + 63];\n}\n")
  run(CODE 0 OUT "    4  store a .data decide. .*    5  load a .in part. .*the whole kernel .in part. " ARGUMENTS ${SCRATCH}/two_reasons.cu --block 32)
  file(WRITE ${SCRATCH}/limited.cu "__global__ void f(float* out, long n) {\n  __shared__ float t[64];\n  for (long k = 0; k < n; ++k) t[2 * threadIdx.x] = k;\n  out[threadIdx.x] = t[threadIdx.x];\n}\n")
  run(CODE 3 OUT "^sm_90" ERROR "sm_90: --max-conflicts says nothing about the arguments that are given: " ARGUMENTS ${SCRATCH}/limited.cu --block 32 --arg n=1000000000000 --max-conflicts 5000 --no-plan)
  run(CODE 1 OUT "^sm_90" ERROR "1024 conflicts, --max-conflicts allows 500" ARGUMENTS ${SCRATCH}/limited.cu --block 32 --arg n=1024 --max-conflicts 500 --no-plan)
  # Costs as formulas of what nobody gives, and as numbers of what somebody does; a loop of 10^12 iterations takes what one of 16 takes.
  file(WRITE ${SCRATCH}/formula.cu "__global__ void __launch_bounds__(32) f(float* out, long n) {\n  __shared__ float t[32][32];\n  for (long k = 0; k < n; k += 16) t[threadIdx.x][k % 32] = k;\n  __syncthreads();\n  out[threadIdx.x] = t[0][threadIdx.x];\n}\n")
  run(CODE 0 OUT "\nFor all n:\n line  shared memory +requests +wavefronts +ideal\n    3  store t +ceil.n / 16. +32 . ceil.n / 16. +ceil.n / 16.\n       the whole kernel +ceil.n / 16. . 1 +32 . ceil.n / 16. . 1 " ARGUMENTS ${SCRATCH}/formula.cu)
  run(CODE 0 OUT "\"formulas\": {\"symbols\": .\n        \"n\".*\"wavefronts\": {\"multiply\":.32,{\"ceil_divide\":.\"n\",16.}.}" ARGUMENTS ${SCRATCH}/formula.cu --json)
  run(CODE 0 OUT "\nassumed: n = 1024, since with 1000000000000 the block takes too many steps.*\nWith the arguments that were given:\n.*    3  store t +62,500,000,000 +2,000,000,000,000 +62,500,000,000\n" ERROR "^bankmodel: note: the block is run step by step" ARGUMENTS ${SCRATCH}/formula.cu --arg n=1000000000000 --no-plan)
  run(CODE 0 OUT "<h3>For all n</h3>.*<td>32 . ceil.n / 16.</td>" ARGUMENTS ${SCRATCH}/formula.cu --format html)
  # A block that nobody says has the rows of the arrays, and stays in them.
  file(WRITE ${SCRATCH}/rows.cu "__global__ void f(float* p) { __shared__ float t[16][17]; t[threadIdx.y][threadIdx.x] = 1; __syncthreads(); p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; }\n")
  run(CODE 0 OUT "\nassumed: block = 16x16, " ARGUMENTS ${SCRATCH}/rows.cu)
  file(WRITE ${SCRATCH}/rows.cu "__global__ void f(float* p) { __shared__ float t[32][33]; for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = 1; __syncthreads(); p[threadIdx.x] = t[threadIdx.x][threadIdx.y]; }\n")
  run(CODE 0 OUT "\nassumed: block = 32x8, " ARGUMENTS ${SCRATCH}/rows.cu)
  # Code that an assumed value passes over is named, and keeps no limit; both arms of a flag are counted.
  file(WRITE ${SCRATCH}/mode.cu "__global__ void f(int mode, float* o) {\n  __shared__ float s[64];\n  if (mode == 2)\n    s[2 * threadIdx.x] = 1;\n  __syncthreads();\n  o[0] = s[0];\n}\n__global__ void g(float* o, int n) { o[threadIdx.x] = n; }\n")
  run(CODE 0 OUT "\nsm_90: f, one block of 32 threads\nassumed: mode = 1024, .*\nnote: line 4 accesses shared memory and is not executed with what is assumed; give other values" ARGUMENTS ${SCRATCH}/mode.cu --block 32)
  run(CODE 3 OUT "kernel" ERROR "bankmodel: f: --max-conflicts says nothing about line 4, which is not executed with what is assumed; give the values with --arg\n" ARGUMENTS ${SCRATCH}/mode.cu --block 32 --max-conflicts 9)
  run(CODE 0 OUT "    4  store s +[^\n]* 1 +2 +1 +1 +2-way" ARGUMENTS ${SCRATCH}/mode.cu --block 32 --arg mode=2 --no-plan)
  # Each kernel gets the arguments that it has.
  run(CODE 2 ERROR "^bankmodel: error: no kernel has an argument 'none'; leave it out, or name one --kernel to see its arguments\n$" ARGUMENTS ${SCRATCH}/mode.cu --block 32 --arg none=2)
  # Long formulas are sentences.
  file(WRITE ${SCRATCH}/long.cu "__global__ void __launch_bounds__(64) f(float* o, int first, int second, int third) {\n  __shared__ float s[64];\n  for (int i = 0; i < first; i += 7) for (int j = 0; j < second; j += 11) for (int k = 0; k < third; k += 13) s[threadIdx.x] = k;\n  __syncthreads();\n  o[threadIdx.x] = s[threadIdx.x];\n}\n")
  run(CODE 0 OUT "\n    3  store s: requests 2 . ceil[^;]*;[ \n]+wavefronts 2[ \n][^;]*;[ \n]+ideal 2 [^;]*\n       the whole kernel: requests " ARGUMENTS ${SCRATCH}/long.cu)
  # Several files and folders: one table, in which each is named; one that cannot be read hides no other.
  file(MAKE_DIRECTORY ${SCRATCH}/project/below/.hidden)
  file(WRITE ${SCRATCH}/project/a.cu "__global__ void first(float* p) { __shared__ float t[32][32]; t[threadIdx.x][0] = 1; __syncthreads(); p[threadIdx.x] = t[threadIdx.x][0]; }\nvoid f(float* p) { first<<<1, 32>>>(p); }\n")
  file(WRITE ${SCRATCH}/project/below/b.cu "__global__ void second(float* p) { p[threadIdx.x] = 1; }\nvoid f(float* p) { second<<<1, 64>>>(p); }\n")
  file(WRITE ${SCRATCH}/project/below/host.cpp "int main() {}\n")
  file(WRITE ${SCRATCH}/project/below/.hidden/c.cu "__global__ void hidden() {}\n")
  run(CODE 0 OUT "^2 kernels in 2 files, one block of each kernel:\n line  kernel [^\n]*\n       [^\n]*project/a.cu:1  first[ \n]+32 +64 +2 +1, 32-way +4 +4\n       [^\n]*project/below/b.cu:1  second[ \n]+64 +0 +0 +8 +8\n\n\nsm_90: first, " ARGUMENTS ${SCRATCH}/project)
  run(CODE 1 OUT "^2 kernels in 2 files" ERROR "^bankmodel: sm_90: 62 conflicts, --max-conflicts allows 0\n$" ARGUMENTS ${SCRATCH}/project --max-conflicts 0)
  file(WRITE ${SCRATCH}/project/wrong.cu "__global__ void wrong() { missing(); }\n")
  run(CODE 0 OUT "^2 kernels in 3 files" ERROR "^bankmodel: error: [^\n]*wrong.cu does not compile here; " ARGUMENTS ${SCRATCH}/project)
  run(CODE 3 OUT "^1 kernel in 2 files" ERROR "^bankmodel: error: [^\n]*wrong.cu does not compile here; " ARGUMENTS ${SCRATCH}/project/below/b.cu ${SCRATCH}/project/wrong.cu --max-conflicts 0)
  run(CODE 0 OUT "^{\"files\": .\n{\n  \"file\": \"[^\"]*a.cu\"" ARGUMENTS ${SCRATCH}/project/a.cu ${SCRATCH}/project/below/b.cu --json)
  string(JSON name GET "${printed}" files 1 kernels 0 kernel)
  run(CODE 0 OUT "^{" ARGUMENTS ${SCRATCH}/project/a.cu ${SCRATCH}/project/below/b.cu --format sarif)
  string(JSON runs LENGTH "${printed}" runs)
  if(NOT "${name} ${runs}" STREQUAL "second 2")
    message(SEND_ERROR "two files have ${name}, ${runs} runs of SARIF")
  endif()
  run(CODE 0 OUT "^machine,[^\n]*\nsm_90,\"first\".*\nsm_90,\"second\",[^\n]*\n$" ARGUMENTS ${SCRATCH}/project/a.cu ${SCRATCH}/project/below/b.cu --csv)
  run(CODE 2 ERROR "^bankmodel: error: --describe is for one file; name one file that is no folder\n$" ARGUMENTS ${SCRATCH}/project --describe)
  file(MAKE_DIRECTORY ${SCRATCH}/project/empty)
  run(CODE 2 ERROR "^bankmodel: error: [^\n]*project/empty has no file with a kernel; " ARGUMENTS ${SCRATCH}/project/empty)
  # Standard input is what it looks like.
  execute_process(COMMAND ${TOOL} - --block 32 INPUT_FILE ${SCRATCH}/project/a.cu OUTPUT_VARIABLE printed ERROR_VARIABLE wrong RESULT_VARIABLE code)
  if(NOT "${code} ${printed}" MATCHES "^0 sm_90: first, one block of 32 threads\n.*    1  store t +__global__ void")
    message(SEND_ERROR "source in standard input: ${code} ${printed}${wrong}")
  endif()
  execute_process(COMMAND ${TOOL} INPUT_FILE ${ptx} OUTPUT_VARIABLE printed ERROR_VARIABLE wrong RESULT_VARIABLE code)
  if(NOT "${code} ${printed}" MATCHES "^0 sm_90: transpose, one block of 32 x 8 threads\nassumed: block = 32x8, ")
    message(SEND_ERROR "PTX in standard input: ${code} ${printed}${wrong}")
  endif()
  execute_process(COMMAND ${TOOL} -x cuda INPUT_FILE ${ptx} OUTPUT_VARIABLE printed ERROR_VARIABLE wrong RESULT_VARIABLE code)
  if(NOT "${code} ${wrong}" MATCHES "^2 bankmodel: error: <stdin>.cu does not compile here")
    message(SEND_ERROR "PTX as CUDA in standard input: ${code} ${printed}${wrong}")
  endif()
  run(CODE 2 ERROR "^bankmodel: error: -x is for standard input; " ARGUMENTS -x cuda ${SCRATCH}/project/a.cu)
  # The bytes of a dynamic array, and the end of a loop, that nobody gives.
  file(WRITE ${SCRATCH}/dynamic.cu "__global__ void __launch_bounds__(128) f(float* out, int n) {\n  extern __shared__ float s[];\n  for (int i = threadIdx.x; i < n; i += 128) s[i] = i;\n  __syncthreads();\n  out[threadIdx.x] = s[threadIdx.x];\n}\n")
  run(CODE 0 OUT "\nassumed: n = 1024, since the end of the loop at dynamic.cu:3:[0-9]+ depends on it; give --arg n=..\nassumed: dynamic bytes = 4096, [^\n]*\n.*    3  store s [^\n]* 32 +32 +32 +0" ARGUMENTS ${SCRATCH}/dynamic.cu)
  run(CODE 0 OUT " 2-way\n" ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel _Z1kPf)
  run(CODE 0 OUT "^sm_90: kk, " ARGUMENTS ${SCRATCH}/two.cu --block 32 --kernel kk)

  # A list of names is not longer than a screen.
  set(kernels "")
  foreach(number RANGE 1 25)
    string(APPEND kernels "__global__ void k${number}(int* a) { a[threadIdx.x] = 1; }\n")
  endforeach()
  file(WRITE ${SCRATCH}/many.cu "${kernels}")
  run(CODE 2 ERROR "^bankmodel: error: the file has 25 kernels; choose one with --kernel: k1, k2, [^\n]*, k20 and 5 more\n$" ARGUMENTS ${SCRATCH}/many.cu --block 32 --describe)
  run(CODE 0 OUT "\n   25  k25 +32 +0 +0 +4 +4\nKernels that take no more" ARGUMENTS ${SCRATCH}/many.cu --block 32)
  run(CODE 0 OUT "^sm_90: k25, one block of 32 threads\n\nIt does not access shared memory.\n\n line  global memory " ARGUMENTS ${SCRATCH}/many.cu --block 32 --kernel k25)
  # Folders.
  run(CODE 0 OUT "^sm_90: k25, " ERROR "^bankmodel: note: -I nowhere: there is no such folder\n$" ARGUMENTS ${SCRATCH}/many.cu --block 32 --kernel k25 -I nowhere)
  run(CODE 2 ERROR "^bankmodel: error: --cuda-path /nowhere: there is no such folder; give the folder of a CUDA toolkit, or leave it out\n$" ARGUMENTS ${SCRATCH}/many.cu --block 32 --cuda-path /nowhere)
  # Values that the types of arguments do not have.
  file(WRITE ${SCRATCH}/types.cu "__global__ void t(float* a, int n, unsigned u, long long l) { __shared__ float s[64]; a[n + u + l] = s[threadIdx.x]; }\n__global__ void big(float* a) { __shared__ float s[20000]; a[0] = s[32 * threadIdx.x]; }\nint main() { big<<<1, dim3(1, 1, 128)>>>(nullptr); }\n")
  set(typed ${SCRATCH}/types.cu --kernel t --block 32)
  run(CODE 2 ERROR "^bankmodel: error: --arg is n=2147483648, which is no value of int; give -2147483648 to 2147483647\n$" ARGUMENTS ${typed} --arg n=2147483648)
  run(CODE 2 ERROR "^bankmodel: error: --arg is l=9223372036854775808, which is no value of long long; give -9223372036854775808 to 9223372036854775807\n$" ARGUMENTS ${typed} --arg l=9223372036854775808)
  run(CODE 0 OUT "^sm_90: t, " ARGUMENTS ${typed} --arg n=-2147483648 --arg u=4294967295 --arg l=0)
  run(CODE 0 OUT "^sm_90: t, " ARGUMENTS ${typed} --arg n=0xffffffff --arg u=1 --arg l=0)
  # A description has arguments with their names and values.
  file(WRITE ${SCRATCH}/argument.cu "__global__ void k(float* a, float scale, int n) { __shared__ float s[64]; s[threadIdx.x] = scale; a[n] = s[2 * threadIdx.x % 64]; }\nint main() { k<<<1, 64>>>(nullptr, 0.125f, -3); }\n")
  run(CODE 0 OUT "1 x 1 x 1, 64 x 1 x 1 threads, a=0, scale=0.125, n=-3\\.\n" ARGUMENTS ${SCRATCH}/argument.cu --describe)
  # Launches and arrays that no GPU has.
  run(CODE 2 ERROR "^bankmodel: error: a block of 128 threads along z; use 1 to 64, as --block 32x8\n$" ARGUMENTS ${SCRATCH}/types.cu --kernel big)
  run(CODE 0 OUT "\nnote: the arrays in shared memory are declared with 80,000 bytes, and compilers accept 49,152 on[ \n]sm_90: use extern __shared__, of which a block may have 232,448\n$"
      ARGUMENTS ${SCRATCH}/types.cu --kernel big --block 32)
  if(printed MATCHES "wavefronts instead of [0-9]+, in")
    message(SEND_ERROR "there is a plan of an array that no compiler accepts:\n${printed}")
  endif()

  # The changed declaration is in the other formats too.
  run(CODE 0 OUT "<code>32</code> becomes <code>33</code>" ARGUMENTS ${source} --block 32x8 --arg n=1024 --format html)
  run(CODE 0 OUT "^{" ARGUMENTS ${source} --block 32x8 --arg n=1024 --format sarif)
  set(fix "")
  foreach(member IN ITEMS "deletedRegion startLine" "deletedRegion startColumn" "deletedRegion endColumn" "insertedContent text")
    string(REPLACE " " ";" member ${member})
    string(JSON value GET "${printed}" runs 0 results 0 fixes 0 artifactChanges 0 replacements 0 ${member})
    string(APPEND fix " ${value}")
  endforeach()
  if(NOT fix STREQUAL " 5 29 31 33")
    message(SEND_ERROR "the fix in SARIF is${fix}")
  endif()
  run(CODE 0 OUT "^{" ARGUMENTS ${source} --block 32x8 --arg n=1024 --format sarif --no-plan)
  if(printed MATCHES "fixes")
    message(SEND_ERROR "--no-plan has fixes in SARIF")
  endif()

  # --fix: the difference that `patch` makes of it is what is written, which is counted again.
  set(launch --block 32x8 --arg n=1024)
  file(COPY ${source} DESTINATION ${SCRATCH}/shown)
  file(COPY ${source} DESTINATION ${SCRATCH}/fixed)
  # Neither an option nor the host code says the block.
  set(kernel "__global__ void f(float* a) {\n  __shared__ float t[64];\n  t[threadIdx.x] = a[threadIdx.x];\n}\n")
  file(WRITE ${SCRATCH}/alone.cu "${kernel}")
  run(CODE 0 OUT "^sm_90: f, one block of 64 threads\nassumed: block = 64, since no launch of f was found; give --block 64\n" ARGUMENTS ${SCRATCH}/alone.cu)
  file(WRITE ${SCRATCH}/unknown.cu "${kernel}void go(int n) {\n  f<<<1, n>>>(nullptr);\n}\n")
  run(CODE 0 OUT "^sm_90: f, one block of 64 threads\nassumed: block = 64, since the launch at unknown.cu:6 depends on 'n', a parameter of go..; give[ \n]--block 64\n" ARGUMENTS ${SCRATCH}/unknown.cu)
  # Launches are followed with a toolkit's headers and with nvcc too: here one that writes what it wrote once.
  if(EXISTS /usr/local/cuda/include/cuda_runtime.h)
    run(CODE 0 OUT "\nnote: launched as in line 17: grid 32x32, n=1024\n" ARGUMENTS ${source} --cuda-path /usr/local/cuda)
    # Types are nvcc's, not those of Clang's headers: pow(float, int) is double, and clock() is long.
    file(WRITE ${SCRATCH}/types.cu "__global__ void k(float* o, float f, int n) {\n  __shared__ char s[4096];\n  s[threadIdx.x * sizeof(pow(f, n))] = 1;\n  s[threadIdx.x * sizeof(clock())] = 2;\n  o[0] = s[3];\n}\n")
    run(CODE 0 OUT "\n +3 +store s .* 1 +2 +1 +1 +2-way.*\n +4 +store s .* 1 +2 +1 +1 +2-way" ARGUMENTS ${SCRATCH}/types.cu --block 32 --no-plan --cuda-path /usr/local/cuda)
  endif()
  file(WRITE ${SCRATCH}/nvcc/nvcc "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\ncp '${KERNELS}/../cuda/transpose.ptx' \"$2\"\n")
  file(CHMOD ${SCRATCH}/nvcc/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  set(path $ENV{PATH})
  set(ENV{PATH} "${SCRATCH}/nvcc:${path}")
  run(CODE 0 OUT "^sm_90: transpose, one block of 32 x 8 threads\n.*\nnote: launched as in line 17: grid 32x32, [^\n]*1024\n" ARGUMENTS ${source} --nvcc)
  run(CODE 0 OUT "\nassumed: block = 32x8, since no launch of transpose was found; give --block 32x8\n" ARGUMENTS ${SCRATCH}/alone.cu --nvcc)
  set(ENV{PATH} "${path}")
  # HIP by its header, whatever the file's ending is, and headers.
  file(WRITE ${SCRATCH}/hip.cu "#include <hip/hip_runtime.h>\n${kernel}")
  run(CODE 0 OUT "^gfx90a: f, one block of 64 threads\n" ARGUMENTS ${SCRATCH}/hip.cu --block 64)
  run(CODE 0 OUT "^sm_80: f, one block of 64 threads\n" ARGUMENTS ${SCRATCH}/hip.cu --block 64 --machine sm_80)
  file(WRITE ${SCRATCH}/cuda_through.h "#pragma once\n#include \"cuda_through.h\"\n#include <hip/hip_runtime.h>\n")
  file(WRITE ${SCRATCH}/through.cu "#include \"cuda_through.h\"\n${kernel}")
  run(CODE 0 OUT "^gfx90a: f, one block of 64 threads\n" ARGUMENTS ${SCRATCH}/through.cu --block 64)
  file(WRITE ${SCRATCH}/both.cu "#include <cuda_runtime.h>\n#include <hip/hip_runtime.h>\n${kernel}")
  run(CODE 0 OUT "^sm_90: f, one block of 64 threads\n" ARGUMENTS ${SCRATCH}/both.cu --block 64)
  file(WRITE ${SCRATCH}/kernels.hpp "#pragma once\n${kernel}")
  run(CODE 0 OUT "^sm_90: f, one block of 64 threads\n" ARGUMENTS ${SCRATCH}/kernels.hpp --block 64)
  # Clang makes one branch without a place of a loop's end and a break: its place is that of its condition, and what is proposed is taken.
  file(WRITE ${SCRATCH}/joined.cu [==[
__device__ void load(float* s, const float* in, const unsigned* idx) {
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const unsigned v = blockDim.x * i + threadIdx.x, o = idx[v / 2];
    if (o == 0xffffffff) break;
    s[v] = in[o * 2 + v % 2];
  }
}
__global__ void k(float* out, const float* in, const unsigned* index, int n) {
  __shared__ float s[128];
  __shared__ unsigned idx[64];
  idx[threadIdx.x] = threadIdx.x < n ? index[threadIdx.x] : 0xffffffff;
  load(s, in, idx);
  out[threadIdx.x] = s[2 * threadIdx.x];
}
]==])
  set(joined ${SCRATCH}/joined.cu --block 64 --arg n=60 --bounds --no-plan)
  run(CODE 0 OUT "\nassumed: line 5 goes on once, since the end of the loop at joined.cu:5:.*--assume 5=4 or =0..4" ARGUMENTS ${joined})
  run(CODE 0 OUT "\nassumed: line 3 goes on once, since the end of the loop at joined.cu:3:.*--assume 3=4 or =0..4" ARGUMENTS ${joined} --assume 5=0..2)
  run(CODE 0 OUT "these requests take 0 to 12 wavefronts more" ARGUMENTS ${joined} --assume 5=0..2 --assume 3=0..2)
  # A limit is one of accesses as written; those as issued, an estimate, are named where they differ.
  file(WRITE ${SCRATCH}/rows.cu "__global__ void k(float* o) {\n  __shared__ float s[32][32];\n  s[0][threadIdx.x] = 1;\n  __syncthreads();\n  float a = 0;\n  for (int i = 0; i < 4; i += 2) a = a * s[threadIdx.x][i] + s[threadIdx.x][i + 1];\n  o[threadIdx.x] = a;\n}\nvoid go(float* p) { k<<<1, 32>>>(p); }\n")
  run(CODE 1 OUT "^sm_90" ERROR "^bankmodel: sm_90: 124 conflicts, --max-conflicts allows 50 as written .as issued, an estimate, it has 28.\n$" ARGUMENTS ${SCRATCH}/rows.cu --max-conflicts 50)
  run(CODE 0 OUT "^sm_90" ARGUMENTS ${SCRATCH}/rows.cu --max-conflicts 124)
  # What was not read keeps no limit: a template without an instance, an instance that only a missing macro names, a header.
  set(unread "template <class T> __global__ void k(T* p) { __shared__ T s[32]; s[threadIdx.x] = p[0]; }\n")
  file(WRITE ${SCRATCH}/unread.cu "${unread}void f(float* p) { k<float><<<1, 32>>>(p);\n}\nvoid g(any x) { EACH(x, ([&] { k<type><<<1, 32>>>(x.p); })); }\n")
  run(CODE 3 OUT "\nnote: not read: the launch of k<type> in line 4[ \n]" ERROR "^bankmodel: not read, [^\n]*k<type> in line 4 [^\n]*\n$" ARGUMENTS ${SCRATCH}/unread.cu --max-conflicts 0)
  run(CODE 0 OUT "^sm_90" ARGUMENTS ${SCRATCH}/unread.cu --max-conflicts 0 --kernel "k<float>")
  run(CODE 0 OUT "^sm_90" ARGUMENTS ${SCRATCH}/unread.cu)
  file(WRITE ${SCRATCH}/unread.cu "${unread}__global__ void other(float* p) { p[threadIdx.x] = 1; }\n")
  run(CODE 3 OUT " k<float> .* 32 " ERROR "the instances of k, a template that nothing here uses" ARGUMENTS ${SCRATCH}/unread.cu --max-conflicts 0 --block 32)
  run(CODE 0 OUT "\nassumed: T = float, since nothing here instantiates the template k; give --kernel 'k<..>'\n" ARGUMENTS ${SCRATCH}/unread.cu --block 32 --kernel k)
  run(CODE 0 OUT "^sm_90: k<double>, one block of 32 threads\n\n.* store s .* 1 +2 +2 +0 " ARGUMENTS ${SCRATCH}/unread.cu --block 32 --kernel "k<double>")
  run(CODE 0 OUT "^sm_90" ARGUMENTS ${SCRATCH}/unread.cu --max-conflicts 0 --block 32 --kernel other)
  # A kernel that needs a later standard than nvcc's default is read with it, and the page says so.
  file(WRITE ${SCRATCH}/later.cu "template <class T> concept number = sizeof(T) == 4;\ntemplate <number T> __global__ void k(T* p) { __shared__ T s[64]; s[2 * threadIdx.x] = p[0]; }\nvoid f(float* p) { k<<<1, 32>>>(p); }\n")
  run(CODE 0 OUT "^sm_90: k<float>, .* store s .* 1 +2 +1 +1 .*\nnote: read as C\\+\\+20, without which kernels of the file do not compile; --std says another" ARGUMENTS ${SCRATCH}/later.cu --no-plan)
  run(CODE 2 ERROR "^bankmodel: error: [^\n]*later.cu does not compile here; .*error: " ARGUMENTS ${SCRATCH}/later.cu --no-plan --std c++17)
  # With the values that are assumed a template may not compile; each kernel has the first error of its own code.
  file(WRITE ${SCRATCH}/unread.cu "template <class T> __global__ void k(T* p) { p[0] = typename T::value(1); }\n__global__ void a(float* p) { p[0] = NONE_1; }\n__global__ void b(float* p) { p[0] = NONE_2; p[1] = NONE_3; }\n")
  set(of_a "bankmodel: error: a is not counted: a does not compile here; [^\n]*\n[^\n]*unread.cu:2:38: error: [^\n]*NONE_1")
  set(of_b "\nbankmodel: error: b is not counted: [^\n]*\n[^\n]*unread.cu:3:38: error: [^\n]*NONE_2.*\nand 1 more error\n")
  set(of_k "bankmodel: error: k<float> is not counted: k does not compile here with T = float, which is assumed since nothing here instantiates the template; give --kernel 'k<..>'\n[^\n]*unread.cu:1:")
  run(CODE 2 ERROR "^${of_a}.*${of_b}${of_k}" ARGUMENTS ${SCRATCH}/unread.cu)
  file(WRITE ${SCRATCH}/unread.cu "#include \"of_mine.cuh\"\n__global__ void other(float* p) { p[threadIdx.x] = 1; }\n")
  run(CODE 3 OUT "^sm_90" ERROR "the file of_mine.cuh, which was not found" ARGUMENTS ${SCRATCH}/unread.cu --max-conflicts 0 --block 32)
  file(WRITE ${SCRATCH}/loop.cu "__global__ void k(float* p, int s) {\n  __shared__ float t[64];\n  for (int i = 0; i < s; ++i) t[threadIdx.x] = i;\n  __syncthreads();\n  p[threadIdx.x] = t[31 - threadIdx.x];\n}\nint main() { float* p; for (int s = 0; s < 34; ++s) k<<<1, 32>>>(p, s < 20 ? s : 34 - s); }\n")
  run(CODE 0 OUT "launched as in line 7 .number 20 of 34 launches in a loop, the one with the most work.: grid[ \n]1, s=19" ARGUMENTS ${SCRATCH}/loop.cu)
  set(fixed ${SCRATCH}/fixed/transpose.cu)
  run(CODE 0 OUT "\ntile declared as tile.32..33. takes 64 [^\n]*4,096.\n[^\n]*fixed/transpose.cu:5:29: note: fix-it, which --fix writes:\n    5 .   __shared__ float tile.32..33.;\n      . +\\^~\n"
      ARGUMENTS ${fixed} ${launch})
  run(CODE 0 OUT "^--- .*\n.  __shared__ float tile.32..32.;\n.  __shared__ float tile.32..33.;\n" ERROR ": not written yet: tile declared as tile.32..33., counted again: 64 wavefronts instead of 1,056\n$"
      ARGUMENTS ${fixed} ${launch} --fix=dry-run --max-conflicts 0)
  file(READ ${source} before)
  file(READ ${fixed} shown_only)
  run(CODE 0 OUT "^sm_90: transpose, .* 64 +64 +64 +0 +-\n\n" ERROR ": written: tile declared as tile.32..33., counted again: 64 wavefronts instead of 1,056\n$"
      ARGUMENTS ${fixed} ${launch} --fix --max-conflicts 0)
  file(READ ${fixed} written)
  if(NOT shown_only STREQUAL before OR written STREQUAL before)
    message(SEND_ERROR "--fix=dry-run writes, or --fix does not:\n${shown_only}\n${written}")
  endif()
  run(CODE 0 OUT "^sm_90: transpose, .* 64 +64 +64 +0 +-\n\n" ARGUMENTS ${fixed} ${launch} --max-conflicts 0)
  run(CODE 0 ERROR "^bankmodel: note: --fix: no other declaration takes fewer wavefronts\n$" ARGUMENTS ${fixed} ${launch} --fix=dry-run)
  run(CODE 2 ERROR "^bankmodel: error: --fix=some is not known; use --fix or --fix=dry-run\n$" ARGUMENTS ${fixed} ${launch} --fix=some)
  run(CODE 2 ERROR "^bankmodel: error: --fix plans for one machine; name one --machine\n$" ARGUMENTS ${fixed} ${launch} --fix -m sm_80 -m sm_90)
  file(WRITE ${SCRATCH}/flat.cu "__global__ void f(float* a) {\n  __shared__ float t[32][32];\n  float* p = t[0];\n  a[0] = t[threadIdx.x][0] + p[0];\n}\n")
  run(CODE 2 ERROR "^bankmodel: error: --fix: t is not changed: it is used without all its subscripts at line 3, [^\n]*; nothing was written; [^\n]*\n$" ARGUMENTS ${SCRATCH}/flat.cu --block 32 --fix)
  run(CODE 0 OUT "change[ \n]by[ \n]hand: it is used without" ARGUMENTS ${SCRATCH}/flat.cu --block 32)
else()
  message("SKIPPED: source is not read, since this program was built without Clang's libraries")
  run(CODE 2 ERROR "^bankmodel: error: this program was built without Clang's libraries, [^\n]*transpose.cu; apt-get install libclang-dev " ARGUMENTS ${source} --block 32x8)
endif()

run(CODE 2 ERROR "^bankmodel: error: --fix and --no-plan are both given; choose one\n$" ARGUMENTS ${source} --block 32 --fix --no-plan)

# A picture of the worst request, and its explanation in the table and in JSON.
run(CODE 0 OUT "line 5: for [^\n]*\n  32 requests take 1,024 wavefronts, ideal 32: 992 conflicts, worst in warp 0, j = 0: "
    ARGUMENTS --svg ${SCRATCH}/picture.svg ${transpose})
file(READ ${SCRATCH}/picture.svg picture)
if(NOT picture MATCHES "^<svg .*Bank map of tile.32..32. on sm_90.*bank 0 is touched in 32 layers.*</svg>\n?$")
  message(SEND_ERROR "the picture is not that of the transpose")
endif()
run(CODE 2 ERROR "^bankmodel: error: cannot write [^\n]*: there is no folder [^\n]*/no/such; make it first\n$" ARGUMENTS --svg ${SCRATCH}/no/such/folder.svg ${transpose})
run(CODE 2 ERROR "^bankmodel: error: cannot write [^\n]*command_line: it is a folder; name a file in it\n$" ARGUMENTS --svg ${SCRATCH} ${transpose})

run(CODE 0 OUT "^machine,bank_width,line.*\nsm_90,4,5,35,\"for .*\",32,1024,32,992,32,padded,\"tile.32..33.\",32\n$" ARGUMENTS --csv ${transpose})
run(CODE 0 OUT "\",32,1024,32,992,32,,,\n$" ARGUMENTS --csv --no-plan ${transpose})
# No room for padding.
run(CODE 0 OUT "\n  full.384..32., element .r..c. at .r..c . .r & 31.., at byte 0\n.*  index: full.y..x. -> full.y..x . .y & 31..\n"
    ARGUMENTS -e "block 32" -e "shared float full[384][32]" -e "load full[tx][0]" -m sm_90)

file(GLOB all ${KERNELS}/*.kernel)
list(LENGTH all count)
if(count LESS 14)
  message(SEND_ERROR "only ${count} kernel files")
endif()
foreach(kernel IN LISTS all)
  run(CODE 0 OUT "^{" ARGUMENTS --json ${kernel})
  string(JSON machines ERROR_VARIABLE wrong LENGTH "${printed}" machines)
  string(JSON accesses ERROR_VARIABLE wrong_too LENGTH "${printed}" machines 0 costs 0 accesses)
  string(JSON after ERROR_VARIABLE wrong_three GET "${printed}" machines 0 plan after wavefronts)
  if(wrong OR wrong_too OR wrong_three OR machines LESS 1 OR accesses LESS 2 OR after LESS 1)
    message(SEND_ERROR "${kernel}: not the JSON that it should be (${wrong} ${wrong_too} ${wrong_three})\n${printed}")
  endif()
endforeach()
run(CODE 0 OUT "^{" ARGUMENTS --json ${transpose})
foreach(member IN ITEMS "conflicts;992" "degree;32" "wavefronts;1056" "bank_width;4")
  list(GET member 0 key)
  list(GET member 1 value)
  string(JSON found GET "${printed}" machines 0 costs 0 ${key})
  if(NOT found EQUAL value)
    message(SEND_ERROR "--json: ${key} is ${found}, not ${value}")
  endif()
endforeach()
string(JSON lanes LENGTH "${printed}" machines 0 costs 0 accesses 1 worst lanes)
string(JSON word GET "${printed}" machines 0 costs 0 accesses 1 worst words 31)
string(JSON iteration GET "${printed}" machines 0 costs 0 accesses 1 worst loops j)
if(NOT lanes EQUAL 32 OR NOT word EQUAL 992 OR NOT iteration EQUAL 0)
  message(SEND_ERROR "--json: ${lanes} lanes, ${word}, ${iteration}")
endif()
string(JSON declaration GET "${printed}" machines 0 plan declarations 0)
if(NOT declaration STREQUAL "__shared__ float tile[32][33];")
  message(SEND_ERROR "--json: ${declaration}")
endif()

# Global memory beside shared memory, of a block and of the grid.
set(copy ${KERNELS}/copySharedMem.kernel)
run(CODE 0 OUT "\n line  shared memory .*all 4,096 blocks +65,536 +65,536 .*\n line  global memory .*all 4,096 blocks +65,536 +262,144 +262,144 +8,388,608 +8,388,608\n.*\nplan: .*note: the numbers of a block are those of the first, where blockIdx is 0\n$"
    ARGUMENTS -m sm_90 ${copy})
run(CODE 0 OUT "sm_10.*sm_121.*gfx600.*gfx1250" ARGUMENTS --all-machines --no-plan ${copy})
run(CODE 0 OUT "planned_wavefronts,memory,transactions,.*,global,32,16,1024,1024,32768,,131072,,,131072,65536,4194304,4194304\n$"
    ERROR "^bankmodel: note: the numbers of a block are those of the first, where blockIdx is 0\n$" ARGUMENTS -m sm_90 --csv ${copy})
run(CODE 0 OUT "^{" ARGUMENTS -m sm_90 --json ${copy})
string(JSON of_block GET "${printed}" machines 0 costs 0 global transactions)
string(JSON of_grid GET "${printed}" machines 0 costs 0 grid global transactions)
string(JSON of_access GET "${printed}" machines 0 costs 0 accesses 0 grid transactions)
string(JSON blocks GET "${printed}" grid 1)
if(NOT "${of_block} ${of_grid} ${of_access} ${blocks}" STREQUAL "64 262144 131072 64")
  message(SEND_ERROR "--json: ${of_block} ${of_grid} ${of_access} ${blocks}")
endif()
run(CODE 0 OUT "^// clang-format off\n// The plan of a kernel on sm_90" ARGUMENTS -m sm_90 --plan-header - ${copy})
set(global_alone -e "machine sm_90" -e "block 32" -e "global float *p" -e "load p[tx]")
run(CODE 0 OUT "^sm_90: one block of 32 threads\n\n line  global memory .* 128 +128\n$" ARGUMENTS ${global_alone})
run(CODE 2 ERROR "^bankmodel: error: there is no access to shared memory; leave out --plan-header\n$" ARGUMENTS ${global_alone} --plan-header -)
run(CODE 2 ERROR "^<arguments>:3:8: error: a grid of 65536 blocks along y; use 1 to 65535\n" ARGUMENTS -e "machine sm_90" -e "block 32" -e "grid 1 65536")

# A plan as a header: into a file, whose name is that of the namespace, or printed. The guide has this one checked in.
run(CODE 0 OUT "^sm_90: " ARGUMENTS --plan-header ${SCRATCH}/transpose_plan.hpp ${transpose})
file(READ ${SCRATCH}/transpose_plan.hpp written)
file(READ ${KERNELS}/../guide/transpose_plan.hpp checked_in)
run(CODE 0 OUT "^// clang-format off\n// The plan of a kernel on sm_90" ARGUMENTS --plan-header - ${transpose})
if(NOT written STREQUAL checked_in OR NOT printed STREQUAL checked_in)
  message(SEND_ERROR "--plan-header does not write examples/guide/transpose_plan.hpp, but\n${written}")
endif()
run(CODE 0 OUT "\nnamespace plan {\n" INPUT ${transpose} ARGUMENTS --plan-header -)
run(CODE 0 OUT "machine = bankmodel::nvidia::sm_35.with_bank_width.8.;" ARGUMENTS --plan-header - -m sm_35 -e "block 32" -e "shared double a[32][32]" -e "load a[tx][0]")
run(CODE 2 ERROR "^bankmodel: error: the name of a header's namespace, of 2 letters, [^\n]*\n$" ARGUMENTS --plan-header ${SCRATCH}/2d.hpp ${transpose})
run(CODE 2 ERROR "^bankmodel: error: a plan's header is of one machine, but 2 are given; " ARGUMENTS --plan-header - -m sm_70 -m sm_90 ${transpose})
run(CODE 2 ERROR "^bankmodel: error: [^\n]*; choose one\n$" ARGUMENTS --plan-header - --no-plan ${transpose})
run(CODE 2 ERROR "^bankmodel: error: cannot write [^\n]*; make it first\n$" ARGUMENTS --plan-header ${SCRATCH}/no/such/plan.hpp ${transpose})
run(CODE 2 ERROR "^bankmodel: error: the arrays need at least " ARGUMENTS --plan-header - --shared-bytes 1000 ${transpose})

# The best of the families searched is not the best of all layouts.
set(by_threads -e "machine sm_90" -e "block 31 17" -e "shared float t[17][31]" -e "store t[ty][tx]" -e "load t[tid % 17][tid / 17]")
run(CODE 0 OUT "\nplan: conflicts 16 -> 16, [^\n]*, best of the families searched. any layout takes at least 34, which tables reach\n.*  No layout that was searched takes less than the arrays as they are.\n" ARGUMENTS ${by_threads})
run(CODE 0 OUT "\"optimal\": true, \"complete\": true, \"least_wavefronts\": 50, \"least_of_all_layouts\": 34, \"reached_by_tables\": true," ARGUMENTS ${by_threads} --json)
run(CODE 0 OUT "at least 34 wavefronts in the families searched. any layout takes at least 34, [^\n]*\n  the search ended early: raise --effort\n" ARGUMENTS ${by_threads} --effort 1)
run(CODE 2 ERROR "^bankmodel: error: [^\n]*--effort[^\n]*\n$" ARGUMENTS --effort 0 ${transpose})
# An array that does not fit is not searched through (billions of modular layouts).
run(CODE 0 OUT "\nno plan: the arrays need at least 300005 bytes " ARGUMENTS -m sm_75 -e "block 64" -e "shared char a[5][60001]" -e "load a[tx % 3][7 * tx]")

# Nothing is planned with --no-plan, for the remedy neither.
run(CODE 0 OUT "takes 32\n  wavefronts instead of 1.\n$" ARGUMENTS --no-plan ${transpose})
# What takes seconds is said first.
set(iterations ${SCRATCH}/iterations.kernel)
file(WRITE ${iterations} "machine sm_90\nblock 32\nshared float a[64]\nfor (i = 0; i < 200000; ++i) load a[((1ll * i * i) ^ tx) % 33]\n")
run(CODE 0 OUT "any layout takes at least 200,000\n.*  Whether a layout takes 200,000 is not known: an access has too many iterations to make a table"
    ERROR "^bankmodel: note: the iterations of line 4 are counted one by one, which may take seconds on each machine; --no-plan takes less\n$" ARGUMENTS ${iterations})
run(CODE 0 OUT "200,000" ERROR "may take seconds on each machine\n$" ARGUMENTS ${iterations} --no-plan)

# The same of a compiled kernel, when it is noticed: after 2^24 instructions of warps, once.
file(WRITE ${SCRATCH}/loop.ptx ".version 7.0
.target sm_80
.address_size 64
.visible .entry loop(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>;
  .shared .align 4 .b8 s[128];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.u32 %r4, s;
again:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra again;
  st.shared.u32 [%r4], %r2;
  ret;
}
")
set(long_run "bankmodel: note: the block is run step by step, which may take minutes; smaller --arg values take less\n")
run(CODE 0 OUT "store s" ERROR "^${long_run}$" ARGUMENTS ${SCRATCH}/loop.ptx --block 1 --arg p1=6000000)
run(CODE 0 OUT "store s" ARGUMENTS ${SCRATCH}/loop.ptx --block 32 --arg p1=3000000)
run(CODE 2 ERROR "^${long_run}bankmodel: error: PTX:12: the block takes more than 20000000 steps; give smaller --arg values, [^\n]*--max-steps; [^\n]*\n$"
    ARGUMENTS ${SCRATCH}/loop.ptx --block 1 --arg p1=9000000 --max-steps 20000000)

# Garbage is an error: no crash, no hang.
string(REPEAT "(" 100000 parentheses)
string(REPEAT "{" 100000 braces)
string(REPEAT "if (tx) " 100000 conditions)
string(REPEAT "load a[tx] " 100000 accesses)
string(RANDOM LENGTH 100000 ALPHABET "abij01 +-*/%<>=!&|^~()[]{};,.#\n\t\"'@\\" noise)
foreach(text IN ITEMS parentheses braces conditions accesses noise)
  foreach(begin IN ITEMS "" "block 32\nshared float a[64]\nload a[" "block 32\nshared float a[64]\n")
    file(WRITE ${SCRATCH}/garbage.kernel "${begin}${${text}}")
    run(CODE 2 ERROR "^[^\n]*garbage.kernel:[0-9]+:[0-9]+: error: [^\n]*\n[^\n]*\n[^\n]*\n$" ARGUMENTS ${SCRATCH}/garbage.kernel)
  endforeach()
endforeach()
file(WRITE ${SCRATCH}/large.kernel "block 32\n")
foreach(times RANGE 12)
  file(APPEND ${SCRATCH}/large.kernel "${noise}")
endforeach()
run(CODE 2 ERROR "large.kernel:[0-9]+:[0-9]+: error: " ARGUMENTS ${SCRATCH}/large.kernel)
message("${runs} runs")
