// The part of the C interface that describes kernels and operations: names, kinds, sizes. These functions report
// failure only by their return value, such as NULL or 0.
#include "runtime/capi_errors.h"
#include "runtime/capi_library.h"

#include <algorithm>

namespace {

using namespace warptune::capi;

template <class T> const char* name_at(const std::vector<T>& list, int index) {
  return index < 0 || static_cast<std::size_t>(index) >= list.size() ? nullptr
                                                                     : list[static_cast<std::size_t>(index)].c_str();
}

const warptune::Signature::Arg* find_arg(const wt_kernel* kernel, int index) {
  if (kernel == nullptr || index < 0 || static_cast<std::size_t>(index) >= kernel->value.signature.args.size())
    return nullptr;
  return &kernel->value.signature.args[static_cast<std::size_t>(index)];
}

const warptune::OperationArg* find_arg(const wt_operation* operation, int index) {
  if (operation == nullptr || index < 0 || static_cast<std::size_t>(index) >= operation->value.args.size())
    return nullptr;
  return &operation->value.args[static_cast<std::size_t>(index)];
}

} // namespace

const char* wt_status_name(wt_status status) {
  switch (status) {
  case WT_OK:
    return "ok";
  case WT_BAD_INPUT:
    return "bad input";
  case WT_NO_DEVICE:
    return "no device";
  case WT_NO_CANDIDATE:
    return "no candidate";
  case WT_DATABASE:
    return "database";
  case WT_INTERNAL:
    return "internal";
  case WT_NOT_READY:
    return "not ready";
  }
  return "unknown";
}

const char* wt_match_name(wt_match match) {
  switch (match) {
  case WT_MATCH_EXACT:
    return "exact";
  case WT_MATCH_NEAREST_SHAPE:
    return "nearest shape";
  case WT_MATCH_OTHER_DEVICE:
    return "same architecture";
  case WT_MATCH_DEFAULT:
    return "default";
  case WT_MATCH_LEARNED:
    return "learned rule";
  case WT_MATCH_EXPECTED_TIME:
    return "expected time";
  }
  return "unknown";
}

int wt_kernel_count(const wt_library* library) {
  return library == nullptr ? 0 : static_cast<int>(library->value->kernel_names().size());
}

const char* wt_kernel_name(const wt_library* library, int index) {
  return library == nullptr ? nullptr : name_at(library->value->kernel_names(), index);
}

int wt_kernel_dim_count(const wt_kernel* kernel) {
  return kernel == nullptr ? 0 : static_cast<int>(kernel->value.signature.dims.size());
}

const char* wt_kernel_dim_name(const wt_kernel* kernel, int index) {
  return kernel == nullptr ? nullptr : name_at(kernel->value.signature.dims, index);
}

const char* wt_kernel_dim_list(const wt_kernel* kernel, int index) {
  const char* name = kernel == nullptr ? nullptr : name_at(kernel->value.signature.lists, index);
  return name == nullptr || *name == '\0' ? nullptr : name;
}

int64_t wt_kernel_dim_default(const wt_kernel* kernel, int index) {
  if (kernel == nullptr || index < 0 || index >= wt_kernel_dim_count(kernel)) return -1;
  return kernel->value.signature.defaults[static_cast<std::size_t>(index)];
}

wt_status wt_list_sizes(const int64_t* values, size_t count, int64_t sizes[4]) {
  if (sizes == nullptr) return null_argument("wt_list_sizes", "sizes");
  if (values == nullptr && count > 0) return null_argument("wt_list_sizes", "values");
  return guarded([&] {
    const auto refuse = [](const std::string& why) { return bad_argument("wt_list_sizes", why); };
    if (count < 1 || count > static_cast<size_t>(warptune::kMaxListCount))
      return refuse("the list has " + std::to_string(count) + " sizes; give 1 to " +
                    std::to_string(warptune::kMaxListCount));
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
      if (values[i] < 0 || values[i] > warptune::kMaxListSum - sum)
        return refuse("the size at index " + std::to_string(i) + " is " + std::to_string(values[i]) +
                      "; sizes are at least 0, and their sum is at most " + std::to_string(warptune::kMaxListSum));
      sum += values[i];
    }
    const auto [least, most] = std::minmax_element(values, values + count);
    sizes[0] = static_cast<int64_t>(count), sizes[1] = sum, sizes[2] = *most, sizes[3] = *least;
    return WT_OK;
  });
}

int wt_kernel_arg_count(const wt_kernel* kernel) {
  return kernel == nullptr ? 0 : static_cast<int>(kernel->value.signature.args.size());
}

const char* wt_kernel_arg_name(const wt_kernel* kernel, int index) {
  const auto* arg = find_arg(kernel, index);
  return arg == nullptr ? nullptr : arg->name.c_str();
}

wt_arg_kind wt_kernel_arg_kind(const wt_kernel* kernel, int index) {
  const auto* arg = find_arg(kernel, index);
  return arg == nullptr ? WT_ARG_NONE : arg->kind;
}

const char* wt_kernel_arg_dtype(const wt_kernel* kernel, int index) {
  const auto* arg = find_arg(kernel, index);
  return arg == nullptr || arg->kind == WT_ARG_BUFFER ? nullptr : warptune::dtype_name(arg->dtype).data();
}

wt_match wt_operation_match(const wt_operation* operation) {
  return operation == nullptr ? WT_MATCH_DEFAULT : match_of(operation->value.match);
}

const char* wt_operation_config(const wt_operation* operation) {
  return operation == nullptr ? nullptr : operation->value.config.c_str();
}

const char* wt_operation_explain(const wt_operation* operation) {
  return operation == nullptr ? nullptr : operation->value.explanation.c_str();
}

size_t wt_operation_workspace_bytes(const wt_operation* operation) {
  return operation == nullptr ? 0 : operation->value.workspace_bytes;
}

double wt_operation_predicted_loss(const wt_operation* operation) {
  return operation == nullptr ? -1 : operation->value.predicted_loss;
}

int wt_operation_arg_count(const wt_operation* operation) {
  return operation == nullptr ? 0 : static_cast<int>(operation->value.args.size());
}

const char* wt_operation_arg_name(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? nullptr : arg->name.c_str();
}

const char* wt_operation_arg_dtype(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? nullptr : warptune::dtype_name(arg->dtype).data(); // literals: null-terminated
}

size_t wt_operation_arg_bytes(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? 0 : arg->bytes;
}

size_t wt_operation_arg_alignment(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? 0 : arg->alignment;
}

int wt_operation_arg_is_buffer(const wt_operation* operation, int index) {
  return wt_operation_arg_kind(operation, index) == WT_ARG_BUFFER ? 1 : 0;
}

int wt_operation_arg_is_written(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg != nullptr && arg->is_written ? 1 : 0;
}

wt_arg_kind wt_operation_arg_kind(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? WT_ARG_NONE : arg->kind;
}
