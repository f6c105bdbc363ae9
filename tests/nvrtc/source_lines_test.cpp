// Source lines of instructions, from cubins that NVRTC made, without a GPU.
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "profiler/source_lines.h"
#include "report/hot_lines.h"
#include "spec/config.h"
#include "support/paths.h"

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

// An instruction at every offset below 0x100, the most that the function has.
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

// The implementations of a shipped kernel are in folders and share headers; their files are among its sources.
TEST(SourceLines, OfAShippedKernelAreInItsSources) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("softmax").value();
  const KernelSpec& spec = kernel.spec;
  const Problem problem = make_problem(spec, "rows=64,cols=4096", "bf16", {}).value();
  const DeviceInfo device = h200_device();
  for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
    const Config config = default_config(spec, i);
    if (check_config(spec, problem, device, config)) continue;
    const LaunchPlan plan = make_plan(spec, problem, config, device).value();
    CompileRequest request = make_compile_request(spec, kernel.sources, problem, config, device, plan).value();
    request.options.emplace_back("-lineinfo");
    const auto compiled = compile(request, 0).value();
    ASSERT_TRUE(compiled) << compiled.error().log;
    PcSamples samples = instructions_of(compiled->lowered_names[0]);
    if (auto found = find_source_lines(samples, compiled->image); !found) GTEST_SKIP() << found.error().message;
    for (InstructionSamples& at : samples.instructions) at.stalls["wait"] = 1;
    const report::HotSpots spots = report::find_hot_spots(samples, kernel.sources);
    EXPECT_GT(spots.placed, 0.5) << spec.implementations[i].name;
    bool is_own = false;
    for (const report::HotLine& line : spots.lines) {
      EXPECT_TRUE(line.line == 0 || line.file.front() != '/') << line.file;
      is_own |= line.file == spec.implementations[i].source && !line.text.empty();
    }
    EXPECT_TRUE(is_own) << spec.implementations[i].source;
  }
}

} // namespace
} // namespace warptune
