include(FetchContent)
FetchContent_Declare(bankmodel SOURCE_DIR ${CMAKE_SOURCE_DIR}/third_party/bankmodel)
FetchContent_MakeAvailable(bankmodel)
