// The lowered names of variables follow those of the kernels, whatever namespace they are in.
#include "jit/compiler.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

TEST(Symbols, HaveLoweredNamesAfterTheKernels) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = "namespace detail { __constant__ float filter[9]; }\n__device__ int d_n;\n"
                   "__global__ void k(float* y) { y[0] = detail::filter[d_n]; }\n";
  request.options = {"-arch=sm_90a"};
  request.name_expressions = {"k", symbol_expression("detail::filter"), symbol_expression("d_n")};
  const auto compiled = compile(request, 0).value();
  ASSERT_TRUE(compiled.has_value()) << compiled.error().log;
  EXPECT_THAT(compiled->lowered_names, ::testing::ElementsAre("_Z1kPf", "_ZN6detail6filterE", "d_n"));
}

} // namespace
} // namespace warptune
