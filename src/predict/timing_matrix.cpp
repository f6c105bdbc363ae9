#include "predict/timing_matrix.h"

#include <limits>
#include <map>
#include <numeric>
#include <tuple>

namespace warptune {
namespace {

// Compares lists by their summary numbers only, as the model does.
auto order_of(const Problem& p) { return std::tie(p.dtype, p.flags, p.dims); }

struct Before {
  bool operator()(const Problem& a, const Problem& b) const { return order_of(a) < order_of(b); }
};

} // namespace

std::optional<double> best_us(const TimingMatrix& matrix, std::size_t problem) {
  std::optional<double> best;
  for (std::size_t c = 0; c < matrix.configs.size(); ++c)
    if (const double us = matrix.at(problem, c); is_time(us) && (!best || us < *best)) best = us;
  return best;
}

TimingMatrix canonical(const TimingMatrix& matrix) {
  std::map<Problem, std::size_t, Before> problems;
  std::map<Config, std::size_t> configs;
  for (std::size_t p = 0; p < matrix.problems.size(); ++p)
    for (std::size_t c = 0; c < matrix.configs.size(); ++c)
      if (is_time(matrix.at(p, c))) {
        problems.emplace(Problem{matrix.problems[p].dims, matrix.problems[p].dtype, matrix.problems[p].flags}, 0);
        configs.emplace(matrix.configs[c], 0);
      }
  TimingMatrix out{matrix.device_name, matrix.arch, {}, {}, {}};
  for (auto& [problem, position] : problems) {
    position = out.problems.size();
    out.problems.push_back(problem);
  }
  for (auto& [config, position] : configs) {
    position = out.configs.size();
    out.configs.push_back(config);
  }
  out.us.assign(out.problems.size() * out.configs.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t p = 0; p < matrix.problems.size(); ++p)
    for (std::size_t c = 0; c < matrix.configs.size(); ++c) {
      const double us = matrix.at(p, c);
      if (!is_time(us)) continue;
      double& slot = out.us[problems[matrix.problems[p]] * out.configs.size() + configs[matrix.configs[c]]];
      if (!is_time(slot) || us < slot) slot = us;
    }
  return out;
}

TimingMatrix with_problems(const TimingMatrix& matrix, const std::vector<std::size_t>& problems) {
  TimingMatrix out{matrix.device_name, matrix.arch, {}, matrix.configs, {}};
  for (const std::size_t p : problems) {
    out.problems.push_back(matrix.problems[p]);
    for (std::size_t c = 0; c < matrix.configs.size(); ++c) out.us.push_back(matrix.at(p, c));
  }
  return out;
}

TimingMatrix with_configs(const TimingMatrix& matrix, const std::vector<std::size_t>& configs) {
  TimingMatrix out{matrix.device_name, matrix.arch, matrix.problems, {}, {}};
  for (const std::size_t c : configs) out.configs.push_back(matrix.configs[c]);
  for (std::size_t p = 0; p < matrix.problems.size(); ++p)
    for (const std::size_t c : configs) out.us.push_back(matrix.at(p, c));
  return out;
}

TimingMatrix without_problem(const TimingMatrix& matrix, std::size_t problem) {
  std::vector<std::size_t> kept(matrix.problems.size());
  std::iota(kept.begin(), kept.end(), 0);
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(problem));
  return with_problems(matrix, kept);
}

} // namespace warptune
