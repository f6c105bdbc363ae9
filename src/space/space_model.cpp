#include "space/space_model.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

namespace warptune {
namespace {

SpaceModel::Rule make_rule(std::size_t constraint, Expr expr, const std::vector<std::int64_t>& fixed,
                           std::size_t slots) {
  const std::size_t first_param = fixed.size();
  SpaceModel::Rule rule;
  rule.constraint = constraint;
  rule.operations = expr.operations();
  for (const int slot : expr.slots())
    if (static_cast<std::size_t>(slot) >= first_param) rule.params.push_back(slot - static_cast<int>(first_param));
  rule.quick.finish(expr.compile(rule.quick, fixed), expr.slots().empty() ? -1 : expr.slots().back());
  const auto shared = std::make_shared<const Expr>(std::move(expr));
  rule.ask = [shared, slots](const std::int64_t* values) {
    std::int64_t result = 0;
    if (!shared->try_evaluate(std::span(values, slots), result)) return SpaceModel::Answer::failed;
    return result != 0 ? SpaceModel::Answer::met : SpaceModel::Answer::unmet;
  };
  rule.explain = [shared, slots](const std::int64_t* values) {
    const Result<std::int64_t> result = shared->evaluate(std::span(values, slots));
    return result ? std::string() : result.error().message;
  };
  return rule;
}

} // namespace

SpaceModel make_space_model(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  SpaceModel model;
  model.what = "the space of " + spec.name + " for " + problem_key(spec, problem) + " on " +
               (device.name.empty() ? "this device" : device.name);
  model.fixed = make_slots(spec, problem, device.limits);
  const std::size_t slots = model.fixed.size();
  model.fixed.resize(static_cast<std::size_t>(spec.first_param_slot));
  for (const Param& param : spec.params) model.values.push_back(param.values);
  for (std::size_t c = 0; c < spec.constraints.size(); ++c) {
    const Expr& expr = spec.constraints[c].expr;
    model.constraints.push_back({expr.text(), spec.constraints[c].why});
    for (Expr& part : expr.conjuncts()) model.rules.push_back(make_rule(c, std::move(part), model.fixed, slots));
  }
  return model;
}

} // namespace warptune
