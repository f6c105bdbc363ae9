// Library calls beside kernels on a device: tuned, verified, packed, and launched if the application allows it.
#include "gpu/fixture.h"
#include "gpu/handles.h"
#include "pack/pack.h"
#include "support/toy.h"
#include "tuner/session.h"
#include "unit/runtime/library.h"

#include <atomic>

namespace warptune::test {
namespace {

TEST(LibraryCallsGpu, GiveRightResultsAndTimes) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(toy_kernel("duplicate"), "n=1000003");
  for (const char* config : {"implementation=plain,A=4,B=4", "implementation=copy", "implementation=cleared,B=4"}) {
    SCOPED_TRACE(config);
    const Evaluation evaluation = opened.evaluate(config);
    ASSERT_EQ(status_name(evaluation.trial.status), "ok") << evaluation.trial.evidence;
    ASSERT_TRUE(evaluation.trial.verdict);
    EXPECT_TRUE(evaluation.trial.verdict->correct) << evaluation.trial.verdict->detail;
    ASSERT_TRUE(evaluation.trial.timing);
    EXPECT_GT(evaluation.trial.timing->median_us, 0);
  }
  const Config copy = parse_config(opened.setup.kernel.spec, "implementation=copy").value();
  EXPECT_TRUE(opened.backend->compile(copy, opened.info, 60).cubin_hash.empty());
  std::uint64_t seed = 3;
  for (const SuiteEntry& entry : opened.setup.kernel.spec.suites.at("ragged")) {
    const Problem ragged =
        make_problem(opened.setup.kernel.spec, entry.shape, opened.setup.problem.dtype, opened.setup.problem.flags)
            .value();
    const auto verdict = opened.backend->check(copy, ragged, ++seed);
    ASSERT_TRUE(verdict) << verdict.error().message;
    EXPECT_TRUE(verdict->correct) << verdict->detail;
  }
}

// Without the flag, the pack ships a kernel; with it, a configuration that is the fastest here or close to it.
TEST(LibraryCallsGpu, AreTunedPackedAndLaunched) {
  WT_REQUIRE_GPU();
  const TempDir dir;
  setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
  SessionOptions options;
  options.worker_executable = cli();
  options.database = dir / "t.db";
  options.cache_directory = dir.path();
  options.device = "cuda:0";
  const Kernel kernel = toy_kernel("duplicate");
  const std::atomic<bool> stop{false};
  const auto tuned = run_session(
      kernel, toy_problem(kernel), options, [](const Progress&) {}, stop);
  ASSERT_TRUE(tuned) << tuned.error().message;
  EXPECT_EQ(tuned->measured, tuned->space_size);
  PackOptions packing;
  packing.version = "0.1";
  packing.licence = "none";
  const auto packed = make_pack(Reader::open(dir / "t.db").value(), dir / "ops.wtpack", packing);
  ASSERT_TRUE(packed) << packed.error().message;

  const auto context = Context::open(0);
  ASSERT_TRUE(context) << context.error().message;
  const Driver& driver = context->driver();
  const Stream stream = make_stream(driver).value();
  std::vector<float> x(1048576);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1021);
  const std::size_t bytes = x.size() * sizeof(float);
  const DeviceMemory device_x = DeviceMemory::allocate(driver, bytes, "a test").value();
  const DeviceMemory device_y = DeviceMemory::allocate(driver, bytes, "a test").value();
  ASSERT_EQ(driver.cuMemcpyHtoDAsync(device_x.get(), x.data(), bytes, stream.get()), CUDA_SUCCESS);
  for (const bool is_allowed : {false, true}) {
    wt_options open{};
    open.size = sizeof open;
    open.allow_vendor = is_allowed ? 1 : 0;
    wt_library* opened = nullptr;
    ASSERT_EQ(wt_open_with((dir / "ops.wtpack").c_str(), &open, &opened), WT_OK) << wt_last_error();
    const LibraryHandle library(opened);
    const wt_operation* operation = prepare(library, "n=1048576", nullptr, "duplicate").get();
    const std::string config = wt_operation_config(operation);
    EXPECT_EQ(wt_operation_match(operation), WT_MATCH_EXACT) << wt_operation_explain(operation);
    EXPECT_TRUE(is_allowed || config.starts_with("implementation=plain")) << wt_operation_explain(operation);
    ASSERT_EQ(driver.cuMemsetD8Async(device_y.get(), 0xFF, bytes, stream.get()), CUDA_SUCCESS);
    const CUdeviceptr pointers[] = {device_x.get(), device_y.get()};
    const void* const args[] = {&pointers[0], &pointers[1]};
    ASSERT_EQ(wt_launch(operation, args, 2, nullptr, stream.get()), WT_OK) << wt_last_error();
    std::vector<float> y(x.size());
    ASSERT_EQ(driver.cuMemcpyDtoHAsync(y.data(), device_y.get(), bytes, stream.get()), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuStreamSynchronize(stream.get()), CUDA_SUCCESS);
    EXPECT_EQ(y, x) << wt_operation_explain(operation);
  }
}

} // namespace
} // namespace warptune::test
