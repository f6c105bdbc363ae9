// Runs and times kernels one after another. Keeps the best rate for each roof, and the clock at that rate. roofs.cpp
// decides what to measure.
#pragma once

#include "profiler/roofs.h"

#include <functional>
#include <string>

namespace warptune {

class RoofRun {
 public:
  RoofRun(const Driver& driver, DeviceTimer& timer, CUstream stream)
      : driver_(driver), timer_(timer), stream_(stream) {}

  Result<void> load(const CubinProvider& provider, const char* file); // loads the kernels for the functions below

  struct Work {
    double amount = 0;        // bytes or operations of one run
    std::int64_t written = 0; // how many of the bytes are written
    bool cold_l2 = true;
    CUdeviceptr spent = 0; // where the kernel adds its cycles and its nanoseconds (64 bits each); 0: nowhere
  };
  Result<void> time(double Roofs::*roof, const std::string& what, const Work& work,
                    const std::function<CUresult(CUstream)>& run);

  template <class... Args>
  Result<void> time_kernel(double Roofs::*roof, const std::string& kernel, const LaunchShape& shape, const Work& work,
                           Args... args) {
    WT_TRY(auto function, find(kernel, shape));
    const std::string what = kernel + " " + std::to_string(shape.grid.x) + "x" + std::to_string(shape.threads);
    return time(roof, what, work,
                [&](CUstream stream) { return launch_kernel(driver_, function, shape, stream, args...); });
  }

  MeasuredRoofs measured;

 private:
  Result<double>
  find_clock_mhz(CUdeviceptr spent); // computes the clock from Work::spent; if that is 0, returns the timer's reading
  Result<CUfunction> find(const std::string& kernel, const LaunchShape& shape);

  const Driver& driver_;
  DeviceTimer& timer_;
  CUstream stream_;
  DeviceProgram program_;
};

} // namespace warptune
