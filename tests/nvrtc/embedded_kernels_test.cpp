// The project's own device code compiles for every supported combination of types.
#include "core/dtype.h"
#include "embedded/gpu_kernels.h"
#include "embedded/profiler_kernels.h"
#include "jit/compiler.h"
#include "support/quick_compile.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

CompileRequest request_for(const char* file, std::vector<std::string> options) {
  CompileRequest request;
  request.source_name = file;
  request.source = embedded::gpu_kernels::find(file).value();
  request.headers.emplace_back("convert.cuh", embedded::gpu_kernels::find("convert.cuh").value());
  request.options = {"-arch=sm_90a", "--std=c++17", "-default-device"};
  request.options.insert(request.options.end(), options.begin(), options.end());
  test::compile_quickly(request);
  return request;
}

void expect_compiles(const CompileRequest& request) {
  auto compiled = compile(request, 0);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_TRUE(*compiled) << (*compiled).error().log;
  EXPECT_EQ((*compiled)->log, "");
}

std::string macro(const char* name, DType dtype) {
  return std::string("-D") + name + "=" + std::string(dtype_cpp_name(dtype));
}

TEST(EmbeddedKernels, fillCompilesForEveryDtype) {
  for (int i = 0; i < kDTypeCount; ++i) {
    SCOPED_TRACE(dtype_name(static_cast<DType>(i)));
    expect_compiles(request_for("fill.cu", {macro("WT_T", static_cast<DType>(i))}));
  }
}

TEST(EmbeddedKernels, compareCompilesForEveryOutputAndItsUsualReference) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto out = static_cast<DType>(i);
    SCOPED_TRACE(dtype_name(out));
    const bool floating = dtype_is_floating(out);
    const std::string integer = floating ? "-DWT_OUT_IS_INTEGER=0" : "-DWT_OUT_IS_INTEGER=1";
    expect_compiles(request_for("compare.cu", {macro("WT_OUT", out), macro("WT_REF", out), integer}));
    const DType wide = floating ? (out == DType::fp64 ? DType::fp64 : DType::fp32) : DType::int64;
    if (wide != out) expect_compiles(request_for("compare.cu", {macro("WT_OUT", out), macro("WT_REF", wide), integer}));
  }
}

TEST(EmbeddedKernels, memoryCompiles) { expect_compiles(request_for("memory.cu", {})); }

// expect_compiles requires an empty log, so ptxas did not serialise any wgmma.
TEST(EmbeddedKernels, everyKernelOfTheProfilerCompiles) {
  ASSERT_FALSE(embedded::profiler_kernels::files().empty());
  for (const auto& file : embedded::profiler_kernels::files())
    for (const std::string arch : {"sm_75", "sm_80", "sm_89", "sm_90a", "sm_120a"}) {
      if (std::string(file.name) == "roofs_wgmma.cu" && arch != "sm_90a") continue;
      SCOPED_TRACE(std::string(file.name) + " for " + arch);
      CompileRequest request;
      request.source_name = file.name;
      request.source = file.text;
      request.options = {"-arch=" + arch, "--std=c++17", "-default-device"};
      expect_compiles(request);
    }
}

} // namespace
} // namespace warptune
