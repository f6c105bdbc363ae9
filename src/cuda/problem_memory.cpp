#include "cuda/problem_memory.h"

#include "cuda/problem_buffers.h"
#include "cuda/special_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

unsigned char guard_of(const BufferPlan& plan) { return plan.role == Role::output ? kWriteGuard : kReadGuard; }

std::string buffer_purpose(const Kernel& kernel, const std::string& name) {
  return fmt::format("the buffer {} of {}", name, kernel.spec.name);
}

} // namespace

GuardZone ProblemMemory::Buffer::gaps(CUdeviceptr data) const {
  return zone_of_gaps(data, plan.dtype, plan.count, plan.rows, guard_of(plan));
}

Result<std::unique_ptr<ProblemMemory>> ProblemMemory::open(CudaDevice& device, const Kernel& kernel,
                                                           const Problem& problem, std::uint64_t seed,
                                                           const CubinCache& cache, MemoryOptions options) {
  std::unique_ptr<ProblemMemory> memory(new ProblemMemory(device, kernel, problem, cache, std::move(options)));
  WT_CHECK(memory->allocate());
  WT_CHECK(memory->ensure(seed));
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

// The reference plan contains every buffer except workspaces. The dtype that the kernel itself uses for an output comes
// from the spec.
Result<void> ProblemMemory::allocate() {
  WT_TRY(reference_plan_, make_reference_plan(kernel_.spec, problem_, device_.info));
  if (kernel_.spec.prepare) {
    WT_TRY(prepare_plan_, make_prepare_plan(kernel_.spec, problem_, device_.info));
  }
  WT_TRY(const auto own, plan_problem_buffers(kernel_, problem_, device_.info));
  for (std::size_t i = 0; i < own.size(); ++i) {
    Buffer buffer;
    buffer.plan = own[i];
    buffer.position = i;
    WT_CHECK(allocate(buffer));
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

Result<void> ProblemMemory::allocate(Buffer& buffer) const {
  const Driver& driver = device_.driver();
  const BufferPlan& plan = buffer.plan;
  const std::string purpose = buffer_purpose(kernel_, plan.name);
  const GuardLayout layout = layout_of(plan.name);
  WT_TRY(buffer.memory, GuardedBuffer::allocate(driver, plan.name, plan.bytes(), guard_of(plan), layout));
  buffer.has_pristine = plan.role == Role::inout || (plan.role == Role::input && layout.offset != 0);
  if (buffer.has_pristine) {
    WT_TRY(buffer.pristine, DeviceMemory::allocate(driver, static_cast<std::size_t>(plan.bytes()), purpose));
  }
  if (!is_written(buffer)) return {};
  const auto& list = reference_plan_.buffers;
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& b) { return b.name == plan.name; });
  if (at == list.end()) return fail(ErrorKind::internal, "the launch plan of the reference has no buffer " + plan.name);
  buffer.reference_dtype = at->dtype;
  WT_TRY(buffer.tolerance, tolerance_of(kernel_.spec, problem_, plan.name));
  if (plan.role == Role::inout && at->dtype != plan.dtype)
    return fail(
        ErrorKind::bad_input,
        fmt::format(
            "{0} is inout, so the reference must use the same dtype, {1}; remove {0} from reference/types in spec.json",
            plan.name, dtype_name(plan.dtype)));
  WT_TRY(buffer.reference,
         DeviceMemory::allocate(driver, static_cast<std::size_t>(at->bytes()), purpose + " (reference)"));
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
                    fmt::format("the size of {} depends on a param, but only sizes of workspaces may depend on params",
                                wanted.name));
      found.push_back(at->memory.data());
      continue;
    }
    GuardedBuffer& workspace = workspaces_[wanted.name];
    if (!workspace.fits(wanted.bytes())) {
      workspace = {}; // free first: there may not be memory for both
      ++generation_;
      WT_TRY(workspace, GuardedBuffer::allocate(device_.driver(), wanted.name, wanted.bytes(), kWriteGuard,
                                                GuardLayout{options_.has_guards, 0}));
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
    WT_CHECK(device_.tools.poison(buffer.memory.data(), buffer.plan.dtype, buffer.reference.get(),
                                  buffer.reference_dtype, buffer.plan.count, stream));
    if (buffer.plan.rows.have_gaps()) WT_CHECK(device_.tools.write_zone(buffer.gaps(buffer.memory.data()), stream));
  }
  const Driver& driver = device_.driver();
  for (const BufferPlan& wanted : plan.buffers) {
    if (wanted.role != Role::workspace || wanted.bytes() == 0) continue;
    const CUresult status =
        driver.cuMemsetD8Async(workspaces_[wanted.name].data(), 0xFF, static_cast<std::size_t>(wanted.bytes()), stream);
    WT_CHECK(check_cuda(driver, status, "cannot fill a workspace with marker values"));
  }
  return {};
}

CUresult ProblemMemory::restore(CUstream stream) const noexcept {
  CUresult status = CUDA_SUCCESS;
  for (const Buffer& buffer : buffers_)
    if (buffer.has_pristine && buffer.plan.bytes() > 0 && status == CUDA_SUCCESS)
      status = device_.driver().cuMemcpyDtoDAsync(buffer.memory.data(), buffer.pristine.get(),
                                                  static_cast<std::size_t>(buffer.plan.bytes()), stream);
  return status;
}

int ProblemMemory::operation_count() const {
  return static_cast<int>(
      std::count_if(buffers_.begin(), buffers_.end(), [](const Buffer& buffer) { return buffer.has_pristine; }));
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
      zones.push_back({buffer.plan.name, CheckedZone::Place::gaps, buffer.gaps(buffer.memory.data())});
  }
  for (const BufferPlan& used : plan.buffers)
    if (used.role == Role::workspace) workspaces_[used.name].add_zones(zones);
  return warptune::verify(device_.tools, checked_outputs(), zones, checked_inputs(), device_.stream.get());
}

} // namespace warptune
