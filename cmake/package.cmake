# Packages of what is installed: cpack -G DEB, cpack -G TGZ. The preset `static` makes both of a program that needs no library:
#   cmake --workflow --preset static        # build/static/bankmodel_VERSION_amd64.deb and bankmodel-VERSION-Linux.tar.gz
set(CPACK_PACKAGE_NAME bankmodel)
set(CPACK_PACKAGE_VENDOR bankmodel)
set(CPACK_PACKAGE_CONTACT bankmodel)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "bank conflicts and memory transactions of GPU kernels, without a GPU")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
if(BANKMODEL_STATIC)
  set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE) # the program was built, and no shared library is wanted
else() # the packages of its libraries, which dpkg-dev finds
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
