// A kernel over groups of rows on a device: inputs hold the list of their sizes and its offsets.
#include "gpu/fixture.h"

namespace warptune::test {
namespace {

TEST(Lists, InputsHoldTheListForAnySeed) {
  WT_REQUIRE_GPU();
  const Kernel kernel = load_test_kernel("grouped_scale");
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  const DeviceInfo device = backend->device().value();
  MeasureOptions options;
  options.min_samples = 3;
  options.max_samples = 9;
  options.max_ms = 20;
  for (const char* shape :
       {"rows=zipf(64,4096,1)", "rows=[0,5,1,0,33]", "rows=uniform(300,0,100,3)", "rows=spread(9,1000,500,0)"}) {
    SCOPED_TRACE(shape);
    const Problem problem = make_problem(kernel.spec, shape, "", {}).value();
    const auto opened = backend->open(ProblemSetup{kernel, problem, 1});
    ASSERT_TRUE(opened) << opened.error().message;
    for (const Config& config : {Config{64, 0}, Config{128, 1}}) {
      const Evaluation evaluation = backend->evaluate(config, backend->compile(config, device, 60), options);
      EXPECT_EQ(status_name(evaluation.trial.status), "ok") << evaluation.trial.evidence;
      std::uint64_t seed = 3;
      for (const SuiteEntry& entry : kernel.spec.suites.at("ragged")) {
        const auto ragged = suite_problem(kernel.spec, entry, problem.dtype, problem.flags);
        ASSERT_TRUE(ragged);
        const auto verdict = backend->check(config, *ragged, ++seed);
        ASSERT_TRUE(verdict) << verdict.error().message;
        EXPECT_TRUE(verdict->correct) << verdict->detail;
      }
    }
  }
}

} // namespace
} // namespace warptune::test
