// A small Kernel Tuner cache with all features of such files: kinds of values, failures, samples, metrics.
#pragma once

namespace warptune::test {

inline constexpr const char* kSmallCache = R"({
"device_name": "A GPU",
"kernel_name": "vector_add",
"problem_size": [4096, 1],
"tune_params_keys": ["block", "factor", "fast", "layout"],
"tune_params": {"block": [128, 32, 64], "factor": [0.5, 1.5], "fast": [true, false], "layout": ["row", "col"]},
"objective": "time",
"cache": {
"32,0.5,True,row": {"block": 32, "factor": 0.5, "fast": true, "layout": "row", "time": 2.5, "times": [2.25, 2.5, 2.75],
  "compile_time": 100.125, "verification_time": 0, "benchmark_time": 7.5, "GFLOP/s": 12.5, "nvml_energy": 0.25,
  "strategy_time": 0, "framework_time": 1.5, "timestamp": "2023-01-24 01:03:17.677311+00:00"},
"64,1.5,False,col": {"block": 64, "factor": 1.5, "fast": false, "layout": "col", "time": 1.3999999999999997,
  "compile_time": 50, "verification_time": 0, "benchmark_time": 4, "strategy_time": 0, "framework_time": 1,
  "timestamp": "2023-01-24 01:03:18+00:00"},
"64,0.5,False,col": {"block": 64, "factor": 0.5, "fast": false, "layout": "col", "time": "RuntimeFailedConfig",
  "compile_time": 50, "verification_time": 0, "benchmark_time": 0, "strategy_time": 0, "framework_time": 1,
  "timestamp": "2023-01-24 01:03:19+00:00"},
"128,0.5,False,col": {"block": 128, "factor": 0.5, "fast": false, "layout": "col", "time": "CompilationFailedConfig",
  "compile_time": 3, "verification_time": 0, "benchmark_time": 0, "strategy_time": 0, "framework_time": 1,
  "timestamp": "2023-01-24 01:03:20+00:00"},
"128,1.5,False,col": {"block": 128, "factor": 1.5, "fast": false, "layout": "col", "time": "InvalidConfig",
  "compile_time": 0, "verification_time": 0, "benchmark_time": 0, "strategy_time": 0, "framework_time": 1,
  "timestamp": "2023-01-24 01:03:21+00:00"}}
})";

} // namespace warptune::test
