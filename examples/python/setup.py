# SPDX-License-Identifier: MIT
"""Builds libbankmodel with CMake and puts it into the package: pip install examples/python, pip wheel examples/python.

BANKMODEL_LIBRARY=FILE takes a library that is there. BANKMODEL_CMAKE_ARGS has more options for CMake, such as
-DBANKMODEL_WITH_CLANG=OFF for a library that reads PTX and kernel files without LLVM."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

source = pathlib.Path(__file__).resolve().parents[2]
header = (source / "include/bankmodel/version.hpp").read_text()
version = ".".join(re.search(rf"VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def built_library(folder):
    if "BANKMODEL_LIBRARY" in os.environ:
        return pathlib.Path(os.environ["BANKMODEL_LIBRARY"])
    parts = [f"-DBANKMODEL_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCHMARKS")]
    subprocess.run(["cmake", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                    "-DBANKMODEL_BUILD_COMMAND_LINE=ON", *parts, *shlex.split(os.environ.get("BANKMODEL_CMAKE_ARGS", ""))],
                   check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "bankmodel_library", "-j", str(os.cpu_count() or 1)], check=True)
    return folder / "libbankmodel.so"


class build_with_library(build_py):
    def run(self):
        super().run()
        folder = pathlib.Path(self.get_finalized_command("build").build_temp).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built_library(folder), pathlib.Path(self.build_lib) / "bankmodel/libbankmodel.so")


class wheel_of_any_python(bdist_wheel):
    """The library is of this machine, and of no version of Python."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


# Beside the other builds, not beside the sources.
built = source / "build/python_package"
built.mkdir(parents=True, exist_ok=True)
setup(version=version, options={"build": {"build_base": str(built)}, "egg_info": {"egg_base": str(built)}}, cmdclass={"build_py": build_with_library, "bdist_wheel": wheel_of_any_python})
