// Measures the host's cost of a launch through the library, on a machine with a GPU:
//   launch_bench [PACK_OR_DATABASE]
// Raw cuLaunchKernelEx with prepared arguments, wt_launch and wt_run of one kernel are interleaved in one loop, so all
// see the same machine. Then come warm wt_select over 1,000 tuned shapes by 1 to 8 threads, opening a file, the first
// selection and the first launch. If a file is given, the benchmark also times opening it. Prints tables and judges
// nothing.
#include "bench/call_times.h"
#include "gpu/devices.h"
#include "gpu/launch.h"
#include "gpu/real_rows.h"
#include "gpu/scalar.h"
#include "support/request_of.h"
#include "support/temp_dir.h"
#include "unit/runtime/library.h"

#include <array>
#include <cstdio>
#include <span>

namespace {

using namespace warptune;
using test::must;

constexpr unsigned kShapes = 1000;
constexpr std::int64_t kElements = 1024; // small: the benchmark measures the host

std::int64_t size_of(std::size_t shape) { return kElements * (1 + static_cast<std::int64_t>(shape)); }

void check(wt_status status) {
  if (status != WT_OK) throw std::runtime_error(wt_last_error());
}

void print_times(const char* name, std::vector<double>& ns, double base_ns) {
  const double median = bench::percentile(ns, 0.5);
  std::printf("  %-22s %8.0f %8.0f %+9.0f\n", name, median, bench::percentile(ns, 0.99), median - base_ns);
}

class Bench {
 public:
  explicit Bench(Context& context)
      : context_(context), driver_(context.driver()), device_(must(query_cuda_device(0))),
        stream_(must(make_stream(driver_))), x_(must(DeviceMemory::allocate(driver_, kElements * 4, "x"))),
        y_(must(DeviceMemory::allocate(driver_, kElements * 4, "y"))) {
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    std::vector<std::string> others(kShapes - 1);
    for (std::size_t i = 1; i < kShapes; ++i) others[i - 1] = "n=" + std::to_string(size_of(i));
    test::add_real_rows(database(), device_, "axpy", {"n=" + std::to_string(size_of(0))}, "", true);
    test::add_real_rows(database(), device_, "axpy", others, "", false);
  }

  void first_use(const std::string& path, const char* what) {
    const auto start = bench::Clock::now();
    const test::LibraryHandle library = test::open_library(path);
    const auto opened = bench::Clock::now();
    std::printf("open %s: %.2f ms (%d kernels)\n", what, bench::ns_between(start, opened) * 1e-6,
                wt_kernel_count(library.get()));
  }

  void first_launch() {
    const test::LibraryHandle library = test::open_library(database());
    const auto start = bench::Clock::now();
    const wt_kernel* kernel = test::find_kernel(library, "axpy");
    const auto found = bench::Clock::now();
    run(kernel);
    const auto launched = bench::Clock::now();
    wait();
    const auto ran = bench::Clock::now();
    std::printf("wt_find_kernel %.2f ms, first wt_run %.2f ms (loads a stored program), until it has run %.2f ms\n",
                bench::ns_between(start, found) * 1e-6, bench::ns_between(found, launched) * 1e-6,
                bench::ns_between(found, ran) * 1e-6);
  }

  void launches() {
    const test::LibraryHandle library = test::open_library(database());
    const wt_kernel* kernel = test::find_kernel(library, "axpy");
    const wt_operation* operation = nullptr;
    check(wt_select(kernel, &kElements, 1, 0, stream_.get(), &operation));

    const Kernel axpy = must(TemplateStore::standard().load("axpy"));
    const Problem problem = must(make_problem(axpy.spec, "n=1024", "", {}));
    const Config standard = default_config(axpy.spec);
    const LaunchPlan plan = must(make_plan(axpy.spec, problem, standard, device_));
    const CompileResult compiled =
        must(compile(must(test::request_of(axpy.spec, axpy.sources, problem, standard, device_)), 0));
    const LoadedKernels loaded = must(load_kernels(driver_, compiled->image, compiled->lowered_names));
    const KernelLaunch& launch = plan.launches.front();
    CUlaunchConfig config{};
    config.gridDimX = launch.grid.x;
    config.gridDimY = launch.grid.y;
    config.gridDimZ = launch.grid.z;
    config.blockDimX = launch.block.x;
    config.blockDimY = launch.block.y;
    config.blockDimZ = launch.block.z;
    config.sharedMemBytes = launch.shared_bytes;
    config.hStream = stream_.get();
    CUdeviceptr x = x_.get(), y = y_.get();
    std::vector<std::uint64_t> scalars;
    for (const ScalarPlan& scalar : plan.scalars) scalars.push_back(scalar_bits(scalar));
    std::vector<void*> raw_args;
    for (const ArgRef& arg : launch.args)
      raw_args.push_back(arg.kind == ArgRef::Kind::scalar
                             ? static_cast<void*>(&scalars[static_cast<std::size_t>(arg.index)])
                         : arg.index == 0 ? static_cast<void*>(&x)
                                          : static_cast<void*>(&y));
    const float alpha = 0;
    const std::array<const void*, 3> args = {&x, &y, &alpha};

    constexpr int kRounds = 40000, kQueued = 300; // the device's queue never fills
    const double clock_ns = bench::clock_cost_ns();
    std::vector<double> raw_ns, launch_ns, run_ns;
    for (int i = -1000; i < kRounds; ++i) {
      if (i % kQueued == 0) wait();
      const double raw = bench::time_call(
          [&] { driver_.cuLaunchKernelEx(&config, loaded.functions.front(), raw_args.data(), nullptr); }, clock_ns);
      const double by_operation =
          bench::time_call([&] { wt_launch(operation, args.data(), 3, nullptr, stream_.get()); }, clock_ns);
      const double by_run =
          bench::time_call([&] { wt_run(kernel, &kElements, 1, args.data(), 3, nullptr, 0, stream_.get()); }, clock_ns);
      if (i < 0) continue; // warm-up
      raw_ns.push_back(raw);
      launch_ns.push_back(by_operation);
      run_ns.push_back(by_run);
    }
    wait();
    check(wt_launch(operation, args.data(), 3, nullptr, stream_.get()));
    const double base = bench::percentile(raw_ns, 0.5);
    std::printf("host time of a launch, ns  %8s %8s %9s\n", "median", "p99", "over raw");
    print_times("cuLaunchKernelEx", raw_ns, base);
    print_times("wt_launch", launch_ns, base);
    print_times("wt_run (select too)", run_ns, base);
  }

  void selections() {
    const test::LibraryHandle library = test::open_library(database());
    const wt_kernel* kernel = test::find_kernel(library, "axpy");
    const auto start = bench::Clock::now();
    const wt_operation* operation = nullptr;
    for (std::size_t i = 0; i < kShapes; ++i) {
      const std::int64_t n = size_of(i);
      check(wt_select(kernel, &n, 1, 0, nullptr, &operation));
    }
    std::printf("cold wt_select, program loaded: %.3f ms on average\n",
                bench::ns_between(start, bench::Clock::now()) * 1e-6 / kShapes);
    // Costs that are not the library's: reading the clock, and the two driver calls of every selection.
    const Where where{driver_};
    measure("an empty call", [](std::int64_t) {});
    measure("cuCtxGetCurrent and cuCtxGetId", [&](std::int64_t) { where.ask(); });
    measure("warm wt_select", [&](std::int64_t n) {
      const wt_operation* found = nullptr;
      wt_select(kernel, &n, 1, 0, nullptr, &found);
    });
  }

  std::string database() const { return (dir_ / "t.db").string(); }

 private:
  struct Where {
    const Driver& driver;
    void ask() const {
      CUcontext context = nullptr;
      unsigned long long id = 0;
      driver.cuCtxGetCurrent(&context);
      driver.cuCtxGetId(context, &id);
    }
  };

  // Runs `call(n)` over the shapes in an order that cannot be guessed, by 1 to 8 threads: first single calls without
  // the cost of reading the clock, then as many calls as possible.
  template <class F> void measure(const char* name, F&& call) {
    constexpr std::size_t kCalls = 300000;
    const double clock_ns = bench::clock_cost_ns();
    std::printf("%-32s %8s %8s %8s %16s %10s\n", name, "median", "p90", "p99", "calls a second", "to one's");
    double of_one = 0;
    for (const unsigned threads : {1U, 2U, 4U, 8U}) {
      const auto walk_all = [&](unsigned thread, bool is_timed) {
        bench::pin(thread);
        must(context_.make_current());
        bench::Walk walk(thread, kShapes);
        std::vector<double> ns(is_timed ? kCalls : 0);
        for (std::size_t i = 0; i < kCalls; ++i) {
          const std::int64_t n = size_of(walk.next());
          if (is_timed)
            ns[i] = bench::time_call([&] { call(n); }, clock_ns);
          else
            call(n);
          bench::keep(n);
        }
        return ns;
      };
      auto times = bench::time_threads(threads, [&](unsigned thread) { return walk_all(thread, true); });
      const auto whole = bench::time_threads(threads, [&](unsigned thread) { return walk_all(thread, false); });
      const double rate = static_cast<double>(threads * kCalls) / whole.wall_s;
      if (threads == 1) of_one = rate;
      std::printf("  %u threads %29.0f %8.0f %8.0f %16.3g %10.2f\n", threads, bench::percentile(times.ns, 0.5),
                  bench::percentile(times.ns, 0.9), bench::percentile(times.ns, 0.99), rate, rate / of_one);
    }
  }

  void run(const wt_kernel* kernel) {
    const CUdeviceptr x = x_.get(), y = y_.get();
    const float alpha = 0;
    const std::array<const void*, 3> args = {&x, &y, &alpha};
    check(wt_run(kernel, &kElements, 1, args.data(), 3, nullptr, 0, stream_.get()));
  }
  void wait() { must(check_cuda(driver_, driver_.cuStreamSynchronize(stream_.get()), "wait")); }

  test::TempDir dir_;
  Context& context_;
  const Driver& driver_;
  DeviceInfo device_;
  Stream stream_;
  DeviceMemory x_, y_;
};

} // namespace

int main(int argc, char** argv) {
  try {
    Context context = must(Context::open(0));
    Bench bench(context);
    bench.first_use(bench.database(), "a database of 1,000 results");
    if (argc > 1) bench.first_use(argv[1], argv[1]);
    bench.first_launch();
    bench.launches();
    bench.selections();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "launch_bench: %s\n", error.what());
    return 3;
  }
}
