#include "report/view_why.h"

#include "predict/theoretical_roofs.h"
#include "report/finals_ratio.h"

#include <algorithm>

namespace warptune::report {
namespace {

WhySide side_of(const View& view, int index, const char* label, double time_us) {
  const Trial& trial = view.points[static_cast<std::size_t>(index)].trial;
  WhySide side;
  side.label = label;
  side.time_us = time_us;
  if (trial.timing) side.sm_clock_mhz = trial.timing->sm_clock_mhz;
  // Counters with a cold cache do not explain a time with a warm one.
  if (trial.profile && trial.profile->cold_l2 == view.session.identity.cold_l2) side.counters = trial.profile->counters;
  const auto sampled =
      std::find_if(view.sampled.begin(), view.sampled.end(), [&](const Sampled& one) { return one.point == index; });
  if (sampled != view.sampled.end()) side.lines = find_hot_spots(sampled->profile.samples, view.sources).lines;
  return side;
}

std::optional<WinnerAndDefault> explain(const View& view, const std::map<std::string, std::string>& stall_meanings) {
  if (!view.best || view.best_point < 0 || view.default_point < 0 || view.best_point == view.default_point)
    return std::nullopt;
  const auto ratio = ratio_of_finals(*view.best);
  if (!ratio) return std::nullopt;
  WinnerAndDefault out;
  out.measured = ratio->measured;
  out.facts.a = side_of(view, view.best_point, "the winner", view.best->median_us);
  out.facts.b = side_of(view, view.default_point, "the default", view.best->default_us);
  out.facts.ratio = ratio->ratio;
  out.facts.cost = view.cost;
  out.facts.device = view.device;
  if (!out.facts.device.roofs.measured) out.facts.device.roofs = theoretical_roofs(view.device);
  out.facts.cold_l2 = view.session.identity.cold_l2;
  out.facts.stall_meanings = stall_meanings;
  out.why = explain_difference(out.facts);
  return out;
}

} // namespace

void explain_winners(std::vector<View>& views, const std::map<std::string, std::string>& stall_meanings) {
  for (View& view : views) view.why = explain(view, stall_meanings);
}

} // namespace warptune::report
