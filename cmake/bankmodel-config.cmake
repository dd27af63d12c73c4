include(${CMAKE_CURRENT_LIST_DIR}/bankmodel-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
bankmodel_compile_kernels_as_cpp20(bankmodel::bankmodel)
