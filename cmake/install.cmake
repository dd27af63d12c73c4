# Installs the library: the headers and their packages for CMake and pkg-config. They depend on no
# architecture, so the packages are in share/. Paths in them are relative: the folder may be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bankmodel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/bankmodel)

set(cmake_folder ${CMAKE_INSTALL_DATADIR}/cmake/bankmodel)
install(TARGETS bankmodel EXPORT bankmodel)
install(EXPORT bankmodel NAMESPACE bankmodel:: FILE bankmodel-targets.cmake DESTINATION ${cmake_folder})
# Before 1.0.0 the minor number is raised by changes that break users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bankmodel-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/bankmodel-config-version.cmake ${PROJECT_SOURCE_DIR}/cmake/bankmodel-config.cmake
              ${PROJECT_SOURCE_DIR}/cmake/cuda.cmake DESTINATION ${cmake_folder})

set(pc_folder ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc ${pc_folder} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
set(includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(includedir ${CMAKE_INSTALL_INCLUDEDIR})
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/bankmodel.pc.in ${PROJECT_BINARY_DIR}/bankmodel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bankmodel.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
