#include "pack/choose.h"

#include "pack/cover.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace warptune {
namespace {

bool is_certified(const MeasuredVariant& variant, const MeasuredShape& shape, std::size_t config) {
  const BestRecord& best = shape.best;
  return best.certified && best.objective == Objective::time && best.disqualified.empty() &&
         best.config == variant.texts[config] && (best.default_us <= 0 || best.median_us < best.default_us);
}

std::size_t fastest(const MeasuredShape& shape, const std::vector<std::size_t>& configs) {
  return *std::min_element(configs.begin(), configs.end(),
                           [&](std::size_t a, std::size_t b) { return shape.cells[a].us < shape.cells[b].us; });
}

// The result that the pack stores for this choice.
BestRecord row_of(const MeasuredVariant& variant, const MeasuredShape& shape, std::size_t config, double loss,
                  bool is_guarded) {
  const std::size_t default_config = variant.default_of(shape);
  const std::string& standard = variant.texts[default_config];
  BestRecord row = shape.best;
  row.pareto.clear(); // pareto, finalists and rounds belong to the finals; the dispatcher does not need them
  row.finalists.clear();
  row.rounds.clear();
  row.default_config = standard;
  if (config != default_config && is_certified(variant, shape, config)) return row;
  if (config == default_config && row.config == standard) return row;
  const Cell &cell = shape.cells[config], &reference = shape.cells[default_config];
  row.config = variant.texts[config];
  row.tie_set = {row.config};
  row.roofline_share *= shape.best.median_us / cell.us;
  row.median_us = row.ci_low_us = row.ci_high_us = cell.us;
  row.default_us = reference.us > 0 ? reference.us : 0;
  row.certified = config != default_config;
  row.p_value = row.certified ? 0.05 : 1;
  const std::string within = fmt::format("within {:.1f} % of the fastest measured configuration", 100 * loss);
  if (is_guarded)
    row.outcome = fmt::format("the pack uses the default, because {} was not certified to be faster ({})",
                              shape.best.config, shape.best.outcome);
  else if (config == default_config)
    row.outcome = fmt::format("the pack uses the default, because it is {}", within);
  else
    row.outcome = fmt::format("{:.2f}x faster than the default, with 95 % intervals that do not overlap; {}",
                              row.default_us / row.median_us, within);
  row.checks = "verified in the sweep that timed it";
  return row;
}

} // namespace

bool may_ship(const MeasuredVariant& variant, const MeasuredShape& shape, std::size_t config) {
  const Cell& cell = shape.cells[config];
  if (!(cell.us > 0) || variant.is_wrong[config]) return false;
  if (!shape.best.disqualified.empty() && shape.best.config == variant.texts[config]) return false;
  return config == variant.default_of(shape) || cell.is_faster || is_certified(variant, shape, config);
}

namespace {

using AllowedByShape = std::vector<std::vector<std::size_t>>; // configurations by shape

// The smallest set that covers every shape, from the configurations allowed for it.
Cover cover_of(const MeasuredVariant& variant, const AllowedByShape& allowed, double cover) {
  CoverProblem problem;
  problem.configs = variant.configs.size();
  problem.cost.assign(problem.configs, 0);
  problem.given = variant.defaults();
  for (std::size_t s = 0; s < variant.shapes.size(); ++s) {
    const MeasuredShape& shape = variant.shapes[s];
    std::vector<std::size_t>& covering = problem.covered_by.emplace_back();
    if (allowed[s].empty()) continue;
    const double best = shape.cells[fastest(shape, allowed[s])].us;
    for (const std::size_t c : allowed[s]) {
      if (shape.cells[c].us > best * (1 + cover)) continue;
      covering.push_back(c);
      problem.cost[c] += shape.cells[c].us / best - 1;
    }
  }
  return find_cover(problem);
}

std::vector<std::size_t> common(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

// Adds alternatives for shapes whose choice calls a library.
void add_without_libraries(const MeasuredVariant& variant, AllowedByShape allowed, double cover,
                           VariantChoice& choice) {
  const auto is_call = [&](std::size_t c) { return variant.is_call[c]; };
  if (std::none_of(choice.configs.begin(), choice.configs.end(), is_call)) return;
  for (std::vector<std::size_t>& of_shape : allowed) std::erase_if(of_shape, is_call);
  const Cover found = cover_of(variant, allowed, cover);
  for (const Pick& pick : choice.picks)
    if (const auto shipped = common(allowed[pick.shape], found.configs); is_call(pick.config) && !shipped.empty())
      choice.without_libraries.emplace_back(pick.shape, fastest(variant.shapes[pick.shape], shipped));
  choice.configs.insert(choice.configs.end(), found.configs.begin(), found.configs.end());
  std::sort(choice.configs.begin(), choice.configs.end());
  choice.configs.erase(std::unique(choice.configs.begin(), choice.configs.end()), choice.configs.end());
}

} // namespace

VariantChoice choose_configs(const MeasuredVariant& variant, double cover, std::vector<std::string>& notes) {
  AllowedByShape allowed(variant.shapes.size());
  for (std::size_t s = 0; s < variant.shapes.size(); ++s)
    for (std::size_t c = 0; c < variant.configs.size(); ++c)
      if (may_ship(variant, variant.shapes[s], c)) allowed[s].push_back(c);
  const Cover found = cover_of(variant, allowed, cover);

  VariantChoice choice;
  choice.configs = found.configs;
  choice.is_exact = found.is_exact;
  for (std::size_t s = 0; s < variant.shapes.size(); ++s) {
    const MeasuredShape& shape = variant.shapes[s];
    const std::vector<std::size_t> shipped = common(allowed[s], found.configs);
    if (shipped.empty()) {
      notes.push_back(fmt::format("{} {} on {} was left out: the default has no correct result, and no correct "
                                  "configuration was shown to be faster",
                                  shape.best.kernel, shape.key, variant.device.name));
      continue;
    }
    double fastest_us = shape.cells[shipped.front()].us;
    for (std::size_t c = 0; c < variant.configs.size(); ++c)
      if (!variant.is_wrong[c] && shape.cells[c].us > 0) fastest_us = std::min(fastest_us, shape.cells[c].us);
    Pick pick;
    pick.shape = s;
    pick.config = fastest(shape, shipped);
    pick.loss = shape.cells[pick.config].us / fastest_us - 1;
    pick.is_guarded = allowed[s].size() == 1 && pick.config == variant.default_of(shape) &&
                      shape.best.config != variant.texts[variant.default_of(shape)];
    pick.best = row_of(variant, shape, pick.config, pick.loss, pick.is_guarded);
    choice.worst_loss = std::max(choice.worst_loss, pick.loss);
    choice.guarded += pick.is_guarded ? 1 : 0;
    choice.picks.push_back(std::move(pick));
  }
  add_without_libraries(variant, std::move(allowed), cover, choice);
  return choice;
}

} // namespace warptune
