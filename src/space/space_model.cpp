#include "space/space_model.h"

#include "core/text.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

void add_params(const KernelSpec& spec, SpaceModel& model) {
  const bool has_labels =
      std::any_of(spec.params.begin(), spec.params.end(), [](const Param& param) { return !param.labels.empty(); });
  for (const Param& param : spec.params) {
    model.values.push_back(param.values);
    if (!has_labels) continue;
    std::vector<double> coordinates(param.values.begin(), param.values.end());
    if (!param.labels.empty())
      std::fill(coordinates.begin(), coordinates.end(), std::numeric_limits<double>::quiet_NaN());
    model.coordinates.push_back(std::move(coordinates));
  }
}

// A param of an implementation with a condition keeps its default if the condition does not hold.
SpaceModel::Rule make_condition(std::size_t constraint, const KernelSpec& spec, std::size_t implementation,
                                const OwnParam& own, std::size_t slots) {
  const auto first = static_cast<std::size_t>(spec.first_param_slot);
  SpaceModel::Rule rule;
  rule.constraint = constraint;
  rule.operations = own.when->operations() + 2;
  std::set<int> params = {static_cast<int>(own.index)};
  if (spec.has_choice()) params.insert(0);
  for (const int slot : own.when->slots())
    if (static_cast<std::size_t>(slot) >= first) params.insert(slot - static_cast<int>(first));
  rule.params.assign(params.begin(), params.end());
  const auto when = std::make_shared<const Expr>(*own.when);
  const std::optional<std::int64_t> chosen =
      spec.has_choice() ? std::optional(spec.params.front().values[implementation]) : std::nullopt;
  const std::size_t at = first + own.index;
  rule.ask = [when, chosen, first, at, standard = own.default_value, slots](const std::int64_t* values) {
    if ((chosen && values[first] != *chosen) || values[at] == standard) return SpaceModel::Answer::met;
    std::int64_t active = 0;
    if (!when->try_evaluate(std::span(values, slots), active)) return SpaceModel::Answer::failed;
    return active != 0 ? SpaceModel::Answer::met : SpaceModel::Answer::unmet;
  };
  rule.explain = [when, slots](const std::int64_t* values) {
    const Result<std::int64_t> result = when->evaluate(std::span(values, slots));
    return result ? std::string() : result.error().message;
  };
  return rule;
}

// The values of a param that each implementation admits: its own, or only the default if it lacks the param.
void add_membership(const KernelSpec& spec, SpaceModel& model) {
  model.constraints.push_back({});
  const auto first = static_cast<std::size_t>(spec.first_param_slot);
  for (std::size_t p = 1; p < spec.params.size(); ++p) {
    using Allowed = std::map<std::int64_t, std::vector<std::int64_t>>; // keyed by the choice
    auto allowed = std::make_shared<Allowed>();
    for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
      const OwnParam* own = spec.implementations[i].find_param(p);
      (*allowed)[spec.params.front().values[i]] =
          own ? own->values : std::vector<std::int64_t>{spec.params[p].default_value};
    }
    SpaceModel::Rule rule;
    rule.constraint = model.constraints.size() - 1;
    rule.params = {0, static_cast<int>(p)};
    rule.ask = [allowed, first, p](const std::int64_t* values) {
      const std::vector<std::int64_t>& known = allowed->at(values[first]);
      const bool is_known = std::find(known.begin(), known.end(), values[first + p]) != known.end();
      return is_known ? SpaceModel::Answer::met : SpaceModel::Answer::unmet;
    };
    rule.explain = [](const std::int64_t*) { return std::string(); };
    model.rules.push_back(std::move(rule));
  }
}

// The formulas of the derived names that a constraint uses, for its messages.
std::string where_text(const Implementation& implementation, const Expr& constraint) {
  constexpr std::size_t kLongest = 80; // longer formulas explain nothing
  std::string text;
  for (const std::string& name : expression_names(constraint.text())) {
    const Scope::Name* const found = implementation.scope.find(name);
    if (found && found->kind == Scope::Name::Kind::derived && found->expr->text().size() <= kLongest)
      text += (text.empty() ? "where " : " and ") + name + " is " + quote(found->expr->text());
  }
  return text;
}

void leave_out_built(const KernelSpec& spec, SpaceModel& model) {
  std::set<std::int64_t> built; // values of the choice
  for (std::size_t i = 0; i < spec.implementations.size(); ++i)
    if (spec.implementations[i].build) built.insert(spec.has_choice() ? spec.params.front().values[i] : 0);
  if (built.empty()) return;
  model.constraints.push_back({"implementation", "configurations built by a command need --allow-build"});
  SpaceModel::Rule rule;
  rule.constraint = model.constraints.size() - 1;
  if (spec.has_choice()) rule.params = {0};
  rule.ask = [built, has_choice = spec.has_choice(),
              first = static_cast<std::size_t>(spec.first_param_slot)](const std::int64_t* values) {
    return built.count(has_choice ? values[first] : 0) != 0 ? SpaceModel::Answer::unmet : SpaceModel::Answer::met;
  };
  rule.explain = [](const std::int64_t*) { return std::string(); };
  model.rules.push_back(std::move(rule));
}

} // namespace

double combinations(const KernelSpec& spec) {
  double sum = 0;
  for (const Implementation& implementation : spec.implementations) {
    double product = 1;
    for (const OwnParam& own : implementation.params) product *= static_cast<double>(own.values.size());
    sum += product;
  }
  return sum;
}

SpaceModel make_space_model(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device, bool with_built) {
  SpaceModel model;
  model.combinations = combinations(spec);
  model.what = "the space of " + spec.name + " for " + short_problem(problem_key(spec, problem)) + " on " +
               (device.name.empty() ? "this device" : device.name);
  model.fixed = make_slots(spec, problem, device.limits);
  const std::size_t slots = model.fixed.size();
  model.fixed.resize(static_cast<std::size_t>(spec.first_param_slot));
  add_params(spec, model);
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    const Implementation& implementation = spec.implementations[i];
    const auto add = [&](std::size_t constraint, const Expr& expr) {
      // Each part has its own guard, so that it is decided as soon as its params are known.
      for (Expr& part : expr.conjuncts())
        model.rules.push_back(make_rule(
            constraint,
            spec.has_choice() ? part.only_where(spec.first_param_slot, spec.params.front().values[i]) : std::move(part),
            model.fixed, slots));
    };
    for (const Constraint& constraint : implementation.constraints) {
      model.constraints.push_back(
          {constraint.expr.text(), constraint.why, implementation.name, where_text(implementation, constraint.expr)});
      add(model.constraints.size() - 1, constraint.expr);
    }
    for (const OwnParam& own : implementation.params)
      if (own.when) {
        model.constraints.push_back({});
        model.rules.push_back(make_condition(model.constraints.size() - 1, spec, i, own, slots));
      }
  }
  if (spec.has_choice()) add_membership(spec, model);
  if (!with_built) leave_out_built(spec, model);
  return model;
}

} // namespace warptune
