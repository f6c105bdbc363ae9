#include "plan/plan_values.h"

namespace warptune {

Result<CostEstimate> estimate_cost(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  const PlanValues values(spec, problem, device, nullptr);
  const auto amount = [&](const Expr& expr, const std::string& what) -> Result<double> {
    WT_TRY(const auto value, values.integer(expr, what));
    if (value < 0) return values.refuse(ErrorKind::bad_input, what + " is below zero: " + std::to_string(value));
    return static_cast<double>(value);
  };
  CostEstimate cost;
  WT_TRY(const auto read, amount(spec.cost.bytes_read, "cost/bytes_read"));
  WT_TRY(const auto written, amount(spec.cost.bytes_written, "cost/bytes_written"));
  cost.bytes_read = read;
  cost.bytes_written = written;
  for (const auto& [pipe, expr] : spec.cost.flops) {
    WT_TRY(const auto flops, amount(expr, "cost/flops/" + pipe));
    if (flops == 0) continue; // such as the pipe that `tensor_when` excludes
    // The rate of tensor cores depends on the type of their operands.
    const bool wide = pipe == "tensor" && problem.dtype != DType::bf16 && problem.dtype != DType::fp16;
    cost.flops.emplace_back(wide ? pipe + " " + std::string(dtype_name(problem.dtype)) : pipe, flops);
  }
  return cost;
}

} // namespace warptune
