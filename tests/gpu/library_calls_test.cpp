// Library calls beside kernels on a device: tuned, verified, packed, and launched where the application allows it.
#include "gpu/fixture.h"
#include "gpu/runtime_fixture.h"
#include "pack/pack.h"
#include "support/session_fixture.h"

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

// Whichever is the fastest: a kernel without the flag, and with it the copy where it is the fastest.
TEST_F(RuntimeGpu, LibraryCallsAreTunedPackedAndLaunched) {
  SessionOptions options;
  options.worker_executable = program_dir() / "test_worker";
  options.database = dir_ / "t.db";
  options.cache_directory = dir_.path();
  options.device = "cuda:0";
  const Kernel kernel = toy_kernel("duplicate");
  std::atomic<bool> stop{false};
  const SessionResult tuned = must(run_session(
      kernel, toy_problem(kernel, "n=1048576"), options, [](const Progress&) {}, stop));
  EXPECT_EQ(tuned.measured, tuned.space_size);
  PackOptions packing;
  packing.version = "0.1";
  packing.licence = "none";
  must(make_pack(must(Reader::open(dir_ / "t.db")), dir_ / "ops.wtpack", packing));
  for (const bool is_allowed : {false, true}) {
    warptune::v0::Options open;
    open.allow_vendor = is_allowed;
    const warptune::v0::Library library((dir_ / "ops.wtpack").string(), open);
    const warptune::v0::Operation operation = library.kernel("duplicate").select({1048576});
    EXPECT_EQ(operation.match(), WT_MATCH_EXACT) << operation.explain();
    if (is_allowed)
      EXPECT_EQ(operation.config(), tuned.best.config) << operation.explain();
    else
      EXPECT_TRUE(operation.config().starts_with("implementation=plain")) << operation.explain();
    const Stream stream = must(make_stream(driver()));
    const std::vector<float> x = sequence(1048576, 0.002F), zeros(1048576, 0.0F);
    const DeviceMemory device_x = upload(x, stream), device_y = upload(zeros, stream);
    operation.launch(stream.get(), device_x.get(), device_y.get());
    EXPECT_EQ(download(device_y, stream), x) << operation.explain();
  }
}

} // namespace
} // namespace warptune::test
