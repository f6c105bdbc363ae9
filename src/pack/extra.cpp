#include "pack/extra.h"

#include "pack/untuned.h"
#include "plan/compile_request.h"
#include "predict/transfer_model.h"
#include "spec/config.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace warptune {
namespace {

constexpr std::size_t kProbes = 256;
constexpr double kMinGain = 0.0005; // average gain over the shapes
constexpr double kMaxLoss = 1;

// The matrix to learn from, and for each of its configurations the variant's number.
struct Shippable {
  TimingMatrix matrix;
  std::vector<std::optional<std::size_t>> numbers; // nullopt: only to learn from; may not ship
};

Shippable shippable_of(const MeasuredVariant& variant) {
  Shippable out{canonical(matrix_of(variant)), {}};
  for (const Config& config : out.matrix.configs) {
    const auto c = static_cast<std::size_t>(std::find(variant.configs.begin(), variant.configs.end(), config) -
                                            variant.configs.begin());
    const bool may = std::any_of(variant.shapes.begin(), variant.shapes.end(),
                                 [&](const MeasuredShape& shape) { return may_ship(variant, shape, c); });
    out.numbers.push_back(may ? std::optional(c) : std::nullopt);
  }
  return out;
}

std::vector<std::vector<Promise>> promises_of(const PackedKernel& kernel, const MeasuredVariant& variant,
                                              const std::vector<Problem>& probes) {
  Shippable shippable = shippable_of(variant);
  const TransferModel model(kernel.spec, std::move(shippable.matrix), variant.device);
  std::map<std::vector<std::size_t>, TransferModel::Fit> fits; // keyed by problems
  std::vector<std::vector<Promise>> promises;
  for (const Problem& probe : probes) {
    std::vector<std::size_t> near = model.near_problems(probe);
    auto fit = fits.find(near);
    if (fit == fits.end()) {
      TransferModel::Fit made = model.fit(near);
      fit = fits.emplace(std::move(near), std::move(made)).first;
    }
    std::vector<Promise>& here = promises.emplace_back();
    for (const auto& [c, log_loss] : model.rank(fit->second, probe))
      if (shippable.numbers[c]) here.push_back({*shippable.numbers[c], std::max(0.0, std::expm1(log_loss))});
  }
  return promises;
}

// Tells whether the program of a configuration on a probe also serves another probe; computed on demand.
class SharedPrograms {
 public:
  SharedPrograms(const PackedKernel& kernel, const MeasuredVariant& variant, const std::vector<Problem>& probes)
      : kernel_(kernel), variant_(variant), probes_(probes) {}

  bool is_shared(std::size_t config, std::size_t probe) {
    const auto [found, is_new] = served_.try_emplace(config);
    if (is_new) found->second = served_by(config);
    return found->second[probe];
  }

 private:
  std::vector<bool> served_by(std::size_t config) const {
    // Applications may not allow library calls, so configurations with such calls are useless as extras.
    if (kernel_.spec.calls_libraries(variant_.configs[config])) return std::vector<bool>(probes_.size());
    std::map<ProgramInstance, std::vector<std::size_t>> instances;
    for (std::size_t p = 0; p < probes_.size(); ++p) {
      if (check_config(kernel_.spec, probes_[p], variant_.device, variant_.configs[config])) continue;
      const auto plan = make_plan(kernel_.spec, probes_[p], variant_.configs[config], variant_.device);
      if (!plan) continue;
      const auto instance = instance_of(kernel_.spec, probes_[p], variant_.configs[config], variant_.device, *plan);
      if (instance) instances[*instance].push_back(p);
    }
    std::vector<bool> out(probes_.size());
    for (const auto& [instance, served] : instances)
      for (const std::size_t p : served) out[p] = served.size() > 1;
    return out;
  }

  const PackedKernel& kernel_;
  const MeasuredVariant& variant_;
  const std::vector<Problem>& probes_;
  std::map<std::size_t, std::vector<bool>> served_;
};

} // namespace

std::vector<std::size_t> spread_configs(const std::vector<std::vector<Promise>>& promises,
                                        const std::vector<std::size_t>& shipped, std::size_t limit,
                                        const CanServe& can_serve) {
  struct Place {
    std::size_t shape;
    double loss;
  };
  std::map<std::size_t, std::vector<Place>> places; // keyed by configuration
  for (std::size_t s = 0; s < promises.size(); ++s)
    for (const auto& [config, loss] : promises[s]) places[config].push_back({s, loss});
  std::vector<double> losses(promises.size(), kMaxLoss); // losses with the best configuration that ships
  const auto ship = [&](std::size_t config) {
    for (const auto& [shape, loss] : places[config]) losses[shape] = std::min(losses[shape], loss);
    places.erase(config);
  };
  const auto keep_served = [&](std::size_t config) {
    std::erase_if(places[config], [&](const Place& place) { return !can_serve(config, place.shape); });
  };
  for (const std::size_t config : shipped) {
    keep_served(config);
    ship(config);
  }
  std::vector<std::size_t> extra;
  std::map<std::size_t, bool> is_asked; // whether can_serve was called
  while (extra.size() < limit) {
    std::size_t best = 0;
    double most = kMinGain * static_cast<double>(promises.size());
    bool is_found = false;
    for (const auto& [config, served] : places) {
      double gain = 0;
      for (const auto& [shape, loss] : served) gain += std::max(0.0, losses[shape] - loss);
      if (gain <= most) continue;
      most = gain;
      best = config;
      is_found = true;
    }
    if (!is_found) break;
    if (!std::exchange(is_asked[best], true)) {
      keep_served(best); // the configuration's real gain may be smaller
      continue;
    }
    extra.push_back(best);
    ship(best);
  }
  return extra;
}

std::vector<std::size_t> extra_configs(const PackedKernel& kernel, const MeasuredVariant& variant,
                                       const std::vector<std::size_t>& shipped, std::size_t limit) {
  if (limit == 0 || variant.shapes.size() < 2) return {}; // too few shapes to learn a rule
  std::vector<Problem> probes = make_probes(kernel.spec, variant);
  if (probes.size() > kProbes) probes.resize(kProbes);
  SharedPrograms programs(kernel, variant, probes);
  return spread_configs(promises_of(kernel, variant, probes), shipped, limit,
                        [&](std::size_t config, std::size_t probe) { return programs.is_shared(config, probe); });
}

} // namespace warptune
