// Libraries of vendors whose calls take the place of kernels in a launch sequence. None is linked: each is opened when
// a plan first needs it. The one way to them for all above src/gpu; spec/library_table.h says which calls there are,
// and docs/design/development.md how to add one.
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

// Precondition: a value of the call's LibraryFunction, which the plan has all of.
inline std::int64_t value_of(const LibraryCallPlan& call, std::string_view name) {
  return std::find_if(call.values.begin(), call.values.end(), [&](const auto& v) { return v.first == name; })->second;
}

// A call with everything made that can be made once, such as descriptors. Used by several threads at a time.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  // `args`: one per LibraryCallPlan::args, a device pointer or the bits of a scalar (scalar_bits); 0 where it is
  // absent. Neither allocates nor synchronises: it may be captured into a graph.
  virtual CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept = 0;
};

// Errors are of kind no_candidate: what is missing or too old, where it was looked for and what to install; or why
// the call is not possible.
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  virtual Result<std::string> version(const Driver& driver) const = 0; // "13.0"
  // For the current context. `plan` has the buffers and scalars that the call's arguments refer to.
  virtual Result<std::unique_ptr<const PreparedCall>> prepare(const Driver& driver, const LibraryCallPlan& call,
                                                              const LaunchPlan& plan) const = 0;
};

} // namespace warptune
