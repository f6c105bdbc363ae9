#include "runtime/capi_errors.h"

namespace warptune::capi {
namespace {

thread_local ThreadText<4096> last;

} // namespace

const char* last_error() { return last.bytes.data(); }

wt_status set_error(wt_status status, std::string_view message) noexcept {
  last.set(message);
  return status;
}

wt_status set_error(const Error& error) noexcept {
  switch (error.kind) {
  case ErrorKind::bad_input:
  case ErrorKind::no_device:
  case ErrorKind::no_candidate:
  case ErrorKind::database:
  case ErrorKind::not_ready:
    return set_error(static_cast<wt_status>(error.kind), error.message);
  case ErrorKind::internal:
  case ErrorKind::interrupted:
    break;
  }
  return set_error(WT_INTERNAL, error.message);
}

wt_status null_argument(const char* function, const char* name) noexcept {
  return guarded([&] { return set_error(WT_BAD_INPUT, std::string(function) + ": '" + name + "' is NULL"); });
}

wt_status bad_argument(const char* function, const std::string& what) {
  return set_error(WT_BAD_INPUT, std::string(function) + ": " + what);
}

} // namespace warptune::capi
