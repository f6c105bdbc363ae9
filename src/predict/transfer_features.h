// Describes how a configuration launches a problem, in numbers that can be compared between shapes. Most numbers are
// figures of the launch that receives most of the caller's data (predict/plan_features.h). Two more numbers are the
// uneven distribution of this launch's blocks over the multiprocessors, and the expected time
// (predict/expected_time.h). Pure; does not use measured times.
#pragma once

#include "predict/expected_time.h"

#include <span>
#include <vector>

namespace warptune {

class TransferFeatures {
 public:
  // Spec and problem must outlive this object.
  TransferFeatures(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);
  TransferFeatures(const TransferFeatures&) = delete;
  TransferFeatures& operator=(const TransferFeatures&) = delete;

  std::size_t width() const { return time_.features().names().size() + 2; }
  // Returns the natural logarithm of the expected time in us, with a fixed time added for the launch; NaN: no estimate.
  double expected_log_time(const Config& config) const;
  // Writes width() values; a value that cannot be computed is 0. `expected_log_slowdown`: the configuration's expected
  // log time minus the problem's lowest expected log time.
  void fill(const Config& config, double expected_log_slowdown, std::span<float> row) const;

 private:
  TimeModel time_;
  double sms_; // multiprocessors of the device
};

} // namespace warptune
