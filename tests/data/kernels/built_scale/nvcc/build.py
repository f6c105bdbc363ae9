"""Compiles kernel.cu to OUT/kernel.cubin: with nvcc where there is one, else with NVRTC, which the Toolkit has as well."""

import argparse
import ctypes
import ctypes.util
import json
import pathlib
import shutil
import subprocess
import sys

NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def nvrtc():
    for name in ("libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    sys.exit("neither nvcc nor NVRTC was found")


def version():
    if NVCC:
        return subprocess.run([NVCC, "--version"], check=True, capture_output=True, text=True).stdout
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"NVRTC {major.value}.{minor.value}"


def compile_with_nvrtc(arch, defines, cubin):
    library, program, size = nvrtc(), ctypes.c_void_p(), ctypes.c_size_t()
    source = pathlib.Path("kernel.cu").read_bytes()
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None)
    options = [f"-arch={arch}".encode(), *(f"-D{define}".encode() for define in defines)]
    failed = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if failed:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        sys.exit(log.value.decode())
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, image)
    cubin.write_bytes(image.raw)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--arch")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    if args.version:
        print(version())
        return
    cubin = args.out / "kernel.cubin"
    if NVCC:
        defines = [f"-D{define}" for define in args.define]
        command = [NVCC, "-cubin", f"-arch={args.arch}", *defines, "kernel.cu", "-o", str(cubin)]
        if subprocess.run(command).returncode != 0:
            sys.exit(1)
    else:
        compile_with_nvrtc(args.arch, args.define, cubin)
    (args.out / "build.json").write_text(json.dumps({"kernels": {"scale": {"symbol": "scale_by_nvcc"}}}))


main()
