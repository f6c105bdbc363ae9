// warptune for C++17: RAII handles and typed launches; header only, built on the C interface (warptune.h). Failures
// throw warptune::Error from code that is compiled into the application, so no exception crosses the library's ABI.
// warptune/operators.hpp has typed calls of the shipped operators.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#include <warptune/warptune.h>

namespace warptune {
inline namespace v0 { // so that the symbols differ from those inside the library

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

// A list of sizes (for example those of groups or sequences) as the value of a list dim. The library uses only four
// numbers: the count of the sizes, their sum, the largest and the smallest size.
class List {
 public:
  List(const std::int64_t* sizes, std::size_t count) { check(wt_list_sizes(sizes, count, numbers_.data())); }
  List(const std::vector<std::int64_t>& sizes) : List(sizes.data(), sizes.size()) {}
  List(std::initializer_list<std::int64_t> sizes) : List(sizes.begin(), sizes.size()) {}
  const std::array<std::int64_t, 4>& numbers() const noexcept { return numbers_; }

 private:
  std::array<std::int64_t, 4> numbers_{};
};

// The sizes of a problem in the order of wt_kernel_dim_name. They are given as {rows, cols}, with any integer types, as
// a vector, or as an array. A List stands for four consecutive sizes: {List(group_rows), cols}.
class Dims {
 public:
  template <class... Sizes, class = std::enable_if_t<(std::is_integral_v<Sizes> && ...)>> Dims(Sizes... sizes) {
    reserve(sizeof...(Sizes));
    (add(sizes), ...);
  }
  template <class... Sizes,
            class = std::enable_if_t<((std::is_integral_v<Sizes> || std::is_same_v<Sizes, List>)&&...) &&
                                     (std::is_same_v<Sizes, List> || ...)>,
            class = void>
  Dims(const Sizes&... sizes) {
    reserve(((std::is_same_v<Sizes, List> ? 4 : 1) + ...));
    (add(sizes), ...);
  }
  Dims(const std::vector<std::int64_t>& sizes) : Dims(sizes.data(), sizes.size()) {}
  template <std::size_t N> Dims(const std::array<std::int64_t, N>& sizes) : Dims(sizes.data(), N) {}
  Dims(const std::int64_t* sizes, std::size_t count) {
    reserve(count);
    for (std::size_t i = 0; i < count; ++i) add(sizes[i]);
  }
  const std::int64_t* data() const noexcept { return more_.empty() ? few_.data() : more_.data(); }
  int count() const noexcept { return static_cast<int>(count_); }

 private:
  static constexpr std::size_t kFew = 16; // up to 16 sizes need no allocation

  void reserve(std::size_t count) {
    if (count > kFew) more_.reserve(count);
  }
  void add(const List& list) {
    for (const std::int64_t number : list.numbers()) add(number);
  }
  template <class Size> std::enable_if_t<std::is_integral_v<Size>> add(Size size) {
    if (more_.capacity() > 0)
      more_.push_back(static_cast<std::int64_t>(size));
    else
      few_[count_] = static_cast<std::int64_t>(size);
    ++count_;
  }

  std::array<std::int64_t, kFew> few_{};
  std::vector<std::int64_t> more_;
  std::size_t count_ = 0;
};

// The arguments of one launch, converted for the C interface: one value for each wt_kernel_arg_name, in that order. A
// buffer is a pointer to device memory or a CUdeviceptr. A scalar is a number, which is converted to the declared type;
// a number outside the range of this type is refused. A 16- or 8-bit float is passed as its bits.
template <std::size_t N> class PackedArgs {
 public:
  template <class Handle, class... Args>
  PackedArgs(const Handle& handle, int expected, const Args&... args) { // Handle: Kernel or Operation
    if (static_cast<int>(N) != expected)
      throw Error(WT_BAD_INPUT, "launch: " + std::to_string(N) + " arguments were given, but the kernel takes " +
                                    std::to_string(expected));
    std::size_t i = 0;
    ((values_[i] = encode(handle, static_cast<int>(i), args), pointers_[i] = &values_[i], ++i), ...);
  }
  PackedArgs(const PackedArgs&) = delete; // not copyable: it holds pointers into itself
  PackedArgs& operator=(const PackedArgs&) = delete;
  const void* const* data() const noexcept { return pointers_.data(); }

 private:
  template <class T> static std::uint64_t bits_of(const T& value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }

  template <class To, class From> static constexpr bool fits(From value) noexcept {
    const To converted = static_cast<To>(value);
    if constexpr (std::is_signed_v<From> && !std::is_signed_v<To>) {
      if (value < 0) return false;
    } else if constexpr (!std::is_signed_v<From> && std::is_signed_v<To>) {
      if (converted < 0) return false;
    }
    return static_cast<From>(converted) == value;
  }

  // `dtype`: the name of an integer type, or "bool".
  template <class T> static bool fits_dtype(std::string_view dtype, T value) noexcept {
    if (dtype == "int64") return fits<std::int64_t>(value);
    if (dtype == "int32") return fits<std::int32_t>(value);
    if (dtype == "uint64") return fits<std::uint64_t>(value);
    if (dtype == "uint32") return fits<std::uint32_t>(value);
    if (dtype == "int16") return fits<std::int16_t>(value);
    if (dtype == "uint16") return fits<std::uint16_t>(value);
    if (dtype == "int8") return fits<std::int8_t>(value);
    if (dtype == "uint8") return fits<std::uint8_t>(value);
    return value == T{0} || value == T{1};
  }

  template <class Handle> [[noreturn]] static void refuse_range(const Handle& handle, int index) {
    throw Error(WT_BAD_INPUT, "launch: the value for '" + handle.arg_name(index) +
                                  "' is outside the range of its type " + std::string(handle.arg_dtype(index)));
  }

  template <class To, class Handle, class T> static To rounded(const Handle& handle, int index, T value) {
    const To number = static_cast<To>(value);
    if (std::isinf(number) && !std::isinf(static_cast<long double>(value))) refuse_range(handle, index);
    return number;
  }

  static const char* kind_name(wt_arg_kind kind) noexcept {
    switch (kind) {
    case WT_ARG_BUFFER:
      return "buffer";
    case WT_ARG_INTEGER:
      return "whole number";
    case WT_ARG_BITS16:
      return "16-bit float";
    case WT_ARG_BITS8:
      return "8-bit float";
    default:
      return "number";
    }
  }

  template <class Handle, class T> static std::uint64_t encode(const Handle& handle, int index, const T& value) {
    const wt_arg_kind kind = handle.arg_kind(index);
    if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
      if (kind == WT_ARG_BUFFER) return bits_of(static_cast<const volatile void*>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (kind == WT_ARG_FLOAT32) return bits_of(rounded<float>(handle, index, value));
      if (kind == WT_ARG_FLOAT64) return bits_of(rounded<double>(handle, index, value));
      if constexpr (std::is_integral_v<T>) {
        if (kind == WT_ARG_INTEGER) {
          if (!fits_dtype(handle.arg_dtype(index), value)) refuse_range(handle, index);
          return static_cast<std::uint64_t>(value); // the launch reads its first bytes, the low ones
        }
        if (kind == WT_ARG_BUFFER && std::is_unsigned_v<T> && sizeof(T) == 8) return static_cast<std::uint64_t>(value);
      }
    } else if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 2) {
      if (kind == (sizeof(T) == 2 ? WT_ARG_BITS16 : WT_ARG_BITS8)) return bits_of(value);
    }
    throw Error(WT_BAD_INPUT, std::string("launch: the value for '") + handle.arg_name(index) +
                                  "' cannot be converted to a " + kind_name(kind));
  }

  std::array<std::uint64_t, N + 1> values_{};
  std::array<const void*, N + 1> pointers_{};
};

// A kernel selected for one problem in one context. The library owns it, and copying an Operation copies only a
// pointer. Several threads may launch it at the same time.
class Operation {
 public:
  explicit Operation(const wt_operation* handle) noexcept : handle_(handle) {}

  wt_match match() const noexcept { return wt_operation_match(handle_); }
  std::string config() const { return wt_operation_config(handle_); }
  std::string explain() const { return wt_operation_explain(handle_); }
  double predicted_loss() const noexcept { return wt_operation_predicted_loss(handle_); }
  std::size_t workspace_bytes() const noexcept { return wt_operation_workspace_bytes(handle_); }
  int arg_count() const noexcept { return wt_operation_arg_count(handle_); }
  std::string arg_name(int index) const { return wt_operation_arg_name(handle_, index); }
  wt_arg_kind arg_kind(int index) const noexcept { return wt_operation_arg_kind(handle_, index); }
  std::string_view arg_dtype(int index) const noexcept { // empty: no such argument
    const char* const name = wt_operation_arg_dtype(handle_, index);
    return name == nullptr ? std::string_view() : name;
  }
  std::size_t arg_bytes(int index) const noexcept { return wt_operation_arg_bytes(handle_, index); }
  const wt_operation* get() const noexcept { return handle_; }

  // Launches an operation that needs no workspace. `args`: one value for each arg_name, in the same order.
  template <class... Args> void launch(void* stream, const Args&... args) const {
    launch_with_workspace(stream, nullptr, args...);
  }

  // `workspace`: device memory of workspace_bytes(). No other launch may use it before this launch has completed.
  template <class... Args> void launch_with_workspace(void* stream, void* workspace, const Args&... args) const {
    const PackedArgs<sizeof...(Args)> packed(*this, arg_count(), args...);
    check(wt_launch(handle_, packed.data(), static_cast<int>(sizeof...(Args)), workspace, stream));
  }

 private:
  const wt_operation* handle_;
};

// A workspace in device memory. It grows to the largest size requested, with the application's own allocator. Use one
// workspace for each stream; launches on the same stream may share it, because they run one after another.
//   Workspace workspace([](std::size_t bytes) { void* p = nullptr; cudaMalloc(&p, bytes); return p; },
//                       [](void* p) { cudaFree(p); });
class Workspace {
 public:
  using Allocate = std::function<void*(std::size_t bytes)>; // returns null when out of memory
  using Free = std::function<void(void* memory)>; // must wait for launches that use the memory, as cudaFree does

  Workspace(Allocate allocate, Free free) : allocate_(std::move(allocate)), free_(std::move(free)) {}
  Workspace(Workspace&& other) noexcept
      : allocate_(std::move(other.allocate_)), free_(std::move(other.free_)),
        memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace() { release(); }

  // Returns memory of at least `bytes` bytes, as the allocator aligned it. Returns null if all requests so far were for
  // 0 bytes.
  void* reserve(std::size_t bytes) {
    if (bytes <= bytes_) return memory_;
    release();
    memory_ = allocate_(bytes);
    if (memory_ == nullptr)
      throw Error(WT_INTERNAL, "cannot allocate a workspace of " + std::to_string(bytes) + " bytes of device memory");
    bytes_ = bytes;
    return memory_;
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void release() noexcept {
    if (memory_ != nullptr) free_(memory_);
    memory_ = nullptr;
    bytes_ = 0;
  }

  Allocate allocate_;
  Free free_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

struct Explanation {
  wt_match match;
  std::string text;
};

// A kernel with its dtype and flags. A call selects an operation for a shape and launches this operation. The library
// owns the kernel, and copying a Kernel copies only a pointer.
//   auto softmax = library.kernel("softmax", "bf16");
//   softmax(stream, {rows, cols}, x, y);
class Kernel {
 public:
  explicit Kernel(const wt_kernel* handle) noexcept : handle_(handle) {}

  std::vector<std::string> dims() const {
    std::vector<std::string> names;
    for (int i = 0; i < wt_kernel_dim_count(handle_); ++i) names.emplace_back(wt_kernel_dim_name(handle_, i));
    return names;
  }
  // Returns, for each dim, the name of the list dim to which it belongs (see wt_kernel_dim_list); empty if there is
  // none.
  std::vector<std::string> lists() const {
    std::vector<std::string> names;
    for (int i = 0; i < wt_kernel_dim_count(handle_); ++i) {
      const char* list = wt_kernel_dim_list(handle_, i);
      names.emplace_back(list == nullptr ? "" : list);
    }
    return names;
  }
  std::int64_t dim_default(int index) const noexcept { return wt_kernel_dim_default(handle_, index); } // -1: none
  int arg_count() const noexcept { return wt_kernel_arg_count(handle_); }
  std::string arg_name(int index) const { return wt_kernel_arg_name(handle_, index); }
  wt_arg_kind arg_kind(int index) const noexcept { return wt_kernel_arg_kind(handle_, index); }
  std::string_view arg_dtype(int index) const noexcept { // of a scalar; empty for a buffer
    const char* const name = wt_kernel_arg_dtype(handle_, index);
    return name == nullptr ? std::string_view() : name;
  }
  const wt_kernel* get() const noexcept { return handle_; }

  // Calls wt_select. `stream`: the stream of the launch; nothing is loaded while that stream is being captured.
  Operation select(const Dims& dims, std::size_t alignment = 0, void* stream = nullptr) const {
    const wt_operation* operation = nullptr;
    check(wt_select(handle_, dims.data(), dims.count(), alignment, stream, &operation));
    return Operation(operation);
  }

  // Calls wt_prefetch.
  void prefetch(const Dims& dims, std::size_t alignment = 0) const {
    check(wt_prefetch(handle_, dims.data(), dims.count(), alignment));
  }

  // `device`: as in wt_explain; an empty string means the device of the current context.
  Explanation explain(const Dims& dims, const std::string& device = {}, std::size_t alignment = 0) const {
    Explanation found{WT_MATCH_DEFAULT, {}};
    const char* text = nullptr;
    check(wt_kernel_explain(handle_, dims.data(), dims.count(), alignment, device.empty() ? nullptr : device.c_str(),
                            &found.match, &text));
    found.text = text;
    return found;
  }

  // Selects and launches a kernel that needs no workspace. `args`: one value for each arg_name, in the same order.
  template <class... Args> void operator()(void* stream, const Dims& dims, const Args&... args) const {
    run(stream, dims, nullptr, 0, args...);
  }

  // Calls wt_run: selects for these sizes and the alignment of the given buffers, then launches.
  template <class... Args>
  void run(void* stream, const Dims& dims, void* workspace, std::size_t workspace_bytes, const Args&... args) const {
    const PackedArgs<sizeof...(Args)> packed(*this, arg_count(), args...);
    check(wt_run(handle_, dims.data(), dims.count(), packed.data(), static_cast<int>(sizeof...(Args)), workspace,
                 workspace_bytes, stream));
  }

  // Does the same as the function above, but with a `workspace` that grows if it is too small. Growing allocates, so
  // reserve the workspace before a stream capture.
  template <class... Args> void run(void* stream, const Dims& dims, Workspace& workspace, const Args&... args) const {
    const PackedArgs<sizeof...(Args)> packed(*this, arg_count(), args...);
    const wt_operation* operation = nullptr;
    check(wt_select_for(handle_, dims.data(), dims.count(), packed.data(), static_cast<int>(sizeof...(Args)), stream,
                        &operation));
    check(wt_launch(operation, packed.data(), static_cast<int>(sizeof...(Args)),
                    workspace.reserve(wt_operation_workspace_bytes(operation)), stream));
  }

 private:
  const wt_kernel* handle_;
};

struct Options {
  int jit = -1;              // wt_options::jit
  std::string misses_path{}; // wt_options::misses_path; empty means NULL, "off" means no file
  bool allow_vendor = false; // wt_options::allow_vendor
};

// An opened pack or tuning database. Its kernels and operations are valid as long as the library exists.
class Library {
 public:
  // A null path means $WARPTUNE_DB or, if that is not set, the user's own database. If there is no database yet,
  // shipped kernels run untuned (see wt_open).
  explicit Library(const char* path = nullptr, const Options& options = {}) {
    const wt_options given{sizeof(wt_options), options.jit,
                           options.misses_path.empty() ? nullptr : options.misses_path.c_str(),
                           options.allow_vendor ? 1 : 0};
    wt_library* handle = nullptr;
    check(wt_open_with(path, &given, &handle));
    handle_.reset(handle);
  }
  explicit Library(const std::string& path, const Options& options = {}) : Library(path.c_str(), options) {}

  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (int i = 0; i < wt_kernel_count(get()); ++i) names.emplace_back(wt_kernel_name(get(), i));
    return names;
  }

  // The strings have the form that wt_find_kernel describes; an empty string means the default.
  Kernel kernel(const std::string& name, const std::string& dtype = {}, const std::string& flags = {}) const {
    const wt_kernel* found = nullptr;
    check(wt_find_kernel(get(), name.c_str(), dtype.c_str(), flags.c_str(), &found));
    return Kernel(found);
  }

  // The strings have the form that wt_prepare describes.
  Operation prepare(const std::string& kernel, const std::string& shape, const std::string& dtype = {},
                    const std::string& flags = {}) const {
    const wt_operation* operation = nullptr;
    check(wt_prepare(get(), kernel.c_str(), shape.c_str(), dtype.c_str(), flags.c_str(), &operation));
    return Operation(operation);
  }

  // `device`: as in wt_explain; an empty string means the device of the current context.
  Explanation explain(const std::string& kernel, const std::string& shape, const std::string& dtype = {},
                      const std::string& flags = {}, const std::string& device = {}) const {
    const char* text = nullptr;
    Explanation found{WT_MATCH_DEFAULT, {}};
    check(wt_explain(get(), kernel.c_str(), shape.c_str(), dtype.c_str(), flags.c_str(),
                     device.empty() ? nullptr : device.c_str(), &found.match, &text));
    found.text = text;
    return found;
  }

  // If the file has new content, uses this content from now on and returns true. If the file is damaged, throws Error
  // and keeps the old content.
  bool reload() const {
    int changed = 0;
    check(wt_reload(get(), &changed));
    return changed != 0;
  }

  // Calls wt_write_misses. An empty path means Options::misses_path.
  void write_misses(const std::string& path = {}) const {
    check(wt_write_misses(get(), path.empty() ? nullptr : path.c_str()));
  }

  wt_library* get() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(wt_library* handle) const noexcept { wt_close(handle); }
  };
  std::unique_ptr<wt_library, Close> handle_;
};

} // namespace v0
} // namespace warptune
