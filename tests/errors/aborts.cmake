# Runs PROGRAM with nothing wrong, which must end well, and with something wrong, which must print the text and abort.
cmake_minimum_required(VERSION 3.22)

execute_process(COMMAND ${PROGRAM} 8 RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "a right argument fails: ${result}\n${output}")
endif()

execute_process(COMMAND ${PROGRAM} 0 RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result MATCHES "[Aa]bort")
  message(FATAL_ERROR "a wrong argument must abort, the result is: ${result}\n${output}")
endif()
if(NOT output MATCHES "^bankmodel: step_must_not_be_zero: [^\n]*use a step of 1 or more[^\n]*\n")
  message(FATAL_ERROR "the text must be printed before the program aborts; it printed:\n${output}")
endif()
if(output MATCHES "still here")
  message(FATAL_ERROR "the program went on")
endif()
