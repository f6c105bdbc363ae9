// Checks of a configuration before a launch: the device's limits against the compiler's figures, and the prescreen that
// spares hopeless configurations a slow compilation. The prescreen must never drop a configuration that could run.
#include "cuda/static_checks.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;

LaunchPlan one_launch(std::uint32_t threads, std::uint32_t dynamic_shared) {
  LaunchPlan plan;
  plan.name_expressions = {"k"};
  plan.launches.resize(1);
  plan.launches[0].name_expression = "k";
  plan.launches[0].block.x = threads;
  plan.launches[0].shared_bytes = dynamic_shared;
  plan.buffers.push_back({"x", DType::fp32, 1024, Role::inout, {}});
  plan.scalars.push_back({"n", DType::int32, 1024});
  plan.launches[0].args = {{ArgRef::Kind::buffer, 0}, {ArgRef::Kind::scalar, 0}};
  return plan;
}

KernelResources resources(int registers, int static_shared) { return {registers, 0, static_shared, 0}; }

TEST(StaticChecks, SharedMemoryAndRegistersAreHeldAgainstTheDevice) {
  const DeviceLimits limits = h200_device().limits; // 232448 bytes for a block
  const auto why = [&](std::uint32_t threads, std::uint32_t dynamic, KernelResources kernel) {
    return why_not_launchable(one_launch(threads, dynamic), {kernel}, limits).value_or("");
  };
  EXPECT_EQ(why(128, 0, resources(32, 100000)), "") << "beyond 48 KiB, which a Hopper GPU runs";
  EXPECT_EQ(why(128, 232448, resources(32, 0)), "");
  EXPECT_EQ(why(128, 228352, resources(32, 4100)),
            "k: a block of 128 threads needs 232452 bytes of shared memory (4100 "
            "static, 228352 dynamic), but this device allows at most 232448 per block");
  EXPECT_EQ(why(1024, 0, resources(64, 0)), "");
  EXPECT_THAT(why(1024, 0, resources(65, 0)), HasSubstr("1024 threads of 65 registers take 73728 registers"));
  EXPECT_EQ(why(1024, 0, resources(0, 0)), "") << "registers that are not known are not counted";
}

TEST(StaticChecks, ABlockThatExceedsTheLaunchBoundsIsInvalid) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const test::TempDir folder;
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = "extern \"C\" __global__ void __launch_bounds__(256) k(float* x, int n) { x[n] = 1; }\n";
  request.options = {"-arch=sm_90a"};
  request.name_expressions = {"k"};
  Prescreen prescreen;
  const auto checked = [&](LaunchPlan plan) {
    return compile_checked(CubinCache(folder.path()), prescreen, plan, request, h200_device().limits, 60);
  };
  EXPECT_EQ(checked(one_launch(256, 0)).status, TrialStatus::ok);
  LaunchPlan plan = one_launch(128, 0);
  plan.launches[0].block.y = 2;
  EXPECT_EQ(checked(plan).status, TrialStatus::ok);
  plan.launches[0].block.y = 3;
  const Compiled refused = checked(plan);
  EXPECT_EQ(refused.status, TrialStatus::invalid);
  EXPECT_THAT(refused.evidence, HasSubstr("k: a block of 384 threads exceeds the kernel's __launch_bounds__ of 256; "));
}

// `F` 0: the whole array is used; 1: only the optimiser finds that the large array is never used.
constexpr const char* kSource = R"(template <int KIB, int F> __global__ void k(float* x, int n) {
  __shared__ float tile[KIB * 256];
  int six = 0;
  for (int i = 0; i < 4; ++i) six += i;
  if (F == 0 || six != 6) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[n] = tile[n];
  }
  x[threadIdx.x] += 1;
})";

CompileRequest request(int kib, int f, const char* arch = "sm_90a") {
  CompileRequest made;
  made.source_name = "kernel.cu";
  made.source = kSource;
  made.options = {std::string("-arch=") + arch, "--std=c++17"};
  made.name_expressions = {"k<" + std::to_string(kib) + ", " + std::to_string(f) + ">"};
  return made;
}

class Prescreening : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  }
  std::optional<std::string> find(const CompileRequest& r) {
    return prescreen_.find_hopeless(
        r, [](const auto& kernels) { return why_not_launchable(one_launch(128, 100000), kernels, limits()); }, 60);
  }
  // As if the full compilation had taken `seconds`.
  void compile_fully(const CompileRequest& r, double seconds) { prescreen_.learn(compile(r, 60).value(), seconds); }
  static const DeviceLimits& limits() {
    static const DeviceInfo device = h200_device();
    return device.limits;
  }
  Prescreen prescreen_;
};

TEST_F(Prescreening, QuickKernelsAreNotLookedAt) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(find(request(200, 0)));
    compile_fully(request(200, 0), 0.5);
  }
}

TEST_F(Prescreening, ASlowKernelIsBelievedAfterALookThatWasRight) {
  compile_fully(request(16, 0), 2);
  EXPECT_FALSE(find(request(200, 0))) << "no look was proven right yet";
  compile_fully(request(200, 0), 2);
  EXPECT_EQ(find(request(200, 0)).value_or(""),
            "k: a block of 128 threads needs 304800 bytes of shared memory (204800 static, 100000 dynamic), but this "
            "device allows at most 232448 per block");
  EXPECT_FALSE(find(request(100, 0)));
  EXPECT_THAT(find(request(1000, 0)).value_or(""), HasSubstr("uses too much shared data"));
}

TEST_F(Prescreening, WhatTheCompilerRefusedProvesALookToo) {
  compile_fully(request(16, 0), 2);
  EXPECT_FALSE(find(request(1000, 0)));
  compile_fully(request(1000, 0), 2);
  EXPECT_TRUE(find(request(200, 0)));
}

TEST_F(Prescreening, AnArrayThatTheOptimiserRemovesIsNoReason) {
  compile_fully(request(16, 0), 2);
  EXPECT_FALSE(find(request(32, 0)));
  compile_fully(request(32, 0), 2);
  ASSERT_TRUE(find(request(1000, 0))) << "looks are believed by now";
  const CompileResult full = compile(request(1000, 1), 60).value();
  ASSERT_TRUE(full) << full.error().log;
  ASSERT_EQ(full->resources[0].static_shared_bytes, 0);
  EXPECT_FALSE(find(request(1000, 1)));
}

TEST_F(Prescreening, ALookThatWasWrongEndsIt) {
  compile_fully(request(16, 0), 2);
  EXPECT_FALSE(find(request(200, 1)));
  compile_fully(request(200, 1), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(find(request(200, 0)));
    compile_fully(request(200, 0), 2);
  }
}

TEST_F(Prescreening, CompilingSaysInvalidWithOrWithoutALook) {
  const test::TempDir folder;
  const CubinCache cache(folder.path());
  LaunchPlan plan = one_launch(128, 100000);
  const CompileRequest compiled = request(200, 0);
  plan.name_expressions = compiled.name_expressions;
  plan.launches[0].name_expression = plan.name_expressions[0];
  const Compiled full = compile_checked(cache, prescreen_, plan, compiled, limits(), 60);
  EXPECT_EQ(full.status, TrialStatus::invalid);
  EXPECT_GT(full.resources.registers, 0);
  EXPECT_EQ(compile_checked(cache, prescreen_, plan, compiled, limits(), 60).evidence, full.evidence)
      << "from the cache";
  compile_fully(request(16, 0), 2);
  EXPECT_FALSE(find(request(32, 0)));
  compile_fully(request(32, 0), 2);
  const test::TempDir empty;
  const Compiled looked = compile_checked(CubinCache(empty.path()), prescreen_, plan, compiled, limits(), 60);
  EXPECT_EQ(looked.status, TrialStatus::invalid);
  EXPECT_EQ(looked.evidence, full.evidence);
  EXPECT_EQ(looked.resources.registers, 0) << "it was not compiled";
}

} // namespace
} // namespace warptune
