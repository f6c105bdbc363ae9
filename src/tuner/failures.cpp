#include "tuner/failures.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace warptune {
namespace {

constexpr std::size_t kEvidenceShown = 1500; // characters; enough for the first errors of a compiler log

} // namespace

std::string describe_failures(const KernelSpec& spec, const TrialBook& book) {
  std::map<TrialStatus, std::pair<std::size_t, const Trial*>> kinds;
  for (const auto& [index, trial] : book)
    if (auto& [count, first] = kinds[trial.status]; count++ == 0) first = &trial;
  std::string list;
  for (const auto& [status, kind] : kinds)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", kind.first, status_name(status));
  std::string message = fmt::format("none of {} configurations of {} is correct: {}", book.size(), spec.name, list);
  const auto commonest = std::max_element(kinds.begin(), kinds.end(),
                                          [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (commonest != kinds.end()) {
    const Trial& trial = *commonest->second.second;
    std::string evidence =
        trial.evidence.empty() ? "no diagnostic was recorded" : trial.evidence.substr(0, kEvidenceShown);
    while (!evidence.empty() && evidence.back() == '\n') evidence.pop_back();
    message += fmt::format("; the first {} ({}) says:\n{}", status_name(trial.status), config_text(spec, trial.config),
                           evidence);
  }
  return message;
}

} // namespace warptune
