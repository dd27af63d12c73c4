# run(command ..): an error shows the command and its output.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${result}\n${output}")
  endif()
  set(run_output "${output}" PARENT_SCOPE)
endfunction()
