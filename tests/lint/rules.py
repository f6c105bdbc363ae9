"""The rules of the house as data (docs/development.md explains them). Paths are relative to the top of the tree."""

# Unit -> the folder of its files. The database's reader is a unit of its own: the sources of wt_db_reader in
# db/CMakeLists.txt with the headers of the same names, and READER_HEADERS.
UNITS = {
    "core": "src/core",
    "interchange": "src/interchange",
    "gpu": "src/gpu",
    "jit": "src/jit",
    "opencl": "src/opencl",
    "db": "db",
    "search": "search",
    "profiler": "profiler",
    "tuner": "src/tuner",
    "report": "src/report",
    "pack": "src/pack",
    "runtime": "src/runtime",
    "cli": "cli",
}
READER_HEADERS = ["db/records.h", "db/statements.h"]

# Unit -> the units that it may include. A unit always includes itself; tests include what they like.
MAY_INCLUDE = {
    "core": [],
    "interchange": ["core"],
    "gpu": ["core"],
    "jit": ["core", "gpu"],
    "opencl": ["core", "gpu"],
    "db_reader": ["core"],
    "db": ["core", "db_reader"],
    "search": ["core"],
    "profiler": ["core", "gpu"],
    "runtime": ["core", "gpu", "jit", "db_reader"],
    "tuner": ["core", "interchange", "gpu", "jit", "opencl", "search", "profiler", "db", "db_reader"],
    "report": ["core", "db_reader"],
    "pack": ["core", "jit", "db", "db_reader"],
    "cli": ["core", "interchange", "gpu", "jit", "opencl", "search", "profiler", "db", "db_reader", "tuner", "report",
            "pack", "runtime"],
}

# Header (a regular expression on the name between the brackets) -> the files that may include it, by prefix.
THIRD_PARTY = {
    r"nvrtc\.h": ["src/jit/"],
    r"CL/": ["src/opencl/"],
    r"cupti.*\.h": ["profiler/"],
    r"nvml\.h": ["src/gpu/"],
    r"nvtx3/.*": ["profiler/"],
    r"cuda\.h": ["src/gpu/", "src/jit/", "profiler/", "src/runtime/", "src/tuner/"],
    r"cuda_runtime.*": ["examples/"],
    r"cublas.*|cudnn.*": [],
    r"sqlite3\.h|SQLiteCpp/": ["db/"],
    r"zlib\.h": ["src/interchange/gzip"],
    r"CLI/": ["cli/"],
    r"spdlog/": ["cli/"],
    r"nlohmann/": ["src/core/spec_json", "src/interchange/", "src/report/", "cli/", "src/tuner/protocol",
                   "src/tuner/recording", "src/tuner/trace"],
    r"gtest/|gmock/|benchmark/": ["tests/"],
    r"pybind11/.*|Python\.h": ["python/"],
    # core is pure: no clock, no process, no dynamic loading.
    r"chrono|ctime|thread|dlfcn\.h|unistd\.h|sys/.*": ["src/gpu/", "src/jit/", "src/opencl/", "db/", "search/",
                                                     "profiler/", "src/tuner/", "src/report/", "src/pack/", "src/runtime/",
                                                     "cli/", "python/", "tests/", "examples/"],
}
# What an application includes must not ask for packages of its own.
PUBLIC_HEADERS = "src/runtime/include/"
NOT_IN_PUBLIC_HEADERS = r"fmt/|tl/|nlohmann/|SQLiteCpp/|cuda.*\.h"

SOURCE_FOLDERS = ["src", "search", "profiler", "db", "cli", "python", "tests", "examples"]
# Files that some CMakeLists.txt above them has to name, and folders whose files are data or another project.
LISTED_SUFFIXES = (".cpp", ".cu", ".cuh", ".sql")
NOT_LISTED = ["search/strategies/", "tests/data/", "tests/consumer/", "tests/support/fuzz_main.cpp", "examples/"]

MAX_LINES = 500
COUNTED_SUFFIXES = (".cpp", ".h", ".hpp", ".c", ".cu", ".cuh", ".py", ".sh", ".cmake", ".sql", ".js", ".mjs", ".ts", ".css")

FORMATTED_SUFFIXES = (".cpp", ".h", ".hpp", ".c")
CLANG_FORMAT_MAJOR = 14

# Shared objects that a program or the runtime may ask the loader for: the C and C++ run time, nothing else.
NEEDED = r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so\.\d+|ld-linux-x86-64\.so\.2"
RUNTIME_EXPORTS = r"wt_\w+"
# The C ABI of the runtime: the SONAME and each exported function with its version. A change is made here as well, on purpose.
ABI_FILE = "src/runtime/abi.txt"
MAX_RUNTIME_BYTES = 2_000_000 # without its table of symbols, which packages do not ship
# The runtime neither profiles nor searches: these strings would show that it carries a piece of it.
NOT_IN_RUNTIME = [b"libcupti"]
