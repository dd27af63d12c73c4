# Files of static_asserts: they pass if they compile. errors/refused.cpp makes the wrong calls of each folder's refused.cpp
# again at run time.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/static_*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*/refused.cpp)
list(FILTER sources EXCLUDE REGEX "/errors/refused.cpp$")
add_library(static_tests OBJECT ${sources})
target_link_libraries(static_tests PRIVATE bankmodel_warnings)
target_include_directories(static_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support ${PROJECT_SOURCE_DIR})
target_compile_options(static_tests PRIVATE -O0)
set(static_sanitizer "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND BANKMODEL_SANITIZE) # with it g++ refuses more in constant expressions, and users have it
  set(static_sanitizer -fsanitize=undefined)
endif()
target_compile_options(static_tests PRIVATE ${static_sanitizer})

add_executable(test_refused errors/refused.cpp $<TARGET_OBJECTS:static_tests>)
target_link_options(test_refused PRIVATE ${static_sanitizer})
target_include_directories(test_refused PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support)
target_link_libraries(test_refused PRIVATE bankmodel_warnings catch_main)
target_compile_options(test_refused PRIVATE -O0)
add_test(NAME errors.refused COMMAND test_refused)
