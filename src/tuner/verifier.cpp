#include "tuner/verifier.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace warptune {
namespace {

// Records hold numbers; an error that has none (NaN where a number belongs) becomes the largest.
double finite(double x) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::isnan(x) ? kLargest : std::clamp(x, -kLargest, kLargest);
}

std::string mismatch_text(const CheckedOutput& output, const Comparison& found, const Bound& bound) {
  const double allowed = bound.rtol * std::fabs(found.worst_ref) + bound.atol;
  std::string text = fmt::format("{}[{}] is {:.9g}, expected {:.9g} within {:.3g}; {} of {} elements are wrong",
                                 output.name, found.worst_index, found.worst_out, found.worst_ref,
                                 std::isfinite(allowed) ? allowed : bound.atol, found.mismatches, output.count);
  if (found.unwritten > 0) text += fmt::format(", {} of them were never written", found.unwritten);
  return text;
}

Result<void> check_outputs(DeviceTools& tools, std::span<const CheckedOutput> outputs, const Tolerance& tolerance,
                           CUstream stream, Verdict& verdict) {
  double worst_ratio = -1;
  for (const CheckedOutput& output : outputs) {
    const Bound bound = tolerance_bound(tolerance, output);
    auto found = tools.compare(output.data, output.dtype, output.reference, output.reference_dtype, output.count,
                               bound.rtol, bound.atol, stream);
    if (!found) return tl::make_unexpected(found.error());
    verdict.max_abs_error = std::max(verdict.max_abs_error, finite(found->max_abs));
    verdict.max_rel_error = std::max(verdict.max_rel_error, finite(found->max_rel));
    verdict.mismatches += found->mismatches;
    if (finite(found->worst_ratio) > worst_ratio && found->worst_index >= 0) {
      worst_ratio = finite(found->worst_ratio);
      verdict.worst_ratio = worst_ratio;
      verdict.worst_index = found->worst_index;
      verdict.worst_buffer = output.name;
      if (found->mismatches > 0) verdict.detail = mismatch_text(output, *found, bound);
    }
  }
  verdict.correct = verdict.mismatches == 0;
  return {};
}

Result<void> check_guards(DeviceTools& tools, std::span<const CheckedZone> zones, CUstream stream, Verdict& verdict) {
  std::vector<GuardZone> plain;
  for (const CheckedZone& zone : zones) plain.push_back(zone.zone);
  auto bad = tools.check_zones(plain, stream);
  if (!bad) return tl::make_unexpected(bad.error());
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const std::int64_t at = (*bad)[i];
    if (at < 0) continue;
    verdict.correct = false;
    if (!verdict.detail.empty()) continue;
    const auto size = static_cast<std::int64_t>(zones[i].zone.bytes);
    verdict.detail =
        zones[i].after
            ? fmt::format("writes out of bounds: {} bytes after the end of {}", at, zones[i].buffer)
            : fmt::format("writes out of bounds: {} bytes before the beginning of {}", size - at, zones[i].buffer);
    verdict.worst_buffer = zones[i].buffer;
  }
  return {};
}

Result<void> check_inputs(DeviceTools& tools, std::span<const CheckedInput> inputs, CUstream stream, Verdict& verdict) {
  for (const CheckedInput& input : inputs) {
    auto sum = tools.checksum(input.data, input.bytes, stream);
    if (!sum) return tl::make_unexpected(sum.error());
    if (*sum == input.checksum) continue;
    verdict.correct = false;
    if (!verdict.detail.empty()) continue;
    verdict.detail = fmt::format("changes its input {}", input.name);
    verdict.worst_buffer = input.name;
  }
  return {};
}

} // namespace

Bound tolerance_bound(const Tolerance& tolerance, const CheckedOutput& output) {
  if (!dtype_is_floating(output.dtype)) return {0, tolerance.atol};
  return {tolerance.rtol, tolerance.atol + tolerance.rms * output.reference_rms};
}

Result<Verdict> verify(DeviceTools& tools, std::span<const CheckedOutput> outputs, std::span<const CheckedZone> zones,
                       std::span<const CheckedInput> inputs, const Tolerance& tolerance, CUstream stream) {
  Verdict verdict;
  Result<void> ok = check_outputs(tools, outputs, tolerance, stream, verdict);
  if (ok) ok = check_guards(tools, zones, stream, verdict);
  if (ok) ok = check_inputs(tools, inputs, stream, verdict);
  if (!ok) return tl::make_unexpected(ok.error());
  return verdict;
}

} // namespace warptune
