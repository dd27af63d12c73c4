# Compiles a program and runs it; its failures are printed.
#   cmake "-DCOMPILE=compiler;options;source" -DPROGRAM=.. -P compile_and_run.cmake
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND ${COMPILE} -o ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
