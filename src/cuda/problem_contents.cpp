// ProblemMemory: the contents of its buffers: inputs drawn from a seed, and the results of the reference kernel.
#include "cuda/input_fill.h"
#include "cuda/problem_memory.h"
#include "cuda/reference_run.h"
#include "cuda/special_values.h"

#include <fmt/format.h>

namespace warptune {

Result<void> ProblemMemory::ensure(std::uint64_t seed) {
  if (!drawn_ || seed != seed_) WT_CHECK(draw(seed));
  return solved_ ? Result<void>{} : solve();
}

Result<void> ProblemMemory::draw(std::uint64_t seed) {
  drawn_ = solved_ = false;
  const CUstream stream = device_.stream.get();
  for (Buffer& buffer : buffers_) {
    if (buffer.plan.role == Role::output) continue;
    const CUdeviceptr target = buffer.source();
    if (buffer.plan.bytes() == 0 || buffer.plan.fill.kind == Fill::Kind::prepared) continue;
    // Contents made on the host do not depend on the seed: keep them if they are intact.
    if (buffer.plan.fill.is_made_on_host() && buffer.filled) {
      WT_TRY(const auto sum, device_.tools.checksum(target, buffer.plan.bytes(), stream));
      if (sum == buffer.checksum) continue;
    }
    WT_CHECK(fill_buffer(device_.tools, device_.driver(), kernel_.spec, problem_, device_.info, buffer.plan, target,
                         seed, buffer.position, stream));
    if (has_special_values(options_.values) && warptune::takes_special_values(buffer.plan))
      WT_CHECK(put_special_values(device_.tools, buffer.plan, target, options_.values, seed + buffer.position, stream));
    if (buffer.plan.rows.have_gaps()) WT_CHECK(device_.tools.write_zone(buffer.gaps(target), stream));
    WT_TRY(buffer.checksum, device_.tools.checksum(target, buffer.plan.bytes(), stream));
    buffer.filled = true;
  }
  WT_CHECK(prepare_inputs(seed));
  seed_ = seed;
  drawn_ = true;
  return {};
}

// Computes inputs from other inputs; these must not change.
Result<void> ProblemMemory::prepare_inputs(std::uint64_t seed) {
  if (prepare_plan_.launches.empty()) return {};
  std::map<std::string, ReferenceBuffer> bound;
  for (const Buffer& buffer : buffers_)
    if (buffer.plan.role == Role::input) bound[buffer.plan.name] = {buffer.source(), CUdeviceptr{0}};
  WT_CHECK(run_prepare_plan(device_, kernel_, problem_, prepare_plan_, bound, seed, cache_));
  for (Buffer& buffer : buffers_) {
    if (buffer.plan.role != Role::input || buffer.plan.bytes() == 0) continue;
    if (buffer.plan.fill.kind == Fill::Kind::prepared && buffer.plan.rows.have_gaps())
      WT_CHECK(device_.tools.write_zone(buffer.gaps(buffer.source()), device_.stream.get()));
    WT_TRY(const auto sum, device_.tools.checksum(buffer.source(), buffer.plan.bytes(), device_.stream.get()));
    if (buffer.plan.fill.kind == Fill::Kind::prepared)
      buffer.checksum = sum;
    else if (sum != buffer.checksum)
      return fail(ErrorKind::bad_input,
                  fmt::format("{}: 'prepare' ({}) changes its input {}; give this input the "
                              "fill \"prepared\", or change 'prepare' so that it only reads this input",
                              kernel_.origin, kernel_.spec.prepare->source, buffer.plan.name));
  }
  return {};
}

Result<void> ProblemMemory::solve() {
  std::map<std::string, ReferenceBuffer> bound;
  for (const Buffer& buffer : buffers_) {
    const bool written = is_written(buffer);
    bound[buffer.plan.name] = {written ? buffer.reference.get() : buffer.source(),
                               buffer.plan.role == Role::inout ? buffer.pristine.get() : CUdeviceptr{0}};
  }
  WT_CHECK(run_reference_plan(device_, kernel_, problem_, reference_plan_, bound, seed_, cache_));
  const CUstream stream = device_.stream.get();
  for (Buffer& buffer : buffers_) {
    if (!is_written(buffer)) continue;
    const CUdeviceptr reference = buffer.reference.get();
    WT_TRY(buffer.reference_checksum,
           device_.tools.checksum(reference, static_cast<std::int64_t>(buffer.reference.bytes()), stream));
    WT_TRY(const auto found, device_.tools.magnitude(reference, buffer.reference_dtype, buffer.plan.count,
                                                     buffer.plan.rows, buffer.plan.dtype, stream));
    buffer.reference_rms = found.rms;
    if (!has_special_values(options_.values)) WT_CHECK(check_magnitude(kernel_, buffer.tolerance, buffer.plan, found));
  }
  solved_ = true;
  return {};
}

Result<bool> ProblemMemory::heal() {
  const CUstream stream = device_.stream.get();
  bool damaged = false;
  for (const Buffer& buffer : buffers_) {
    if (buffer.plan.role != Role::output) {
      WT_TRY(const auto sum, device_.tools.checksum(buffer.source(), buffer.plan.bytes(), stream));
      damaged = damaged || (sum != buffer.checksum && buffer.plan.bytes() > 0);
    }
    if (is_written(buffer) && buffer.reference.bytes() > 0) {
      const auto bytes = static_cast<std::int64_t>(buffer.reference.bytes());
      WT_TRY(const auto sum, device_.tools.checksum(buffer.reference.get(), bytes, stream));
      damaged = damaged || sum != buffer.reference_checksum;
    }
  }
  if (!damaged) return false;
  WT_CHECK(draw(seed_));
  WT_CHECK(solve());
  return true;
}

} // namespace warptune
