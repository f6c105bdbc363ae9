#include "space/lint_space.h"

#include "core/device_table.h"
#include "core/text.h"
#include "core/units.h"
#include "space/lint_problems.h"
#include "space/space_builder.h"
#include "spec/spec_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace warptune {
namespace {

constexpr std::size_t kMaxProblems = 4000;
// The last slot that is a limit.
constexpr int kLastLimit = static_cast<int>(std::tuple_size_v<decltype(kMembers<DeviceLimits>)>) - 1;
constexpr std::int64_t kMaxSpaces = 400; // maximum number of spaces to build for one implementation

constexpr std::size_t kMaxNotes = 100; // on constraints of one implementation; finding the line of a note is expensive

// The space of one implementation, even if it is empty. nullopt: a constraint cannot be evaluated, or the space is too
// large, and `is_too_large` is set.
std::optional<SearchSpace> space_of(SpaceModel model, bool& is_too_large) {
  SpaceBuilder builder(model);
  const Result<bool> fixed = builder.check_fixed();
  if (!fixed) return std::nullopt;
  if (*fixed) builder.run();
  if (builder.refusal().empty()) return builder.finish();
  is_too_large = true;
  return std::nullopt;
}

bool reads_any(const Expr& expr, int first, int last) {
  return std::any_of(expr.slots().begin(), expr.slots().end(), [&](int slot) { return slot >= first && slot <= last; });
}

// The spec with one implementation's constraints reduced to the parts that read no dim. Dtypes, flags and architectures
// are few, so all can be tried: a value that is valid for none of them is proven to be never valid.
KernelSpec without_sizes(KernelSpec spec, std::size_t at) {
  if (spec.dims.empty()) return spec;
  const int first = spec.scope.find_slot(spec.dims.front().name), last = spec.scope.find_slot(spec.dims.back().name);
  Implementation& implementation = spec.implementations[at];
  std::vector<Constraint> kept;
  for (const Constraint& constraint : implementation.constraints)
    for (Expr& part : constraint.expr.conjuncts())
      if (!reads_any(part, first, last)) kept.push_back({std::move(part), constraint.why});
  implementation.constraints = std::move(kept);
  for (OwnParam& own : implementation.params)
    if (own.when && reads_any(*own.when, first, last)) own.when.reset();
  return spec;
}

class ImplementationLint {
 public:
  ImplementationLint(const KernelSpec& spec, std::size_t at)
      : spec_(spec), at_(at), implementation_(spec.implementations[at]) {
    for (const OwnParam& own : implementation_.params) seen_.emplace_back(own.values.size());
    for (const Constraint& constraint : implementation_.constraints) {
      if (!reads_any(constraint.expr, 0, kLastLimit)) idle_.insert(constraint.expr.text());
      for (Expr& part : constraint.expr.conjuncts())
        if (part.slots().empty() || part.slots().back() < spec.first_param_slot)
          fixed_.emplace_back(constraint.expr.text(), std::move(part));
    }
  }

  // Whether nothing is left to find, or the limit of spaces is reached. A space that is too large ends the search at
  // once: others would be, too, and each takes seconds.
  bool is_done() const { return spaces_ >= kMaxSpaces || is_too_large_ || is_settled(); }
  bool is_settled() const { return idle_.empty() && !has_unseen_values(); }

  // Returns whether a configuration is valid.
  bool look_at(const Problem& problem, const DeviceInfo& device) {
    ++looks_;
    if (!is_for(problem, device)) return false;
    ++spaces_;
    const auto space = space_of(model(problem, device), is_too_large_);
    if (!space) return false;
    if (space->size() > 0) example_ = {problem, device};
    for (const SearchSpace::Rejection& rejection : space->rejections()) idle_.erase(rejection.expr);
    const auto used = space->used_values();
    for (std::size_t i = 0; i < implementation_.params.size(); ++i) {
      const OwnParam& own = implementation_.params[i];
      const auto& values = space->values()[own.index];
      for (std::size_t v = 0; v < values.size(); ++v)
        if (used[own.index][v])
          if (const auto found = std::find(own.values.begin(), own.values.end(), values[v]); found != own.values.end())
            seen_[i][static_cast<std::size_t>(found - own.values.begin())] = true;
    }
    return space->size() > 0;
  }

  // `sizeless`: the lint of the spec that without_sizes returns.
  void report(const SourceFiles& sources, const ImplementationLint& sizeless, std::vector<Finding>& findings) const {
    // If no configuration is valid, that is not the fault of a single value.
    if (!example_ || is_too_large_) return;
    std::size_t notes = 0;
    for (std::size_t c = 0; c < implementation_.constraints.size(); ++c) {
      const Constraint& constraint = implementation_.constraints[c];
      if (idle_.count(constraint.expr.text()) == 0 || ++notes > kMaxNotes) continue;
      findings.push_back(
          {"idle-constraint", FindingLevel::note,
           place_in(sources, implementation_, "/constraints/" + std::to_string(c)),
           fmt::format("the constraint {}{} is redundant in all {}: the other constraints already reject all that it "
                       "rejects; correct it or remove it, unless it guards against future values",
                       quote(constraint.expr.text()), of_implementation(implementation_), looks_text())});
    }
    if (notes > kMaxNotes)
      findings.push_back(
          {"idle-constraint", FindingLevel::note, place_in(sources, implementation_, "/constraints"),
           fmt::format("and {}{}",
                       count_text(static_cast<std::int64_t>(notes - kMaxNotes), "more redundant constraint"),
                       of_implementation(implementation_))});
    for (std::size_t i = 0; i < implementation_.params.size(); ++i)
      for (std::size_t v = 0; v < seen_[i].size(); ++v)
        if (!seen_[i][v]) findings.push_back(unused_value(sources, sizeless, i, v));
  }
  // Looks at one problem of each combination of dtype and flags, on all devices.
  void look_at_kinds(const std::vector<Problem>& problems, const std::vector<DeviceInfo>& devices) {
    std::set<std::pair<DType, std::vector<std::int64_t>>> kinds;
    for (const Problem& problem : problems)
      if (kinds.emplace(problem.dtype, problem.flags).second)
        for (const DeviceInfo& device : devices)
          if (has_unseen_values() && !is_done()) look_at(problem, device);
  }
  bool has_unseen_values() const {
    return std::any_of(seen_.begin(), seen_.end(), [](const std::vector<bool>& values) {
      return std::any_of(values.begin(), values.end(), [](bool is_seen) { return !is_seen; });
    });
  }

 private:
  // Whether the constraints that read no param hold. They are cheap to evaluate, and exclude many problems and
  // architectures.
  bool is_for(const Problem& problem, const DeviceInfo& device) {
    const std::vector<std::int64_t> slots = make_slots(spec_, problem, device.limits);
    bool is_met = true;
    for (const auto& [text, part] : fixed_) {
      std::int64_t value = 0;
      if (part.try_evaluate(slots, value) && value != 0) continue;
      is_met = false;
      idle_.erase(text);
    }
    return is_met;
  }
  std::string looks_text() const { return count_text(looks_, "combination") + " of problems and architectures"; }

  SpaceModel model(const Problem& problem, const DeviceInfo& device) const {
    SpaceModel model = make_space_model(spec_, problem, device);
    if (spec_.has_choice()) model.values.front() = {spec_.params.front().values[at_]};
    model.coordinates.clear(); // nothing here measures distances
    std::erase_if(model.rules, [&](const SpaceModel::Rule& rule) {
      const std::string& owner = model.constraints[rule.constraint].implementation;
      return !owner.empty() && owner != implementation_.name;
    });
    return model;
  }

  // Names the constraint that rejects most configurations with this value, for a problem where other values are valid.
  // Empty: no constraint rejects any.
  std::string why_unused(std::size_t param, std::size_t value) const {
    const OwnParam& own = implementation_.params[param];
    if (!example_) return {};
    SpaceModel only = model(example_->first, example_->second);
    only.values[own.index] = {own.values[value]};
    bool is_too_large = false; // stays false, because the space with all constraints is not too large
    const auto space = space_of(std::move(only), is_too_large);
    if (!space || space->rejections().empty()) return {};
    const SearchSpace::Rejection& most = space->rejections().front();
    return fmt::format(", mostly because of {}{}", quote(most.expr), most.why.empty() ? "" : " (" + most.why + ")");
  }

  Finding unused_value(const SourceFiles& sources, const ImplementationLint& sizeless, std::size_t param,
                       std::size_t value) const {
    const OwnParam& own = implementation_.params[param];
    const Param& named = spec_.params[own.index];
    const bool is_proven = sizeless.spaces_ < kMaxSpaces && !sizeless.is_too_large_ && !sizeless.seen_[param][value];
    const std::string what = fmt::format("the value {} of the param {}{} is ", named.text_of(own.values[value]),
                                         quote(named.name), of_implementation(implementation_));
    const Place place = place_in(sources, implementation_, "/params/" + named.name + "/values");
    if (is_proven)
      return {"unused-value", FindingLevel::warning, place,
              what + "not valid for any shape on any known architecture" + sizeless.why_unused(param, value) +
                  "; remove the value, or relax the constraint"};
    return {"unused-value", FindingLevel::note, place,
            what + "not valid in any of " + looks_text() + why_unused(param, value) +
                "; remove it, unless one of your shapes needs it"};
  }

  const KernelSpec& spec_;
  std::size_t at_;
  const Implementation& implementation_;
  std::vector<std::vector<bool>> seen_; // for each param of the implementation, whether each value was valid somewhere
  std::set<std::string> idle_;          // the texts of the constraints that have had no effect so far
  std::vector<std::pair<std::string, Expr>> fixed_;       // constraints, and their parts that read no param
  std::optional<std::pair<Problem, DeviceInfo>> example_; // the last one with a valid configuration
  std::int64_t looks_ = 0, spaces_ = 0;
  bool is_too_large_ = false;
};

} // namespace

std::vector<Finding> lint_space(const KernelSpec& spec, const SourceFiles& sources, const std::vector<Problem>& asked,
                                const std::vector<DeviceInfo>& devices, const std::atomic<bool>& stop) {
  std::vector<Problem> problems = asked;
  for (Problem& problem : lint_problems(spec, kMaxProblems)) problems.push_back(std::move(problem));
  std::vector<DeviceInfo> others;
  for (const std::string& arch : known_archs()) others.push_back(*device_of_arch(arch));
  const auto look = [&](ImplementationLint& lint) {
    for (std::size_t p = 0; p < problems.size() && !lint.is_done() && !stop; ++p) {
      for (std::size_t d = 0; d < devices.size() && !lint.is_done(); ++d) lint.look_at(problems[p], devices[d]);
      // Also on one of the other architectures: the next one with a valid configuration.
      for (std::size_t d = 0; d < others.size() && !lint.is_done(); ++d)
        if (lint.look_at(problems[p], others[(p + d) % others.size()])) break;
    }
  };
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    ImplementationLint lint(spec, i);
    look(lint);
    const KernelSpec reduced = without_sizes(spec, i);
    ImplementationLint sizeless(reduced, i);
    if (lint.has_unseen_values()) sizeless.look_at_kinds(problems, others);
    if (stop) return findings; // untried problems may show an effect
    lint.report(sources, sizeless, findings);
  }
  return findings;
}

} // namespace warptune
