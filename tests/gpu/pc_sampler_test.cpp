// Samples of kernels whose hot line is known, through the real CUPTI.
#include "gpu/fixture.h"
#include "profiler/counter_source.h"
#include "profiler/pc_sampler.h"
#include "profiler/source_lines.h"
#include "report/hot_lines.h"

#include <chrono>
#include <cstdio>
#include <gmock/gmock.h>
#include <numeric>
#include <sstream>

namespace warptune::test {
namespace {

// "HOT" marks the line that a kernel spends its time in.
constexpr const char* kSource = R"(
extern "C" __global__ void uncoalesced(const float* x, float* y, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[(long long)row * n + i * 33 % n]; // HOT uncoalesced
  y[row] = sum;
}
extern "C" __global__ void conflicts(const float* x, float* y, int n) {
  __shared__ float tile[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += tile[(threadIdx.x % 32) * 32 + ((i + threadIdx.x / 32) & 31)]; // HOT conflicts
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void busy(float* y, int n) {
  float a = y[threadIdx.x], b = a, c = a, d = a;
  for (int i = 0; i < n; ++i) a = a * 1.1f + 1, b = b * 1.2f + 2, c = c * 1.3f + 3, d = d * 1.4f + 4; // HOT busy
  y[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
)";

constexpr int kRows = 132 * 8 * 256, kLength = 64;

std::int64_t marked_line(const std::string& mark) {
  std::istringstream lines(kSource);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("// HOT " + mark) != std::string::npos) return number;
  }
  return 0;
}

std::int64_t total(const StallCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& count) { return sum + count.second; });
}

class PcSamplerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    request_.source_name = "pc_sampler_test.cu";
    request_.source = kSource;
    request_.options = {"-lineinfo"};
    CudaDevice& device = gpu_device();
    cubin_ = device.provider(request_).value();
    x_ = DeviceMemory::allocate(device.driver(), std::size_t{kRows} * kLength * 4, "a test").value();
    y_ = DeviceMemory::allocate(device.driver(), std::size_t{kRows} * 4, "a test").value();
    device.driver().cuMemsetD32Async(x_.get(), 0, x_.bytes() / 4, stream());
    device.driver().cuMemsetD32Async(y_.get(), 0, y_.bytes() / 4, stream());
  }
  static CUstream stream() { return gpu_device().stream.get(); }

  Result<PcSampler> open_sampler() const {
    CudaDevice& device = gpu_device();
    return PcSampler::open(device.driver(), device.provider, device.info.limits);
  }
  void load() { program_ = DeviceProgram::load(gpu_device().driver(), gpu_device().provider, request_).value(); }

  ProfiledWork work(const std::string& name) {
    const CUfunction kernel = program_.function(name.c_str()).value();
    const LaunchShape shape{{kRows / 256, 1, 1}, 256};
    return {[this, name, kernel, shape](CUstream s) {
      const Driver& driver = gpu_device().driver();
      if (name == "uncoalesced")
        return launch_kernel(driver, kernel, shape, s, x_.get(), y_.get(), int{kRows}, int{kLength});
      if (name == "conflicts") return launch_kernel(driver, kernel, shape, s, x_.get(), y_.get(), 4096);
      return launch_kernel(driver, kernel, shape, s, y_.get(), 8192);
    }};
  }

  // Prints the samples, so that a failure shows what was found.
  PcSamples sample(PcSampler& sampler, const std::string& name, const SamplingPlan& plan = {4, 10}) {
    const auto begin = std::chrono::steady_clock::now();
    auto samples = sampler.sample(work(name), cubin_, plan, true, stream());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(samples) << samples.error().message;
    if (!samples) return {};
    EXPECT_TRUE(find_source_lines(*samples, cubin_));
    std::printf("%s: period 2^%d, %d launches, %.1f ms, %zu instructions, %lld dropped\n", name.c_str(),
                plan.period_log2, plan.launches, took.count(), samples->instructions.size(),
                static_cast<long long>(samples->dropped));
    for (const InstructionSamples& at : samples->instructions) {
      std::printf("  %s+0x%llx %s:%lld %lld samples, %lld not issued:", at.function.c_str(),
                  static_cast<unsigned long long>(at.offset), at.file.c_str(), static_cast<long long>(at.line),
                  static_cast<long long>(total(at.stalls)), static_cast<long long>(total(at.not_issued)));
      for (const auto& [reason, count] : at.stalls)
        std::printf(" %s %lld", reason.c_str(), static_cast<long long>(count));
      std::printf("\n");
    }
    return std::move(*samples);
  }

  CompileRequest request_;
  std::string cubin_;
  DeviceProgram program_;
  DeviceMemory x_, y_;
};

struct Share {
  double at_line = 0;                    // of all samples
  std::map<std::string, double> reasons; // of the samples at the line
};
Share share_at(const PcSamples& samples, std::int64_t line) {
  Share share;
  double all = 0, here = 0;
  for (const InstructionSamples& at : samples.instructions) {
    all += static_cast<double>(total(at.stalls));
    if (at.line != line) continue;
    here += static_cast<double>(total(at.stalls));
    for (const auto& [reason, count] : at.stalls) share.reasons[reason] += static_cast<double>(count);
  }
  if (all > 0) share.at_line = here / all;
  for (auto& [reason, count] : share.reasons) count /= here;
  return share;
}

TEST_F(PcSamplerTest, FindsTheHotLineAndWhatItWaitsFor) {
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  load();
  const Share loads = share_at(sample(*sampler, "uncoalesced"), marked_line("uncoalesced"));
  EXPECT_GT(loads.at_line, 0.7);
  EXPECT_GT(loads.reasons.contains("long_scoreboard") ? loads.reasons.at("long_scoreboard") : 0, 0.2);
  const Share conflicts = share_at(sample(*sampler, "conflicts"), marked_line("conflicts"));
  EXPECT_GT(conflicts.at_line, 0.7);
  double shared = 0;
  for (const char* reason : {"short_scoreboard", "mio_throttle"})
    if (conflicts.reasons.contains(reason)) shared += conflicts.reasons.at(reason);
  EXPECT_GT(shared, 0.5);
  const Share busy = share_at(sample(*sampler, "busy"), marked_line("busy"));
  EXPECT_GT(busy.at_line, 0.7);
  EXPECT_GT(busy.reasons.contains("selected") ? busy.reasons.at("selected") : 0, 0.05);
}

TEST_F(PcSamplerTest, KeepsOnlyTheCubinAsked) {
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  load();
  for (const InstructionSamples& at : sample(*sampler, "busy").instructions) EXPECT_EQ(at.function, "busy");
  const auto none = sampler->sample(work("busy"), "another cubin", {}, true, stream());
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_TRUE(none->instructions.empty());
}

// The samples are as many as the clock and the period say, at every period that sampling_plan chooses.
TEST_F(PcSamplerTest, SamplesAtThePeriodAsked) {
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  load();
  std::int64_t before = 0;
  for (const int period : {12, 11, 10, 9}) {
    const PcSamples samples = sample(*sampler, "busy", {4, period});
    EXPECT_EQ(samples.dropped, 0) << period;
    std::int64_t all = 0;
    for (const InstructionSamples& at : samples.instructions) all += total(at.stalls);
    std::printf("period 2^%d: %lld samples\n", period, static_cast<long long>(all));
    if (before > 0) {
      EXPECT_NEAR(static_cast<double>(all) / static_cast<double>(before), 2, 0.3);
    }
    before = all;
  }
}

TEST_F(PcSamplerTest, SamplesKernelsThatWereLoadedBefore) {
  load();
  auto sampler = open_sampler();
  if (!sampler) GTEST_SKIP() << sampler.error().message;
  EXPECT_GT(share_at(sample(*sampler, "busy"), marked_line("busy")).at_line, 0.7);
}

TEST_F(PcSamplerTest, CountersWorkAfterwards) {
  load();
  {
    auto sampler = open_sampler();
    if (!sampler) GTEST_SKIP() << sampler.error().message;
    sample(*sampler, "busy");
  }
  CudaDevice& device = gpu_device();
  auto counters = make_counter_source(device.driver(), device.provider, device.info.limits);
  ASSERT_TRUE(counters->why_not().empty()) << counters->why_not();
  const auto metrics = counters->resolve("lean", DType::fp32).value();
  const auto counted = counters->collect(std::vector<ProfiledWork>{work("busy")}, metrics, true, stream());
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_GT(counted->front().at("smsp__inst_executed.sum"), 1e6);
  counters->release();
  auto again = open_sampler();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_GT(share_at(sample(*again, "busy"), marked_line("busy")).at_line, 0.7);
}

// A folder of tests/data/source, sampled as `warptune profile --source` does.
struct PlantedTest : ::testing::Test {
  void SetUp() override { WT_REQUIRE_GPU(); }
  static report::HotSpots sample(const std::string& name, const std::string& shape, const std::string& config_text) {
    auto kernel = TemplateStore({}).load((data_dir() / "source" / name).string());
    if (!kernel) throw std::runtime_error(kernel.error().message);
    auto problem = make_problem(kernel->spec, shape, "", {}).value();
    ProblemSetup setup{*kernel, std::move(problem)};
    setup.line_info = true;
    auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
    const DeviceInfo info = backend->device().value();
    if (auto ok = backend->open(setup); !ok) throw std::runtime_error(ok.error().message);
    const Config config = parse_config(kernel->spec, config_text).value();
    const Compiled compiled = backend->compile(config, info, 60);
    const Evaluation evaluation = backend->evaluate(config, compiled, OpenedKernel::quick());
    EXPECT_EQ(evaluation.trial.status, TrialStatus::ok) << evaluation.trial.evidence;
    if (!evaluation.trial.timing) return {};
    static Samples samples; // the spots refer to them
    samples = backend->sample(config, compiled, evaluation.trial.timing->median_us, true).value();
    EXPECT_TRUE(samples.samples) << samples.unavailable;
    if (!samples.samples) return {};
    report::HotSpots spots = report::find_hot_spots(*samples.samples, kernel->sources);
    std::printf("%s %s: %.1f us, %lld samples, %.1f %% with a line, %lld dropped\n", name.c_str(), config_text.c_str(),
                evaluation.trial.timing->median_us, static_cast<long long>(spots.samples), 100 * spots.placed,
                static_cast<long long>(samples.samples->dropped));
    for (std::size_t i = 0; i < spots.lines.size() && i < 5; ++i) {
      const report::HotLine& line = spots.lines[i];
      std::printf("  %5.1f %% %s:%lld %s\n   ", 100 * line.share, line.file.c_str(), static_cast<long long>(line.line),
                  line.text.c_str());
      for (const auto& [reason, share] : line.stalls) std::printf(" %s %.0f %%", reason.c_str(), 100 * share);
      std::printf("\n");
    }
    // Counting after sampling, in the same process, as a session may do.
    const Profiles profiles = backend->profile({config}, {compiled}, "lean", true).value();
    EXPECT_EQ(profiles.unavailable, "");
    return spots;
  }
};

TEST_F(PlantedTest, AnUncoalescedLoadIsFoundAtItsLine) {
  const report::HotSpots spots = sample("uncoalesced", "rows=65536,cols=1024", "PLANTED=1");
  ASSERT_FALSE(spots.lines.empty());
  EXPECT_THAT(spots.lines.front().text, ::testing::HasSubstr("planted:"));
  EXPECT_GT(spots.lines.front().share, 0.6);
  EXPECT_GT(spots.placed, 0.98);
}

TEST_F(PlantedTest, ABankConflictIsFoundAtItsLine) {
  const report::HotSpots spots = sample("bank_conflict", "n=16777216", "PLANTED=1");
  ASSERT_FALSE(spots.lines.empty());
  const report::HotLine& hot = spots.lines.front();
  EXPECT_THAT(hot.text, ::testing::HasSubstr("planted:"));
  double shared = 0;
  for (const auto& [reason, share] : hot.stalls)
    if (reason == "short_scoreboard" || reason == "mio_throttle") shared += share;
  EXPECT_GT(shared, 0.5);
}

} // namespace
} // namespace warptune::test
