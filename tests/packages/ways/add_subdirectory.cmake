add_subdirectory(bankmodel)
