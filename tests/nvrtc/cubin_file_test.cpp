// Compares the properties that are read from a cubin's bytes with its compiler's.
#include "jit/compiler.h"
#include "jit/cubin_file.h"
#include "jit/program_checks.h"
#include "support/small_cubin.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gmock/gmock.h>
#include <string>
#include <vector>

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
    EXPECT_EQ(file->parameters.at("plain"), std::vector<std::uint32_t>{8});
    for (std::size_t size = 0; size < compiled->image.size(); size += 97) // cut anywhere: at most an error
      (void)read_cubin_file(compiled->image.substr(0, size));
  }
}

TEST(CubinFile, SaysWhatAKernelTakes) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  for (const char* arch : {"sm_75", "sm_80", "sm_90a", "sm_100"}) {
    CompileRequest request;
    request.source_name = "kernel.cu";
    request.source = "struct alignas(64) Map { char bytes[128]; };\n"
                     "extern \"C\" __global__ void none() {}\n"
                     "extern \"C\" __global__ void unused(char a, short b, double c, int d) {}\n"
                     "extern \"C\" __global__ void map(const __grid_constant__ Map m, char* y) { *y = m.bytes[77]; }\n";
    request.options = {std::string("-arch=") + arch};
    request.name_expressions = {"none", "unused", "map"};
    const bool takes_large = std::string(arch) == "sm_90a"; // more than 4 KB
    if (takes_large) {
      request.source +=
          "struct Large { char bytes[5000]; };\n"
          "extern \"C\" __global__ void large(const __grid_constant__ Large l, char* y) { *y = l.bytes[7]; }\n";
      request.name_expressions.emplace_back("large");
    }
    const auto compiled = compile(request, 0).value();
    ASSERT_TRUE(compiled) << compiled.error().log;
    const auto parameters = read_cubin_file(compiled->image).value().parameters;
    using Bytes = std::vector<std::uint32_t>;
    EXPECT_EQ(parameters.at("none"), Bytes());
    EXPECT_EQ(parameters.at("unused"), (Bytes{1, 2, 8, 4}));
    EXPECT_EQ(parameters.at("map"), (Bytes{128, 8})) << arch;
    if (takes_large) {
      EXPECT_EQ(parameters.at("large"), (Bytes{5000, 8}));
    }
  }
}

TEST(CubinFile, SaysTheLaunchBoundsAndWhichConstantsAreZero) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  for (const char* arch : {"sm_75", "sm_80", "sm_90a", "sm_100"}) {
    CompileRequest request;
    request.source_name = "kernel.cu";
    request.source = "__constant__ float zero[9], filled[3];\n"
                     "__constant__ float given[2] = {0, 1};\n"
                     "extern \"C\" __global__ void __launch_bounds__(256, 2) bounded(float* y) {\n"
                     "  *y = zero[int(*y)] + filled[int(*y)] + given[int(*y)];\n"
                     "}\n"
                     "extern \"C\" __global__ void free_of_bounds(float* y) { *y = 1; }\n";
    request.options = {std::string("-arch=") + arch};
    request.name_expressions = {"bounded", "free_of_bounds", symbol_expression("filled")};
    const auto compiled = compile(request, 0).value();
    ASSERT_TRUE(compiled) << compiled.error().log;
    const auto file = read_cubin_file(compiled->image).value();
    EXPECT_THAT(file.max_threads, testing::ElementsAre(testing::Pair("bounded", 256))) << arch;
    EXPECT_THAT(file.zero_constants, testing::ElementsAre("filled", "zero")) << arch;
    EXPECT_THAT(unfilled_constants(*compiled), testing::ElementsAre("zero")) << arch;
  }
}

std::string why_refused(const std::string& image) {
  const auto file = read_cubin_file(image);
  return file ? "" : file.error().message;
}

TEST(CubinFile, WhatNoCompilerMakesIsRefused) {
  test::SmallCubin cubin{90, {"plain"}, {std::string(4096, 'v')}, 40};
  EXPECT_EQ(why_refused(cubin.image()), "");
  cubin.variables = {std::string(4097, 'v')};
  EXPECT_EQ(why_refused(cubin.image()), "a name in it has more than 4096 bytes");
  cubin.variables.clear();
  cubin.kernels = {std::string(5000, 'k')};
  EXPECT_EQ(why_refused(cubin.image()), "a name in it has more than 4096 bytes");
  cubin.kernels.clear();
  cubin.variables.assign(65536, "v");
  EXPECT_EQ(why_refused(cubin.image()), "it has more than 65536 symbols");
  cubin.variables = {"v"};
  std::string twice = cubin.image();
  Elf64_Ehdr header{};
  std::memcpy(&header, twice.data(), sizeof header);
  const Elf64_Word type = SHT_SYMTAB; // of the string table, the first section
  std::memcpy(twice.data() + header.e_shoff + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type), &type, sizeof type);
  EXPECT_EQ(why_refused(twice), "it has more than one symbol table");
}

} // namespace
} // namespace warptune
