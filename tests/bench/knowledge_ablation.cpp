// Measures the benefit of prior knowledge, and the cost of candidates under way, on recorded sweeps
// (docs/notes/knowledge.md has the tables). Needs no GPU.
//   knowledge_ablation [--strategy NAME] [--seeds N] [--windows] RECORDING...
// Hints for a recording come from the other recordings of its kernel. --windows: also measure the cost of different
// numbers of candidates under way.
#include "replay/recorded_problem.h"
#include "search/strategy.h"
#include "tuner/budget_meter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <string>

namespace warptune {
namespace {

constexpr std::int64_t kMarks[] = {8, 25, 50, 100};
constexpr std::size_t kFirst = 8; // evaluations that hints are judged by
constexpr std::size_t kCompilers = 15;

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) out[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return out;
}

// Spearman's rank correlation.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double middle = static_cast<double>(x.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// The mean of optimum / best of `count` configurations drawn without replacement.
double random_share(std::vector<double> times, std::size_t count) {
  std::sort(times.begin(), times.end());
  double none_yet = 1, share = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double drawn = std::min(1.0, static_cast<double>(count) / static_cast<double>(times.size() - i));
    share += none_yet * drawn * times.front() / times[i];
    none_yet *= 1 - drawn;
  }
  return share;
}

std::vector<double> times_us(const RecordedProblem& p) {
  std::vector<double> out;
  for (const auto& [us, index] : p.ranking()) out.push_back(us);
  return out;
}

double compile_s(const RecordedProblem& p, ConfigIndex index) {
  const Trial* trial = p.trial(index);
  return trial == nullptr ? 0 : trial->compile_ms / 1e3;
}

double measure_s(const RecordedProblem& p, ConfigIndex index) {
  const Trial* trial = p.trial(index);
  return trial == nullptr ? 0 : (trial->verify_ms + trial->measure_ms) / 1e3;
}

// Over the configurations that were measured and for which `expected` has a value.
double rank_correlation(const RecordedProblem& p, const std::function<double(ConfigIndex)>& expected) {
  std::vector<double> told, measured;
  for (ConfigIndex i = 0; i < p.space().size(); ++i)
    if (const double us = p.time_us(i), value = expected(i); us > 0 && std::isfinite(value)) {
      measured.push_back(us);
      told.push_back(value);
    }
  return told.empty() ? 0 : rank_correlation(told, measured);
}

void print_correlations(const std::vector<RecordedProblem>& problems) {
  fmt::print("\nRank correlation of the expected times with the measured ones\n");
  double sum = 0;
  for (const RecordedProblem& p : problems) {
    const double rho =
        rank_correlation(p, [&](ConfigIndex i) { return p.model()->expected_log_time(p.space().config(i)); });
    sum += rho;
    fmt::print("  {:<50} {:8.3f}\n", p.name(), rho);
  }
  fmt::print("  {:<50} {:8.3f}\n", "mean", sum / static_cast<double>(problems.size()));
}

void print_hints(const std::vector<RecordedProblem>& problems) {
  fmt::print("\nHints: optimum / best after the first 1 to {}, mean of those recordings that have neighbours\n",
             kFirst);
  for (const char* parts : {"hints", "all", "random"}) {
    std::vector<double> shares(kFirst);
    double counted = 0;
    for (const RecordedProblem& p : problems) {
      const bool random = std::string_view(parts) == "random";
      const Knowledge knowledge = knowledge_of(p, problems, random ? KnowledgeParts{} : *parse_knowledge(parts));
      if (knowledge.hints.empty()) continue;
      ++counted;
      double best_us = 0;
      for (std::size_t n = 0; n < kFirst; ++n) {
        const double us = n < knowledge.hints.size() ? p.time_us(knowledge.hints[n].index) : 0;
        if (us > 0 && (best_us == 0 || us < best_us)) best_us = us;
        if (random)
          shares[n] += random_share(times_us(p), n + 1);
        else if (best_us > 0)
          shares[n] += p.best_us() / best_us;
      }
    }
    fmt::print("  {:<12}", parts);
    for (const double share : shares) fmt::print(" {:.3f}", share / counted);
    fmt::print("\n");
  }
}

// One search with a fixed number of candidates under way, observed in the order of proposal, as in a session. The time
// is that of an event simulation with the recorded compile times on kCompilers processes and one device.
struct Search {
  std::vector<double> shares; // at kMarks
  double simulated_s = 0;
};

Search search(const RecordedProblem& p, const std::string& name, std::uint64_t seed, std::int64_t window,
              const Knowledge& knowledge) {
  struct Candidate {
    ConfigIndex index;
    double compiled_s, done_s = -1;
  };
  Search out{std::vector<double>(std::size(kMarks)), 0};
  const auto chosen = parse_strategy(name);
  auto strategy = chosen ? make_strategy(chosen->name, p.space(), seed, chosen->options, knowledge)
                         : tl::make_unexpected(chosen.error());
  if (!strategy) {
    fmt::print(stderr, "{}\n", strategy.error().message);
    std::exit(2);
  }
  const std::int64_t budget = std::min(kMarks[std::size(kMarks) - 1], p.space().size());
  std::vector<double> compilers(kCompilers);
  std::deque<Candidate> open;
  double now_s = 0, device_s = 0, best_us = 0;
  std::int64_t proposed = 0, observed = 0;
  while (true) {
    const auto room = std::min(window - static_cast<std::int64_t>(open.size()), budget - proposed);
    if (room > 0)
      for (const ConfigIndex index : (*strategy)->propose(static_cast<std::size_t>(room))) {
        double& free_s = *std::min_element(compilers.begin(), compilers.end());
        free_s = std::max(free_s, now_s) + compile_s(p, index);
        open.push_back({index, free_s});
        ++proposed;
      }
    if (open.empty()) break;
    // The device takes compiled candidates, the oldest first, until the oldest of all is done.
    while (open.front().done_s < 0) {
      auto next = open.end();
      double ready_s = 1e300;
      for (auto c = open.begin(); c != open.end(); ++c)
        if (c->done_s < 0 && std::max(c->compiled_s, device_s) < ready_s) {
          next = c;
          ready_s = std::max(c->compiled_s, device_s);
        }
      device_s = next->done_s = ready_s + measure_s(p, next->index);
    }
    const Candidate first = open.front();
    open.pop_front();
    now_s = std::max(now_s, first.done_s);
    const double us = p.time_us(first.index);
    (*strategy)->observe({first.index, us > 0, us});
    if (us > 0 && (best_us == 0 || us < best_us)) best_us = us;
    ++observed;
    for (std::size_t m = 0; m < std::size(kMarks); ++m)
      if (observed <= kMarks[m] && best_us > 0) out.shares[m] = p.best_us() / best_us;
  }
  out.simulated_s = now_s;
  return out;
}

void print_searches(const std::string& label, const std::vector<RecordedProblem>& problems, const std::string& strategy,
                    std::uint64_t seeds, std::int64_t window, const KnowledgeParts& parts) {
  std::vector<double> shares(std::size(kMarks));
  double seconds = 0;
  for (const RecordedProblem& p : problems) {
    const Knowledge knowledge = knowledge_of(p, problems, parts);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Search s = search(p, strategy, seed, window, knowledge);
      for (std::size_t m = 0; m < shares.size(); ++m) shares[m] += s.shares[m];
      seconds += s.simulated_s;
    }
  }
  const double runs = static_cast<double>(problems.size()) * static_cast<double>(seeds);
  fmt::print("  {:<24}", label);
  for (const double share : shares) fmt::print(" {:.4f}", share / runs);
  fmt::print("  {:6.1f} s\n", seconds / runs);
}

int run(const std::vector<std::string>& words) {
  std::string strategy(kDefaultStrategy);
  std::uint64_t seeds = 10;
  bool windows = false;
  std::vector<RecordedProblem> problems;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--strategy" && i + 1 < words.size()) {
      strategy = words[++i];
    } else if (words[i] == "--seeds" && i + 1 < words.size()) {
      seeds = std::strtoull(words[++i].c_str(), nullptr, 10);
    } else if (words[i] == "--windows") {
      windows = true;
    } else if (auto problem = RecordedProblem::load(words[i])) {
      problems.push_back(std::move(*problem));
    } else {
      fmt::print(stderr, "{}\n", problem.error().message);
      return 2;
    }
  }
  if (problems.empty() || seeds == 0) {
    fmt::print(stderr, "usage: knowledge_ablation [--strategy NAME] [--seeds N] [--windows] RECORDING...\n");
    return 2;
  }
  print_correlations(problems);
  print_hints(problems);
  fmt::print("\n{}, {} seeds: optimum / best after {} evaluations, simulated time with {} compilers\n", strategy, seeds,
             fmt::join(kMarks, ", "), kCompilers);
  for (const char* parts : {"none", "prior", "hints", "all"})
    print_searches(fmt::format("knowledge {}", parts), problems, strategy, seeds, kLearningAhead,
                   *parse_knowledge(parts));
  if (!windows) return 0;
  for (const std::int64_t window : {1, 4, 8, 16, 32, 64, 128})
    print_searches(fmt::format("{} under way", window), problems, strategy, seeds, window, {});
  return 0;
}

} // namespace
} // namespace warptune

int main(int argc, char** argv) { return warptune::run({argv + 1, argv + argc}); }
