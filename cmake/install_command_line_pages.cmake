# Builds and installs the man page and the completions of the command line, which are made from its --help.
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set_property(GLOBAL APPEND PROPERTY bankmodel_left_out
               "the man page and completions of the command line (it cannot run here to print --help; set CMAKE_CROSSCOMPILING_EMULATOR)")
  return()
endif()
set(folder ${PROJECT_BINARY_DIR}/command_line_pages)
set(script ${PROJECT_SOURCE_DIR}/cmake/command_line_pages.cmake)
add_custom_command(OUTPUT ${folder}/bankmodel.1 BYPRODUCTS ${folder}/bankmodel.bash ${folder}/bankmodel.fish ${folder}/_bankmodel
                   COMMAND ${CMAKE_COMMAND} "-DTOOL=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:bankmodel_tool>" -DFOLDER=${folder} -P ${script}
                   DEPENDS bankmodel_tool ${script} VERBATIM)
add_custom_target(bankmodel_pages ALL DEPENDS ${folder}/bankmodel.1)

install(FILES ${folder}/bankmodel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${folder}/bankmodel.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bankmodel)
install(FILES ${folder}/_bankmodel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${folder}/bankmodel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
