// The seam to hardware counters: counts what launch sequences do, many of them at one go. Never times anything, and
// knows neither kernels nor verdicts. Counting is always optional: without it there is a source that says why.
#pragma once

#include "core/dtype.h"
#include "gpu/device_program.h"
#include "gpu/driver.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {

// Both enqueue on the stream they are given and never wait. Its kernels should have been launched once before.
struct ProfiledWork {
  std::function<CUresult(CUstream)> run;
  // Before each pass, neither timed nor counted: gives what run changes (buffers that it reads and writes) the contents
  // they had, so that every pass counts the same work. May be empty.
  std::function<CUresult(CUstream)> prepare = {};
};

using CounterValues = std::map<std::string, double>; // metric -> value; one that the device did not give is missing

class CounterSource {
 public:
  CounterSource() = default;
  CounterSource(const CounterSource&) = delete;
  CounterSource& operator=(const CounterSource&) = delete;
  virtual ~CounterSource() = default;

  virtual std::string source() const = 0;  // "CUPTI 13.0"; empty: it cannot count
  virtual std::string why_not() const = 0; // empty, or why it cannot count, in one sentence with what to do

  // Sets and names (profiler/metric_sets.h) as the metrics that this device has.
  virtual Result<std::vector<std::string>> resolve(std::string_view list, DType dtype) = 0;
  // How often each kernel runs to count these.
  virtual Result<int> passes(const std::vector<std::string>& metrics) = 0;

  // One element for each work, in order. `cold_l2`: the L2 is emptied before each run, and nothing is left in it to be
  // written back. Batches are cheap: on an H200 `lean` costs 2 ms a kernel among 64 and 28 ms alone, and the first call
  // with a list of metrics that differs from the last one's 200 ms more. Metrics with `sass` in their names run a
  // kernel with instructions added, some ten times slower. Keeps the device's counters, so that no other profiler gets
  // them, until release.
  virtual Result<std::vector<CounterValues>> collect(std::span<const ProfiledWork> works,
                                                     const std::vector<std::string>& metrics, bool cold_l2,
                                                     CUstream stream) = 0;
  virtual void release() {}

  // What a run of the last collect failed with. A fatal error (is_fatal_cuda_error), and CUDA_ERROR_NOT_READY for work
  // that did not end before the deadline: this process has to be replaced.
  CUresult run_status() const { return run_status_; }
  std::size_t failed_work() const { return failed_work_; } // which one it was

  double deadline_s = 20; // for one run

 protected:
  CUresult run_status_ = CUDA_SUCCESS;
  std::size_t failed_work_ = 0;
};

// Counts nothing and says why.
std::unique_ptr<CounterSource> make_null_counters(std::string why_not);

// For the device of the context that is current. Never null: without CUPTI, permission or a device that it supports, it
// is one that counts nothing and says why.
std::unique_ptr<CounterSource> make_counter_source(const Driver& driver, const CubinProvider& provider,
                                                   const DeviceLimits& limits);

} // namespace warptune
