// CudaBackend::examine: each examination allocates the memory that it needs.
#include "cuda/cuda_backend_impl.h"
#include "cuda/special_values.h"
#include "spec/alignment.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr double kWatchedTimeout = 240; // seconds; a tool that checks each access is slow

// Places the caller's buffers one element, or `align` bytes, after an aligned address. Larger offsets could be better
// aligned by accident.
std::map<std::string, std::int64_t> least_offsets(const LaunchPlan& plan) {
  std::map<std::string, std::int64_t> offsets;
  for (const BufferPlan& buffer : plan.buffers) {
    const std::int64_t offset = std::max<std::int64_t>(buffer.align, dtype_bytes(buffer.dtype));
    if (buffer.role != Role::workspace && offset < kMaxAlignment) offsets[buffer.name] = offset;
  }
  return offsets;
}

std::string differences_text(const std::vector<CheckedOutput>& outputs, const std::vector<Comparison>& found) {
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (found[i].mismatches == 0) continue;
    text += text.empty() ? "" : "; ";
    text += fmt::format("{} of {} elements of {} differ; for example, {}[{}] is {:.9g} and was {:.9g}",
                        found[i].mismatches, outputs[i].rows.elements(outputs[i].count), outputs[i].name,
                        outputs[i].name, found[i].worst_index, found[i].worst_out, found[i].worst_ref);
  }
  return text.empty() ? "the values are equal, but their bits differ" : text;
}

// Launches twice on the same inputs; keeps a copy of the first outputs.
RunResult<Verdict> run_twice(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate) {
  const CUstream stream = device.stream.get();
  const auto failure = [&](const Error& error) { return tl::make_unexpected(describe_failure(device, error)); };
  WT_CHECK(launch_once(device, memory, candidate));
  const std::vector<CheckedOutput> outputs = memory.checked_outputs();
  std::vector<DeviceMemory> kept;
  std::vector<MemoryRange> ranges;
  for (const CheckedOutput& output : outputs) {
    const auto bytes = static_cast<std::size_t>(output.count * dtype_bytes(output.dtype));
    auto copy = DeviceMemory::allocate(device.driver(), bytes, "a copy of " + output.name);
    if (!copy) return failure(copy.error());
    if (bytes > 0) {
      const CUresult status = device.driver().cuMemcpyDtoDAsync(copy->get(), output.data, bytes, stream);
      if (auto copied = check_cuda(device.driver(), status, "cannot keep an output"); !copied)
        return failure(copied.error());
    }
    kept.push_back(std::move(*copy));
    ranges.push_back({output.data, static_cast<std::int64_t>(bytes)});
    ranges.push_back({kept.back().get(), static_cast<std::int64_t>(bytes)});
  }
  WT_CHECK(launch_once(device, memory, candidate));
  std::vector<OutputCheck> compares;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    compares.push_back(
        {outputs[i].data, outputs[i].dtype, kept[i].get(), outputs[i].dtype, outputs[i].count, 0, 0, outputs[i].rows});
  const auto found = device.tools.check(compares, {}, ranges, stream);
  if (!found) return failure(found.error());
  Verdict verdict;
  verdict.correct = true;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    verdict.correct = verdict.correct && found->sums[2 * i] == found->sums[2 * i + 1];
  if (!verdict.correct) verdict.detail = differences_text(outputs, found->outputs);
  return verdict;
}

RunResult<Verdict> run_bare(CudaDevice& device, const ProblemMemory& memory, const LoadedCandidate& candidate) {
  const CUresult status = memory.restore(device.stream.get());
  if (auto restored = check_cuda(device.driver(), status, "cannot restore an inout buffer"); !restored)
    return tl::make_unexpected(describe_failure(device, restored.error()));
  WT_CHECK(launch_unprepared(device, candidate, kWatchedTimeout));
  Verdict verdict;
  verdict.correct = true;
  return verdict;
}

RunResult<Verdict> run_examination(CudaDevice& device, ProblemMemory& memory, const LoadedCandidate& candidate,
                                   Examination what) {
  if (what == Examination::twice) return run_twice(device, memory, candidate);
  if (what == Examination::bare) return run_bare(device, memory, candidate);
  if (what == Examination::dirty_shared)
    if (auto dirtied = device.tools.dirty_shared(device.info.limits, device.stream.get()); !dirtied)
      return tl::make_unexpected(describe_failure(device, dirtied.error()));
  WT_TRY(auto run, run_verified(device, memory, candidate));
  return std::move(run.verdict);
}

Verdict not_applicable(const char* why) {
  Verdict verdict;
  verdict.correct = true;
  verdict.detail = why;
  return verdict;
}

} // namespace

Result<Verdict> CudaBackend::examine(const Config& config, const Compiled& compiled, Examination what) {
  if (!setup_) return fail(ErrorKind::internal, "no kernel was set before an examination");
  WT_CHECK(open_device());
  stop_counting();
  finalists_.clear();
  memory_.reset(); // there may not be memory for both
  WT_TRY(const auto plan, plans_.find(setup_->kernel.spec, setup_->problem, config, device_->info));
  MemoryOptions options;
  if (has_special_values(what)) options.values = what;
  options.has_guards = what != Examination::bare;
  if (what == Examination::offset) options.offsets = least_offsets(*plan);
  if (what == Examination::offset && options.offsets.empty())
    return not_applicable("all its buffers must begin at multiples of 256 bytes");
  WT_TRY(auto memory, ProblemMemory::open(*device_, setup_->kernel, setup_->problem, setup_->seed, cache_, options));
  if (has_special_values(what) && !memory->takes_special_values())
    return not_applicable("no input contains random floating-point numbers of 16 bits or more");
  WT_TRY(auto candidate, prepare(*memory, setup_->problem, config, compiled.cubin_hash));
  auto verdict = run_examination(*device_, *memory, *candidate, what);
  if (verdict) return std::move(*verdict);
  if (device_->hung) { // the kernel still uses them
    (void)candidate.release();
    (void)memory.release();
  }
  Verdict failed;
  failed.detail = fmt::format("{}: {}", status_name(verdict.error().status), verdict.error().evidence);
  return failed;
}

} // namespace warptune
