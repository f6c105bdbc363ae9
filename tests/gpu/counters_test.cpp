// Counters of kernels with known work, through the real CUPTI. Compares them with the model, and times only with one
// another, never with a wall clock.
#include "gpu/fixture.h"
#include "predict/counter_facts.h"
#include "profiler/counter_source.h"

#include <cmath>
#include <unistd.h>

namespace warptune::test {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void axpy(const float* x, float* y, float a, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void count(const float* x, unsigned* bins, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[i & 1023], 1u);
}
extern "C" __global__ void twice(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, half = n / 2;
  if (i < n) y[i] = x[i % half] + x[half + i % half];
}
extern "C" __global__ void fault(float* y) { y[(1ll << 46) + threadIdx.x] = 1; }
extern "C" __global__ void endless(volatile float* y) { while (y[0] >= 0) {} }
)";

constexpr std::int64_t kCount = std::int64_t{1} << 24;
constexpr unsigned kBins = 1024;

class CountersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    WT_REQUIRE_GPU();
    CudaDevice& device = gpu_device();
    CompileRequest request;
    request.source_name = "counters_test.cu";
    request.source = kSource;
    program_ = DeviceProgram::load(device.driver(), device.provider, request).value();
    const std::size_t bytes = static_cast<std::size_t>(kCount) * 4;
    x_ = DeviceMemory::allocate(device.driver(), bytes, "a test").value();
    y_ = DeviceMemory::allocate(device.driver(), bytes, "a test").value();
    ASSERT_EQ(fill(x_, 0x3F800000U), CUDA_SUCCESS);
    ASSERT_EQ(fill(y_, 0x3F800000U), CUDA_SUCCESS);
    source_ = make_counter_source(device.driver(), device.provider, device.info.limits);
    if (!source_->why_not().empty()) GTEST_SKIP() << source_->why_not();
  }

  CUresult fill(const DeviceMemory& memory, unsigned word) const {
    return gpu_device().driver().cuMemsetD32Async(memory.get(), word, memory.bytes() / 4, stream());
  }
  CUstream stream() const { return gpu_device().stream.get(); }

  // y = 2 x + y, starting from ones each time.
  ProfiledWork axpy() {
    const CUfunction kernel = program_.function("axpy").value();
    return {[this, kernel](CUstream s) {
              return launch_kernel(gpu_device().driver(), kernel, shape(), s, x_.get(), y_.get(), 2.0F, kCount);
            },
            [this](CUstream) { return fill(y_, 0x3F800000U); }};
  }
  ProfiledWork histogram() {
    const CUfunction kernel = program_.function("count").value();
    return {[this, kernel](CUstream s) {
              return launch_kernel(gpu_device().driver(), kernel, shape(), s, x_.get(), y_.get(), kCount);
            },
            [this](CUstream) { return fill(y_, 0); }};
  }
  ProfiledWork twice() {
    const CUfunction kernel = program_.function("twice").value();
    return {[this, kernel](CUstream s) {
      return launch_kernel(gpu_device().driver(), kernel, shape(), s, x_.get(), y_.get(), kCount);
    }};
  }
  ProfiledWork failing(const char* name) {
    const CUfunction kernel = program_.function(name).value();
    return {[this, kernel](CUstream s) {
      return launch_kernel(gpu_device().driver(), kernel, LaunchShape{{1, 1, 1}, 32}, s, y_.get());
    }};
  }
  static LaunchShape shape() { return {{static_cast<unsigned>(kCount / 256), 1, 1}, 256}; }

  std::vector<std::string> metrics(const std::string& list) { return source_->resolve(list, DType::bf16).value(); }
  std::vector<CounterValues> collect(const std::vector<ProfiledWork>& works, const std::string& list) {
    auto counted = source_->collect(works, metrics(list), true, stream());
    EXPECT_TRUE(counted) << counted.error().message;
    return counted.value_or(std::vector<CounterValues>(works.size()));
  }
  template <class T> T first_of(const DeviceMemory& memory) const {
    T value{};
    gpu_device().driver().cuMemcpyDtoHAsync(&value, memory.get(), sizeof(T), stream());
    gpu_device().driver().cuStreamSynchronize(stream());
    return value;
  }

  DeviceProgram program_;
  DeviceMemory x_, y_;
  std::unique_ptr<CounterSource> source_;
};

// Within 1 % or 64 KB, whichever is larger.
void expect_bytes(double counted, double model, const char* what) {
  EXPECT_NEAR(counted, model, std::max(0.01 * model, 65536.0)) << what;
}

constexpr double kBytes = 4.0 * kCount;

TEST_F(CountersTest, theModelIsWhatTheHardwareCounts) {
  const auto counted = collect({axpy(), histogram(), axpy()}, "roofline");
  for (const std::size_t i : {0U, 2U}) {
    const CounterFacts facts = counter_facts(counted[i]);
    expect_bytes(facts.dram_read_bytes.value_or(-1), 2 * kBytes, "DRAM read");
    expect_bytes(facts.l2_bytes.value_or(-1), 3 * kBytes, "L2");
    expect_bytes(facts.l1_bytes.value_or(-1), 3 * kBytes, "L1");
    EXPECT_NEAR(facts.l2_hit_share.value_or(-1), 1.0 / 3, 0.01);
    ASSERT_EQ(facts.flops.size(), 1U);
    EXPECT_EQ(facts.flops.front(), (std::pair<std::string, double>{"fp32", 2.0 * kCount}));
    EXPECT_EQ(facts.shared_bytes, 0);
    EXPECT_GT(facts.warps_active_share.value_or(0), 0.3);
    EXPECT_GT(facts.instructions.value_or(0), kCount / 32.0);
  }
  EXPECT_TRUE(counter_facts(counted[1]).flops.empty());
  EXPECT_EQ(source_->passes(metrics("lean")).value(), 1);
}

TEST_F(CountersTest, whatAKernelChangesIsAsIfItRanOnce) {
  collect({axpy()}, "roofline"); // two passes
  EXPECT_EQ(first_of<float>(y_), 3);
  collect({histogram()}, "roofline");
  EXPECT_EQ(first_of<unsigned>(y_), kCount / kBins);
}

TEST_F(CountersTest, twoCollectionsAgree) {
  const std::vector<ProfiledWork> works = {axpy(), twice(), histogram()};
  const auto one = collect(works, "lean");
  collect(works, "stalls"); // another list in between
  const auto two = collect(works, "lean");
  for (std::size_t i = 0; i < works.size(); ++i) {
    const CounterFacts a = counter_facts(one[i]), b = counter_facts(two[i]);
    EXPECT_EQ(a.instructions, b.instructions);
    EXPECT_EQ(a.l1_bytes, b.l1_bytes);
    expect_bytes(*a.dram_read_bytes, *b.dram_read_bytes, "DRAM read");
    expect_bytes(*a.l2_bytes, *b.l2_bytes, "L2");
  }
}

TEST_F(CountersTest, coldAndWarm) {
  const auto cold = counter_facts(collect({twice()}, "lean")[0]);
  const auto exact = counter_facts(collect({twice()}, "memory")[0]);
  EXPECT_NEAR(*cold.l2_hit_share, *exact.l2_hit_share, 0.02);
  const ProfiledWork small = {[this](CUstream s) {
    return launch_kernel(gpu_device().driver(), program_.function("axpy").value(), LaunchShape{{4096, 1, 1}, 256}, s,
                         x_.get(), y_.get(), 2.0F, std::int64_t{1} << 20);
  }};
  gpu_device().driver().cuStreamSynchronize(stream());
  small.run(stream());
  const auto warm = source_->collect(std::vector<ProfiledWork>{small, small}, metrics("lean"), false, stream());
  ASSERT_TRUE(warm);
  EXPECT_LT(*counter_facts((*warm)[1]).dram_read_bytes, 1e6);
  const CounterFacts again = counter_facts(collect({small}, "lean")[0]);
  EXPECT_GT(*again.dram_read_bytes, 8e6);
  EXPECT_EQ(again.shared_bytes, 0);
}

TEST_F(CountersTest, countingDoesNotDisturbTiming) {
  CudaDevice& device = gpu_device();
  const ProfiledWork work = axpy();
  const TimedWork timed{work.run, {}, static_cast<std::int64_t>(kBytes), 1};
  const auto median = [&](const char* when) {
    const double us = device.timer.measure(timed, {}, stream()).value().median_us;
    std::printf("%-16s %.2f us\n", when, us);
    return us;
  };
  const double before = median("before");
  collect({work, work}, "roofline");
  EXPECT_NEAR(median("between"), before, 0.03 * before);
  source_->release();
  EXPECT_NEAR(median("after release"), before, 0.03 * before);
  collect({work}, "lean");
  EXPECT_NEAR(median("between again"), before, 0.03 * before);
}

TEST_F(CountersTest, moreThanOneBatchAndNone) {
  EXPECT_TRUE(collect({}, "lean").empty());
  std::vector<ProfiledWork> many(150, axpy());
  many[149] = histogram();
  const auto counted = collect(many, "lean");
  ASSERT_EQ(counted.size(), many.size());
  for (std::size_t i = 0; i < 149; ++i)
    EXPECT_EQ(counted[i].at("smsp__inst_executed.sum"), counted[0].at("smsp__inst_executed.sum")) << i;
  EXPECT_NE(counted[149].at("smsp__inst_executed.sum"), counted[0].at("smsp__inst_executed.sum"));
}

TEST_F(CountersTest, aRefusedLaunchIsAnErrorAndTheNextIsFine) {
  const std::vector<ProfiledWork> works = {axpy(), {[](CUstream) { return CUDA_ERROR_INVALID_VALUE; }}, axpy()};
  const auto counted = source_->collect(works, metrics("lean"), true, stream());
  ASSERT_FALSE(counted);
  EXPECT_EQ(source_->run_status(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(source_->failed_work(), 1U);
  expect_bytes(*counter_facts(collect({axpy()}, "lean")[0]).dram_read_bytes, 2 * kBytes, "DRAM read");
  EXPECT_EQ(source_->run_status(), CUDA_SUCCESS);
}

using CountersDeathTest = CountersTest;

// In its own process, which the fault destroys. Exits with 0 if the collection reported the fault and did not hang.
TEST_F(CountersDeathTest, aFaultWhileCountingIsSaid) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* list : {"lean", "roofline"})
    EXPECT_EXIT(
        {
          auto counted =
              source_->collect(std::vector<ProfiledWork>{axpy(), failing("fault")}, metrics(list), true, stream());
          const bool said = !counted && is_fatal_cuda_error(source_->run_status()) && source_->failed_work() == 1;
          source_.reset();
          ::_exit(said ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "")
        << list;
}

TEST_F(CountersDeathTest, aKernelThatNeverEndsIsGivenUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        source_->deadline_s = 0.5;
        auto counted = source_->collect(std::vector<ProfiledWork>{failing("endless")}, metrics("lean"), true, stream());
        ::_exit(!counted && source_->run_status() == CUDA_ERROR_NOT_READY ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace warptune::test
