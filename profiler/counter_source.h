// The interface to hardware counters: counts the events of launch sequences, many sequences per call. It never times
// anything. Counting is optional: a source that cannot count says why.
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

// Both functions of this struct must only enqueue on the stream and never wait. Their kernels should have been launched
// once before.
struct ProfiledWork {
  std::function<CUresult(CUstream)> run;
  // Runs before each pass, without being timed or counted. It restores the buffers that `run` both reads and writes, so
  // that every pass counts the same work. May be empty.
  std::function<CUresult(CUstream)> prepare = {};
};

// Metric -> value. Metrics for which the device gave no value are left out.
using CounterValues = std::map<std::string, double>;

class CounterSource {
 public:
  CounterSource() = default;
  CounterSource(const CounterSource&) = delete;
  CounterSource& operator=(const CounterSource&) = delete;
  virtual ~CounterSource() = default;

  virtual std::string source() const = 0;  // "CUPTI 13.0"; empty: it cannot count
  virtual std::string why_not() const = 0; // a sentence: why it cannot count, and what to do; empty: it can

  // Expands a list of metrics and metric sets (profiler/metric_sets.h) to metrics of this device.
  virtual Result<std::vector<std::string>> resolve(std::string_view list, DType dtype) = 0;
  // Returns how many passes these metrics need, that is, how often each kernel must run.
  virtual Result<int> passes(const std::vector<std::string>& metrics) = 0;

  // Returns one element per work, in the same order. `cold_l2`: before each run, the L2 is emptied and keeps no
  // modified data. Large batches are cheaper per kernel: on an H200, `lean` costs 2 ms per kernel in a batch of 64, and
  // 28 ms for a single kernel. A call whose metrics differ from those of the previous call costs 200 ms more. Metrics
  // with `sass` in their names instrument the kernel, which then runs about ten times slower. The source holds the
  // device's counters until release(), so no other profiler can use them.
  virtual Result<std::vector<CounterValues>> collect(std::span<const ProfiledWork> works,
                                                     const std::vector<std::string>& metrics, bool cold_l2,
                                                     CUstream stream) = 0;
  // Gives the counters back, if the source holds them.
  virtual void release() {}

  // The status of the runs of the last `collect`. The caller must replace this process after a fatal error
  // (is_fatal_cuda_error) and after CUDA_ERROR_NOT_READY, which means that the work did not end before the deadline.
  CUresult run_status() const { return run_status_; }
  std::size_t failed_work() const { return failed_work_; } // index of the work that failed

  double deadline_s = 20; // seconds per run

 protected:
  CUresult run_status_ = CUDA_SUCCESS;
  std::size_t failed_work_ = 0;
};

// Makes a source that cannot count and says why.
std::unique_ptr<CounterSource> make_null_counters(std::string why_not);

// Makes a source for the device of the current context. Never null: without CUPTI, permission or a supported device,
// the source cannot count and says why.
std::unique_ptr<CounterSource> make_counter_source(const Driver& driver, const CubinProvider& provider,
                                                   const DeviceLimits& limits);

} // namespace warptune
