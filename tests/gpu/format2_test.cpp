// A kernel with symbols, a prepared input, and arguments that exist only for some problems, on a device.
#include "gpu/fixture.h"

namespace warptune::test {
namespace {

TEST(Format2, SymbolsPreparedInputsAndAbsentArgumentsGiveRightResults) {
  WT_REQUIRE_GPU();
  const Kernel kernel = load_test_kernel("small_convolution");
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  const DeviceInfo device = backend->device().value();
  const Config config = default_config(kernel.spec);
  for (const char* bias : {"bias=0", "bias=1"}) {
    SCOPED_TRACE(bias);
    const Problem problem = make_problem(kernel.spec, "n=100003", "", {bias}).value();
    const ProblemSetup setup{kernel, problem, 1};
    const auto opened = backend->open(setup);
    ASSERT_TRUE(opened) << opened.error().message;
    MeasureOptions options;
    options.min_samples = 3;
    options.max_samples = 9;
    options.max_ms = 20;
    const Evaluation evaluation = backend->evaluate(config, backend->compile(config, device, 60), options);
    EXPECT_EQ(status_name(evaluation.trial.status), "ok") << evaluation.trial.evidence;
    std::uint64_t seed = 3;
    for (const SuiteEntry& entry : kernel.spec.suites.at("ragged")) {
      const Problem ragged = make_problem(kernel.spec, entry.shape, problem.dtype, problem.flags).value();
      const auto verdict = backend->check(config, ragged, ++seed);
      ASSERT_TRUE(verdict) << verdict.error().message;
      EXPECT_TRUE(verdict->correct) << verdict->detail;
    }
  }
}

} // namespace
} // namespace warptune::test
