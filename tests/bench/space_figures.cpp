// Measures the cost of building a search space on one core, in CPU time: from the text of a T1 file to a counted space,
// and to all its configurations. Also one look-up, one draw, one set of neighbours, and the process's memory.
// space_figures FILE.json...
#include "core/random.h"
#include "interchange/t1.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <vector>

namespace {

using namespace warptune;

double processor_us() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

double median_us(int runs, const auto& work) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const double begin_us = processor_us();
    work();
    times.push_back(processor_us() - begin_us);
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<std::size_t>(runs / 2)];
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int report(const char* path) {
  constexpr int kRuns = 21, kLooks = 10'000;
  constexpr std::int64_t kMaxEnumerated = 200'000'000;
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto t1 = parse_t1(text, path);
  if (!t1) return std::fputs((t1.error().message + "\n").c_str(), stderr), 2;
  const auto space = SearchSpace::build(make_space_model(*t1));
  if (!space) return std::fputs((space.error().message + "\n").c_str(), stderr), 2;
  const double counted_mb = peak_mb();
  const double parse = median_us(kRuns, [&] { (void)parse_t1(text, path); });
  const double build = median_us(kRuns, [&] { (void)SearchSpace::build(make_space_model(*t1)); });
  std::int64_t sum = 0; // keeps the compiler from dropping the walk
  const double walk = space->size() > kMaxEnumerated ? 0 : median_us(space->size() > 10'000'000 ? 1 : kRuns, [&] {
    for (SpaceCursor at(*space); !at.done(); at.next()) sum += at.config().back();
  });
  const auto drawn = [&](int i) {
    return static_cast<ConfigIndex>(mix(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(space->size()));
  };
  Positions positions;
  const double draw = median_us(kRuns, [&] {
    for (int i = 0; i < kLooks; ++i) {
      space->positions(drawn(i), positions);
      sum += space->find_positions(positions).value_or(0);
    }
  });
  std::vector<ConfigIndex> near;
  const auto neighbours = [&](SearchSpace::Neighbours kind) {
    return median_us(kRuns,
                     [&] {
                       for (int i = 0; i < kLooks; ++i) {
                         space->neighbours(drawn(i), kind, near);
                         sum += static_cast<std::int64_t>(near.size());
                       }
                     }) /
           kLooks;
  };
  const double hamming = neighbours(SearchSpace::Neighbours::hamming);
  const double adjacent = neighbours(SearchSpace::Neighbours::adjacent);
  fmt::print("{:<24} {:>14.6g} {:>12} {:>9.3f} {:>9.3f} {:>10.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>8.1f}\n", t1->name,
             space->cartesian_size(), space->size(), parse / 1e3, build / 1e3, (build + walk) / 1e3, draw / kLooks,
             hamming, adjacent, counted_mb);
  return sum == -1 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: space_figures FILE.json...\n", stderr), 2;
  fmt::print("{:<24} {:>14} {:>12} {:>9} {:>9} {:>10} {:>9} {:>9} {:>9} {:>8}\n", "space", "product", "valid",
             "parse_ms", "build_ms", "all_ms", "look_us", "near1_us", "near2_us", "peak_MB");
  int code = 0;
  for (int i = 1; i < argc; ++i) code = std::max(code, report(argv[i]));
  return code;
}
