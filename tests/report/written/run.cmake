# Writes plans as headers, compiles them all in one program, whose guards count again, and compares them with the plans.
#   cmake -DWRITE=program -DCOMPILER=c++ "-DOPTIONS=-std=c++20;.." -DSOURCE=the project -DSCRATCH=a folder -P run.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
execute_process(COMMAND ${WRITE} ${SCRATCH} few COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${COMPILER} ${OPTIONS} -I${SOURCE}/include -I${SOURCE}/tests/support -I${SCRATCH} -I${SOURCE}/tests/report/written
                        ${SOURCE}/tests/report/written/check.cpp -o ${SCRATCH}/check COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/check few COMMAND_ERROR_IS_FATAL ANY)
