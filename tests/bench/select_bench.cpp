// Measures the cost of selecting a kernel that was selected before: wt_select over 1,000 tuned shapes, by 1 to 8
// threads. It uses the stand-in for the driver, so the driver's share (two calls that ask for the context) is missing;
// launch_bench includes it.
//   select_bench [options of Google Benchmark]
// After the table of means it prints the median and the 99th percentile of single calls.
#include "bench/call_times.h"
#include "support/fake_cuda.h"
#include "support/paths.h"
#include "unit/runtime/fixture.h"

#include <benchmark/benchmark.h>
#include <cstdio>

namespace {

using namespace warptune;

constexpr unsigned kShapes = 1000;

std::int64_t size_of(std::size_t shape) { return 16 * (1 + static_cast<std::int64_t>(shape)); }

class Tuned {
 public:
  Tuned() {
    std::vector<test::Tuned> results;
    for (std::size_t i = 0; i < kShapes; ++i)
      results.push_back({"n=" + std::to_string(size_of(i)) + ";fp32;mode=plain", "WIDTH=4,SPLIT=1", "Fake H200",
                         i == 0 ? "fake image" : ""});
    test::add_tuned(dir_ / "t.db", results);
    make_current();
    library_ = test::open_library(dir_ / "t.db");
    kernel_ = test::find_kernel(library_);
    for (std::size_t i = 0; i < kShapes; ++i)
      if (select(size_of(i)) == nullptr) throw std::runtime_error(wt_last_error());
  }
  static void make_current() { fake_set_context(reinterpret_cast<void*>(0x1000)); }
  const wt_operation* select(std::int64_t n) const {
    const wt_operation* found = nullptr;
    wt_select(kernel_, &n, 1, 0, nullptr, &found);
    return found;
  }

 private:
  test::TempDir dir_;
  test::LibraryHandle library_;
  const wt_kernel* kernel_ = nullptr;
};

const Tuned& tuned() {
  static const Tuned only;
  return only;
}

void warm_select(benchmark::State& state) {
  const Tuned& data = tuned();
  Tuned::make_current();
  bench::Walk walk(static_cast<unsigned>(state.thread_index()), kShapes);
  for (auto _ : state) benchmark::DoNotOptimize(data.select(size_of(walk.next())));
}
BENCHMARK(warm_select)->ThreadRange(1, 8)->UseRealTime();

void print_percentiles(unsigned threads) {
  const double clock_ns = bench::clock_cost_ns();
  bench::ThreadTimes times = bench::time_threads(threads, [&](unsigned thread) {
    Tuned::make_current();
    bench::Walk walk(thread, kShapes);
    std::vector<double> ns(200000);
    for (double& call : ns) {
      const std::int64_t n = size_of(walk.next());
      call = bench::time_call([&] { benchmark::DoNotOptimize(tuned().select(n)); }, clock_ns);
    }
    return ns;
  });
  std::printf("%u threads: median %.0f ns, p99 %.0f ns of %zu single calls (%.0f ns of clock taken off)\n", threads,
              bench::percentile(times.ns, 0.5), bench::percentile(times.ns, 0.99), times.ns.size(), clock_ns);
}

} // namespace

int main(int argc, char** argv) {
  setenv("WARPTUNE_LIBCUDA", (test::program_dir() / "libwt_fake_cuda.so").c_str(), 1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  try {
    tuned();
    benchmark::RunSpecifiedBenchmarks();
    for (const unsigned threads : {1U, 2U, 4U, 8U}) print_percentiles(threads);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "select_bench: %s\n", error.what());
    return 3;
  }
  return 0;
}
