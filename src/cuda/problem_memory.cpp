#include "cuda/problem_memory.h"

#include "cuda/input_fill.h"
#include "cuda/problem_buffers.h"
#include "cuda/reference_run.h"
#include "cuda/special_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

tl::unexpected<Error> error_of(const Error& error) { return fail(error); }

unsigned char guard_of(const BufferPlan& plan) { return plan.role == Role::output ? kWriteGuard : kReadGuard; }

GuardZone gaps_of(const BufferPlan& plan, CUdeviceptr data) {
  return zone_of_gaps(data, plan.dtype, plan.count, plan.rows, guard_of(plan));
}

std::string buffer_purpose(const Kernel& kernel, const std::string& name) {
  return fmt::format("the buffer {} of {}", name, kernel.spec.name);
}

} // namespace

Result<std::unique_ptr<ProblemMemory>> ProblemMemory::open(CudaDevice& device, const Kernel& kernel,
                                                           const Problem& problem, std::uint64_t seed,
                                                           const CubinCache& cache, MemoryOptions options) {
  std::unique_ptr<ProblemMemory> memory(new ProblemMemory(device, kernel, problem, cache, std::move(options)));
  Result<void> ok = memory->allocate();
  if (ok) ok = memory->ensure(seed);
  if (!ok) return error_of(ok.error());
  return memory;
}

GuardLayout ProblemMemory::layout_of(const std::string& buffer) const {
  const auto offset = options_.offsets.find(buffer);
  return {options_.has_guards, offset == options_.offsets.end() ? 0 : offset->second};
}

bool ProblemMemory::takes_special_values() const {
  return has_special_values(options_.values) && std::any_of(buffers_.begin(), buffers_.end(), [](const Buffer& buffer) {
           return warptune::takes_special_values(buffer.plan);
         });
}

// The oracle's plan names every buffer that is no workspace; the kernel's dtype of an output stands in its spec.
Result<void> ProblemMemory::allocate() {
  auto planned = make_reference_plan(kernel_.spec, problem_, device_.info);
  if (!planned) return error_of(planned.error());
  reference_plan_ = std::move(*planned);
  if (kernel_.spec.prepare) {
    WT_TRY(prepare_plan_, make_prepare_plan(kernel_.spec, problem_, device_.info));
  }
  auto own = plan_problem_buffers(kernel_, problem_, device_.info);
  if (!own) return error_of(own.error());
  const Driver& driver = device_.driver();
  for (std::size_t i = 0; i < own->size(); ++i) {
    Buffer buffer;
    buffer.plan = (*own)[i];
    buffer.position = i;
    const std::string purpose = buffer_purpose(kernel_, buffer.plan.name);
    const bool written = is_written(buffer);
    auto memory = GuardedBuffer::allocate(driver, buffer.plan.name, buffer.plan.bytes(), guard_of(buffer.plan),
                                          layout_of(buffer.plan.name));
    if (!memory) return error_of(memory.error());
    buffer.memory = std::move(*memory);
    if (buffer.plan.role == Role::inout) {
      has_inout_ = true;
      auto pristine = DeviceMemory::allocate(driver, static_cast<std::size_t>(buffer.plan.bytes()), purpose);
      if (!pristine) return error_of(pristine.error());
      buffer.pristine = std::move(*pristine);
    }
    if (written) {
      const auto& list = reference_plan_.buffers;
      const auto at = std::find_if(list.begin(), list.end(), [&](const auto& b) { return b.name == buffer.plan.name; });
      if (at == list.end()) return fail(ErrorKind::internal, "the reference's plan lacks " + buffer.plan.name);
      buffer.reference_dtype = at->dtype;
      WT_TRY(buffer.tolerance, tolerance_of(kernel_.spec, problem_, buffer.plan.name));
      if (buffer.plan.role == Role::inout && at->dtype != buffer.plan.dtype)
        return fail(
            ErrorKind::bad_input,
            fmt::format(
                "{} is inout, so the reference must use its dtype {}; remove it from reference/types in spec.json",
                buffer.plan.name, dtype_name(buffer.plan.dtype)));
      auto reference = DeviceMemory::allocate(driver, static_cast<std::size_t>(at->bytes()), purpose + " (reference)");
      if (!reference) return error_of(reference.error());
      buffer.reference = std::move(*reference);
    }
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

Result<void> ProblemMemory::ensure(std::uint64_t seed) {
  if (!drawn_ || seed != seed_) WT_CHECK(draw(seed));
  return solved_ ? Result<void>{} : solve();
}

Result<void> ProblemMemory::draw(std::uint64_t seed) {
  drawn_ = solved_ = false;
  const CUstream stream = device_.stream.get();
  for (Buffer& buffer : buffers_) {
    if (buffer.plan.role == Role::output) continue;
    const CUdeviceptr target = buffer.plan.role == Role::inout ? buffer.pristine.get() : buffer.memory.data();
    if (buffer.plan.bytes() == 0 || buffer.plan.fill.kind == Fill::Kind::prepared) continue;
    // What is made on the host knows no seed: what is there and whole stays.
    if (buffer.plan.fill.is_made_on_host() && buffer.filled) {
      auto sum = device_.tools.checksum(target, buffer.plan.bytes(), stream);
      if (!sum) return error_of(sum.error());
      if (*sum == buffer.checksum) continue;
    }
    Result<void> ok = fill_buffer(device_.tools, device_.driver(), kernel_.spec, problem_, device_.info, buffer.plan,
                                  target, seed, buffer.position, stream);
    if (!ok) return ok;
    if (has_special_values(options_.values) && warptune::takes_special_values(buffer.plan))
      WT_CHECK(put_special_values(device_.tools, buffer.plan, target, options_.values, seed + buffer.position, stream));
    if (buffer.plan.rows.have_gaps()) WT_CHECK(device_.tools.write_zone(gaps_of(buffer.plan, target), stream));
    auto sum = device_.tools.checksum(target, buffer.plan.bytes(), stream);
    if (!sum) return error_of(sum.error());
    buffer.checksum = *sum;
    buffer.filled = true;
  }
  WT_CHECK(prepare_inputs(seed));
  seed_ = seed;
  drawn_ = true;
  return {};
}

// From inputs that were filled; these have to be the same afterwards.
Result<void> ProblemMemory::prepare_inputs(std::uint64_t seed) {
  if (prepare_plan_.launches.empty()) return {};
  std::map<std::string, ReferenceBuffer> bound;
  for (const Buffer& buffer : buffers_)
    if (buffer.plan.role == Role::input) bound[buffer.plan.name] = {buffer.memory.data(), CUdeviceptr{0}};
  WT_CHECK(run_prepare_plan(device_, kernel_, problem_, prepare_plan_, bound, seed, cache_));
  for (Buffer& buffer : buffers_) {
    if (buffer.plan.role != Role::input || buffer.plan.bytes() == 0) continue;
    if (buffer.plan.fill.kind == Fill::Kind::prepared && buffer.plan.rows.have_gaps())
      WT_CHECK(device_.tools.write_zone(gaps_of(buffer.plan, buffer.memory.data()), device_.stream.get()));
    WT_TRY(const auto sum, device_.tools.checksum(buffer.memory.data(), buffer.plan.bytes(), device_.stream.get()));
    if (buffer.plan.fill.kind == Fill::Kind::prepared)
      buffer.checksum = sum;
    else if (sum != buffer.checksum)
      return fail(
          ErrorKind::bad_input,
          fmt::format("{}: prepare ({}) changes its input {}; give this input the fill \"prepared\", or only read it",
                      kernel_.origin, kernel_.spec.prepare->source, buffer.plan.name));
  }
  return {};
}

Result<void> ProblemMemory::solve() {
  std::map<std::string, ReferenceBuffer> bound;
  for (const Buffer& buffer : buffers_) {
    const bool written = is_written(buffer);
    bound[buffer.plan.name] = {written ? buffer.reference.get() : buffer.memory.data(),
                               buffer.plan.role == Role::inout ? buffer.pristine.get() : CUdeviceptr{0}};
  }
  auto ran = run_reference_plan(device_, kernel_, problem_, reference_plan_, bound, seed_, cache_);
  if (!ran) return ran;
  const CUstream stream = device_.stream.get();
  for (Buffer& buffer : buffers_) {
    if (!is_written(buffer)) continue;
    auto sum =
        device_.tools.checksum(buffer.reference.get(), static_cast<std::int64_t>(buffer.reference.bytes()), stream);
    if (!sum) return error_of(sum.error());
    buffer.reference_checksum = *sum;
    auto found = device_.tools.magnitude(buffer.reference.get(), buffer.reference_dtype, buffer.plan.count,
                                         buffer.plan.rows, buffer.plan.dtype, stream);
    if (!found) return error_of(found.error());
    buffer.reference_rms = found->rms;
    if (!has_special_values(options_.values)) WT_CHECK(check_magnitude(kernel_, buffer.tolerance, buffer.plan, *found));
  }
  solved_ = true;
  return {};
}

Result<std::vector<CUdeviceptr>> ProblemMemory::pointers(const LaunchPlan& plan) {
  std::vector<CUdeviceptr> found;
  for (const BufferPlan& wanted : plan.buffers) {
    if (wanted.role != Role::workspace) {
      const auto at =
          std::find_if(buffers_.begin(), buffers_.end(), [&](const Buffer& b) { return b.plan.name == wanted.name; });
      if (at == buffers_.end() || at->plan.bytes() != wanted.bytes())
        return fail(ErrorKind::bad_input,
                    fmt::format("the size of {} depends on a parameter; only sizes of workspaces may", wanted.name));
      found.push_back(at->memory.data());
      continue;
    }
    GuardedBuffer& workspace = workspaces_[wanted.name];
    if (!workspace.fits(wanted.bytes())) {
      workspace = {}; // first: both may not fit
      ++generation_;
      auto grown = GuardedBuffer::allocate(device_.driver(), wanted.name, wanted.bytes(), kWriteGuard,
                                           GuardLayout{options_.has_guards, 0});
      if (!grown) return error_of(grown.error());
      workspace = std::move(*grown);
    }
    found.push_back(workspace.data());
  }
  return found;
}

Result<void> ProblemMemory::prepare(const LaunchPlan& plan) {
  const Driver& driver = device_.driver();
  const CUstream stream = device_.stream.get();
  CUresult status = restore(stream);
  for (const Buffer& buffer : buffers_)
    if (status == CUDA_SUCCESS) status = buffer.memory.write_guards(driver, stream);
  for (const BufferPlan& wanted : plan.buffers) {
    if (wanted.role != Role::workspace) continue;
    GuardedBuffer& workspace = workspaces_[wanted.name];
    workspace.resize(wanted.bytes());
    if (status == CUDA_SUCCESS) status = workspace.write_guards(driver, stream);
  }
  WT_CHECK(check_cuda(driver, status, "cannot prepare the buffers"));
  return poison(plan, stream);
}

Result<void> ProblemMemory::poison(const LaunchPlan& plan, CUstream stream) {
  for (const Buffer& buffer : buffers_) {
    if (buffer.plan.role != Role::output) continue;
    auto poisoned = device_.tools.poison(buffer.memory.data(), buffer.plan.dtype, buffer.reference.get(),
                                         buffer.reference_dtype, buffer.plan.count, stream);
    if (!poisoned) return poisoned;
    if (buffer.plan.rows.have_gaps())
      WT_CHECK(device_.tools.write_zone(gaps_of(buffer.plan, buffer.memory.data()), stream));
  }
  const Driver& driver = device_.driver();
  for (const BufferPlan& wanted : plan.buffers) {
    if (wanted.role != Role::workspace || wanted.bytes() == 0) continue;
    const CUresult status =
        driver.cuMemsetD8Async(workspaces_[wanted.name].data(), 0xFF, static_cast<std::size_t>(wanted.bytes()), stream);
    WT_CHECK(check_cuda(driver, status, "cannot poison a workspace"));
  }
  return {};
}

CUresult ProblemMemory::restore(CUstream stream) const noexcept {
  CUresult status = CUDA_SUCCESS;
  for (const Buffer& buffer : buffers_)
    if (buffer.plan.role == Role::inout && buffer.plan.bytes() > 0 && status == CUDA_SUCCESS)
      status = device_.driver().cuMemcpyDtoDAsync(buffer.memory.data(), buffer.pristine.get(),
                                                  static_cast<std::size_t>(buffer.plan.bytes()), stream);
  return status;
}

int ProblemMemory::operation_count() const {
  return static_cast<int>(std::count_if(buffers_.begin(), buffers_.end(),
                                        [](const Buffer& buffer) { return buffer.plan.role == Role::inout; }));
}

std::vector<CheckedOutput> ProblemMemory::checked_outputs() const {
  std::vector<CheckedOutput> outputs;
  for (const Buffer& buffer : buffers_)
    if (is_written(buffer))
      outputs.push_back({buffer.plan.name, buffer.plan.dtype, buffer.reference_dtype, buffer.plan.count,
                         buffer.memory.data(), buffer.reference.get(), buffer.reference_rms, buffer.tolerance,
                         buffer.plan.rows});
  return outputs;
}

std::vector<CheckedInput> ProblemMemory::checked_inputs() const {
  std::vector<CheckedInput> inputs;
  for (const Buffer& buffer : buffers_)
    if (buffer.plan.role == Role::input)
      inputs.push_back({buffer.plan.name, buffer.plan.bytes(), buffer.memory.data(), buffer.checksum});
  return inputs;
}

Result<Verdict> ProblemMemory::verify(const LaunchPlan& plan) {
  std::vector<CheckedZone> zones;
  for (const Buffer& buffer : buffers_) {
    buffer.memory.add_zones(zones);
    if (is_written(buffer) && buffer.plan.rows.have_gaps())
      zones.push_back({buffer.plan.name, CheckedZone::Place::gaps, gaps_of(buffer.plan, buffer.memory.data())});
  }
  for (const BufferPlan& used : plan.buffers)
    if (used.role == Role::workspace) workspaces_[used.name].add_zones(zones);
  return warptune::verify(device_.tools, checked_outputs(), zones, checked_inputs(), device_.stream.get());
}

Result<bool> ProblemMemory::heal() {
  const CUstream stream = device_.stream.get();
  bool damaged = false;
  for (const Buffer& buffer : buffers_) {
    const bool inout = buffer.plan.role == Role::inout;
    if (buffer.plan.role != Role::output) {
      auto sum =
          device_.tools.checksum(inout ? buffer.pristine.get() : buffer.memory.data(), buffer.plan.bytes(), stream);
      if (!sum) return error_of(sum.error());
      damaged = damaged || (*sum != buffer.checksum && buffer.plan.bytes() > 0);
    }
    if (is_written(buffer) && buffer.reference.bytes() > 0) {
      auto sum =
          device_.tools.checksum(buffer.reference.get(), static_cast<std::int64_t>(buffer.reference.bytes()), stream);
      if (!sum) return error_of(sum.error());
      damaged = damaged || *sum != buffer.reference_checksum;
    }
  }
  if (!damaged) return false;
  if (auto drawn = draw(seed_); !drawn) return error_of(drawn.error());
  if (auto solved = solve(); !solved) return error_of(solved.error());
  return true;
}

} // namespace warptune
