// PlanValues evaluates a plan's formulas for one (problem, config, device) and checks the results. Private to
// plan*.cpp.
#pragma once

#include "plan/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune {

class PlanValues {
 public:
  PlanValues(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device, const Config* config);

  // `what` names the value in errors: "the count of 'x'". An error is of kind no_candidate if the formula reads a
  // param, because another configuration may succeed; otherwise of kind bad_input.
  Result<std::int64_t> integer(const Expr& expr, const std::string& what) const;
  Result<std::int64_t> in_range(const Expr& expr, std::int64_t low, std::int64_t high, const std::string& what) const;
  Result<double> real(const RealExpr& expr, const std::string& what) const;
  Result<DType> dtype(const Expr& expr, const std::string& what) const;
  Result<std::string> source_text(const SourceValue& value, const std::string& what) const; // as C++ text
  std::span<const std::int64_t> slots() const { return slots_; }
  ErrorKind kind_of(const Expr& expr) const { return kind_of(expr.slots()); }
  ErrorKind kind_of(const std::vector<int>& slots) const;
  tl::unexpected<Error> refuse(ErrorKind kind, const std::string& why) const;

 private:
  const KernelSpec& spec_;
  std::string where_; // "softmax rows=4,cols=8;bf16 with WARPS=4"
  std::vector<std::int64_t> slots_;
};

// Defined in plan_rows.cpp. Returns the row layout of the buffer `name`, which has `count` elements. Error: rows
// overlap, or the buffer ends inside a row or inside a gap.
Result<BufferRows> plan_rows(const std::string& name, const BufferArg& arg, std::int64_t count,
                             const PlanValues& values);

// Defined in plan_tensor_map.cpp. `buffer` is the index of the mapped buffer in the plan; `dtype` is its type.
Result<TensorMapPlan> plan_tensor_map(const TensorMapArg& map, const std::string& name, int buffer, DType dtype,
                                      const PlanValues& values);

// Defined in plan_launch.cpp. `args`: the plan's argument for each argument of the spec, then for each one that only
// the reference has. The result includes the kernel's name expression.
Result<KernelLaunch> plan_launch(const Launch& launch, const std::vector<ArgRef>& args, const PlanValues& values,
                                 const DeviceInfo& device);

// Defined in plan_library_call.cpp. `args`: as for plan_launch. The caller sets `position`.
Result<LibraryCallPlan> plan_library_call(const LibraryCall& call, const std::vector<ArgRef>& args,
                                          const PlanValues& values);

} // namespace warptune
