#include "predict/shortest_expected.h"

#include "predict/expected_time.h"
#include "predict/theoretical_roofs.h"
#include "space/space.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace warptune {
namespace {

// The largest share of the rival's time that the expected time may have. With the roofline model and the default as the
// rival, a smaller difference than that of kShare meant a slower configuration as often as a faster one, on 251
// problems on an H200. An author's formula is more exact; docs/selection.md has the measurements.
constexpr double kShare = 0.8, kShareByAuthor = 0.9;
constexpr std::size_t kMaxRefused = 64; // configurations that may be refused before the choice is given up

} // namespace

std::optional<ExpectedChoice> shortest_expected(const KernelSpec& spec, const Problem& problem, DeviceInfo device,
                                                const Refuse& refuse, const Config& rival, Estimates wanted) {
  if (!device.roofs.measured) device.roofs = theoretical_roofs(device);
  const TimeModel model(spec, problem, device);
  // Times from an author's formula and from the roofline model cannot be compared.
  const bool by_author = model.is_by_author(rival);
  // The next steps are expensive, so this check comes first.
  if (wanted == Estimates::by_author && !by_author) return std::nullopt;
  const auto space = SearchSpace::build(spec, problem, device, false);
  if (!space) return std::nullopt;
  std::vector<std::pair<double, ConfigIndex>> expected; // us
  for (SpaceCursor at(*space); !at.done(); at.next()) {
    const double us = std::exp(model.expected_log_time(at.config()));
    if (std::isfinite(us) && model.is_by_author(at.config()) == by_author) expected.emplace_back(us, at.index());
  }
  const std::size_t tries = std::min(kMaxRefused, expected.size());
  std::partial_sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(tries), expected.end());

  const double share = by_author ? kShareByAuthor : kShare;
  ExpectedChoice choice;
  choice.count = space->size();
  if (space->find(rival))
    if (const double us = std::exp(model.expected_log_time(rival)); std::isfinite(us)) choice.rival_us = us;
  for (std::size_t i = 0; i < tries; ++i) {
    const auto [us, index] = expected[i];
    if (choice.rival_us > 0 && share * choice.rival_us < us && !refuse(rival)) {
      choice.config = rival;
      choice.us = choice.rival_us;
      return choice;
    }
    choice.config = space->config(index);
    choice.us = us;
    if (!refuse(choice.config)) return choice;
  }
  return std::nullopt;
}

} // namespace warptune
