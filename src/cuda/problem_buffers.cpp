#include "cuda/problem_buffers.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

namespace warptune {

Result<std::vector<BufferPlan>> plan_problem_buffers(const Kernel& kernel, const Problem& problem,
                                                     const DeviceInfo& device) {
  WT_TRY(auto plan, make_reference_plan(kernel.spec, problem, device));
  const std::vector<std::int64_t> slots = make_slots(kernel.spec, problem, device.limits);
  std::vector<BufferPlan> buffers;
  for (BufferPlan& buffer : plan.buffers) {
    const int index = kernel.spec.find_argument(buffer.name);
    if (index < 0) continue; // belongs to the reference only
    const auto& arg = std::get<BufferArg>(kernel.spec.arguments[static_cast<std::size_t>(index)].value);
    WT_TRY(auto dtype, arg.dtype.evaluate(slots));
    if (dtype < 0 || dtype >= kDTypeCount)
      return fail(ErrorKind::bad_input, fmt::format("the formula for the dtype of {} ({}) does not give a dtype",
                                                    buffer.name, arg.dtype.text()));
    buffer.dtype = static_cast<DType>(dtype);
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

} // namespace warptune
