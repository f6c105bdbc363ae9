// Splits one problem over several devices, with the same number of evaluations in all (docs/notes/islands.md has the
// tables):
//   split_search SPACES SEEDS RECORDING...
// SPACES: recorded spaces (recordings/spaces). Prints for the default strategy the share of the optimum after 50, 100
// and 200 evaluations, and its difference to one device, over all spaces and seeds; then, on the recordings, the
// simulated seconds and the same shares. Needs no GPU.
#include "bench/split_replay.h"
#include "recording/recorded_space_file.h"
#include "replay/recorded_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace warptune;

constexpr std::size_t kBudgets[] = {50, 100, 200};
// Devices, and candidates ahead for each; 0: the product's default.
constexpr std::pair<int, std::int64_t> kSplits[] = {{1, 0}, {2, 0}, {4, 0}, {4, 4}, {4, 8}, {8, 0}, {8, 8}, {16, 0}};

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

struct Task {
  std::string name;
  const SearchSpace* space;
  double best;
  std::function<SplitEvaluation(ConfigIndex)> evaluate;
  Knowledge knowledge = {};
};

struct Mean {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double error() const { return std::sqrt(std::max(0.0, squares / count - mean() * mean()) / count); }
};

struct Runs {
  std::map<std::size_t, std::vector<double>> shares; // by budget, in the order of problems and seeds
  Mean seconds;
};

Runs run(const std::vector<Task>& problems, int seeds, int devices, std::int64_t each, bool exhaustive = false) {
  Runs runs;
  for (const Task& problem : problems)
    for (int seed = 0; seed < seeds; ++seed) {
      const auto strategy = must(make_strategy(exhaustive ? "exhaustive" : kDefaultStrategy, *problem.space,
                                               static_cast<std::uint64_t>(seed), {}, problem.knowledge));
      SplitPlan plan;
      plan.devices = devices;
      plan.ahead = each * devices;
      plan.budget = exhaustive ? problem.space->size() : static_cast<std::int64_t>(kBudgets[2]);
      const SplitReplay replay = replay_split(*strategy, problem.evaluate, plan);
      runs.seconds.add(replay.wall_s());
      for (const std::size_t budget : kBudgets) {
        double best = INFINITY;
        for (std::size_t i = 0; i < std::min(budget, replay.order.size()); ++i)
          if (const Observation seen = problem.evaluate(replay.order[i]).observation; seen.ok)
            best = std::min(best, seen.time_us);
        runs.shares[budget].push_back(std::isfinite(best) ? problem.best / best : 0);
      }
    }
  return runs;
}

void print_table(const std::vector<Task>& problems, int seeds, bool has_times) {
  const Runs one = run(problems, seeds, 1, 0);
  for (const auto& [devices, each] : kSplits) {
    const Runs split = run(problems, seeds, devices, each);
    std::printf("%2d devices, %s ahead:", devices, each == 0 ? "default" : (std::to_string(each) + " each").c_str());
    for (const std::size_t budget : kBudgets) {
      Mean share, difference;
      for (std::size_t i = 0; i < split.shares.at(budget).size(); ++i) {
        share.add(split.shares.at(budget)[i]);
        difference.add(split.shares.at(budget)[i] - one.shares.at(budget)[i]);
      }
      std::printf("  %zu: %.4f (%+.4f +- %.4f)", budget, share.mean(), difference.mean(), difference.error());
    }
    if (has_times) std::printf("  %.2f s, %.2fx", split.seconds.mean(), one.seconds.mean() / split.seconds.mean());
    std::printf("\n");
    std::fflush(stdout);
  }
  if (!has_times) return;
  const double alone_s = run(problems, 1, 1, 0, true).seconds.mean();
  for (const int devices : {1, 2, 4, 8, 16}) {
    const double seconds = run(problems, 1, devices, 0, true).seconds.mean();
    std::printf("%2d devices, exhaustive: %.2f s, %.2fx\n", devices, seconds, alone_s / seconds);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("split_search SPACES SEEDS RECORDING...\n", stderr);
    return 2;
  }
  try {
    const int seeds = std::max(1, std::atoi(argv[2]));
    std::vector<RecordedSpace> spaces;
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(argv[1]))
      if (file.path().filename().string().ends_with(".json.gz")) files.push_back(file.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) spaces.push_back(must(load_recorded_space(file)));
    std::vector<Task> problems;
    for (const RecordedSpace& space : spaces)
      problems.push_back({space.name, &space.space, space.best_ms() * 1e3, [&space](ConfigIndex index) {
                            const RecordedOutcome& at = space.at(index);
                            const bool ok = at.status == TrialStatus::ok;
                            return SplitEvaluation{{index, ok, ok ? at.time_ms * 1e3 : 0}, 0.05, 0.01};
                          }});
    std::printf("%zu spaces, %d seeds\n", problems.size(), seeds);
    print_table(problems, seeds, false);

    std::vector<RecordedProblem> recorded;
    for (int i = 3; i < argc; ++i) recorded.push_back(must(RecordedProblem::load(argv[i])));
    problems.clear();
    for (const RecordedProblem& one : recorded) {
      Knowledge known = knowledge_of(one, recorded, {});
      problems.push_back({one.name(), &one.space(), one.best_us(),
                          [&one](ConfigIndex index) {
                            const Trial* const trial = one.trial(index);
                            const double us = one.time_us(index);
                            SplitEvaluation out{{index, us > 0, us}, 0, 0};
                            if (trial != nullptr) {
                              out.compile_s = trial->compile_ms * 1e-3;
                              out.device_s = (trial->verify_ms + trial->measure_ms) * 1e-3;
                            }
                            return out;
                          },
                          std::move(known)});
    }
    if (problems.empty()) return 0;
    std::printf("\n%zu recordings, %d seeds, 15 compilers for each device\n", problems.size(), std::min(seeds, 3));
    print_table(problems, std::min(seeds, 3), true);
    std::printf("\nthe same with compiled code in the cache\n");
    for (Task& task : problems)
      task.evaluate = [evaluate = task.evaluate](ConfigIndex index) {
        SplitEvaluation out = evaluate(index);
        out.compile_s = 0;
        return out;
      };
    print_table(problems, 1, true);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "split_search: %s\n", error.what());
    return 1;
  }
}
