// Reports the failure of a C function: as a status, and as a message that the calling thread can read.
#pragma once

#include "core/result.h"
#include "warptune/warptune.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace warptune::capi {

// A text that belongs to one thread, in plain memory without a destructor. The application may call the library from
// destructors that run after the thread's own objects are destroyed.
template <std::size_t N> struct ThreadText {
  std::array<char, N> bytes;

  const char* set(std::string_view text) noexcept {
    std::size_t size = std::min(text.size(), N - 1);
    if (size < text.size())
      while (size > 0 && (text[size] & 0xC0) == 0x80) --size; // do not cut a UTF-8 character
    std::memcpy(bytes.data(), text.data(), size);
    bytes[size] = '\0';
    return bytes.data();
  }
};

const char* last_error(); // the calling thread's message
wt_status set_error(wt_status status, std::string_view message) noexcept;
wt_status set_error(const Error& error) noexcept;

// Turns exceptions into statuses, because no exception may reach an application in C.
template <class F> wt_status guarded(F&& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return set_error(WT_INTERNAL, "out of host memory");
  } catch (const std::exception& e) {
    return set_error(WT_INTERNAL, e.what());
  } catch (...) {
    return set_error(WT_INTERNAL, "unknown failure");
  }
}

wt_status null_argument(const char* function, const char* name) noexcept;
wt_status bad_argument(const char* function, const std::string& what);

} // namespace warptune::capi
