// The C interface: checks handles, turns errors into a status and a sentence, and lets no exception out. Everything
// else is the dispatcher's.
#include "runtime/dispatcher.h"
#include "warptune/build_config.h"
#include "warptune/warptune.h"

#include <exception>
#include <new>
#include <string>

struct wt_library {
  std::unique_ptr<warptune::Dispatcher> dispatcher;
};

namespace {

using warptune::Error;
using warptune::ErrorKind;

thread_local std::string last_error;
thread_local const char* last_error_text = "";
thread_local std::string explanation;

wt_status set_error(wt_status status, const std::string& message) noexcept {
  try {
    last_error = message;
    last_error_text = last_error.c_str();
  } catch (...) {
    last_error_text = "out of memory";
  }
  return status;
}

wt_status set_error(const Error& error) noexcept {
  const bool is_known = error.kind == ErrorKind::bad_input || error.kind == ErrorKind::no_device ||
                        error.kind == ErrorKind::no_candidate || error.kind == ErrorKind::database;
  return set_error(is_known ? static_cast<wt_status>(error.kind) : WT_INTERNAL, error.message);
}

wt_status null_argument(const char* function, const char* name) noexcept {
  try {
    return set_error(WT_BAD_INPUT, std::string(function) + ": '" + name + "' is NULL");
  } catch (...) {
    return set_error(WT_BAD_INPUT, {});
  }
}

// An application in C cannot catch: nothing may pass.
template <class F> wt_status guarded(F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    last_error_text = "out of host memory";
    return WT_INTERNAL;
  } catch (const std::exception& e) {
    return set_error(WT_INTERNAL, e.what());
  } catch (...) {
    last_error_text = "unknown failure";
    return WT_INTERNAL;
  }
}

warptune::Request make_request(const char* kernel, const char* shape, const char* dtype, const char* flags) {
  return {kernel, shape, dtype == nullptr ? "" : dtype, flags == nullptr ? "" : flags};
}

const warptune::OperationArg* find_arg(const wt_operation* operation, int index) {
  if (operation == nullptr || index < 0 || static_cast<std::size_t>(index) >= operation->value.args.size())
    return nullptr;
  return &operation->value.args[static_cast<std::size_t>(index)];
}

} // namespace

const char* wt_version() { return warptune::kVersion; }
const char* wt_last_error() { return last_error_text; }

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
  }
  return "unknown";
}

wt_status wt_open(const char* path, wt_library** out) {
  if (out == nullptr) return null_argument("wt_open", "out");
  *out = nullptr;
  return guarded([&] {
    auto dispatcher = warptune::Dispatcher::open(path == nullptr ? "" : path);
    if (!dispatcher) return set_error(dispatcher.error());
    *out = new wt_library{std::move(*dispatcher)};
    return WT_OK;
  });
}

void wt_close(wt_library* library) { delete library; }

int wt_kernel_count(const wt_library* library) {
  return library == nullptr ? 0 : static_cast<int>(library->dispatcher->kernel_names().size());
}

const char* wt_kernel_name(const wt_library* library, int index) {
  if (index < 0 || index >= wt_kernel_count(library)) return nullptr;
  return library->dispatcher->kernel_names()[static_cast<std::size_t>(index)].c_str();
}

wt_status wt_explain(const wt_library* library, const char* kernel, const char* shape, const char* dtype,
                     const char* flags, const char* device, wt_match* match, const char** text) {
  if (library == nullptr) return null_argument("wt_explain", "library");
  if (kernel == nullptr) return null_argument("wt_explain", "kernel");
  if (shape == nullptr) return null_argument("wt_explain", "shape");
  if (text == nullptr) return null_argument("wt_explain", "text");
  *text = nullptr;
  return guarded([&] {
    auto choice =
        library->dispatcher->explain(make_request(kernel, shape, dtype, flags), device == nullptr ? "" : device);
    if (!choice) return set_error(choice.error());
    explanation = std::move(choice->explanation);
    *text = explanation.c_str();
    if (match != nullptr) *match = static_cast<wt_match>(choice->selection.match);
    return WT_OK;
  });
}

wt_status wt_prepare(wt_library* library, const char* kernel, const char* shape, const char* dtype, const char* flags,
                     wt_operation** out) {
  if (out == nullptr) return null_argument("wt_prepare", "out");
  *out = nullptr;
  if (library == nullptr) return null_argument("wt_prepare", "library");
  if (kernel == nullptr) return null_argument("wt_prepare", "kernel");
  if (shape == nullptr) return null_argument("wt_prepare", "shape");
  return guarded([&] {
    const auto operation = library->dispatcher->prepare(make_request(kernel, shape, dtype, flags));
    if (!operation) return set_error(operation.error());
    *out = const_cast<wt_operation*>(*operation); // the handle is opaque; nothing behind it changes
    return WT_OK;
  });
}

void wt_release(wt_operation* operation) {
  if (operation != nullptr) operation->release();
}

wt_match wt_operation_match(const wt_operation* operation) {
  return operation == nullptr ? WT_MATCH_DEFAULT : static_cast<wt_match>(operation->value.match);
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

int wt_operation_arg_count(const wt_operation* operation) {
  return operation == nullptr ? 0 : static_cast<int>(operation->value.args.size());
}

const char* wt_operation_arg_name(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? nullptr : arg->name.c_str();
}

const char* wt_operation_arg_dtype(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? nullptr : warptune::dtype_name(arg->dtype).data(); // of literals: ends in a zero
}

size_t wt_operation_arg_bytes(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg == nullptr ? 0 : arg->bytes;
}

int wt_operation_arg_is_buffer(const wt_operation* operation, int index) {
  const auto* arg = find_arg(operation, index);
  return arg != nullptr && arg->is_buffer ? 1 : 0;
}

wt_status wt_launch(const wt_operation* operation, const void* const* args, int arg_count, void* workspace,
                    void* stream) {
  if (operation == nullptr) return null_argument("wt_launch", "operation");
  if (args == nullptr && arg_count > 0) return null_argument("wt_launch", "args");
  return guarded([&] {
    const auto count = arg_count > 0 ? static_cast<std::size_t>(arg_count) : 0;
    const auto launched =
        warptune::Dispatcher::launch(operation->value, {args, count}, workspace, static_cast<CUstream>(stream));
    return launched ? WT_OK : set_error(launched.error());
  });
}
