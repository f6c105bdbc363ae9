#include "predict/shortest_expected.h"

#include "predict/expected_time.h"
#include "predict/theoretical_roofs.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// How much shorter than the default's time the expected time must be. Of 251 problems on an H200, a smaller difference
// meant a slower configuration as often as a faster one.
constexpr double kShare = 0.8;
constexpr std::size_t kMaxRefused = 64; // configurations that may be refused before the choice is given up

} // namespace

std::optional<ExpectedChoice> shortest_expected(const KernelSpec& spec, const Problem& problem, DeviceInfo device,
                                                const Refuse& refuse) {
  if (!device.roofs.measured) device.roofs = theoretical_roofs(device);
  const auto space = SearchSpace::build(spec, problem, device, false);
  if (!space) return std::nullopt;
  const TimeModel model(spec, problem, device);
  const Config standard = default_config(spec, problem, device);
  // Times from an author's formula and from the roofline model cannot be compared.
  const bool by_author = model.is_by_author(standard);
  std::vector<std::pair<double, ConfigIndex>> expected; // us
  for (SpaceCursor at(*space); !at.done(); at.next()) {
    const double us = std::exp(model.expected_log_time(at.config()));
    if (std::isfinite(us) && model.is_by_author(at.config()) == by_author) expected.emplace_back(us, at.index());
  }
  const std::size_t tries = std::min(kMaxRefused, expected.size());
  std::partial_sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(tries), expected.end());

  ExpectedChoice choice;
  choice.count = space->size();
  if (space->find(standard))
    if (const double us = std::exp(model.expected_log_time(standard)); std::isfinite(us)) choice.default_us = us;
  for (std::size_t i = 0; i < tries; ++i) {
    const auto [us, index] = expected[i];
    if (choice.default_us > 0 && kShare * choice.default_us < us && !refuse(standard)) {
      choice.config = standard;
      choice.us = choice.default_us;
      return choice;
    }
    choice.config = space->config(index);
    choice.us = us;
    if (!refuse(choice.config)) return choice;
  }
  return std::nullopt;
}

} // namespace warptune
