#include "predict/select_expected.h"

#include "predict/shortest_expected.h"
#include "spec/config.h"

#include <fmt/format.h>
#include <utility>

namespace warptune {
namespace {

std::string format_us(double us) { return fmt::format("{:.3g} us", us); }

// Compares with `rival`, which would be launched otherwise.
std::optional<ExpectedChoice> expect(const SelectionLimits& limits, const Config& rival, Estimates wanted) {
  if (!limits.options.by_expected_time) return std::nullopt;
  const Refuse refuse = [&](const Config& config) { return limits.refuse(config); };
  return shortest_expected(limits.spec, limits.problem, limits.device, refuse, rival, wanted);
}

} // namespace

std::optional<Selection> select_expected(const SelectionLimits& limits, const std::string& because) {
  const Config standard = default_config(limits.spec, limits.problem, limits.device);
  auto found = expect(limits, standard, Estimates::any);
  if (!found || found->config == standard) return std::nullopt;
  std::string of_default;
  if (const auto reason = limits.refuse(standard))
    of_default = "; the default is not valid here: " + *reason;
  else if (found->rival_us > 0)
    of_default = "; the default: " + format_us(found->rival_us);
  Selection selection{std::move(found->config), Match::expected_time, 0, -1, {}, {}, {}};
  selection.why = "the shortest expected time of " + std::to_string(found->count) + " configurations (" +
                  format_us(found->us) + of_default + "), because " + because;
  return selection;
}

Selection or_faster(const SelectionLimits& limits, Selection chosen) {
  auto found = expect(limits, chosen.config, Estimates::by_author);
  if (!found || found->rival_us == 0 || found->config == chosen.config) return chosen;
  Selection faster{std::move(found->config), Match::expected_time, 0, -1, {}, {}, std::move(chosen.config)};
  faster.why = "the shortest expected time of " + std::to_string(found->count) + " configurations (" +
               format_us(found->us) + "); the choice by the rule '" + std::string(match_name(chosen.match)) +
               "' is expected to take " + format_us(found->rival_us);
  return faster;
}

} // namespace warptune
