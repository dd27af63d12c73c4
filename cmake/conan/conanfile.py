# SPDX-License-Identifier: MIT
# The recipe of this checkout: conan create cmake/conan -s compiler.cppstd=20
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class BankmodelConan(ConanFile):
    name = "bankmodel"
    description = "Exact bank conflicts of GPU shared memory, before the kernel runs"
    license = "MIT"
    topics = ("cuda", "gpu", "shared-memory", "bank-conflicts", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def _project(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._project(), "include", "bankmodel", "version.hpp"))
        numbers = [re.search(rf"#define BANKMODEL_VERSION_{part} (\d+)", header).group(1)
                   for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "cmake/*.cmake", "cmake/*.in"):
            copy(self, pattern, src=self._project(), dst=self.export_sources_folder,
                 excludes=("cmake/conan/*", "cmake/vcpkg/*"))

    def layout(self):
        self.folders.root = os.path.join("..", "..")  # `conan build` and `conan editable` use the checkout itself
        cmake_layout(self, src_folder=".")

    def package_id(self):
        self.info.clear()

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # else a file is written into the sources
        for part in ("COMMAND_LINE", "TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"BANKMODEL_BUILD_{part}"] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        cmake = CMake(self)
        cmake.install()
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "bankmodel")
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")  # as cmake/install.cmake has it
        self.cpp_info.set_property("cmake_target_name", "bankmodel::bankmodel")
        self.cpp_info.set_property("pkg_config_name", "bankmodel")
