# Continuous integration: baselines, differences, limits, the project's settings, and the commands of examples/ci.
#   cmake -DTOOL=bankmodel -DCI=examples/ci -DCLANG=1 -DSCRATCH=a folder -P integration.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH}/src ${SCRATCH}/elsewhere)
set(ENV{BANKMODEL_NVCC} none)

include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)
set(here ${SCRATCH})

# ---- a kernel file, which needs no library of Clang ----
set(good "block 32 8\nshared float t[32][33]\nload t[tx][ty]\n")
string(REPLACE 33 32 bad "${good}")
file(WRITE ${SCRATCH}/k.kernel "${good}")
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} k.kernel --write-baseline base.json)
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} k.kernel --baseline base.json)
file(WRITE ${SCRATCH}/k.kernel "\n\n# moved\n${bad}")
run(CODE 1 OUT "^sm_90" ERROR "^bankmodel: k: 248 conflicts, 0 in base.json\n  line 6, load t: 8 requests take 256 wavefronts, before 8\n$"
    COMMAND ${TOOL} k.kernel --baseline base.json)
run(CODE 1 OUT "^{" ERROR "248 conflicts, 0 in" COMMAND ${TOOL} k.kernel --baseline base.json --format sarif)
file(WRITE ${SCRATCH}/old.kernel "${good}")
run(CODE 0 OUT "^old.kernel -> k.kernel, one block of each kernel: 1 kernel, 1 worse, 0 better, 0 the same\n\n line .*\n       old -> k: worse +8 -> 256 +0 -> 248 "
    COMMAND ${TOOL} --diff old.kernel k.kernel)
run(CODE 0 OUT "^base.json -> k.kernel, [^\n]* 1 worse" COMMAND ${TOOL} --diff base.json k.kernel)
run(CODE 0 OUT "^{" COMMAND ${TOOL} --diff k.kernel base.json --json)
string(JSON verdict GET "${printed}" kernels 0 verdict)
if(NOT verdict STREQUAL "better")
  message(SEND_ERROR "the difference is ${verdict}, not better")
endif()
run(CODE 0 OUT "^.*bankmodel.*\n| .*worse.* | `k` |" COMMAND ${TOOL} --diff base.json k.kernel --format markdown)
run(CODE 1 OUT "^sm_90" ERROR "^bankmodel: sm_90: 248 conflicts, --max-conflicts allows 0\n$" COMMAND ${TOOL} k.kernel --max-conflicts 0)
file(WRITE ${SCRATCH}/g.kernel "block 32\nglobal float g[1024]\nload g[32 * tx]\n")
run(CODE 1 OUT "^sm_90" ERROR "^bankmodel: sm_90: 28 excessive transactions, --max-excessive-transactions allows 27\n$"
    COMMAND ${TOOL} g.kernel --max-excessive-transactions 27)
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} g.kernel --max-excessive-transactions 28)

# What is wrong with arguments and files.
run(CODE 2 ERROR "^bankmodel: error: cannot read none.json: no such file; write it with --write-baseline\n$" COMMAND ${TOOL} k.kernel --baseline none.json)
run(CODE 2 ERROR "^bankmodel: error: old.kernel is no report of bankmodel: [^\n]*; write one with --write-baseline\n$" COMMAND ${TOOL} k.kernel --baseline old.kernel)
run(CODE 2 ERROR "^bankmodel: error: --write-baseline old.kernel: the file is there, and is no report; name another file, or delete it\n$" COMMAND ${TOOL} k.kernel --write-baseline old.kernel)
run(CODE 2 ERROR "^bankmodel: error: --write-baseline - names no file; " COMMAND ${TOOL} k.kernel --write-baseline -)
run(CODE 2 ERROR "^bankmodel: error: cannot read src: it is no file; " COMMAND ${TOOL} k.kernel --baseline src)
run(CODE 2 ERROR "^bankmodel: error: --diff compares files, and - is standard input; " COMMAND ${TOOL} --diff - k.kernel)
run(CODE 2 ERROR "^bankmodel: error: cannot write nowhere/b.json: there is no folder nowhere; make it first\n$" COMMAND ${TOOL} k.kernel --write-baseline nowhere/b.json)
run(CODE 2 ERROR "^bankmodel: error: --diff compares two versions, and 1 are given; " COMMAND ${TOOL} --diff k.kernel)
run(CODE 2 ERROR "^bankmodel: error: --diff prints text, JSON or Markdown; " COMMAND ${TOOL} --diff k.kernel old.kernel --csv)
run(CODE 2 ERROR "^bankmodel: error: --format markdown is for --diff; " COMMAND ${TOOL} k.kernel --format markdown)
run(CODE 2 ERROR "^bankmodel: error: cannot read none.kernel: no such file; " COMMAND ${TOOL} --diff k.kernel none.kernel)
run(CODE 2 ERROR "^bankmodel: error: cannot read none.toml: no such file; " COMMAND ${TOOL} k.kernel --config none.toml)
foreach(pair IN ITEMS "--diff;--max-conflicts;1" "--diff;--baseline;base.json" "--config;a;--no-config")
  run(CODE 2 ERROR "^bankmodel: error: --[a-z-]+ and --[a-z-]+ are both given; choose one\n$" COMMAND ${TOOL} k.kernel old.kernel ${pair})
endforeach()

# ---- the project's settings ----
file(WRITE ${SCRATCH}/bankmodel.toml "machines = [\"sm_80\"]\nbaseline = \"base.json\"\n[limits]\nconflicts = 300\n[[kernel]]\nname = \"k*\"\nconflicts = 247\n")
run(CODE 1 OUT "^sm_90" ERROR "^bankmodel: sm_90: 248 conflicts, bankmodel.toml:7 allows 247\nbankmodel: k: 248 conflicts, 0 in base.json\n" COMMAND ${TOOL} k.kernel)
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} k.kernel --no-config)
run(CODE 1 OUT "^sm_90" ERROR "^bankmodel: k: 248 conflicts, 0 in base.json\n" COMMAND ${TOOL} k.kernel --max-conflicts 248)
file(WRITE ${SCRATCH}/elsewhere/own.toml "[limits]\nconflict = 1\n")
run(CODE 2 ERROR "^bankmodel: error: elsewhere/own.toml:2: there is no key conflict; did you mean conflicts.\n$" COMMAND ${TOOL} k.kernel --config elsewhere/own.toml)
# The rules of a log lead to their headings on a page, whose text is theirs.
file(WRITE ${SCRATCH}/bankmodel.toml "rules = \"https://our.host/rules.md\"\n")
file(READ ${CI}/../guide/rules.md rules_page)
string(REGEX REPLACE "[\n ]+" " " rules_page "${rules_page}")
string(REPLACE "`" "" rules_page "${rules_page}")
run(CODE 0 OUT "\"runs\"" COMMAND ${TOOL} k.kernel --format sarif)
string(JSON count LENGTH "${printed}" runs 0 tool driver rules)
math(EXPR last "${count} - 1")
foreach(number RANGE ${last})
  foreach(member IN ITEMS id helpUri)
    string(JSON ${member} GET "${printed}" runs 0 tool driver rules ${number} ${member})
  endforeach()
  string(JSON text GET "${printed}" runs 0 tool driver rules ${number} help text)
  string(FIND "${rules_page}" "## ${id} ${text}" found)
  if(found EQUAL -1 OR NOT helpUri STREQUAL "https://our.host/rules.md#${id}")
    message(SEND_ERROR "the rule ${id} has ${helpUri}, and the page does not say: ${text}")
  endif()
endforeach()
foreach(address IN ITEMS "rules.md" "https://a#b" "")
  file(WRITE ${SCRATCH}/bankmodel.toml "rules = \"${address}\"\n")
  run(CODE 2 ERROR "^bankmodel: error: bankmodel.toml:1: rules is no address of a page; write one such as " COMMAND ${TOOL} k.kernel)
endforeach()
file(REMOVE ${SCRATCH}/bankmodel.toml)

if(NOT CLANG)
  message(STATUS "SKIPPED in part: no reader of CUDA, so examples/ci is not run")
  return()
endif()

# ---- source, in folders ----
set(good "__global__ void turn(float* p) {\n  __shared__ float t[32][33];\n  t[threadIdx.x][threadIdx.y] = 1;\n  __syncthreads();\n  p[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.y][threadIdx.x];\n}\nvoid f(float* p) { turn<<<1, dim3(32, 8)>>>(p); }\n")
string(REPLACE 33 32 bad "${good}")
string(REPLACE turn other other "${good}")
file(WRITE ${SCRATCH}/src/a.cu "${good}")
file(WRITE ${SCRATCH}/src/b.cu "${other}")
run(CODE 0 OUT "^2 kernels in 2 files" COMMAND ${TOOL} src --write-baseline elsewhere/base.json)
file(WRITE ${SCRATCH}/src/a.cu "// moved\n${bad}")
run(CODE 1 OUT "^2 kernels" ERROR "^bankmodel: src/a.cu: turn: 248 conflicts, 0 in elsewhere/base.json\n  line 4, store t: 8 requests take 256 wavefronts, before 8\n$"
    COMMAND ${TOOL} src --baseline elsewhere/base.json)
run(CODE 1 OUT "^sm_90" ERROR "src/a.cu: turn: 248 conflicts" COMMAND ${TOOL} src/a.cu --baseline elsewhere/base.json)
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} src/b.cu --baseline elsewhere/base.json)
set(here ${SCRATCH}/elsewhere)
run(CODE 1 OUT "^sm_90" ERROR "../src/a.cu: turn: 248 conflicts, 0 in base.json" COMMAND ${TOOL} ../src/a.cu --baseline base.json)
set(here ${SCRATCH})
run(CODE 1 OUT "^2 kernels" ERROR "^bankmodel: src/a.cu: turn: sm_90: 248 conflicts, --max-conflicts allows 0\n$" COMMAND ${TOOL} src --max-conflicts 0)

# Marks below source have a colour.
string(ASCII 27 escape)
set(ENV{CLICOLOR_FORCE} 1)
run(CODE 0 OUT "1;35mwarning: [^\n]*\n[^\n]*\n[ |]*${escape}.1;32m[^\n]*${escape}.0m\n" COMMAND ${TOOL} src/a.cu)
unset(ENV{CLICOLOR_FORCE})
# Kernels of other files are others, though each report is of one file.
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} src/a.cu --write-baseline one.json)
string(REPLACE turn new_one new_one "${bad}")
file(WRITE ${SCRATCH}/src/new.cu "${new_one}")
run(CODE 1 OUT "^sm_90" ERROR "new_one: 248 conflicts, and it is not in one.json" COMMAND ${TOOL} src/new.cu --baseline one.json)
# One report of two files: what did not change is the same for the folder.
file(REMOVE ${SCRATCH}/src/new.cu)
run(CODE 0 OUT "^2 kernels" COMMAND ${TOOL} src --write-baseline both.json)
run(CODE 0 OUT "^both.json -> src, [^\n]*: 2 kernels, 0 worse, 0 better, 2 the same\n$" COMMAND ${TOOL} --diff both.json src)
# What is not counted now, in part, or not executed, and was not so in the baseline.
file(WRITE ${SCRATCH}/src/c.cu "${other}__global__ void broken() { missing(); }\n")
run(CODE 3 OUT "^3 kernels" ERROR "\nbankmodel: broken: not counted, and both.json does not say so: " COMMAND ${TOOL} src --baseline both.json)
run(CODE 0 OUT "^3 kernels" ERROR "note: both.json is written without 1 kernel or files that were not counted" COMMAND ${TOOL} src --write-baseline both.json)
run(CODE 0 OUT "^3 kernels" ERROR "broken is not counted: " COMMAND ${TOOL} src --baseline both.json)
file(WRITE ${SCRATCH}/src/c.cu "__global__ void deep(float* p, int n) {\n  __shared__ float t[32][32];\n  if (n > 5000) t[threadIdx.x][0] = 1;\n  p[threadIdx.x] = n;\n}\nvoid f(float* p, int n) { deep<<<1, 32>>>(p, n); }\n")
run(CODE 3 OUT "^sm_90" ERROR "deep: counted in part, or not executed as a whole, and not in both.json; " COMMAND ${TOOL} src/c.cu --baseline both.json)
run(CODE 3 OUT "^sm_90" ERROR "--max-conflicts says nothing about line 3, which is not executed" COMMAND ${TOOL} src/c.cu --max-conflicts 0)
file(WRITE ${SCRATCH}/src/c.cu "__global__ void deep(float* p, int n) {\n  if (n > 5000)\n    p[32 * threadIdx.x] = n;\n}\nvoid f(float* p, int n) { deep<<<1, 32>>>(p, n); }\n")
run(CODE 3 OUT "^sm_90" ERROR "--max-excessive-transactions says nothing about line 3, which is not executed" COMMAND ${TOOL} src/c.cu --max-excessive-transactions 0)
# All that is there fails: the baseline stays.
file(WRITE ${SCRATCH}/src/c.cu "__global__ void broken() { missing(); }\n")
file(COPY_FILE ${SCRATCH}/both.json ${SCRATCH}/kept.json)
run(CODE 2 ERROR "missing" COMMAND ${TOOL} src/c.cu src/c.cu --write-baseline both.json)
file(READ ${SCRATCH}/both.json left)
file(READ ${SCRATCH}/kept.json kept)
if(NOT left STREQUAL kept)
  message(SEND_ERROR "a baseline is lost where nothing is counted")
endif()
# A limit is one of the kernel with that name, and none of those that begin with it.
file(WRITE ${SCRATCH}/src/c.cu "__global__ void copy(float* p) { p[32 * threadIdx.x] = 1; }\n__global__ void copy_fast(float* p) { p[32 * threadIdx.x] = 1; }\nvoid f(float* p) { copy<<<1, 32>>>(p); copy_fast<<<1, 32>>>(p); }\n")
file(WRITE ${SCRATCH}/elsewhere/own.toml "[limits]\nexcessive-transactions = 0\n[[kernel]]\nname = \"copy\"\nexcessive-transactions = 99\n")
run(CODE 1 OUT "^src/c.cu" ERROR "^bankmodel: copy_fast: sm_90: 28 excessive transactions, elsewhere/own.toml:2 allows 0\n$" COMMAND ${TOOL} src/c.cu --config elsewhere/own.toml)
file(REMOVE ${SCRATCH}/src/c.cu)

# Several files are one run of SARIF.
run(CODE 0 OUT "^{" COMMAND ${TOOL} src --format sarif)
string(JSON runs LENGTH "${printed}" runs)
string(JSON successful GET "${printed}" runs 0 invocations 0 executionSuccessful)
if(NOT "${runs} ${successful}" STREQUAL "1 ON")
  message(SEND_ERROR "two files are ${runs} runs of SARIF, which were successful: ${successful}")
endif()

# A result of SARIF is known again when its line has moved, and differs from every other one.
run(CODE 0 OUT "^{" COMMAND ${TOOL} src/a.cu --format sarif)
string(JSON first GET "${printed}" runs 0 results 0 partialFingerprints bankmodelAccess/v1)
file(WRITE ${SCRATCH}/src/a.cu "// moved\n// again\n${bad}")
run(CODE 0 OUT "^{" COMMAND ${TOOL} src/a.cu --format sarif)
string(JSON again GET "${printed}" runs 0 results 0 partialFingerprints bankmodelAccess/v1)
if(NOT first STREQUAL again OR NOT first MATCHES "^[0-9a-f]+:1$")
  message(SEND_ERROR "the fingerprint was ${first}, and is ${again}")
endif()
string(REPLACE "] = 1;" "] = 1; t[threadIdx.x][threadIdx.y + 1] = 1;" twice "${bad}")
file(WRITE ${SCRATCH}/src/a.cu "${twice}")
run(CODE 0 OUT "^{" COMMAND ${TOOL} src/a.cu --format sarif -m sm_80 -m sm_90)
string(REGEX MATCHALL "bankmodelAccess/v1\": \"[^\"]*" all "${printed}")
list(LENGTH all count)
list(REMOVE_DUPLICATES all)
list(LENGTH all different)
if(NOT count EQUAL 4 OR NOT different EQUAL 4)
  message(SEND_ERROR "${count} results have ${different} fingerprints, not 4")
endif()

# ---- the hook of pre-commit, which gets the changed files ----
file(STRINGS ${CI}/pre-commit-config.yaml entry REGEX " entry: ")
string(REGEX REPLACE "^ *entry: bankmodel " "" entry "${entry}")
separate_arguments(entry)
file(WRITE ${SCRATCH}/src/a.cu "${good}")
run(CODE 0 OUT "^2 kernels" COMMAND ${TOOL} src --write-baseline bankmodel.json)
run(CODE 0 OUT "." COMMAND ${TOOL} ${entry} src/a.cu src/b.cu)
file(WRITE ${SCRATCH}/src/host.cu "int main() {}\n")
run(CODE 0 ERROR "^bankmodel: note: no file has a kernel\n$" COMMAND ${TOOL} ${entry} src/host.cu)
run(CODE 0 OUT "." COMMAND ${TOOL} ${entry} src/host.cu src/a.cu)
file(WRITE ${SCRATCH}/src/a.cu "${bad}")
run(CODE 0 OUT "." COMMAND ${TOOL} ${entry} src/b.cu)
run(CODE 1 OUT "." ERROR "^bankmodel: src/a.cu: turn: 248 conflicts, 0 in bankmodel.json\n" COMMAND ${TOOL} ${entry} src/a.cu src/b.cu)

# ---- the action, in a repository with two commits ----
find_program(git git NO_CACHE)
find_program(bash bash NO_CACHE)
if(NOT git OR NOT bash)
  message(STATUS "SKIPPED in part: no git or bash, so the action is not run")
  return()
endif()
file(STRINGS ${CI}/action.yml command REGEX "run: bash .*check.sh")
string(REGEX REPLACE "^ *run: " "" command "${command}")
foreach(option IN ITEMS --baseline --write-baseline --config) # an empty variable of a script
  run(CODE 2 ERROR "^bankmodel: error: ${option} names no file; name one, or leave it out\n$" COMMAND ${bash} -c "'${TOOL}' k.kernel ${option} ''")
endforeach()
# A file that changes is counted again, and so is one beside it.
file(WRITE ${SCRATCH}/watched.sh "set -eu
mkdir watched
printf '#define ROW 32\\n' >watched/row.h
printf '#include \"row.h\"\\n%s' \"$(sed s/33/ROW/ src/b.cu)\" >watched/k.cu
'${TOOL}' --watch watched/k.cu --html watched/k.html --svg=watched/k.svg --no-plan >watched/out.txt 2>&1 &
program=$!
trap 'kill $program' EXIT
until_seen() { for step in $(seq 300); do ! grep -q \"$1\" watched/out.txt || return 0; sleep 0.1; done; cat watched/out.txt; exit 1; }
until_seen ' 248 '
mkdir second; cp old.kernel second/k.kernel
'${TOOL}' --watch second/k.kernel --plan-header second/plan.hpp >second/out.txt 2>&1 &
second=$!
sleep 1 # what it writes itself is no change
kill $second || true
[ $(grep -c '^sm_90: ' second/out.txt) = 1 ]
[ $(grep -c ' whole kernel .* 248 ' watched/out.txt) = 1 ]
: >watched/out.txt
printf '#define ROW 33\\n' >watched/row.h
until_seen ' whole kernel .* 0 '
")
run(CODE 0 COMMAND ${bash} watched.sh)
run(CODE 2 ERROR "^bankmodel: error: --watch has no file to look at; name a file or a folder\n$" COMMAND ${TOOL} --watch nowhere.cu)
set(here ${SCRATCH}/repository)
file(MAKE_DIRECTORY ${here}/kernels ${SCRATCH}/bin)
file(CREATE_LINK ${TOOL} ${SCRATCH}/bin/bankmodel SYMBOLIC)
set(ENV{PATH} "${SCRATCH}/bin:$ENV{PATH}")
set(ENV{GITHUB_ACTION_PATH} ${CI})
set(ENV{GITHUB_STEP_SUMMARY} ${SCRATCH}/summary.md)
set(ENV{FILES} "kernels")
set(ENV{ARGUMENTS} "-D UNUSED=1")
foreach(name IN ITEMS AUTHOR COMMITTER)
  set(ENV{GIT_${name}_NAME} somebody)
  set(ENV{GIT_${name}_EMAIL} somebody@example.org)
endforeach()
file(WRITE ${here}/kernels/a.cu "${good}")
file(WRITE ${here}/bankmodel.toml "[limits]\nconflicts = 100\n")
run(CODE 0 OUT "" COMMAND ${git} init -q .)
run(CODE 0 OUT "" COMMAND ${git} add .)
run(CODE 0 OUT "" COMMAND ${git} commit -qm first)
set(ENV{BASE} HEAD)
run(CODE 0 COMMAND ${bash} -c "${command}")
file(WRITE ${here}/kernels/a.cu "// moved\n${bad}")
file(WRITE ${here}/kernels/b.cu "${other}")
run(CODE 1 ERROR "^bankmodel: kernels/a.cu: turn: sm_90: 248 conflicts, bankmodel.toml:2 allows 100\n$" COMMAND ${bash} -c "${command}")
file(READ ${here}/bankmodel.md markdown)
if(NOT markdown MATCHES "2 kernels, 1 worse, 0 better, 0 the same\n.*worse.*`kernels/a.cu: turn`[^\n]* 0 -> 248 .*new.*`kernels/b.cu: other`")
  message(SEND_ERROR "the comment of the action is\n${markdown}")
endif()
file(READ ${SCRATCH}/summary.md summary)
file(READ ${here}/bankmodel.sarif sarif)
string(JSON rule GET "${sarif}" runs 0 results 0 ruleId)
run(CODE 0 OUT "^[^\n]*\n$" COMMAND ${git} worktree list)
if(NOT summary MATCHES "1 kernel, 0 worse, 0 better, 1 the same\n.*1 worse" OR NOT rule STREQUAL "bank-conflict")
  message(SEND_ERROR "the action leaves the summary\n${summary}and the rule ${rule}")
endif()
# From a folder of it, with a baseline that the commit did not have, and with a commit that is not there.
run(CODE 0 OUT "^sm_90" COMMAND ${TOOL} kernels/b.cu --write-baseline kernels/base.json)
set(here ${here}/kernels)
set(ENV{FILES} "a.cu b.cu")
set(ENV{ARGUMENTS} "--baseline base.json --layouts padding")
run(CODE 1 ERROR "a.cu: turn: 248 conflicts" COMMAND ${bash} -c "${command}")
file(READ ${here}/bankmodel.md markdown)
if(NOT markdown MATCHES "2 kernels, 1 worse, 0 better, 0 the same\n.*worse.*`a.cu: turn`[^\n]* 0 -> 248 ")
  message(SEND_ERROR "the comment from a folder is\n${markdown}")
endif()
set(ENV{BASE} deadbeef)
run(CODE 1 ERROR "bankmodel: note: there is no commit deadbeef to compare with" COMMAND ${bash} -c "${command}")
if(EXISTS ${here}/bankmodel.md OR NOT EXISTS ${here}/bankmodel.sarif)
  message(SEND_ERROR "a commit that is not there is compared with")
endif()
