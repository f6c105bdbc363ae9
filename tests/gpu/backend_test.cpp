// The CUDA backend over kernels that are right, kernels with every kind of fault, and kernels that use all launch
// options.
#include "gpu/fixture.h"
#include "spec/config.h"

#include <cmath>

namespace warptune::test {
namespace {

void expect_ok(const Evaluation& evaluation) {
  EXPECT_EQ(status_name(evaluation.trial.status), "ok") << evaluation.trial.evidence;
  EXPECT_FALSE(evaluation.fatal);
  ASSERT_TRUE(evaluation.trial.verdict);
  EXPECT_TRUE(evaluation.trial.verdict->correct);
  ASSERT_TRUE(evaluation.trial.timing);
  EXPECT_GT(evaluation.trial.timing->median_us, 0);
  EXPECT_GE(evaluation.trial.timing->samples_us.size(), 3U);
}

void expect_wrong(OpenedKernel& opened, const std::string& config, const std::string& words) {
  const Evaluation evaluation = opened.evaluate(config);
  EXPECT_EQ(status_name(evaluation.trial.status), "wrong_result") << config;
  EXPECT_NE(evaluation.trial.evidence.find(words), std::string::npos) << config << ": " << evaluation.trial.evidence;
  EXPECT_FALSE(evaluation.trial.timing) << "a wrong kernel is never timed";
  EXPECT_FALSE(evaluation.fatal);
}

TEST(CudaBackend, everyPlantedFaultIsCaughtAndTheNextCandidateIsFine) {
  WT_REQUIRE_GPU();
  for (const char* dtype : {"fp32", "bf16", "fp64"}) {
    SCOPED_TRACE(dtype);
    OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=100003", dtype);
    expect_ok(opened.evaluate("FAULT=0"));
    expect_wrong(opened, "FAULT=1", "were never written");
    expect_wrong(opened, "FAULT=2", "y[50001] is nan");
    expect_wrong(opened, "FAULT=3", "0 bytes after the end of y");
    expect_wrong(opened, "FAULT=4", "4 bytes before the beginning of z");
    expect_wrong(opened, "FAULT=5", "changes its input k");
    expect_ok(opened.evaluate("FAULT=0"));
    expect_wrong(opened, "FAULT=6", "y[0] is 4");
    expect_wrong(opened, "FAULT=7", "z[100002]");
    expect_ok(opened.evaluate("FAULT=11"));
    expect_ok(opened.evaluate("FAULT=0"));
  }
}

void expect_unstable(OpenedKernel& opened, const std::string& config, const std::string& words) {
  const Evaluation evaluation = opened.evaluate(config);
  EXPECT_EQ(status_name(evaluation.trial.status), "unstable") << config << ": " << evaluation.trial.evidence;
  EXPECT_NE(evaluation.trial.evidence.find(words), std::string::npos) << config << ": " << evaluation.trial.evidence;
  EXPECT_FALSE(evaluation.trial.timing);
  EXPECT_FALSE(evaluation.fatal);
}

TEST(CudaBackend, whatGoesWrongFromTheSecondLaunchOnIsUnstable) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=100003");
  expect_unstable(opened, "FAULT=14", "100003 of them were never written");
  expect_unstable(opened, "FAULT=15", "0 bytes after the end of y");
  expect_ok(opened.evaluate("FAULT=0"));
  const Config once = parse_config(opened.setup.kernel.spec, "FAULT=14").value();
  auto verdict = opened.backend->check(once, opened.setup.problem, 7);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_FALSE(verdict->correct);
}

// One launch cannot show that it is unstable, but early stopping drops it in any case.
TEST(CudaBackend, aHopelessCandidateIsLaunchedAndVerifiedOnce) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("two_stage"), "rows=8,cols=20000003"); // 640 MB
  MeasureOptions options;
  options.drop_above_us = 1;
  const Evaluation slow = opened.evaluate("SPLIT=1,CLEAR=1", options);
  EXPECT_EQ(status_name(slow.trial.status), "ok") << slow.trial.evidence;
  ASSERT_TRUE(slow.trial.verdict && slow.trial.timing);
  EXPECT_TRUE(slow.trial.verdict->correct);
  EXPECT_FALSE(slow.trial.timing->complete);
  EXPECT_EQ(slow.trial.timing->samples_us.size(), 1U);
  options.drop_above_us = 2 * slow.trial.timing->median_us;
  const Evaluation fair = opened.evaluate("SPLIT=1,CLEAR=1", options);
  ASSERT_TRUE(fair.trial.timing);
  EXPECT_GE(fair.trial.timing->samples_us.size(), 3U);
}

TEST(CudaBackend, aWrongResultIsFoundBeforeItsTimeCounts) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=100003");
  MeasureOptions options = OpenedKernel::quick();
  options.drop_above_us = 1e-3;
  EXPECT_EQ(status_name(opened.evaluate("FAULT=1", options).trial.status), "wrong_result");
}

// `bad`: as in bad_oracle/reference.cu.
std::string error_of_oracle(int bad) {
  Kernel kernel = load_test_kernel("bad_oracle");
  const Problem problem = make_problem(kernel.spec, "n=1003,BAD=" + std::to_string(bad + 1), "", {}).value();
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  auto opened = backend->open({std::move(kernel), problem, 1});
  if (opened) return "opened";
  EXPECT_EQ(opened.error().kind, ErrorKind::bad_input);
  return opened.error().message;
}

TEST(CudaBackend, anOracleThatProvesNothingIsRefused) {
  WT_REQUIRE_GPU();
  const auto expect = [](int bad, const char* words) {
    const std::string error = error_of_oracle(bad);
    EXPECT_NE(error.find(words), std::string::npos) << bad << ": " << error;
  };
  expect(0, "opened");
  expect(1, "gives no finite value in y");
  expect(2, "opened");
  expect(3, "never writes y[1002] (y has 1003 elements)");
  expect(4, "never writes z[1002] (z has 1003 elements)");
  expect(5, "mean square overflows");
}

TEST(CudaBackend, anEmptyKernelDoesNotPassWhereTheOracleIsNaN) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("bad_oracle"), "n=1003,BAD=3");
  expect_wrong(opened, "NONE=0", "1003 of 1003 elements are wrong, and 1003 of them were never written");
}

TEST(CudaBackend, whatDoesNotFitIsNotLaunched) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=1000");
  expect_ok(opened.evaluate("FAULT=10"));                    // all shared memory
  const Evaluation evaluation = opened.evaluate("FAULT=13"); // and some static shared memory in addition
  EXPECT_EQ(status_name(evaluation.trial.status), "invalid") << evaluation.trial.evidence;
  EXPECT_NE(evaluation.trial.evidence.find("(4096 static"), std::string::npos) << evaluation.trial.evidence;
  EXPECT_FALSE(evaluation.fatal);
  expect_ok(opened.evaluate("FAULT=0"));
}

TEST(CudaBackend, clustersUpToTheNonPortableSizeRun) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("clusters"), "blocks=40");
  if (opened.info.limits.compute_capability < 90) GTEST_SKIP() << "no clusters on this device";
  for (const char* config : {"CLUSTER=1", "CLUSTER=2", "CLUSTER=4", "CLUSTER=8", "CLUSTER=16"}) {
    SCOPED_TRACE(config);
    expect_ok(opened.evaluate(config));
  }
}

TEST(CudaBackend, tensorMapsCopyRaggedTiles) {
  WT_REQUIRE_GPU();
  for (const char* dtype : {"bf16", "fp32"}) {
    OpenedKernel opened = open_kernel(load_test_kernel("tensor_map_copy"), "rows=1001,cols=72", dtype);
    if (opened.info.limits.compute_capability < 90) GTEST_SKIP() << "no tensor memory accelerator on this device";
    for (const char* config : {"BM=64,BN=32", "BM=8,BN=16"}) {
      SCOPED_TRACE(std::string(dtype) + " " + config);
      expect_ok(opened.evaluate(config));
    }
  }
}

TEST(CudaBackend, largeDynamicSharedMemoryIsOptedInto) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("big_shared"), "blocks=8");
  for (const char* config : {"KIB=16", "KIB=64", "KIB=200"}) {
    SCOPED_TRACE(config);
    const Evaluation evaluation = opened.evaluate(config);
    expect_ok(evaluation);
    EXPECT_GT(evaluation.trial.resources.occupancy, 0);
    EXPECT_LE(evaluation.trial.resources.occupancy, 1);
  }
}

TEST(CudaBackend, sequencesClearTheirWorkspacesAndRestoreTheirInouts) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("two_stage"), "rows=1000,cols=515");
  for (const char* config : {"SPLIT=1,CLEAR=1", "SPLIT=32,CLEAR=1", "SPLIT=4,CLEAR=1"}) {
    SCOPED_TRACE(config);
    expect_ok(opened.evaluate(config));
  }
}

TEST(CudaBackend, checksOtherSeedsAndShapesAndKeepsItsOwn) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=5000");
  const KernelSpec& spec = opened.setup.kernel.spec;
  const Config right = parse_config(spec, "FAULT=0").value(), wrong = parse_config(spec, "FAULT=1").value();
  const Problem ragged = make_problem(spec, "n=1003", "", {}).value();
  auto verdict = opened.backend->check(right, ragged, 7);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->correct) << verdict->detail;
  verdict = opened.backend->check(wrong, ragged, 8);
  ASSERT_TRUE(verdict);
  EXPECT_FALSE(verdict->correct);
  EXPECT_NE(verdict->detail.find("never written"), std::string::npos) << verdict->detail;
  expect_ok(opened.evaluate("FAULT=0"));
}

TEST(CudaBackend, roundsTimeEveryConfigurationAndEvaluationGoesOn) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("two_stage"), "rows=4096,cols=4096");
  const KernelSpec& spec = opened.setup.kernel.spec;
  std::vector<Config> configs;
  std::vector<Compiled> compiled;
  for (const char* text : {"SPLIT=1,CLEAR=1", "SPLIT=4,CLEAR=1", "SPLIT=32,CLEAR=1"}) {
    configs.push_back(parse_config(spec, text).value());
    compiled.push_back(opened.backend->compile(configs.back(), opened.info, 60));
  }
  std::vector<double> sums(3);
  for (int i = 0; i < 5; ++i) {
    auto round = opened.backend->round(configs, compiled, {}, true);
    ASSERT_TRUE(round) << round.error().message;
    ASSERT_EQ(round->samples_us.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) sums[k] += round->samples_us[k];
  }
  std::printf("two_stage: %.1f %.1f %.1f us\n", sums[0] / 5, sums[1] / 5, sums[2] / 5);
  EXPECT_GT(sums[0], 2 * sums[2])
      << "one slice leaves most of the device idle; the samples belong to their configurations";
  expect_ok(opened.evaluate("SPLIT=32,CLEAR=1"));
}

// Rounds check only the first launch of each finalist; this one is right up to its twelfth launch.
TEST(CudaBackend, whatGoesWrongAfterManyRoundsIsFoundAfterTheLast) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=100003");
  const KernelSpec& spec = opened.setup.kernel.spec;
  const Config right = parse_config(spec, "FAULT=0").value(), late = parse_config(spec, "FAULT=16").value();
  const std::vector<Config> configs = {right, late};
  std::vector<Compiled> compiled;
  for (const Config& config : configs) compiled.push_back(opened.backend->compile(config, opened.info, 60));
  for (int i = 0; i < 15; ++i) {
    auto round = opened.backend->round(configs, compiled, {}, true);
    ASSERT_TRUE(round) << round.error().message;
    EXPECT_EQ(round->samples_us.size(), 2U);
    for (const std::string& wrong : round->wrong) EXPECT_EQ(wrong, "");
  }
  auto verdict = opened.backend->verify_once_more(late, compiled[1]);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_FALSE(verdict->correct);
  verdict = opened.backend->verify_once_more(right, compiled[0]);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->correct) << verdict->detail;
  EXPECT_EQ(opened.backend->round({right}, {compiled[0]}, {}, true)->samples_us.size(), 1U);
}

// A finalist that runs between the others, with idle time after each launch.
TEST(CudaBackend, aRoundTakesOneConfigurationSeveralTimesAndReadsTheDevice) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("two_stage"), "rows=4096,cols=4096");
  const KernelSpec& spec = opened.setup.kernel.spec;
  const Config slow = parse_config(spec, "SPLIT=1,CLEAR=1").value(),
               fast = parse_config(spec, "SPLIT=32,CLEAR=1").value();
  const std::vector<Config> configs = {fast, slow, fast, slow, fast};
  std::vector<Compiled> compiled;
  for (const Config& config : configs) compiled.push_back(opened.backend->compile(config, opened.info, 60));
  for (const std::vector<float>& idle : {std::vector<float>(), std::vector<float>(5, 500.0f)}) {
    auto round = opened.backend->round(configs, compiled, idle, true);
    ASSERT_TRUE(round) << round.error().message;
    ASSERT_EQ(round->samples_us.size(), 5U);
    for (const std::size_t at : {1U, 3U})
      for (const std::size_t beside : {0U, 2U, 4U}) EXPECT_GT(round->samples_us[at], round->samples_us[beside]);
    std::printf("idle %zu: %.1f %.1f %.1f us, %.0f MHz, %.0f W, reasons %llx\n", idle.size(), round->samples_us[0],
                round->samples_us[1], round->samples_us[2], round->device.sm_clock_mhz, round->device.power_w,
                static_cast<unsigned long long>(round->device.throttle_reasons));
    EXPECT_GT(round->device.sm_clock_mhz, 0);
  }
}

TEST(CudaBackend, roundsKeepTheL2AsTheyAreTold) {
  WT_REQUIRE_GPU();
  OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=1000003"); // 16 MB of buffers
  const std::vector<Config> configs(2, parse_config(opened.setup.kernel.spec, "FAULT=0").value());
  const std::vector<Compiled> compiled(2, opened.backend->compile(configs.front(), opened.info, 60));
  double sums[2] = {};
  for (int i = 0; i < 9; ++i)
    for (const bool cold : {false, true}) {
      auto round = opened.backend->round(configs, compiled, {}, cold);
      ASSERT_TRUE(round) << round.error().message;
      for (const float us : round->samples_us) sums[cold] += us;
    }
  std::printf("faults: warm %.2f us, cold %.2f us\n", sums[0] / 18, sums[1] / 18);
  EXPECT_LT(sums[0], sums[1]);
}

TEST(CudaBackend, outOfMemoryIsASentence) {
  WT_REQUIRE_GPU();
  Kernel kernel = load_test_kernel("faults");
  const Problem huge = make_problem(kernel.spec, "n=500000000000", "", {}).value();
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  auto opened = backend->open({std::move(kernel), huge, 1});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("out of memory"), std::string::npos) << opened.error().message;
}

// Each in its own process, because the fault destroys the context.
Evaluation evaluate_alone(const char* config) {
  return open_kernel(load_test_kernel("faults"), "n=1000").evaluate(config);
}

TEST(CudaBackendDeathTest, anIllegalAddressIsACrashThatEndsTheWorker) {
  WT_REQUIRE_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Evaluation evaluation = evaluate_alone("FAULT=9");
        std::fprintf(stderr, "%s fatal=%d %s\n", std::string(status_name(evaluation.trial.status)).c_str(),
                     evaluation.fatal, evaluation.trial.evidence.c_str());
        _exit(0);
      },
      testing::ExitedWithCode(0), "crashed fatal=1 CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST(CudaBackendDeathTest, aTrapIsACrash) {
  WT_REQUIRE_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Evaluation evaluation = evaluate_alone("FAULT=12");
        std::fprintf(stderr, "%s fatal=%d %s\n", std::string(status_name(evaluation.trial.status)).c_str(),
                     evaluation.fatal, evaluation.trial.evidence.c_str());
        _exit(0);
      },
      testing::ExitedWithCode(0), "crashed fatal=1 CUDA_ERROR");
}

TEST(CudaBackendDeathTest, aKernelThatNeverEndsTimesOutAndIsLeftBehind) {
  WT_REQUIRE_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        {
          OpenedKernel opened = open_kernel(load_test_kernel("faults"), "n=1000");
          const Evaluation evaluation = opened.evaluate("FAULT=8");
          std::fprintf(stderr, "%s fatal=%d %s\n", std::string(status_name(evaluation.trial.status)).c_str(),
                       evaluation.fatal, evaluation.trial.evidence.c_str());
        } // the backend's destructor does not wait for the kernel
        std::fprintf(stderr, "left\n");
        _exit(0);
      },
      testing::ExitedWithCode(0), "timed_out fatal=1 still running(.|\n)*left");
}

} // namespace
} // namespace warptune::test
