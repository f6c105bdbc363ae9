// What is read from the bytes of a cubin, held against what its compiler said of it.
#include "jit/compiler.h"
#include "jit/cubin_file.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

TEST(CubinFile, SaysWhatTheCompilerSaid) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  for (const int architecture : {80, 90}) {
    CompileRequest request;
    request.source_name = "kernel.cu";
    request.source =
        "__constant__ float factor;\n"
        "template <int N> __global__ void power(float* y) { for (int i = 0; i < N; ++i) y[i] *= factor; }\n"
        "extern \"C\" __global__ void plain(float* y) { y[threadIdx.x] = sinf(y[0]); }\n";
    request.options = {architecture == 90 ? "-arch=sm_90a" : "-arch=sm_80"};
    request.name_expressions = {"power<7>", "plain", symbol_expression("factor")};
    const auto compiled = compile(request, 0).value();
    ASSERT_TRUE(compiled) << compiled.error().log;
    const auto file = read_cubin_file(compiled->image);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->architecture, architecture);
    EXPECT_EQ(file->kernels.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(file->kernels.at(compiled->lowered_names[i]), compiled->resources[i].registers);
    EXPECT_EQ(file->symbols.count("factor"), 1u);
    for (std::size_t size = 0; size < compiled->image.size(); size += 97) // cut anywhere: no more than an error
      (void)read_cubin_file(compiled->image.substr(0, size));
  }
}

} // namespace
} // namespace warptune
