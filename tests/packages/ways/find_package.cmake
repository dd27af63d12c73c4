find_package(bankmodel 0.1 REQUIRED)
