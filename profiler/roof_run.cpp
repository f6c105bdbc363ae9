#include "profiler/roof_run.h"

#include "core/statistics.h"
#include "embedded/profiler_kernels.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace warptune {
namespace {

// Few samples suffice: each takes hundreds of microseconds, and the best of several shapes is kept. An additional first
// sample is dropped: it runs with cold instruction caches and, if the L2 is to be warm, with other data in it.
constexpr std::size_t kSamples = 7;
constexpr std::size_t kStaticShared = 48 * 1024; // what a kernel may use without opting in

const RoofName& name_of(double Roofs::*member) {
  return *std::find_if(roof_names().begin(), roof_names().end(),
                       [&](const RoofName& roof) { return roof.member == member; });
}

} // namespace

Result<void> RoofRun::load(const CubinProvider& provider, const char* file) {
  CompileRequest request;
  request.source_name = file;
  request.source = embedded::profiler_kernels::find(file).value_or("");
  WT_TRY(auto program, DeviceProgram::load(driver_, provider, request));
  program_ = std::move(program);
  return {};
}

Result<CUfunction> RoofRun::find(const std::string& kernel, const LaunchShape& shape) {
  auto function = program_.function(kernel.c_str());
  if (function && shape.shared_bytes > kStaticShared)
    driver_.cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(shape.shared_bytes));
  return function;
}

Result<double> RoofRun::find_clock_mhz(CUdeviceptr spent) {
  if (spent == 0) return timer_.readings().sm_clock_mhz;
  std::array<std::uint64_t, 2> words{}; // cycles, nanoseconds
  CUresult status = driver_.cuMemcpyDtoHAsync(words.data(), spent, sizeof words, stream_);
  if (status == CUDA_SUCCESS) status = driver_.cuStreamSynchronize(stream_);
  WT_CHECK(check_cuda(driver_, status, "cannot read the SM clock of a roof measurement"));
  return words[1] > 0 ? 1e3 * static_cast<double>(words[0]) / static_cast<double>(words[1]) : 0;
}

Result<void> RoofRun::time(double Roofs::*roof, const std::string& what, const Work& work,
                           const std::function<CUresult(CUstream)>& run) {
  CUresult status = run(stream_);
  if (status == CUDA_SUCCESS && work.spent != 0)
    status = driver_.cuMemsetD8Async(work.spent, 0, 2 * sizeof(std::uint64_t), stream_);
  if (status == CUDA_SUCCESS) status = driver_.cuStreamSynchronize(stream_);
  if (status != CUDA_SUCCESS) return check_cuda(driver_, status, fmt::format("cannot measure the roof with {}", what));
  const TimedWork timed{run, {}, work.written, 1};
  std::array<const TimedWork*, kSamples + 1> works{};
  works.fill(&timed);
  auto samples = timer_.sample_each(works, work.cold_l2, stream_);
  if (!samples) return check_cuda(driver_, samples.error(), fmt::format("cannot measure the roof with {}", what));
  samples->erase(samples->begin());
  WT_TRY(const auto clock, find_clock_mhz(work.spent));
  const double us = median(*samples), clock_mhz = clock;
  const RoofName& name = name_of(roof);
  const double rate = work.amount / us * (name.unit == std::string_view("GB/s") ? 1e-3 : 1e-6);
  measured.trials.push_back({what, rate, us, clock_mhz});
  if (rate <= measured.roofs.*roof) return {};
  measured.roofs.*roof = rate;
  measured.roofs.clocks.erase(name.name);
  if (clock_mhz > 0) measured.roofs.clocks[name.name] = clock_mhz;
  return {};
}

} // namespace warptune
