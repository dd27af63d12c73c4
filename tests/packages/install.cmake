# Installs the headers into SCRATCH/first and moves them to SCRATCH/prefix: what is installed may be moved.
#   cmake -DSOURCE=the project -DSCRATCH=a folder -DCOMPILER=.. -P install.cmake
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${SCRATCH})
set(nothing -DBANKMODEL_BUILD_TESTS=OFF -DBANKMODEL_BUILD_EXAMPLES=OFF -DBANKMODEL_BUILD_BENCHMARKS=OFF -DBANKMODEL_BUILD_COMMAND_LINE=OFF)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -DCMAKE_CXX_COMPILER=${COMPILER} ${nothing})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/first)
file(RENAME ${SCRATCH}/first ${SCRATCH}/prefix)

file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include ${SOURCE}/include/*.hpp)
file(GLOB_RECURSE installed RELATIVE ${SCRATCH}/prefix/include ${SCRATCH}/prefix/include/*)
if(NOT headers STREQUAL installed)
  message(FATAL_ERROR "installed are\n${installed}\nand not\n${headers}")
endif()
