#include "runtime/operation.h"

#include "core/small_buffer.h"
#include "core/units.h"
#include "gpu/scalar.h"
#include "runtime/process.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::size_t kUsualArgs = 128; // up to this many arguments are gathered on the launching thread's stack

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

tl::unexpected<Error> refuse(const Operation& operation, const std::string& why) {
  return fail(ErrorKind::bad_input,
              fmt::format("cannot launch {} {}: {}", operation.kernel, short_problem(operation.problem), why));
}

std::string expected_arguments(const Operation& operation) {
  std::string text;
  for (const OperationArg& arg : operation.args)
    text += fmt::format("{}{} ({} {})", text.empty() ? "" : ", ", arg.name, dtype_name(arg.dtype),
                        arg.kind == WT_ARG_BUFFER ? "buffer" : "scalar");
  return text.empty() ? "none" : text;
}

Result<void> check_context(const Operation& operation) {
  const Driver& driver = operation.sequence.driver();
  CUcontext current = nullptr;
  driver.cuCtxGetCurrent(&current);
  if (current == nullptr)
    return refuse(operation, "no CUDA context is current on this thread; call cudaSetDevice or cuCtxSetCurrent first");
  if (current != operation.context)
    return refuse(operation, "it was selected in a CUDA context that is not the current one; select it in each "
                             "context, or make its context current");
  unsigned long long id = 0;
  const CUresult status = driver.cuCtxGetId(current, &id);
  if (status == CUDA_SUCCESS && id == operation.context_id) return {};
  if (status == CUDA_SUCCESS)
    return refuse(
        operation,
        "its CUDA context was destroyed, and the current context is a new one at the same address; select it again");
  return fail(ErrorKind::no_device,
              fmt::format("cannot launch {} {}: the CUDA context of this thread cannot be used: {}", operation.kernel,
                          operation.problem, cuda_error_text(driver, status)));
}

Result<void> check_workspace(const Operation& operation, const void* workspace, std::size_t bytes) {
  if (operation.workspace_bytes == 0) return {};
  if (workspace == nullptr)
    return refuse(operation, fmt::format("it needs a workspace of {} bytes of device memory, and none was given",
                                         operation.workspace_bytes));
  if (bytes < operation.workspace_bytes)
    return refuse(operation,
                  fmt::format("it needs a workspace of {} bytes of device memory, and {}", operation.workspace_bytes,
                              given_text(static_cast<std::int64_t>(bytes), "byte")));
  if (reinterpret_cast<std::uintptr_t>(workspace) % WT_WORKSPACE_ALIGNMENT == 0) return {};
  return refuse(operation, fmt::format("the workspace {} is not aligned to {} bytes", fmt::ptr(workspace),
                                       WT_WORKSPACE_ALIGNMENT));
}

// A memcpy of constant size is inlined; one of variable size is a function call.
std::uint64_t read_value(const void* from, std::size_t bytes) {
  std::uint64_t bits = 0;
  switch (bytes) {
  case 8:
    std::memcpy(&bits, from, 8);
    break;
  case 4:
    std::memcpy(&bits, from, 4);
    break;
  case 2:
    std::memcpy(&bits, from, 2);
    break;
  default:
    std::memcpy(&bits, from, 1);
  }
  return bits;
}

// Alignments are powers of two; a division would take longer than the rest of the check.
bool is_usable(const OperationArg& arg, CUdeviceptr address) {
  return (address & (arg.alignment - 1)) == 0 && (address != 0 || arg.bytes == 0);
}

tl::unexpected<Error> refuse_buffer(const Operation& operation, const OperationArg& arg, CUdeviceptr address) {
  if (address == 0)
    return refuse(operation,
                  fmt::format("the buffer {} is a null pointer; give device memory of {} bytes", arg.name, arg.bytes));
  return refuse(operation,
                fmt::format("the buffer {} at {:#x} is not aligned to {} bytes, which this configuration needs; select "
                            "with the alignment of the buffers, copy the buffer, or start it at a multiple of {} bytes",
                            arg.name, address, arg.alignment, arg.alignment));
}

tl::unexpected<Error> launch_failure(const Operation& operation, CUresult status) {
  const bool is_other_context = status == CUDA_ERROR_INVALID_HANDLE || status == CUDA_ERROR_INVALID_CONTEXT;
  return fail(is_fatal_cuda_error(status) ? ErrorKind::no_device
              : is_other_context          ? ErrorKind::bad_input
                                          : ErrorKind::internal,
              fmt::format("cannot launch {} {} with {}: {}{}", operation.kernel, short_problem(operation.problem),
                          operation.config, cuda_error_text(operation.sequence.driver(), status),
                          is_other_context ? "; check that the stream belongs to the current context" : ""));
}

} // namespace

std::string given_text(std::int64_t count, const std::string& noun) {
  return count_text(count, noun) + (count == 1 ? " was given" : " were given");
}

wt_arg_kind scalar_kind(DType dtype) {
  if (dtype == DType::fp32 || dtype == DType::tf32) return WT_ARG_FLOAT32;
  if (dtype == DType::fp64) return WT_ARG_FLOAT64;
  if (!dtype_is_floating(dtype)) return WT_ARG_INTEGER;
  return dtype_bytes(dtype) == 2 ? WT_ARG_BITS16 : WT_ARG_BITS8;
}

// Fills in the arguments of a launch in the order of the spec, and the offsets of the workspaces in the caller's single
// workspace.
Result<void> describe_arguments(const KernelSpec& spec, const Config& config, const LaunchPlan& plan,
                                Operation& operation) {
  const std::vector<Argument>& arguments = spec.implementation(config).arguments;
  const auto find = [](const auto& planned, const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(planned.begin(), planned.end(), [&](const auto& p) { return p.name == name; }) - planned.begin());
  };
  std::size_t position = 0;
  for (const Argument& argument : arguments) {
    if (const auto* buffer = std::get_if<BufferArg>(&argument.value)) {
      const std::size_t index = find(plan.buffers, argument.name);
      if (index == plan.buffers.size()) { // not used by this configuration, or absent for this problem
        position += buffer->role != Role::workspace ? 1 : 0;
        continue;
      }
      const BufferPlan& planned = plan.buffers[index];
      const auto bytes = static_cast<std::size_t>(planned.bytes());
      if (buffer->role == Role::workspace) {
        operation.workspaces.push_back({index, operation.workspace_bytes});
        operation.workspace_bytes += round_up(bytes, WT_WORKSPACE_ALIGNMENT);
      } else {
        operation.args.push_back({argument.name, planned.dtype, WT_ARG_BUFFER, index, bytes,
                                  static_cast<std::size_t>(planned.align), buffer->role != Role::input, position++});
      }
    } else if (const auto* scalar = std::get_if<ScalarArg>(&argument.value); scalar && scalar->is_parameter) {
      const std::size_t index = find(plan.scalars, argument.name), here = position++;
      if (index == plan.scalars.size()) continue; // absent for this problem
      const auto bytes = static_cast<std::size_t>(dtype_bytes(scalar->dtype));
      operation.args.push_back(
          {argument.name, scalar->dtype, scalar_kind(scalar->dtype), index, bytes, 0, false, here});
    }
  }
  operation.buffer_count = plan.buffers.size();
  for (const ScalarPlan& scalar : plan.scalars) operation.scalars.push_back(scalar_bits(scalar));
  return {};
}

Result<void> launch(const Operation& operation, std::span<const void* const> args, void* workspace,
                    std::size_t workspace_bytes, CUstream stream, CurrentContext in) {
  if (operation.forks != current_forks()) return check_not_forked(operation.forks);
  if (args.size() != operation.args.size())
    return refuse(operation,
                  fmt::format("{}, but it takes {}: {}", given_text(static_cast<std::int64_t>(args.size()), "argument"),
                              operation.args.size(), expected_arguments(operation)));
  if (in == CurrentContext::any) WT_CHECK(check_context(operation));
  WT_CHECK(check_workspace(operation, workspace, workspace_bytes));
  SmallBuffer<CUdeviceptr, kUsualArgs> buffers(operation.buffer_count);
  SmallBuffer<std::uint64_t, kUsualArgs> scalars(operation.scalars.size());
  if (buffers.data() == nullptr || scalars.data() == nullptr) return fail(ErrorKind::internal, "out of host memory");
  std::fill_n(buffers.data(), operation.buffer_count, CUdeviceptr{0});
  std::copy(operation.scalars.begin(), operation.scalars.end(), scalars.data());
  for (std::size_t i = 0; i < args.size(); ++i) {
    const OperationArg& arg = operation.args[i];
    if (args[i] == nullptr)
      return refuse(operation, fmt::format("argument {} ({}) is null; give the address of its value", i, arg.name));
    const std::uint64_t bits = read_value(args[i], arg.kind == WT_ARG_BUFFER ? sizeof(CUdeviceptr) : arg.bytes);
    if (arg.kind != WT_ARG_BUFFER) {
      scalars[arg.index] = bits;
      continue;
    }
    if (!is_usable(arg, bits)) return refuse_buffer(operation, arg, bits);
    buffers[arg.index] = bits;
  }
  for (const OperationWorkspace& part : operation.workspaces)
    buffers[part.buffer] = reinterpret_cast<CUdeviceptr>(workspace) + part.offset;
  const CUresult status = operation.sequence.enqueue_with(stream, std::span(buffers.data(), operation.buffer_count),
                                                          std::span(scalars.data(), operation.scalars.size()));
  if (status != CUDA_SUCCESS) return launch_failure(operation, status);
  return {};
}

} // namespace warptune
