# An overlay port of this checkout: vcpkg install bankmodel --overlay-ports=cmake/vcpkg --no-binarycaching
# vcpkg notices changes in this folder alone: with its cache, or without `vcpkg remove bankmodel` before, it would keep older headers.
# A registry replaces SOURCE_PATH by vcpkg_from_github().
set(VCPKG_BUILD_TYPE release) # header-only
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DBANKMODEL_BUILD_COMMAND_LINE=OFF
        -DBANKMODEL_BUILD_TESTS=OFF
        -DBANKMODEL_BUILD_EXAMPLES=OFF
        -DBANKMODEL_BUILD_BENCHMARKS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/bankmodel)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
