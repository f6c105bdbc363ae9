// NVRTC through jit/compiler.h: error messages for users, information from the log, and cancellation of a compilation.
#include "core/device_table.h"
#include "jit/cached_compile.h"
#include "jit/compiler.h"
#include "jit/header_names.h"
#include "jit/nvrtc_library.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace warptune {
namespace {

using testing::HasSubstr;
using testing::Not;

CompileRequest request_for(std::string source, std::vector<std::string> names) {
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = std::move(source);
  request.options = {"-arch=sm_90a", "--std=c++17"};
  request.name_expressions = std::move(names);
  return request;
}

CompileResult compile_now(const CompileRequest& request, double timeout_s = 0) {
  auto compiled = compile(request, timeout_s);
  if (!compiled) throw std::runtime_error(compiled.error().message);
  return std::move(*compiled);
}

const char* const kTwoKernels = R"(template <int N> __global__ void first(float* x) {
  __shared__ float tile[N];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
__global__ void second(double* x) { x[threadIdx.x] *= 2; }
)";

TEST(Compiler, givesLoweredNamesAndResourcesInTheOrderAsked) {
  const CompileResult result = compile_now(request_for(kTwoKernels, {"second", "first<256>"}));
  ASSERT_TRUE(result) << result.error().log;
  EXPECT_EQ(result->image.substr(1, 3), "ELF");
  ASSERT_EQ(result->lowered_names.size(), 2U);
  EXPECT_EQ(result->lowered_names[0], "_Z6secondPd");
  EXPECT_EQ(result->lowered_names[1], "_Z5firstILi256EEvPf");
  EXPECT_EQ(result->resources[1].static_shared_bytes, 1024);
  EXPECT_EQ(result->resources[0].static_shared_bytes, 0);
  EXPECT_GT(result->resources[0].registers, 0);
  EXPECT_EQ(result->resources[1].spill_bytes, 0);
  EXPECT_EQ(result->log, "");
  EXPECT_EQ(result->hash, compile_key(request_for(kTwoKernels, {"second", "first<256>"})));
}

// Otherwise `--arch` would refuse an architecture for which kernels can be compiled.
TEST(Compiler, theTableOfDevicesHasEveryArchitectureOfNvrtc) {
  const auto& library = load_nvrtc();
  ASSERT_TRUE(library);
  int count = 0;
  ASSERT_EQ((*library)->nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
  ASSERT_GT(count, 0);
  std::vector<int> archs(static_cast<std::size_t>(count));
  ASSERT_EQ((*library)->nvrtcGetSupportedArchs(archs.data()), NVRTC_SUCCESS);
  for (const int arch : archs) {
    const std::string name = "sm_" + std::to_string(arch);
    EXPECT_TRUE(device_of_arch(name)) << name;
    EXPECT_TRUE(device_of_arch(std::to_string(arch))) << name;
    if (arch >= 90) {
      EXPECT_TRUE(device_of_arch(name + "a")) << name << " with the features of this architecture only";
    }
    if (arch >= 100) {
      EXPECT_TRUE(device_of_arch(name + "f")) << name << " with the features of its family";
    }
  }
}

TEST(Compiler, countsSpills) {
  const CompileResult result =
      compile_now(request_for(R"(__global__ void __launch_bounds__(1024, 2) hungry(float* x, int n) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = x[i * n + threadIdx.x];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 64; ++i) v[i] = v[i] * v[(i + 7) % 64] + v[(i + 13) % 64];
#pragma unroll
  for (int i = 0; i < 64; ++i) x[i * n + threadIdx.x] = v[i];
}
)",
                              {"hungry"}));
  ASSERT_TRUE(result) << result.error().log;
  EXPECT_LE(result->resources[0].registers, 32);
  EXPECT_GT(result->resources[0].spill_bytes, 0);
}

TEST(Compiler, errorsShowTheLineOfTheUsersFile) {
  const CompileResult result =
      compile_now(request_for("\n\n__global__ void k(float* x) { x[0] = undefined_name; }\n", {"k"}));
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.error().timed_out);
  EXPECT_THAT(result.error().log, HasSubstr("kernel.cu(3): error"));
  EXPECT_THAT(result.error().log, HasSubstr("undefined_name"));
}

TEST(Compiler, errorsInAHeaderNameTheHeader) {
  CompileRequest request = request_for("#include \"own.cuh\"\n__global__ void k(float* x) { x[0] = 1; }\n", {"k"});
  request.headers.emplace_back("own.cuh", "int f() { return }\n");
  const CompileResult result = compile_now(request);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().log, HasSubstr("own.cuh(1): error"));
}

TEST(Compiler, aMissingKernelAndAnUnknownOptionAreErrorsOfTheSource) {
  CompileResult result = compile_now(request_for("__global__ void k(float* x) { x[0] = 1; }\n", {"other"}));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().log, HasSubstr("other"));
  CompileRequest request = request_for("__global__ void k(float* x) { x[0] = 1; }\n", {"k"});
  request.options.emplace_back("--no-such-option");
  result = compile_now(request);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().log, HasSubstr("no-such-option"));
}

TEST(Compiler, warningsStayInTheLogAndPtxasInfoDoesNot) {
  const CompileResult result =
      compile_now(request_for("__global__ void k(float* x) { int unused; x[0] = 1; }\n", {"k"}));
  ASSERT_TRUE(result);
  EXPECT_THAT(result->log, HasSubstr("kernel.cu(1): warning"));
  EXPECT_THAT(result->log, Not(HasSubstr("ptxas info")));
}

TEST(Compiler, headersIncludeTheirNeighbours) {
  CompileRequest request = request_for("#include \"common/a.cuh\"\n__global__ void k(float* x) { x[0] = A; }\n", {"k"});
  request.headers = {{"common/a.cuh", "#include \"b.cuh\"\n#include \"./deep/c.cuh\"\n#define A (B + C)\n"},
                     {"common/b.cuh", "#define B 1\n"},
                     {"common/deep/c.cuh", "#include \"../b.cuh\"\n#define C 2\n"}};
  const CompileResult result = compile_now(request);
  ASSERT_TRUE(result) << result.error().log;
  std::vector<std::string> names;
  for (const auto& [name, index] : header_names(request)) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("common/a.cuh", "common/b.cuh", "common/deep/c.cuh", "b.cuh", "./deep/c.cuh",
                                          "../b.cuh"));
}

TEST(Compiler, theToolkitsHeadersAreFound) {
  const CompileResult result = compile_now(request_for(
      "#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16* x) { x[0] = __float2bfloat16(1.f); }\n", {"k"}));
  EXPECT_TRUE(result) << result.error().log;
}

TEST(Compiler, aCompileIsCancelledAtItsDeadline) {
  // Takes the optimiser seconds.
  const CompileRequest request = request_for(R"(__global__ void slow(float* x) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = x[i];
#pragma unroll
  for (int k = 0; k < 1500; ++k)
#pragma unroll
    for (int i = 0; i < 64; ++i) v[i] = sinf(v[i]) * v[(i + k) % 64];
#pragma unroll
  for (int i = 0; i < 64; ++i) x[i] = v[i];
}
)",
                                             {"slow"});
  const CompileResult result = compile_now(request, 0.05);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().timed_out) << result.error().log;
  EXPECT_THAT(result.error().log, HasSubstr("0.05 s"));
}

TEST(Compiler, theKeyCoversAllThatMatters) {
  const CompileRequest base = request_for(kTwoKernels, {"second"});
  const std::string key = compile_key(base);
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(key, compile_key(base));
  CompileRequest other = base;
  other.source += ' ';
  EXPECT_NE(key, compile_key(other));
  other = base;
  other.options.emplace_back("-DX=1");
  EXPECT_NE(key, compile_key(other));
  other = base;
  other.name_expressions = {"first<1>"};
  EXPECT_NE(key, compile_key(other));
  other = base;
  other.headers.emplace_back("a", "b");
  EXPECT_NE(key, compile_key(other));
}

// Names in an anonymous namespace once depended on the process. The other process is this test itself.
TEST(Compiler, aProgramHasTheSameBytesInEveryProcess) {
  const CompileResult result = compile_now(
      request_for("namespace {\n__device__ int calls;\n__global__ void k(float* x) { x[0] = ++calls; }\n}\n", {"k"}));
  ASSERT_TRUE(result) << result.error().log;
  constexpr const char* kImageFile = "WARPTUNE_TEST_IMAGE_FILE";
  if (const char* file = std::getenv(kImageFile)) {
    std::ofstream(file, std::ios::binary) << result->image;
    return;
  }
  const test::TempDir dir;
  const std::string file = dir / "image", program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = std::string(kImageFile) + "='" + file + "' '" + program +
                              "' --gtest_filter=Compiler.aProgramHasTheSameBytesInEveryProcess > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0); // NOLINT(cert-env33-c): a name from /proc and a folder of this test
  std::ifstream in(file, std::ios::binary);
  const std::string other(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(other == result->image) << other.size() << " bytes there, " << result->image.size() << " here";
}

TEST(Compiler, knowsWhichArchitecturesItCanAskFor) {
  EXPECT_EQ(supported_arch("sm_90a").value(), "sm_90a");
  auto unknown = supported_arch("sm_990a");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::no_device);
  EXPECT_THAT(unknown.error().message, HasSubstr("sm_990a"));
}

} // namespace
} // namespace warptune
