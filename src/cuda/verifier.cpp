#include "cuda/verifier.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace warptune {
namespace {

// Records hold only finite numbers; a NaN error is stored as the largest one.
double finite(double x) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::isnan(x) ? kLargest : std::clamp(x, -kLargest, kLargest);
}

std::string mismatch_text(const CheckedOutput& output, const Comparison& found, const Bound& bound) {
  const double allowed = bound.rtol * std::fabs(found.worst_ref) + bound.atol;
  std::string text =
      fmt::format("{}[{}] is {:.9g}, expected {:.9g} within {:.3g}; {} of {} elements are wrong", output.name,
                  found.worst_index, found.worst_out, found.worst_ref, std::isfinite(allowed) ? allowed : bound.atol,
                  found.mismatches, output.rows.elements(output.count));
  if (found.unwritten > 0) text += fmt::format(", and {} of them were never written", found.unwritten);
  return text;
}

void judge_outputs(std::span<const CheckedOutput> outputs, const std::vector<Comparison>& compared, Verdict& verdict) {
  double worst_ratio = -1;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Comparison& found = compared[i];
    verdict.max_abs_error = std::max(verdict.max_abs_error, finite(found.max_abs));
    verdict.max_rel_error = std::max(verdict.max_rel_error, finite(found.max_rel));
    verdict.mismatches += found.mismatches;
    if (finite(found.worst_ratio) > worst_ratio && found.worst_index >= 0) {
      worst_ratio = finite(found.worst_ratio);
      verdict.worst_ratio = worst_ratio;
      verdict.worst_index = found.worst_index;
      verdict.worst_buffer = outputs[i].name;
      if (found.mismatches > 0) verdict.detail = mismatch_text(outputs[i], found, tolerance_bound(outputs[i]));
    }
  }
  verdict.correct = verdict.mismatches == 0;
}

void blame(Verdict& verdict, const std::string& buffer, const std::string& what) {
  verdict.correct = false;
  if (!verdict.detail.empty()) return;
  verdict.detail = what;
  verdict.worst_buffer = buffer;
}

// `at` is the offset of the first changed byte.
std::string touched_text(const CheckedZone& checked, std::int64_t at) {
  const std::string& name = checked.buffer;
  const auto size = static_cast<std::int64_t>(checked.zone.bytes);
  if (checked.place == CheckedZone::Place::after)
    return fmt::format("writes out of bounds: {} bytes after the end of {}", at, name);
  if (checked.place == CheckedZone::Place::before)
    return fmt::format("writes out of bounds: {} bytes before the beginning of {}", size - at, name);
  return fmt::format("writes out of bounds: into a gap of {}, {} bytes after the end of row {}", name, at % size,
                     at / size);
}

void judge_guards(std::span<const CheckedZone> zones, const std::vector<std::int64_t>& bad, Verdict& verdict) {
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const std::int64_t at = bad[i];
    if (at < 0) continue;
    blame(verdict, zones[i].buffer, touched_text(zones[i], at));
  }
}

} // namespace

Bound tolerance_bound(const CheckedOutput& output) {
  const Tolerance& tolerance = output.tolerance;
  if (!dtype_is_floating(output.dtype)) return {0, tolerance.atol};
  const double rounding = dtype_smallest(output.dtype) / 2; // error of the nearest number, also for tiny references
  return {tolerance.rtol, tolerance.atol + tolerance.rms * output.reference_rms + rounding};
}

Result<Verdict> verify(DeviceTools& tools, std::span<const CheckedOutput> outputs, std::span<const CheckedZone> zones,
                       std::span<const CheckedInput> inputs, CUstream stream) {
  std::vector<OutputCheck> compares;
  for (const CheckedOutput& output : outputs) {
    const Bound bound = tolerance_bound(output);
    compares.push_back({output.data, output.dtype, output.reference, output.reference_dtype, output.count, bound.rtol,
                        bound.atol, output.rows});
  }
  std::vector<GuardZone> guards;
  for (const CheckedZone& zone : zones) guards.push_back(zone.zone);
  std::vector<MemoryRange> ranges;
  for (const CheckedInput& input : inputs) ranges.push_back({input.data, input.bytes});
  WT_TRY(auto found, tools.check(compares, guards, ranges, stream));
  Verdict verdict;
  judge_outputs(outputs, found.outputs, verdict);
  judge_guards(zones, found.zones, verdict);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (found.sums[i] != inputs[i].checksum)
      blame(verdict, inputs[i].name, fmt::format("changes its input {}", inputs[i].name));
  return verdict;
}

} // namespace warptune
