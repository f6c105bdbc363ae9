"""pip install ./python --no-build-isolation: CMake builds the extension and puts the package together (CMakeLists.txt).

libwarptune is taken from $WARPTUNE_PREFIX, or from a place where CMake or pkg-config find this version of it; otherwise
it is built from the repository that contains this folder. Nothing is downloaded.
"""
import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def answer(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


class CMakeBuild(build_ext):
    def run(self):
        jobs = f"-j{self.parallel or os.cpu_count() or 1}"
        temp = Path(self.build_temp).resolve()
        package = Path(self.build_lib).resolve() / "warptune"
        if self.inplace:
            sys.exit("setup.py: an editable install cannot contain the library; use pip install, or CMake and "
                     "PYTHONPATH")
        prefix = self.find_prefix(temp, jobs)
        configure = ["cmake", "-S", HERE, "-B", temp / "extension", f"-DWARPTUNE_PYTHON_PACKAGE={package}",
                     f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release"]
        if prefix:
            configure.append(f"-DCMAKE_PREFIX_PATH={prefix}")
        run(*configure)
        run("cmake", "--build", temp / "extension", jobs)

    def find_prefix(self, temp, jobs):
        """Returns a prefix to search first; "" if CMake finds the library by itself."""
        if os.environ.get("WARPTUNE_PREFIX"):
            return os.environ["WARPTUNE_PREFIX"]
        if answer("pkg-config", "--modversion", "warptune") == self.distribution.get_version():
            return answer("pkg-config", "--variable=prefix", "warptune")
        root = HERE.parent
        if not (root / "src" / "runtime").is_dir():
            return ""
        print(f"building libwarptune from {root}; to use a library that is already built, set $WARPTUNE_PREFIX", flush=True)
        run("cmake", "-S", root, "-B", temp / "warptune", "-DCMAKE_BUILD_TYPE=Release", "-DWARPTUNE_BUILD_TESTS=OFF",
            "-DWARPTUNE_DIST=ON", "-DWARPTUNE_STATIC_STDLIB=ON", "-DCMAKE_INSTALL_LIBDIR=lib")
        run("cmake", "--build", temp / "warptune", jobs)
        run("cmake", "--install", temp / "warptune", "--prefix", temp / "prefix", "--strip")
        return str(temp / "prefix")


# CMake has the extension's sources; naming it here makes the wheel specific to this platform and Python.
setup(ext_modules=[Extension("warptune._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
