"""The project's rules as data (docs/design/development.md explains them). Paths are relative to the top of the tree."""

# Unit -> the folder of its files. The database's reader is a unit of its own: the sources of wt_db_reader in
# db/CMakeLists.txt with the headers of the same names, and READER_HEADERS.
UNITS = {
    "core": "src/core",
    "system": "src/system",
    "spec": "src/spec",
    "space": "src/space",
    "plan": "src/plan",
    "predict": "src/predict",
    "interchange": "src/interchange",
    "gpu": "src/gpu",
    "jit": "src/jit",
    "starter": "src/starter",
    "intercept": "src/intercept",
    "capture": "src/capture",
    "db": "db",
    "search": "search",
    "profiler": "profiler",
    "worker": "src/worker",
    "cuda": "src/cuda",
    "recording": "src/recording",
    "tuner": "src/tuner",
    "cluster": "src/cluster",
    "replay": "src/replay",
    "report": "src/report",
    "pack": "src/pack",
    "runtime": "src/runtime",
    "cli": "cli",
}
READER_HEADERS = ["db/member_rows.h", "db/record_members.h", "db/records.h", "db/statements.h"]

# Unit -> the units that it may include. A unit always includes itself; tests may include all units.
MAY_INCLUDE = {
    "core": [],
    "system": ["core"],
    "spec": ["core"],
    "space": ["core", "spec"],
    "plan": ["core", "spec"],
    "predict": ["core", "spec", "space", "plan"],
    "interchange": ["core", "spec", "space"],
    "gpu": ["core", "spec", "plan"],
    "jit": ["core", "system", "spec", "plan", "gpu"],
    "starter": ["core", "system", "spec", "interchange", "jit"],
    "intercept": [],  # a library inside other programs' processes
    "capture": ["core", "system", "spec", "gpu", "jit", "starter", "intercept"],
    "db_reader": ["core", "system", "spec", "space", "predict"],
    "db": ["core", "system", "spec", "space", "predict", "db_reader"],
    "search": ["core", "spec", "space", "predict"],
    "profiler": ["core", "gpu"],
    "worker": ["core", "system", "spec", "space", "plan", "jit", "profiler"],
    "cuda": ["core", "spec", "plan", "gpu", "jit", "profiler", "worker"],
    "recording": ["core", "system", "spec", "interchange", "worker"],
    "tuner": ["core", "system", "spec", "space", "plan", "predict", "jit", "search", "profiler", "db", "db_reader", "worker", "cuda",
              "recording"],
    "cluster": ["core", "system", "spec", "space", "plan", "predict", "jit", "db", "db_reader", "worker", "tuner"],
    "replay": ["core", "predict", "jit", "search", "interchange", "recording", "tuner"],
    "runtime": ["core", "system", "spec", "plan", "predict", "gpu", "jit", "db_reader"],
    "report": ["core", "spec", "space", "plan", "predict", "db_reader"],
    "pack": ["core", "spec", "space", "plan", "predict", "jit", "db", "db_reader"],
    "cli": ["core", "system", "spec", "space", "plan", "predict", "interchange", "gpu", "jit", "search", "profiler", "db", "db_reader",
            "worker", "cuda", "recording", "tuner", "cluster", "replay", "report", "pack", "runtime", "starter", "capture"],
}

# Room -> its tiers, lowest first: file names below the room's folder, without the suffix, or patterns of names. A file
# and the header of its name are one. A file may include its own tier and lower ones. Every room has tiers, and each of
# its files is in exactly one.
TIERS = {
    "core": [
        # Text and numbers, without any concept of tuning.
        ["result", "memory_reserve", "thread_guard", "text", "replace_all", "shell_words", "sanitize", "sha256", "random", "small_buffer", "statistics", "members"],
        ["dtype", "cpp_types", "real_range", "config", "objective", "integer_program"],
        # Values with members, and their text forms.
        ["device", "device_readings", "pc_samples", "trial"],
        ["device_table", "examination", "units"],
        ["finding"],
        # Formulas.
        ["expr", "expr_compile"],
        ["formula_tokens", "real_expr"],
        ["expr_parser", "real_expr_parser"],
    ],
    "system": [
        # Files, first as the operating system has them.
        ["descriptor", "temporary_path", "file_errors", "utc_time"],
        ["new_file", "whole_file"],
        ["text_file"],
    ],
    "spec": [
        # A kernel folder as values.
        ["source_files", "source_comments", "json_members", "arguments", "build", "compile_options", "library_table", "size_generators"],
        ["implementation", "size_list"],
        ["spec"],
        ["source_hash"],
        # Its problems and configurations.
        ["shape", "short_problem", "problem_options"],
        ["problem"],
        ["config", "former_config"],
        ["nearest_config", "alignment"],
        # The reader of kernel folders.
        ["spec_json_reader"],
        # Parts of it without effect.
        ["spec_places", "spec_uses"],
        ["lint_names"],
        ["spec_json_parts"],
        ["spec_json*"],
    ],
    "space": [
        ["space_model"],
        ["space", "space_builder"],
        ["space_order", "space_walk"],
        ["lint_problems"],
        ["lint_space"],
    ],
    "plan": [
        ["occupancy", "buffer_rows"],
        ["plan", "plan_values"],
        ["plan_launch", "plan_library_call", "plan_rows", "plan_tensor_map", "cost", "list_fill", "program_symbol", "candidate_plans", "launch_needs"],
        # Compile requests for a plan.
        ["build_request"],
        ["compile_request"],
        ["program_key"],
    ],
    "predict": [
        ["roofline", "theoretical_roofs", "counter_facts", "timing_matrix", "gaussian_process"],
        ["plan_features", "expected_time"],
        ["shortest_expected"],
        ["transfer*"],
        ["selection", "selection_limits"],
        ["ranked_results", "valid_near_default", "select_expected"],
        ["select_untuned"],
        ["select"],
    ],
    "interchange": [
        # Text: compressed files, JSON as events, Python's tokens and values.
        ["gzip", "json_events", "python_lexer", "python_value"],
        # Python's expressions, and constraints written in them.
        ["python_expr", "python_program"],
        ["python_parser", "python_evaluation", "python_integer"],
        ["python_terms", "python_tree"],
        ["t1"],
        # A measured space, and the formats that hold one.
        ["recorded_space"],
        ["recorded_row", "kernel_tuner_cache", "t4_results"],
        ["*_reader", "*_writer", "search_trace"],
    ],
    "gpu": [
        ["driver", "nvml", "toolkit_search"],
        ["handles", "devices", "capture", "tensor_map"],
        ["device_program", "device_tools"],
        # Libraries: the interface, each library, and all of them.
        ["vendor_library"],
        ["driver_library", "cublaslt_functions", "cublaslt_problem"],
        ["cublaslt_library"],
        ["library_calls"],
        # Launches: modules, attributes and buffers, and their sequence.
        ["loaded_kernels", "launch_attributes", "driver_occupancy", "tensor_map_cache", "scalar"],
        ["symbol_copies"],
        ["launch"],
    ],
    "jit": [
        ["command_guard", "entry_lock", "cubin_file", "demangled", "mangled_parameters", "ptxas_log", "toolkit_program"],
        # Kernel folders on disk.
        ["kernel_sources", "header_names", "outside_includes", "stray_folders"],
        ["include_roots"],
        ["template_store"],
        # One compilation, and its stored result.
        ["compiler", "nvrtc_library", "kernel_parameters", "program_checks"],
        ["compile_message"],
        ["prescreen", "cubin_cache"],
        ["cached_compile"],
        ["compile_process"],
        # Build commands.
        ["run_command"],
        ["build_folder"],
        ["build", "builders"],
    ],
    "starter": [
        # Texts of options and sources.
        ["entries", "words", "new_folder"],
        ["facts", "host_code", "kernel_text", "source_macros", "signature", "restriction"],
        ["tuner_script"],
        ["described_kernel"],
        ["choices"],
        ["starter"],
    ],
    "intercept": [
        ["settings", "json_line", "code_image", "driver_calls", "cupti_calls"],
        ["record_file", "buffers"],
        ["kernel_times", "launches"],
        # Entry points: functions that CUDA calls, and functions that applications call.
        ["cupti_hooks", "nvrtc_hooks"],
    ],
    "capture": [
        ["records", "run_application", "kernel_names"],
        # The meaning of numbers and texts in launches.
        ["argument_values", "buffer_use", "fill_guess", "fit_formula"],
        ["captured_groups", "captured_source"],
        ["captured_kernel"],
    ],
    "search": [
        # Tools of strategies.
        ["draws", "permutation", "pareto"],
        # Prior knowledge, and the interface of strategies.
        ["knowledge"],
        ["hints", "features"],
        ["strategy", "moves", "kernel_lengths", "maximin", "best_expected", "author_estimates"],
        ["strategy_table"],
        # Shared by strategies.
        ["archive"],
        ["ask_tell", "latin_hypercube", "population", "pool_posterior", "first_points"],
        ["descent"],
        ["iterated_descent"],
        ["strategies/*"],
        # All strategies, by name.
        ["registry"],
    ],
    "profiler": [
        ["nvtx_range", "l2_flush"],
        # Timers, and measurements that use them.
        ["timer", "stop_rule", "device_timer"],
        ["power_meter", "roofs", "roof_run"],
        # Counters.
        ["counter_source", "metric_sets", "cupti_info"],
        ["cupti_library"],
        ["cupti_refusal", "source_lines"],
        ["metric_catalog", "sass_metrics"],
        ["cupti_counters", "null_counters", "pc_sampler", "sass_counter"],
    ],
    "worker": [
        ["backend", "event_fd", "compile_times", "trace"],
        ["protocol", "trial_of"],
        ["worker_start"],
        ["worker_process", "compile_queue"],
        ["device_worker", "compile_scheduler", "worker_main"],
        ["compile_pool"],
    ],
    "cuda": [
        ["verifier", "input_fill", "problem_buffers", "special_values"],
        ["guarded_buffer", "early_compiles"],
        ["cuda_device"],
        ["reference_run"],
        ["problem_memory", "problem_contents"],
        ["candidate"],
        ["static_checks"],
        ["cuda_backend_impl"], ["cuda_evaluation", "cuda_examination", "cuda_finalists", "cuda_readings", "cuda_samples"], ["cuda_backend"],
    ],
    "recording": [
        ["recording_checksum", "recording_findings", "recording_format"],
        ["recording"],
        ["recording_reader", "recording_writer", "recording_seal", "recorded_params", "recorded_space_recording"],
        ["recorded_space_file", "replay_backend"],
    ],
    "tuner": [
        # Inputs and displays of a session, and independent parts.
        ["budget", "progress", "session_lock", "stale_roofs", "make_backend"],
        ["session_options", "budget_meter", "session_result", "finalist"],
        ["built_candidates", "paired_rounds", "decision", "recorded_results"],
        # The engine: candidates under way, and their stored results.
        ["shared_search"],
        ["pipeline", "pipeline_sharing", "ledger", "shared_jobs", "sweep_job", "compile_check"],
        ["compile_findings"],
        # Processing of trials.
        ["finals", "final_device", "final_verification", "baseline", "energy", "failures", "profiling", "winner_checks", "run", "gather_knowledge", "device_check", "sanitizer_report"],
        ["sanitizer", "sass"],
        # The steps of a session, and their order.
        ["session_work"],
        ["session_device", "session_row", "exploration", "shared_steps", "certification", "counting"],
        ["session", "recheck_judgement", "recheck", "recheck_rows"],
        # Several sessions at once.
        ["compile_ahead", "sweep_scheduler"],
        ["sweep"],
    ],
    "cluster": [
        # Files that machines share, and the meaning of their names.
        ["shared_file", "facts", "claim_board", "shard_number"],
        ["run_process"],
        ["claims"],
        # A run, and one process's part in it.
        ["run_folder"],
        ["trial_exchange"],
        ["missing_results", "run_jobs", "local_results", "frozen_sweep", "slurm"],
        ["collect", "run_status"],
        ["shared_sweep", "split_search"],
    ],
    "replay": [
        ["recorded_problem", "strategy_score"],
        ["strategy_replay"],
    ],
    "report": [
        ["markup", "baseline_name", "bound", "packed_column", "compare", "config_json", "hot_lines", "launch_facts", "source_profile",
         "finals_ratio", "roofs_of_result"],
        ["resource_times", "wasted_accesses"],
        ["why", "why_sentences"],
        ["why_json"],
        ["view"],
        ["baselines", "roofs", "svg_*", "trials_json", "samples_json", "view_why", "report_csv"],
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
        ["misses_file"],
        ["catalog", "misses", "programs"],
        ["shape_collector"],
        ["background_compiler", "operation", "choose"],
        ["kernel"],
        ["library"],
        ["capi_library", "capi_errors"],
        ["selection", "capi", "capi_describe"],
    ],
    "db": [
        ["digest", "lock_timeout", "stored_kernel", "stored_numbers", "stored_values", "final_rounds", "records", "record_members", "pack_file", "pack_vfs"],
        ["member_columns"],
        ["migrations"],
        ["schema_check"],
        ["connection", "contradictions", "cubin_digest", "statements", "write_log"],
        ["migrate"],
        ["*_rows"],
        ["reader", "writer*", "merge_source", "database_path"],
        ["spec_reader", "learned_rule", "tuned_entries", "pack_writer", "merge*"],
        ["backup"],
    ],
    "cli": [
        # Texts for people, terminals and files.
        ["sanitize", "units", "help_text", "help_text_results", "help_format", "stop_signal", "overwrite", "recording_name", "replay_knowledge",
         "implementation_kind", "compiler_complaint", "stored_time", "spellings"],
        ["baseline_column", "output", "table", "trace_files", "space_format", "report_file", "doctor_checks"],
        ["json_output", "live_line", "report_outputs", "space_output", "exit_codes"],
        # The command line itself: help, manual, completions.
        ["options", "environment"],
        ["command_doc", "usage_error"],
        ["man_page", "completion"],
        # Shared by several commands: arguments, values, the database, the device; the problem; the configuration;
        # options, rows, summaries.
        ["option_values", "database_file", "device_choice", "capture_folders"],
        ["asked_problem"],
        ["config_choice"],
        ["check_report"],
        ["best_table", "compare_table", "pack_table", "verify_table", "config_option", "device_list", "stored_profile", "why_trials", "progress", "session_recording", "search_options", "t1_space"],
        ["why_pair"],
        ["why_tables"],
        ["*_options", "*_problems", "*_rows", "*_summary"],
        ["command"],
        ["check_sanitizer"],
        ["check_device"],
        # The parts of `sweep`.
        ["sweep_file"],
        ["sweep_preview", "sweep_progress", "sweep_run", "sweep_status", "completion_values"],
        ["sweep_slurm", "tune_split"],
        ["sweep_args"],
        ["sweep_words"],
        ["sweep_failures"],
        ["sweep_summary"],
        ["sweep_notes"],
        # The commands, and the program.
        ["cmd_*", "hidden_commands"],
        ["main"],
    ],
}

# Files of one room that include one another form a cycle, except several files of one thing.
ONE_THING = [
    ["src/space/space", "src/space/space_builder"],
    ["src/plan/plan", "src/plan/plan_values"],
    ["src/jit/compiler", "src/jit/nvrtc_library"],
    ["src/interchange/python_expr", "src/interchange/python_program"],
    ["profiler/timer", "profiler/stop_rule", "profiler/device_timer"],
    ["profiler/roofs", "profiler/roof_run"],
    ["src/report/why", "src/report/why_sentences"],
    ["db/merge", "db/merger"],
    ["db/writer", "db/writer_impl"],
]

# Header (a regular expression on the name between the brackets) -> the files that may include it, by prefix.
THIRD_PARTY = {
    r"nvrtc\.h": ["src/jit/"],
    r"cupti.*\.h": ["profiler/", "src/intercept/"],
    r"nvml\.h": ["src/gpu/"],
    r"nvtx3/.*": ["profiler/"],
    r"cuda\.h": ["src/gpu/", "src/jit/", "profiler/", "src/runtime/", "src/cuda/", "src/intercept/"],
    r"cuda_runtime.*": ["examples/"],
    r"cublas.*": ["src/gpu/cublaslt"],
    r"cudnn.*": [],
    r"sqlite3\.h|SQLiteCpp/": ["db/"],
    r"zlib\.h": ["src/interchange/gzip"],
    r"Eigen/.*": ["src/predict/gaussian_process"],
    r"CLI/": ["cli/options"],
    r"spdlog/": ["cli/"],
    r"nlohmann/": ["src/spec/spec_json", "src/interchange/", "src/report/", "cli/", "src/worker/protocol",
                   "src/recording/recording", "src/worker/trace", "src/cluster/", "src/capture/records"],
    r"gtest/|gmock/|benchmark/": ["tests/"],
    r"pybind11/.*|Python\.h": ["python/"],
    # core, spec, space, plan and predict are pure: no clock, no process, no dynamic loading.
    r"chrono|ctime|thread|dlfcn\.h|unistd\.h|sys/.*": ["src/system/", "src/gpu/", "src/jit/", "db/", "search/",
                                                     "profiler/", "src/worker/", "src/cuda/", "src/recording/",
                                                     "src/tuner/", "src/cluster/", "src/replay/", "src/report/", "src/pack/", "src/runtime/",
                                                     "src/intercept/", "src/capture/run_application", "cli/", "python/", "tests/", "examples/"],
}
# A call (a regular expression) -> the files that may make it, by prefix; tests may make any.
CALLED_IN = {
    # Stored texts are parsed once, where they are read: rows, recordings, user input.
    r"\bparse_(problem_key|config)\(": ["src/spec/", "db/stored_values", "src/recording/recorded_params", "cli/config_option"],
    # These functions use the locale that an application sets, whose decimal point may be a comma: libraries use
    # std::from_chars and fmt. Of the listed callers, the first writes whole numbers only, and the others are only
    # in the program, which sets no locale.
    r"\b(strto[df]|sto[df]|atof|sscanf|v?sn?printf)\(": ["src/intercept/", "src/report/markup", "src/recording/",
                                                         "cli/option_values"],
}
# Headers that an application includes must not need other packages.
PUBLIC_HEADERS = "src/runtime/include/"
NOT_IN_PUBLIC_HEADERS = r"fmt/|tl/|nlohmann/|SQLiteCpp/|cuda.*\.h"

SOURCE_FOLDERS = ["src", "search", "profiler", "db", "cli", "python", "tests", "examples"]
# Files that a CMakeLists.txt above them must list, and folders with data or another project.
LISTED_SUFFIXES = (".cpp", ".cu", ".cuh", ".sql")
NOT_LISTED = ["search/strategies/", "tests/data/", "tests/consumer/", "tests/support/fuzz_main.cpp", "examples/"]

MAX_LINES = 500
COUNTED_SUFFIXES = (".cpp", ".h", ".hpp", ".c", ".cu", ".cuh", ".py", ".sh", ".cmake", ".sql", ".js", ".mjs", ".ts", ".css")

FORMATTED_SUFFIXES = (".cpp", ".h", ".hpp", ".c")
CLANG_FORMAT_MAJOR = 14

# Shared objects that a program or the runtime may load: only the C and C++ run time.
NEEDED = r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so\.\d+|ld-linux-x86-64\.so\.2"
# A library in other programs' processes must not load a C++ run time that the loader might bind those programs to.
INTERCEPT_NEEDED = r"lib(c|m|dl|rt|pthread)\.so\.\d+|ld-linux-x86-64\.so\.2"
RUNTIME_EXPORTS = r"wt_\w+"
# The C ABI of the runtime: the SONAME, and each exported function with its version. An intended change is also made in
# this file.
ABI_FILE = "src/runtime/abi.txt"
MAX_RUNTIME_BYTES = 4_000_000  # without its symbol table, which packages do not ship
# The runtime neither profiles nor searches; these strings would show that it contains such code.
NOT_IN_RUNTIME = [b"libcupti"]
