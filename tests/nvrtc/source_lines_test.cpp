// Source lines of instructions, from cubins that NVRTC made, without a GPU.
#include "jit/compiler.h"
#include "profiler/source_lines.h"

#include <gmock/gmock.h>
#include <set>
#include <string>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

CompileRequest request_with_lines() {
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = "#include \"part.cuh\"\n"
                   "extern \"C\" __global__ void scale(float* y) {\n"
                   "  y[threadIdx.x] = twice(y[threadIdx.x]);\n"
                   "}\n"
                   "template <int N> __global__ void power(float* y) {\n"
                   "  for (int i = 0; i < N; ++i)\n"
                   "    y[i] *= 3.0f;\n"
                   "}\n";
  request.headers = {{"part.cuh", "__device__ float twice(float x) {\n  return sinf(x);\n}\n"}};
  request.options = {"-arch=sm_90a", "-lineinfo"};
  request.name_expressions = {"scale", "power<7>"};
  return request;
}

// All instructions that the function may have.
PcSamples instructions_of(const std::string& function) {
  PcSamples samples;
  for (std::int64_t offset = 0; offset < 0x100; offset += 16)
    samples.instructions.push_back({function, offset, {}, 0, {}, {}});
  return samples;
}

// "kernel.cu:3": files without their folders.
std::set<std::string> places_in(const PcSamples& samples) {
  std::set<std::string> places;
  for (const InstructionSamples& at : samples.instructions)
    if (at.line > 0) places.insert(at.file.substr(at.file.rfind('/') + 1) + ":" + std::to_string(at.line));
  return places;
}

TEST(SourceLines, AreThoseOfTheKernelAndItsHeaders) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const auto compiled = compile(request_with_lines(), 0).value();
  ASSERT_TRUE(compiled) << compiled.error().log;
  auto scale = instructions_of(compiled->lowered_names[0]);
  auto power = instructions_of(compiled->lowered_names[1]);
  if (auto found = find_source_lines(scale, compiled->image); !found) GTEST_SKIP() << found.error().message;
  ASSERT_TRUE(find_source_lines(power, compiled->image));
  EXPECT_THAT(places_in(scale), IsSupersetOf({"kernel.cu:3", "part.cuh:2"}));
  EXPECT_THAT(places_in(power), Contains("kernel.cu:7"));
  EXPECT_THAT(places_in(power), Not(Contains("kernel.cu:3")));
}

TEST(SourceLines, AreUnknownWithoutLineInformation) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  CompileRequest request = request_with_lines();
  request.options.pop_back();
  const auto compiled = compile(request, 0).value();
  ASSERT_TRUE(compiled) << compiled.error().log;
  auto scale = instructions_of(compiled->lowered_names[0]);
  if (auto found = find_source_lines(scale, compiled->image); !found) GTEST_SKIP() << found.error().message;
  EXPECT_THAT(places_in(scale), IsEmpty());
  auto other = instructions_of("no_such_function");
  ASSERT_TRUE(find_source_lines(other, compiled->image));
  EXPECT_THAT(places_in(other), IsEmpty());
  ASSERT_TRUE(find_source_lines(other, "not a cubin"));
  EXPECT_THAT(places_in(other), IsEmpty());
}

} // namespace
} // namespace warptune
