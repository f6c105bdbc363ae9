// One searcher against several that share their evaluations, at equally many evaluations in all:
//   islands DIR [SEEDS] [ISLANDS] [INTERVAL,...]
// DIR: recorded spaces (recordings/spaces). Prints the share of the optimum after 50, 100 and 200 evaluations, the mean
// over spaces and seeds, for the default strategy. No GPU needed.
#include "recording/recorded_space_file.h"
#include "replay/island_replay.h"
#include "replay/strategy_score.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace warptune;

template <class T> T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::vector<RecordedSpace> load_spaces(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().filename().string().ends_with(".json.gz")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<RecordedSpace> spaces;
  for (const auto& file : files) spaces.push_back(must(load_recorded_space(file)));
  return spaces;
}

struct Shares {
  double sum = 0, squares = 0;
  int runs = 0;
  void add(double share) {
    sum += share;
    squares += share * share;
    ++runs;
  }
  double mean() const { return sum / runs; }
  double error() const { return std::sqrt(std::max(0.0, squares / runs - mean() * mean()) / runs); }
};

void measure(const std::vector<RecordedSpace>& spaces, const StrategyChoice& strategy, int seeds, int islands,
             std::int64_t interval) {
  constexpr std::int64_t kBudgets[] = {50, 100, 200};
  Shares at[3];
  for (const RecordedSpace& space : spaces)
    for (int seed = 0; seed < seeds; ++seed) {
      const ReplayRun run =
          must(replay_islands(space, strategy, static_cast<std::uint64_t>(seed), {islands, interval, kBudgets[2]}));
      for (std::size_t b = 0; b < 3; ++b) {
        double best_ms = INFINITY;
        for (const auto& improvement : run.trace.improvements)
          if (improvement.evaluations <= kBudgets[b]) best_ms = improvement.best_ms;
        at[b].add(std::isfinite(best_ms) ? space.best_ms() / best_ms : 0);
      }
    }
  std::printf("%d islands, interval %2lld:", islands, static_cast<long long>(interval));
  for (std::size_t b = 0; b < 3; ++b)
    std::printf("  %lld: %.4f +- %.4f", static_cast<long long>(kBudgets[b]), at[b].mean(), at[b].error());
  std::printf("\n");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("islands DIR [SEEDS] [ISLANDS] [INTERVAL,...]\n", stderr);
    return 2;
  }
  try {
    const std::vector<RecordedSpace> spaces = load_spaces(argv[1]);
    const int seeds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 30;
    const int islands = argc > 3 ? std::max(1, std::atoi(argv[3])) : 4;
    const std::string intervals = argc > 4 ? argv[4] : "1,2,4,8,16";
    const StrategyChoice strategy = must(parse_strategy(std::string(kDefaultStrategy)));
    std::printf("%zu spaces, %d seeds; the share of the optimum, its standard error\n", spaces.size(), seeds);
    measure(spaces, strategy, seeds, 1, 1);
    for (const char* at = intervals.c_str(); *at != '\0'; at += *at == ',' ? 1 : 0) {
      char* end = nullptr;
      measure(spaces, strategy, seeds, islands, std::max(1LL, std::strtoll(at, &end, 10)));
      at = end;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "islands: %s\n", error.what());
    return 1;
  }
}
