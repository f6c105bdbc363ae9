#include "plan/plan_values.h"

#include "core/text.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>

namespace warptune {

PlanValues::PlanValues(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device, const Config* config)
    : spec_(spec), where_(spec.name + " " + short_problem(problem_key(spec, problem))),
      slots_(make_slots(spec, problem, device.limits)) {
  if (!config) return;
  where_ += " with " + config_text(spec, *config);
  std::copy(config->begin(), config->end(), slots_.begin() + spec.first_param_slot);
}

tl::unexpected<Error> PlanValues::refuse(ErrorKind kind, const std::string& why) const {
  return fail(kind, where_ + ": " + why);
}

ErrorKind PlanValues::kind_of(const std::vector<int>& slots) const {
  return !slots.empty() && slots.back() >= spec_.first_param_slot ? ErrorKind::no_candidate : ErrorKind::bad_input;
}

Result<std::int64_t> PlanValues::integer(const Expr& expr, const std::string& what) const {
  const Result<std::int64_t> value = expr.evaluate(slots_);
  if (value) return *value;
  return refuse(kind_of(expr), what + ": " + value.error().message);
}

Result<double> PlanValues::real(const RealExpr& expr, const std::string& what) const {
  const Result<double> value = expr.evaluate(slots_);
  if (value) return *value;
  return refuse(kind_of(expr.slots()), what + ": " + value.error().message);
}

Result<std::int64_t> PlanValues::in_range(const Expr& expr, std::int64_t low, std::int64_t high,
                                          const std::string& what) const {
  Result<std::int64_t> value = integer(expr, what);
  if (!value || (*value >= low && *value <= high)) return value;
  return refuse(ErrorKind::no_candidate, what + " is " + std::to_string(*value) + " (" + quote(expr.text()) +
                                             "), outside " + std::to_string(low) + " to " + std::to_string(high));
}

Result<DType> PlanValues::dtype(const Expr& expr, const std::string& what) const {
  WT_TRY(const std::int64_t value, integer(expr, what));
  if (value < 0 || value >= kDTypeCount)
    return refuse(ErrorKind::bad_input, what + " is " + std::to_string(value) + " (" + quote(expr.text()) +
                                            "), which is not a dtype; the formula must give a dtype such as fp32");
  return static_cast<DType>(value);
}

Result<std::string> PlanValues::source_text(const SourceValue& value, const std::string& what) const {
  switch (value.kind) {
  case SourceValue::Kind::text:
    return value.text;
  case SourceValue::Kind::type: {
    WT_TRY(const DType type, dtype(value.expr, what));
    return std::string(dtype_cpp_name(type));
  }
  case SourceValue::Kind::text_by_flag: {
    WT_TRY(const std::int64_t wanted, integer(value.expr, what));
    for (const auto& [flag_value, text] : value.texts)
      if (flag_value == wanted) return text;
    return refuse(ErrorKind::bad_input, what + " has no text for the flag " + quote(value.expr.text()));
  }
  case SourceValue::Kind::number:
    break;
  }
  WT_TRY(const std::int64_t number, integer(value.expr, what));
  return std::to_string(number);
}

} // namespace warptune
