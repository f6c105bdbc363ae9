#include "runtime/dispatcher.h"

#include "core/text.h"
#include "gpu/devices.h"
#include "runtime/programs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

namespace warptune {
namespace {

// An application with an endless stream of new shapes must not grow without bound; beyond this they are prepared anew.
constexpr std::size_t kMaxRemembered = 65536;
constexpr std::size_t kMaxArgs = 128;          // of one operation: they are gathered on the launching thread's stack
constexpr CUdeviceptr kPlaceholder = 1u << 20; // a buffer's address until a launch gives the real one

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// The arguments of a launch in the order of the spec, and where the workspaces lie in the one that the caller gives.
void describe_arguments(const KernelSpec& spec, const LaunchPlan& plan, Operation& operation) {
  const auto find = [](const auto& planned, const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(planned.begin(), planned.end(), [&](const auto& p) { return p.name == name; }) - planned.begin());
  };
  for (const Argument& argument : spec.arguments) {
    if (const auto* buffer = std::get_if<BufferArg>(&argument.value)) {
      const std::size_t index = find(plan.buffers, argument.name);
      if (index == plan.buffers.size()) continue; // a workspace that this configuration does not use
      const BufferPlan& planned = plan.buffers[index];
      const auto bytes = static_cast<std::size_t>(planned.bytes());
      if (buffer->role == Role::workspace) {
        operation.workspaces.push_back({index, operation.workspace_bytes});
        operation.workspace_bytes += round_up(bytes, WT_WORKSPACE_ALIGNMENT);
      } else {
        operation.args.push_back({argument.name, planned.dtype, true, index, bytes});
      }
    } else if (const auto* scalar = std::get_if<ScalarArg>(&argument.value); scalar && scalar->is_parameter) {
      const auto bytes = static_cast<std::size_t>(dtype_bytes(scalar->dtype));
      operation.args.push_back({argument.name, scalar->dtype, false, find(plan.scalars, argument.name), bytes});
    }
  }
  operation.buffer_count = plan.buffers.size();
  for (const ScalarPlan& scalar : plan.scalars) operation.scalars.push_back(scalar_bits(scalar));
}

tl::unexpected<Error> refuse(const Operation& operation, const std::string& why) {
  return fail(ErrorKind::bad_input, fmt::format("cannot launch {} {}: {}", operation.kernel, operation.problem, why));
}

std::string expected_arguments(const Operation& operation) {
  std::string text;
  for (const OperationArg& arg : operation.args)
    text += fmt::format("{}{} ({} {})", text.empty() ? "" : ", ", arg.name, dtype_name(arg.dtype),
                        arg.is_buffer ? "buffer" : "scalar");
  return text.empty() ? "none" : text;
}

Result<void> check_context(const Operation& operation) {
  CUcontext current = nullptr;
  operation.sequence.driver().cuCtxGetCurrent(&current);
  if (current == operation.context) return {};
  return refuse(operation,
                current == nullptr
                    ? "no CUDA context is current on this thread; call cudaSetDevice or cuCtxSetCurrent first"
                    : "it was prepared in another CUDA context than the current one; prepare it in each "
                      "context, or make its own current");
}

Result<void> check_workspace(const Operation& operation, const void* workspace) {
  if (operation.workspace_bytes == 0) return {};
  if (workspace == nullptr)
    return refuse(operation, fmt::format("it needs a workspace of {} bytes of device memory, and none was given",
                                         operation.workspace_bytes));
  if (reinterpret_cast<std::uintptr_t>(workspace) % WT_WORKSPACE_ALIGNMENT == 0) return {};
  return refuse(operation, fmt::format("the workspace {} is not aligned to {} bytes", fmt::ptr(workspace),
                                       WT_WORKSPACE_ALIGNMENT));
}

Result<void> check_buffer(const Operation& operation, const OperationArg& arg, CUdeviceptr address) {
  if (address == 0 && arg.bytes > 0)
    return refuse(operation,
                  fmt::format("the buffer {} is a null pointer; give device memory of {} bytes", arg.name, arg.bytes));
  if (address % WT_BUFFER_ALIGNMENT == 0) return {};
  return refuse(operation, fmt::format("the buffer {} at {:#x} is not aligned to {} bytes, which vector accesses need; "
                                       "copy it, or start it at a multiple of {} bytes",
                                       arg.name, address, WT_BUFFER_ALIGNMENT, WT_BUFFER_ALIGNMENT));
}

tl::unexpected<Error> launch_failure(const Operation& operation, CUresult status) {
  const bool is_other_context = status == CUDA_ERROR_INVALID_HANDLE || status == CUDA_ERROR_INVALID_CONTEXT;
  return fail(is_fatal_cuda_error(status) ? ErrorKind::no_device : ErrorKind::internal,
              fmt::format("cannot launch {} {} with {}: {}{}", operation.kernel, operation.problem, operation.config,
                          cuda_error_text(operation.sequence.driver(), status),
                          is_other_context ? "; is the stream one of the current context?" : ""));
}

} // namespace

Result<std::unique_ptr<Dispatcher>> Dispatcher::open(const std::string& path) {
  auto catalog = Catalog::open(path);
  if (!catalog) return tl::make_unexpected(catalog.error());
  return std::unique_ptr<Dispatcher>(new Dispatcher(std::move(*catalog)));
}

Dispatcher::~Dispatcher() {
  prepared_.for_each([](const wt_operation& operation) { operation.release(); });
}

Result<Choice> Dispatcher::explain(const Request& request, const std::string& device) const {
  const auto tuned = catalog_->kernel(std::string(request.kernel));
  if (!tuned) return tl::make_unexpected(tuned.error());
  const auto info = device.empty() ? current_cuda_device() : catalog_->device(device);
  if (!info) return tl::make_unexpected(info.error());
  return catalog_->choose(**tuned, request, *info);
}

Result<std::unique_ptr<wt_operation>> Dispatcher::make_operation(const Request& request, const Driver& driver,
                                                                 CUcontext context, std::uint64_t context_id) const {
  const auto tuned = catalog_->kernel(std::string(request.kernel));
  if (!tuned) return tl::make_unexpected(tuned.error());
  const auto device = current_cuda_device();
  if (!device) return tl::make_unexpected(device.error());
  auto choice = catalog_->choose(**tuned, request, *device);
  if (!choice) return tl::make_unexpected(choice.error());
  const KernelSpec& spec = (*tuned)->kernel.spec;
  if (spec.arguments.size() > kMaxArgs)
    return fail(ErrorKind::bad_input, fmt::format("{} has more than {} arguments", spec.name, kMaxArgs));

  const std::vector<CUdeviceptr> placeholders(choice->plan.buffers.size(), kPlaceholder);
  const ProgramRequest program{choice->plan, device->arch, context_id, choice->cubin_hash,
                               [this](const std::string& hash) { return catalog_->cubin(hash); }};
  auto sequence = make_sequence(driver, program, placeholders);
  if (!sequence)
    return fail(sequence.error().kind,
                fmt::format("cannot prepare {} {} with {}: {}", spec.name, problem_key(spec, choice->problem),
                            choice->config, sequence.error().message));
  auto made = std::make_unique<wt_operation>();
  Operation& operation = made->value;
  operation.kernel = spec.name;
  operation.problem = problem_key(spec, choice->problem);
  operation.config = std::move(choice->config);
  operation.explanation = std::move(choice->explanation);
  operation.match = choice->selection.match;
  operation.context = context;
  operation.sequence = std::move(*sequence);
  describe_arguments(spec, choice->plan, operation);
  return made;
}

Result<const wt_operation*> Dispatcher::prepare(const Request& request) {
  const auto found = load_driver();
  if (!found) return tl::make_unexpected(found.error());
  const Driver& driver = **found;
  CUcontext context = nullptr;
  unsigned long long context_id = 0; // addresses of contexts are used again, ids are not
  driver.cuCtxGetCurrent(&context);
  if (context != nullptr) driver.cuCtxGetId(context, &context_id);
  const LookupKey key{request.kernel, request.shape, request.dtype, request.flags, context_id};
  if (context != nullptr)
    if (const wt_operation* known = prepared_.find(key)) {
      known->retain();
      return known;
    }
  auto made = make_operation(request, driver, context, context_id);
  if (!made) return tl::make_unexpected(made.error());

  // Prepared outside the lock, so that a compile holds up nobody; of two threads with one request the first one's
  // stays.
  const std::lock_guard lock(mutex_);
  const wt_operation* operation = prepared_.find(key);
  if (operation == nullptr) {
    if (prepared_.size() >= kMaxRemembered) return made->release();
    prepared_.insert(key, made->get());
    operation = made->release();
  }
  operation->retain();
  return operation;
}

Result<void> Dispatcher::launch(const Operation& operation, std::span<const void* const> args, void* workspace,
                                CUstream stream) {
  if (args.size() != operation.args.size())
    return refuse(operation, fmt::format("{} arguments were given and it takes {}: {}", args.size(),
                                         operation.args.size(), expected_arguments(operation)));
  if (auto checked = check_context(operation); !checked) return checked;
  if (auto checked = check_workspace(operation, workspace); !checked) return checked;
  std::array<CUdeviceptr, kMaxArgs> buffers{};
  std::array<std::uint64_t, kMaxArgs> scalars;
  std::copy(operation.scalars.begin(), operation.scalars.end(), scalars.begin());
  for (std::size_t i = 0; i < args.size(); ++i) {
    const OperationArg& arg = operation.args[i];
    if (args[i] == nullptr)
      return refuse(operation, fmt::format("argument {} ({}) is null; give the address of its value", i, arg.name));
    std::uint64_t bits = 0;
    std::memcpy(&bits, args[i], arg.is_buffer ? sizeof(CUdeviceptr) : arg.bytes);
    if (!arg.is_buffer) {
      scalars[arg.index] = bits;
      continue;
    }
    if (auto checked = check_buffer(operation, arg, bits); !checked) return checked;
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
