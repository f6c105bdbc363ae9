"""The rules of the house as data (docs/development.md explains them). Paths are relative to the top of the tree."""

# Unit -> the folder of its files. The database's reader is a unit of its own: the sources of wt_db_reader in
# db/CMakeLists.txt with the headers of the same names, and READER_HEADERS.
UNITS = {
    "core": "src/core",
    "spec": "src/spec",
    "space": "src/space",
    "plan": "src/plan",
    "predict": "src/predict",
    "interchange": "src/interchange",
    "gpu": "src/gpu",
    "jit": "src/jit",
    "db": "db",
    "search": "search",
    "profiler": "profiler",
    "worker": "src/worker",
    "cuda": "src/cuda",
    "recording": "src/recording",
    "tuner": "src/tuner",
    "replay": "src/replay",
    "report": "src/report",
    "pack": "src/pack",
    "runtime": "src/runtime",
    "cli": "cli",
}
READER_HEADERS = ["db/member_rows.h", "db/record_members.h", "db/records.h", "db/statements.h"]

# Unit -> the units that it may include. A unit always includes itself; tests include what they like.
MAY_INCLUDE = {
    "core": [],
    "spec": ["core"],
    "space": ["core", "spec"],
    "plan": ["core", "spec"],
    "predict": ["core", "spec", "space", "plan"],
    "interchange": ["core", "spec", "space"],
    "gpu": ["core", "spec", "plan"],
    "jit": ["core", "spec", "plan", "gpu"],
    "db_reader": ["core", "spec", "space", "predict"],
    "db": ["core", "spec", "space", "predict", "db_reader"],
    "search": ["core", "spec", "space", "predict"],
    "profiler": ["core", "gpu"],
    "worker": ["core", "spec", "space", "plan", "jit", "profiler"],
    "cuda": ["core", "spec", "plan", "gpu", "jit", "profiler", "worker"],
    "recording": ["core", "spec", "interchange", "worker"],
    "tuner": ["core", "spec", "space", "plan", "predict", "jit", "search", "profiler", "db", "db_reader", "worker", "cuda",
              "recording"],
    "replay": ["core", "predict", "jit", "search", "interchange", "recording", "tuner"],
    "runtime": ["core", "spec", "plan", "predict", "gpu", "jit", "db_reader"],
    "report": ["core", "spec", "space", "plan", "predict", "db_reader"],
    "pack": ["core", "spec", "space", "plan", "predict", "jit", "db", "db_reader"],
    "cli": ["core", "spec", "space", "plan", "predict", "interchange", "gpu", "jit", "search", "profiler", "db", "db_reader",
            "worker", "cuda", "recording", "tuner", "replay", "report", "pack", "runtime"],
}

# Room -> its tiers, lowest first: files by their names below the room's folder, without the suffix, or patterns of
# names. A file and the header of its name are one. A file may include its own tier and those below. A room that stands
# here lists all of its files.
TIERS = {
    "spec": [
        ["spec", "source_files", "arguments", "build", "implementation", "size_list", "size_generators", "shape", "problem", "config", "former_config", "nearest_config",
          "alignment", "short_problem", "source_comments", "source_hash", "library_table", "compile_options"],
        ["spec_json*"],
    ],
    "predict": [
        ["roofline", "theoretical_roofs", "counter_facts", "timing_matrix", "gaussian_process"],
        ["plan_features", "expected_time"],
        ["transfer*"],
        ["select"],
    ],
    "worker": [
        ["backend", "event_fd", "compile_times", "trace"],
        ["protocol", "trial_of"],
        ["worker_process", "compile_queue"],
        ["device_worker", "compile_scheduler", "worker_main"],
        ["compile_pool"],
    ],
    "cuda": [
        ["verifier", "input_fill", "problem_buffers"],
        ["guarded_buffer", "early_compiles"],
        ["cuda_device"],
        ["reference_run"],
        ["problem_memory"],
        ["candidate"],
        ["static_checks"],
        ["cuda_backend"],
    ],
    "tuner": [
        # What is asked for, what is shown, and what stands by itself.
        ["budget", "progress", "session_lock", "stale_roofs", "make_backend"],
        ["session_options", "budget_meter", "session_result", "finalist"],
        ["built_candidates", "paired_rounds", "decision"],
        # The engine: candidates under way, and what is stored of them.
        ["pipeline", "ledger", "sweep_job"],
        # What is done with trials.
        ["finals", "final_device", "baseline", "energy", "failures", "profiling", "winner_checks", "run", "gather_knowledge"],
        # The steps of a session, and their order.
        ["session_work"],
        ["session_device", "session_row", "exploration", "certification", "counting"],
        ["session", "recheck_judgement", "recheck", "recheck_rows"],
        # Many sessions.
        ["compile_ahead", "sweep_scheduler"],
        ["sweep"],
    ],
    "report": [
        ["markup", "baseline_name", "bound", "packed_column", "compare"],
        ["view"],
        ["baselines", "roofs", "svg_*", "trials_json", "report_csv"],
        ["make_view", "report_json", "report_svg"],
        ["report_data", "report_html"],
        ["static_html"],
    ],
    "pack": [
        ["licence", "measured", "cover"],
        ["choose", "untuned"],
        ["extra", "programs"],
        ["pack", "inspect"],
    ],
    "runtime": [
        ["include/warptune/*", "operation_table", "process", "file_stamp"],
        ["catalog", "misses", "programs"],
        ["background_compiler", "operation", "choose"],
        ["kernel"],
        ["library"],
        ["capi_library", "capi_errors"],
        ["selection", "capi", "capi_describe"],
    ],
    "db": [
        ["digest", "stored_numbers", "stored_values", "final_rounds", "records", "record_members", "pack_file", "pack_vfs"],
        ["member_columns"],
        ["migrations"],
        ["schema_check"],
        ["connection", "statements", "migrate"],
        ["*_rows"],
        ["reader", "writer*", "merge_source", "database_path"],
        ["spec_reader", "learned_rule", "tuned_entries", "pack_writer", "merge*"],
    ],
}

# Files of one room that include one another are a cycle, unless they are one thing in several files.
ONE_THING = [
    ["src/space/space", "src/space/space_builder"],
    ["src/plan/plan", "src/plan/plan_values"],
    ["src/gpu/launch", "src/gpu/scalar"],
    ["src/jit/compiler", "src/jit/nvrtc_library"],
    ["src/interchange/python_expr", "src/interchange/python_program"],
    ["profiler/timer", "profiler/stop_rule", "profiler/device_timer"],
    ["profiler/peaks", "profiler/peak_run"],
    ["profiler/roofs", "profiler/roof_run"],
    ["db/merge", "db/merger"],
    ["db/writer", "db/writer_impl"],
]

# Header (a regular expression on the name between the brackets) -> the files that may include it, by prefix.
THIRD_PARTY = {
    r"nvrtc\.h": ["src/jit/"],
    r"cupti.*\.h": ["profiler/"],
    r"nvml\.h": ["src/gpu/"],
    r"nvtx3/.*": ["profiler/"],
    r"cuda\.h": ["src/gpu/", "src/jit/", "profiler/", "src/runtime/", "src/cuda/"],
    r"cuda_runtime.*": ["examples/"],
    r"cublas.*": ["src/gpu/cublaslt"],
    r"cudnn.*": [],
    r"sqlite3\.h|SQLiteCpp/": ["db/"],
    r"zlib\.h": ["src/interchange/gzip"],
    r"Eigen/.*": ["src/predict/gaussian_process"],
    r"CLI/": ["cli/"],
    r"spdlog/": ["cli/"],
    r"nlohmann/": ["src/spec/spec_json", "src/interchange/", "src/report/", "cli/", "src/worker/protocol",
                   "src/recording/recording", "src/worker/trace"],
    r"gtest/|gmock/|benchmark/": ["tests/"],
    r"pybind11/.*|Python\.h": ["python/"],
    # core, spec, space, plan and predict are pure: no clock, no process, no dynamic loading.
    r"chrono|ctime|thread|dlfcn\.h|unistd\.h|sys/.*": ["src/gpu/", "src/jit/", "db/", "search/",
                                                     "profiler/", "src/worker/", "src/cuda/", "src/recording/",
                                                     "src/tuner/", "src/replay/", "src/report/", "src/pack/", "src/runtime/",
                                                     "cli/", "python/", "tests/", "examples/"],
}
# A call (a regular expression) -> the files that may make it, by prefix; tests may make any.
CALLED_IN = {
    # Stored texts become values once, where they are read: of rows, of recordings, of what the user types.
    r"\bparse_(problem_key|config)\(": ["src/spec/", "db/stored_values", "src/recording/recorded_params", "cli/config_option"],
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
MAX_RUNTIME_BYTES = 4_000_000 # without its table of symbols, which packages do not ship
# The runtime neither profiles nor searches: these strings would show that it carries a piece of it.
NOT_IN_RUNTIME = [b"libcupti"]
