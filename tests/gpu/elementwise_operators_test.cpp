// What the ragged suites of examples/elementwise_operators leave out, on a GPU: tensors of more than 2^31 elements, and
// of more than 2^32 with a bias, whose indices need 64 bits. Needs about 50 GiB of GPU memory.
#include "gpu/fixture.h"
#include "support/operator_store.h"

namespace warptune::test {
namespace {

struct Large {
  const char *name, *kernel, *shape;
  std::vector<std::string> flags;
};

class ElementwiseOperators : public testing::TestWithParam<Large> {};

TEST_P(ElementwiseOperators, areRightBeyond32Bits) {
  WT_REQUIRE_GPU();
  const Kernel kernel = operator_store().load(GetParam().kernel).value();
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  const Problem problem = make_problem(kernel.spec, GetParam().shape, "bf16", GetParam().flags).value();
  ASSERT_TRUE(backend->set_kernel({kernel, problem, 1}));
  const Config config = default_config(kernel.spec);
  const auto verdict = backend->check(config, problem, 3);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->correct) << config_text(kernel.spec, config) << ": " << verdict->detail;
}

INSTANTIATE_TEST_SUITE_P(
    All, ElementwiseOperators,
    testing::Values(Large{"gate", "elementwise", "rows=1048583,cols=2053", {"function=silu", "other=mul"}},
                    Large{"gate_backward", "elementwise_backward", "rows=1048583,cols=2053", {"function=silu"}},
                    Large{"columns", "elementwise", "rows=2097169,cols=2053", {"function=relu", "bias=columns"}},
                    Large{"rows", "elementwise", "rows=1048583,cols=2056,batch=2", {"function=relu", "bias=rows"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace warptune::test
