// The C++ launches with which bench_python.py compares: calls wt_run in a loop, and times the loop by its own clock.
#include <chrono>
#include <warptune/warptune.h>

// Returns the ns per launch over `count` launches; negative: a launch failed.
extern "C" __attribute__((visibility("default"))) double
launch_loop(const wt_kernel* kernel, const std::int64_t* dims, int dim_count, const void* const* args, int arg_count,
            void* workspace, std::size_t workspace_bytes, void* stream, int count) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i)
    if (wt_run(kernel, dims, dim_count, args, arg_count, workspace, workspace_bytes, stream) != WT_OK) return -1;
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / count;
}
