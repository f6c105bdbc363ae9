#include "predict/select_untuned.h"

#include "predict/select_expected.h"
#include "predict/valid_near_default.h"
#include "spec/config.h"
#include "spec/short_problem.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace warptune {
namespace {

// The default of another implementation that is valid here.
std::optional<std::size_t> other_default(const SelectionLimits& limits) {
  for (std::size_t i = 1; i < limits.spec.implementations.size(); ++i)
    if (!limits.refuse(default_config(limits.spec, i))) return i;
  return std::nullopt;
}

std::optional<Config> first_other(const SelectionLimits& limits) {
  for (const Config& config : *limits.options.others)
    if (!limits.refuse(config)) return config;
  return std::nullopt;
}

} // namespace

Result<Selection> select_untuned(const SelectionLimits& limits, const std::string& because) {
  if (auto expected = select_expected(limits, because)) return std::move(*expected);
  Selection selection;
  selection.config = default_config(limits.spec);
  const auto reason = limits.refuse(selection.config);
  if (!reason) {
    selection.why = "the kernel's default configuration, because " + because;
    return selection;
  }
  const std::string instead = ", because " + because + " and the default is not valid here (" + *reason + ")";
  if (const auto other = other_default(limits)) {
    selection.config = default_config(limits.spec, *other);
    selection.why = "the default of the implementation " + limits.spec.implementations[*other].name + instead;
    return selection;
  }
  if (limits.options.others != nullptr) {
    if (auto other = first_other(limits)) {
      selection.config = std::move(*other);
      selection.why = "the first valid configuration that has a cubin" + instead;
      return selection;
    }
  } else {
    WT_TRY(auto found, valid_near_default(limits));
    if (found) {
      selection.config = std::move(found->config);
      selection.why = found->which + instead;
      return selection;
    }
  }
  const bool found_wrong = std::any_of(limits.entries.begin(), limits.entries.end(),
                                       [](const TunedEntry& e) { return !e.disqualified.empty(); });
  const std::string what = limits.spec.name + " for " + short_problem(problem_key(limits.spec, limits.problem));
  if (found_wrong)
    return fail(ErrorKind::no_candidate, "every valid configuration of " + what +
                                             " was wrong, failed, or cannot be launched here (" + *reason +
                                             "); tune the kernel again");
  return fail(ErrorKind::no_candidate,
              "no configuration of " + what + " may be launched here (" + obstacle(limits, *reason) + ")");
}

} // namespace warptune
