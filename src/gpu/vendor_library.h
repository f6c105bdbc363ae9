// Vendor libraries whose calls replace kernels in a launch sequence. None is linked: each is opened when a plan first
// needs it. All code above src/gpu uses them only through this interface. spec/library_table.h lists the calls, and
// docs/design/development.md says how to add one.
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

// Precondition: `name` is a value of the call's LibraryFunction; the plan has all of them.
inline std::int64_t value_of(const LibraryCallPlan& call, std::string_view name) {
  return std::find_if(call.values.begin(), call.values.end(), [&](const auto& v) { return v.first == name; })->second;
}

// A prepared call: one-time work, such as creating descriptors, is already done. Several threads may use it
// concurrently.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  // `args`: one per LibraryCallPlan::args, a device pointer or the bits of a scalar (scalar_bits); 0 for an absent
  // argument. Neither allocates nor synchronises, so it may be captured into a graph.
  virtual CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept = 0;
};

// Errors are of kind no_candidate. They say what is missing or too old, which paths were tried and what to install, or
// why the call is not possible.
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  virtual Result<std::string> version(const Driver& driver) const = 0; // "13.0"
  // Prepares the call for the current context. `plan` has the buffers and scalars to which the call's arguments refer.
  virtual Result<std::unique_ptr<const PreparedCall>> prepare(const Driver& driver, const LibraryCallPlan& call,
                                                              const LaunchPlan& plan) const = 0;
};

} // namespace warptune
