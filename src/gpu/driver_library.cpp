#include "gpu/driver_library.h"

#include <fmt/format.h>

namespace warptune {
namespace {

tl::unexpected<Error> refuse(const LibraryCallPlan& call, const std::string& why) {
  return fail(ErrorKind::no_candidate, fmt::format("{}: {}", call.name(), why));
}

// The driver would write past the end without an error.
Result<void> check_size(const LibraryCallPlan& call, const LaunchPlan& plan, std::int64_t bytes) {
  for (const auto& [name, arg] : call.args) {
    if (bytes == 0) break;
    if (arg.kind != ArgRef::Kind::buffer)
      return refuse(call, fmt::format("the argument '{}' does not exist for this problem, but 'bytes' is {}; use "
                                      "'when' to leave the call out",
                                      name, bytes));
    const BufferPlan& buffer = plan.buffers[static_cast<std::size_t>(arg.index)];
    if (bytes > buffer.bytes())
      return refuse(call, fmt::format("'bytes' is {}, but the buffer '{}' has {}; correct the formula", bytes,
                                      buffer.name, buffer.bytes()));
  }
  return {};
}

class Copy final : public PreparedCall { // arguments: to, from
 public:
  Copy(const Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {}
  CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept override {
    if (bytes_ == 0) return CUDA_SUCCESS;
    return driver_.cuMemcpyDtoDAsync(args[0], args[1], bytes_, stream);
  }

 private:
  const Driver& driver_;
  std::size_t bytes_;
};

class FillWith final : public PreparedCall { // argument: to
 public:
  FillWith(const Driver& driver, std::size_t bytes, std::uint32_t pattern, bool by_words)
      : driver_(driver), bytes_(bytes), pattern_(pattern), by_words_(by_words) {}
  CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept override {
    if (bytes_ == 0) return CUDA_SUCCESS;
    return by_words_ ? driver_.cuMemsetD32Async(args[0], pattern_, bytes_ / 4, stream)
                     : driver_.cuMemsetD8Async(args[0], static_cast<unsigned char>(pattern_), bytes_, stream);
  }

 private:
  const Driver& driver_;
  std::size_t bytes_;
  std::uint32_t pattern_;
  bool by_words_;
};

Result<std::unique_ptr<const PreparedCall>> prepare_fill(const Driver& driver, const LibraryCallPlan& call,
                                                         std::int64_t bytes) {
  const std::int64_t pattern = value_of(call, "pattern"), pattern_bytes = value_of(call, "pattern_bytes");
  if (pattern_bytes != 1 && pattern_bytes != 4)
    return refuse(call, fmt::format("'pattern_bytes' is {}; it must be 1 or 4", pattern_bytes));
  if (bytes % pattern_bytes != 0)
    return refuse(call,
                  fmt::format("'bytes' is {}, which is not a multiple of 'pattern_bytes' ({})", bytes, pattern_bytes));
  if (pattern_bytes == 1 && pattern > 0xFF)
    return refuse(call, fmt::format("'pattern' is {}, which does not fit one byte; give 'pattern_bytes'", pattern));
  return std::make_unique<const FillWith>(driver, static_cast<std::size_t>(bytes), static_cast<std::uint32_t>(pattern),
                                          pattern_bytes == 4);
}

class DriverLibrary final : public VendorLibrary {
 public:
  Result<std::string> version(const Driver& driver) const override {
    return fmt::format("{}.{}", driver.version / 1000, driver.version % 1000 / 10);
  }

  Result<std::unique_ptr<const PreparedCall>> prepare(const Driver& driver, const LibraryCallPlan& call,
                                                      const LaunchPlan& plan) const override {
    const std::int64_t bytes = value_of(call, "bytes");
    WT_CHECK(check_size(call, plan, bytes));
    if (call.call == "copy") return std::make_unique<const Copy>(driver, static_cast<std::size_t>(bytes));
    return prepare_fill(driver, call, bytes);
  }
};

} // namespace

const VendorLibrary& driver_library() {
  static const DriverLibrary only;
  return only;
}

} // namespace warptune
