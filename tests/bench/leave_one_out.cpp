// Measures the loss of the rule for untuned shapes, on recorded sweeps (docs/selection.md has the table). Needs no GPU.
//   leave_one_out RECORDING...
// Leaves out each recorded shape in turn, and selects a configuration for it from the other shapes of its kernel, dtype
// and flags: by the rule, by the nearest shape's best valid configuration, by the expected time, and by the default.
// Also selects by the rule from only the configurations that cover the other shapes within 3 %, and from all that a
// pack of the other shapes would hold.
#include "pack/extra.h"
#include "pack/untuned.h"
#include "predict/select.h"
#include "predict/shortest_expected.h"
#include "predict/transfer.h"
#include "predict/transfer_model.h"
#include "spec/config.h"
#include "support/recorded_matrices.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {
namespace {

using testing::RecordedVariant;

constexpr double kCover = 0.03;
constexpr std::size_t kExtra = 16, kProbes = 256;

struct Mean {
  double sum = 0, worst = 0;
  int count = 0, none = 0;
  void add(std::optional<double> loss) {
    if (!loss) {
      ++none;
      return;
    }
    sum += *loss;
    worst = std::max(worst, *loss);
    ++count;
  }
};

// As a database holds it, but without intervals, so every configuration faster than the default may ship.
MeasuredVariant measured_of(const RecordedVariant& v, const TimingMatrix& matrix) {
  MeasuredVariant out;
  out.device = v.device;
  out.configs = matrix.configs;
  const Config standard = default_config(v.kernel.spec);
  out.default_config =
      static_cast<std::size_t>(std::find(out.configs.begin(), out.configs.end(), standard) - out.configs.begin());
  if (out.default_config == out.configs.size()) out.configs.push_back(standard);
  for (const Config& config : out.configs) out.texts.push_back(config_text(v.kernel.spec, config));
  out.is_wrong.assign(out.configs.size(), false);
  out.is_call.assign(out.configs.size(), false);
  for (std::size_t p = 0; p < matrix.problems.size(); ++p) {
    MeasuredShape& shape = out.shapes.emplace_back();
    shape.problem = matrix.problems[p];
    shape.cells.resize(out.configs.size());
    for (std::size_t c = 0; c < matrix.configs.size(); ++c) shape.cells[c].us = matrix.at(p, c);
    for (Cell& cell : shape.cells) cell.is_faster = cell.us < shape.cells[out.default_config].us;
  }
  return out;
}

// The configuration that a pack with `configs` selects for an untuned problem: the rule's choice among those whose
// cubin also serves other probes.
std::optional<Config> from_pack(const RecordedVariant& v, const MeasuredVariant& measured,
                                const std::vector<std::size_t>& configs, const Problem& problem) {
  const TimingMatrix packed = with_configs(matrix_of(measured), configs);
  std::optional<Config> chosen;
  const Choose choose = [&](const Problem& asked, const Allowed& allowed) -> std::optional<Config> {
    if (!(asked == problem)) return std::nullopt;
    const auto found = transfer(v.kernel.spec, packed, {}, problem, v.device, allowed);
    chosen = found ? std::optional(found->config) : std::nullopt;
    return chosen;
  };
  std::vector<Problem> probes = make_probes(v.kernel.spec, measured);
  probes.resize(std::min<std::size_t>(probes.size(), kProbes));
  probes.push_back(problem);
  static_cast<void>(probe_programs({{}, v.kernel.spec, v.kernel.sources}, measured, configs, probes, choose));
  return chosen;
}

// The loss of a configuration on a problem, relative to the best there.
std::optional<double> loss_of(const TimingMatrix& all, std::size_t problem, const Config& config) {
  const auto found = std::find(all.configs.begin(), all.configs.end(), config);
  if (found == all.configs.end()) return std::nullopt;
  const double us = all.at(problem, static_cast<std::size_t>(found - all.configs.begin()));
  if (!is_time(us)) return std::nullopt;
  return us / *best_us(all, problem) - 1;
}

// The best configuration of the nearest shape that is valid here.
std::optional<Config> nearest(const RecordedVariant& v, const TimingMatrix& others, const Problem& problem) {
  std::vector<std::size_t> order(others.problems.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shape_distance(others.problems[a].dims, problem.dims) <
           shape_distance(others.problems[b].dims, problem.dims);
  });
  for (const std::size_t p : order)
    for (std::size_t c = 0; c < others.configs.size(); ++c)
      if (others.at(p, c) == best_us(others, p) && !check_config(v.kernel.spec, problem, v.device, others.configs[c]))
        return others.configs[c];
  return std::nullopt;
}

Refuse unless_recorded(const RecordedVariant& v) {
  return [recorded = std::set<Config>(v.matrix.configs.begin(), v.matrix.configs.end())](const Config& config) {
    return recorded.count(config) == 0 ? std::optional<std::string>("not recorded") : std::nullopt;
  };
}

// The recorded configuration that is chosen by the expected times: a choice without any result.
std::optional<Config> expected_best(const RecordedVariant& v, const Problem& problem) {
  const Config standard = default_config(v.kernel.spec, problem, v.device);
  auto found = shortest_expected(v.kernel.spec, problem, v.device, unless_recorded(v), standard);
  return found ? std::optional(std::move(found->config)) : std::nullopt;
}

// The recorded configuration that an application launches.
std::optional<Config> selected(const RecordedVariant& v, const TimingMatrix& others, const Problem& problem) {
  const LearnedTransfers learned(v.kernel.spec, {others}, {TransferRule{}});
  SelectOptions options;
  options.learned = &learned;
  options.refuse = unless_recorded(v);
  options.by_expected_time = true;
  auto found = select(v.kernel.spec, {}, problem, v.device, options);
  return found ? std::optional(std::move(found->config)) : std::nullopt;
}

double cpu_ms(std::clock_t ticks) { return 1e3 * static_cast<double>(ticks) / CLOCKS_PER_SEC; }

std::string percent(std::optional<double> loss) { return loss ? fmt::format("{:7.1f} %", 100 * *loss) : "     none"; }

int run(const std::vector<std::filesystem::path>& files) {
  auto variants = testing::recorded_matrices(files);
  if (!variants || variants->empty()) {
    fmt::print(stderr, "{}\nusage: leave_one_out RECORDING...\n",
               variants ? std::string("no recording") : variants.error().message);
    return 2;
  }
  Mean rule_mean, selected_mean, covering_mean, packed_mean, nearest_mean, expected_mean, default_mean;
  double rank_ms = 0, fit_ms = 0;
  int ranked = 0;
  std::size_t covering = 0, shipped = 0;
  fmt::print("{:<40} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "left out", "rule", "selected", "covering",
             "packed", "nearest", "expected", "default", "predicted", "choice");
  for (const auto& [key, v] : *variants) {
    const std::size_t shapes = v.matrix.problems.size();
    if (shapes < 2) {
      fmt::print("{}: one shape alone\n", key);
      continue;
    }
    fmt::print("{}: {} shapes, {} configurations\n", key, shapes, v.matrix.configs.size());
    for (std::size_t p = 0; p < shapes; ++p) {
      const Problem& problem = v.matrix.problems[p];
      const TimingMatrix others = canonical(without_problem(v.matrix, p));
      const TransferRule rule = learn_transfer(v.kernel.spec, others, v.device);
      const auto any = [](const Config&) { return true; };
      const auto chosen = transfer(v.kernel.spec, others, rule, problem, v.device, any);
      const auto loss = chosen ? loss_of(v.matrix, p, chosen->config) : std::nullopt;

      const TransferModel model(v.kernel.spec, others, v.device);
      const std::clock_t start = std::clock();
      const TransferModel::Fit fit = model.fit(model.near_problems(problem));
      const std::clock_t fitted = std::clock();
      static_cast<void>(model.rank(fit, problem));
      const double ms = cpu_ms(std::clock() - fitted);
      rank_ms += ms;
      fit_ms += cpu_ms(fitted - start);
      ++ranked;

      const MeasuredVariant measured = measured_of(v, others);
      std::vector<std::string> notes;
      std::vector<std::size_t> held = choose_configs(measured, kCover, notes).configs;
      const auto loss_from = [&](const std::vector<std::size_t>& configs) {
        const auto config = from_pack(v, measured, configs, problem);
        return config ? loss_of(v.matrix, p, *config) : std::nullopt;
      };
      const auto covering_loss = loss_from(held);
      covering += held.size();
      const PackedKernel kernel{{}, v.kernel.spec, v.kernel.sources};
      for (const std::size_t c : extra_configs(kernel, measured, held, kExtra)) held.push_back(c);
      const auto packed_loss = loss_from(held);
      shipped += held.size();
      const auto near = nearest(v, others, problem);
      const auto nearest_loss = near ? loss_of(v.matrix, p, *near) : std::nullopt;
      const auto default_loss = loss_of(v.matrix, p, default_config(v.kernel.spec));
      const auto expected = expected_best(v, problem);
      const auto expected_loss = expected ? loss_of(v.matrix, p, *expected) : std::nullopt;
      const auto select_choice = selected(v, others, problem);
      const auto selected_loss = select_choice ? loss_of(v.matrix, p, *select_choice) : std::nullopt;
      fmt::print("  {:<38} {} {} {} {} {} {} {} {}  {} ({:.1f} ms)\n", problem_key(v.kernel.spec, problem),
                 percent(loss), percent(selected_loss), percent(covering_loss), percent(packed_loss),
                 percent(nearest_loss), percent(expected_loss), percent(default_loss),
                 percent(chosen ? chosen->predicted_loss : std::nullopt),
                 chosen ? config_text(v.kernel.spec, chosen->config) : "", ms);
      rule_mean.add(loss);
      selected_mean.add(selected_loss);
      covering_mean.add(covering_loss);
      packed_mean.add(packed_loss);
      nearest_mean.add(nearest_loss);
      expected_mean.add(expected_loss);
      default_mean.add(default_loss);
    }
  }
  for (const auto& [name, m] : {std::pair{"rule", &rule_mean},
                                {"selected", &selected_mean},
                                {"covering", &covering_mean},
                                {"packed", &packed_mean},
                                {"nearest", &nearest_mean},
                                {"expected", &expected_mean},
                                {"default", &default_mean}})
    fmt::print("{:<9} mean {:6.2f} %, worst {:6.2f} %, {} shapes, none for {}\n", name,
               100 * m->sum / std::max(m->count, 1), 100 * m->worst, m->count, m->none);
  fmt::print("configurations on average: {:.1f} cover the shapes, {:.1f} are in the pack\n",
             static_cast<double>(covering) / std::max(ranked, 1), static_cast<double>(shipped) / std::max(ranked, 1));
  fmt::print("processor time: {:.2f} ms a choice on average, after {:.1f} ms to fit, once\n",
             rank_ms / std::max(ranked, 1), fit_ms / std::max(ranked, 1));
  return 0;
}

} // namespace
} // namespace warptune

int main(int argc, char** argv) { return warptune::run({argv + 1, argv + argc}); }
