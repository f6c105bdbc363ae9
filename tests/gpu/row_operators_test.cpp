// Problems that the ragged suites of the row operators leave out, on a GPU: matrices of more than 2^31 elements whose
// rows begin inside a vector. Needs about 30 GiB of GPU memory.
#include "gpu/fixture.h"

namespace warptune::test {
namespace {

class RowOperators : public testing::TestWithParam<const char*> {};

Kernel row_operator(const std::string& name) {
  const TemplateStore store({share_dir() / "kernel_templates"});
  return store.load(name).value();
}

TEST_P(RowOperators, areRightBeyondTwoToThe31Elements) {
  WT_REQUIRE_GPU();
  const Kernel kernel = row_operator(GetParam());
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  const Problem problem = make_problem(kernel.spec, "rows=1048583,cols=2053", "bf16", {}).value();
  ASSERT_TRUE(backend->set_kernel({kernel, problem, 1}));
  const Config config = default_config(kernel.spec);
  const auto verdict = backend->check(config, problem, 3);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->correct) << config_text(kernel.spec, config) << ": " << verdict->detail;
}

INSTANTIATE_TEST_SUITE_P(All, RowOperators,
                         testing::Values("row_norm", "row_norm_backward", "cross_entropy", "cross_entropy_backward",
                                         "masked_softmax", "masked_softmax_backward"),
                         [](const auto& tested) { return tested.param; });

} // namespace
} // namespace warptune::test
