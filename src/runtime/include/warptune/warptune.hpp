// warptune for C++17: RAII handles and typed launches over the C interface (warptune.h), header only. Failures throw
// warptune::Error from this header, in the caller's own binary; nothing is thrown across the library's ABI.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#include <warptune/warptune.h>

namespace warptune {
inline namespace v0 { // apart from what the library itself calls by these names

class Error : public std::runtime_error {
 public:
  Error(wt_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  wt_status status() const noexcept { return status_; }

 private:
  wt_status status_;
};

inline void check(wt_status status) {
  if (status != WT_OK) throw Error(status, wt_last_error());
}

// A kernel prepared for one problem in one context. Launches may come from several threads at once.
class Operation {
 public:
  explicit Operation(wt_operation* handle) : handle_(handle) {
    for (int i = 0; i < wt_operation_arg_count(handle); ++i) args_.push_back(describe(i));
  }

  wt_match match() const { return wt_operation_match(get()); }
  std::string config() const { return wt_operation_config(get()); }
  std::string explain() const { return wt_operation_explain(get()); }
  std::size_t workspace_bytes() const { return wt_operation_workspace_bytes(get()); }
  std::size_t arg_bytes(int index) const { return wt_operation_arg_bytes(get(), index); }
  wt_operation* get() const noexcept { return handle_.get(); }

  // One value for each of wt_operation_arg_name, in that order: pointers to device memory (or a CUdeviceptr) for
  // buffers, numbers for scalars. A number is converted to the declared type; a 16- or 8-bit float is passed as itself.
  template <class... Args> void launch(void* stream, const Args&... args) const {
    launch_with_workspace(stream, nullptr, args...);
  }

  // `workspace`: device memory of workspace_bytes(), of this launch's own until it has run.
  template <class... Args> void launch_with_workspace(void* stream, void* workspace, const Args&... args) const {
    constexpr std::size_t count = sizeof...(Args);
    if (count != args_.size())
      throw Error(WT_BAD_INPUT, "launch: " + std::to_string(count) + " arguments were given and the kernel takes " +
                                    std::to_string(args_.size()));
    std::array<std::uint64_t, count + 1> values{};
    std::array<const void*, count + 1> pointers{};
    std::size_t i = 0;
    ((values[i] = encode(i, args), pointers[i] = &values[i], ++i), ...);
    check(wt_launch(get(), pointers.data(), static_cast<int>(count), workspace, stream));
  }

 private:
  enum class Kind { buffer, real, integer, other };
  struct Arg {
    Kind kind;
    std::size_t bytes;
  };
  struct Release {
    void operator()(wt_operation* handle) const noexcept { wt_release(handle); }
  };

  Arg describe(int index) const {
    const std::string_view dtype = wt_operation_arg_dtype(get(), index);
    const std::size_t bytes = wt_operation_arg_bytes(get(), index);
    if (wt_operation_arg_is_buffer(get(), index) != 0) return {Kind::buffer, bytes};
    if (dtype == "fp32" || dtype == "fp64") return {Kind::real, bytes};
    if (dtype.find("int") != std::string_view::npos || dtype == "bool") return {Kind::integer, bytes};
    return {Kind::other, bytes};
  }

  template <class T> static std::uint64_t bits_of(const T& value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }

  template <class T> std::uint64_t encode(std::size_t index, const T& value) const {
    const Arg& arg = args_[index];
    if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
      if (arg.kind == Kind::buffer) return bits_of(static_cast<const volatile void*>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (arg.kind == Kind::real)
        return arg.bytes == 4 ? bits_of(static_cast<float>(value)) : bits_of(static_cast<double>(value));
      if constexpr (std::is_integral_v<T>) {
        if (arg.kind == Kind::integer) return static_cast<std::uint64_t>(value); // little-endian: the low bytes
        if (arg.kind == Kind::buffer && std::is_unsigned_v<T> && sizeof(T) == 8)
          return static_cast<std::uint64_t>(value);
      }
    } else if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 8) {
      if (arg.kind == Kind::other && arg.bytes == sizeof(T)) return bits_of(value);
    }
    const int i = static_cast<int>(index);
    throw Error(WT_BAD_INPUT, std::string("launch: the value for '") + wt_operation_arg_name(get(), i) +
                                  "' does not fit a " + wt_operation_arg_dtype(get(), i) +
                                  (arg.kind == Kind::buffer ? " buffer" : " scalar"));
  }

  std::unique_ptr<wt_operation, Release> handle_;
  std::vector<Arg> args_;
};

struct Explanation {
  wt_match match;
  std::string text;
};

// An opened tuning database.
class Library {
 public:
  Library() : Library(nullptr) {} // $WARPTUNE_DB, else the user's own
  explicit Library(const std::string& path) : Library(path.c_str()) {}

  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (int i = 0; i < wt_kernel_count(get()); ++i) names.emplace_back(wt_kernel_name(get(), i));
    return names;
  }

  // Texts as in wt_prepare; an empty one stands for the default.
  Operation prepare(const std::string& kernel, const std::string& shape, const std::string& dtype = {},
                    const std::string& flags = {}) const {
    wt_operation* operation = nullptr;
    check(wt_prepare(get(), kernel.c_str(), shape.c_str(), dtype.c_str(), flags.c_str(), &operation));
    return Operation(operation);
  }

  // `device` as in wt_explain; empty: the current context's.
  Explanation explain(const std::string& kernel, const std::string& shape, const std::string& dtype = {},
                      const std::string& flags = {}, const std::string& device = {}) const {
    const char* text = nullptr;
    Explanation found{WT_MATCH_DEFAULT, {}};
    check(wt_explain(get(), kernel.c_str(), shape.c_str(), dtype.c_str(), flags.c_str(),
                     device.empty() ? nullptr : device.c_str(), &found.match, &text));
    found.text = text;
    return found;
  }

  wt_library* get() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(wt_library* handle) const noexcept { wt_close(handle); }
  };
  explicit Library(const char* path) {
    wt_library* handle = nullptr;
    check(wt_open(path, &handle));
    handle_.reset(handle);
  }
  std::unique_ptr<wt_library, Close> handle_;
};

} // namespace v0
} // namespace warptune
