// Vendor libraries whose functions replace kernels in a launch sequence. warptune does not link them: each is opened
// when a plan first needs it. Code above src/gpu uses them only through this interface. spec/library_table.h lists the
// calls, and docs/design/development.md explains how to add a library.
#pragma once

#include "core/result.h"
#include "gpu/driver.h"
#include "plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace warptune {

// Returns a value of the call. Precondition: `name` is one of the LibraryFunction's values (the plan has all of them).
inline std::int64_t value_of(const LibraryCallPlan& call, std::string_view name) {
  return std::find_if(call.values.begin(), call.values.end(), [&](const auto& v) { return v.first == name; })->second;
}

// A call that is ready to run: one-time work, such as creating descriptors, is done. Several threads may use it at
// once.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  // `args`: one per LibraryCallPlan::args: a device pointer, the bits of a scalar (scalar_bits), or 0 for an absent
  // argument. The call neither allocates nor synchronises, so it may be captured into a CUDA graph.
  virtual CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept = 0;
};

// One vendor library. Errors are of kind no_candidate. They say what is missing or too old, which paths were tried and
// what to install, or why the call is not possible.
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  virtual Result<std::string> version(const Driver& driver) const = 0; // "13.0"
  // Prepares the call for the current context. The call's arguments refer to the buffers and scalars of `plan`.
  virtual Result<std::unique_ptr<const PreparedCall>> prepare(const Driver& driver, const LibraryCallPlan& call,
                                                              const LaunchPlan& plan) const = 0;
};

} // namespace warptune
