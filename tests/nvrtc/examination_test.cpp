// Examinations through the CUDA backend, as `check` requests them from a device process: real compilations, and the
// host as the device (support/host_cuda.cpp). For dirty shared memory only the launch is tested, because the host has
// no shared memory.
#include "cuda/cuda_backend.h"
#include "cuda/verifier.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "spec/spec_json.h"
#include "support/host_device.h"
#include "support/paths.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Examinations : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto problem = make_problem(kernel_.spec, "n=200", "", {});
    ASSERT_TRUE(problem) << problem.error().message;
    ASSERT_TRUE(backend_->set_kernel({kernel_, *problem, 1}));
  }
  Verdict examine(int fault, Examination what) {
    const std::string text = fault == 0 ? "BLOCK=64,FAULT=0" : "BLOCK=128,FAULT=" + std::to_string(fault);
    const Config config = parse_config(kernel_.spec, text).value();
    const Compiled compiled = backend_->compile(config, backend_->device().value(), 60);
    EXPECT_EQ(compiled.status, TrialStatus::ok) << compiled.evidence;
    const auto verdict = backend_->examine(config, compiled, what);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict ? *verdict : Verdict();
  }

  const test::TempDir cache_;
  const Kernel kernel_ = TemplateStore({test::share_dir() / "kernel_templates"})
                             .load((test::data_dir() / "check" / "examined").string())
                             .value();
  const std::unique_ptr<Backend> backend_ = make_cuda_backend(0, cache_.path().string()).value();
};

TEST_F(Examinations, ASoundKernelPassesAll) {
  for (const ExaminationName& one : examinations()) {
    const Verdict verdict = examine(0, one.what);
    EXPECT_TRUE(verdict.correct) << one.name << ": " << verdict.detail;
    EXPECT_EQ(verdict.detail, "") << one.name << " applies";
  }
}

// Each fault shows in its own examination and not on usual inputs.
TEST_F(Examinations, EachFindsItsFault) {
  struct Planted {
    int fault;
    Examination what;
    const char* detail;
  };
  for (const Planted& planted :
       {Planted{1, Examination::twice, "1 of 200 elements of y differ; for example, y[7] is "},
        Planted{2, Examination::nan, "y[0] is 0, expected "}, Planted{3, Examination::infinity, "is 1, expected "},
        Planted{4, Examination::denormals, "is 0, expected "}, Planted{5, Examination::zeros, ", expected 0"},
        Planted{6, Examination::large, "of 200 elements are wrong"}, Planted{7, Examination::offset, "200 of 200"}}) {
    EXPECT_TRUE(examine(planted.fault, Examination::usual).correct) << planted.fault;
    const Verdict found = examine(planted.fault, planted.what);
    EXPECT_FALSE(found.correct) << planted.fault;
    EXPECT_THAT(found.detail, HasSubstr(planted.detail)) << planted.fault;
  }
}

// A reference of higher precision is between two denormal numbers of the output: only the nearest one is right.
TEST(ToleranceBound, HoldsTheNearestDenormalAndNoOther) {
  CheckedOutput output;
  output.dtype = DType::bf16;
  output.tolerance.rtol = 4e-3;
  EXPECT_EQ(tolerance_bound(output).atol, 0x1p-134);
  output.dtype = DType::fp16;
  output.tolerance.atol = 1e-6;
  EXPECT_EQ(tolerance_bound(output).atol, 1e-6 + 0x1p-25);
  output.dtype = DType::int32;
  output.tolerance.atol = 0;
  EXPECT_EQ(tolerance_bound(output).atol, 0);
}

// A special input has no effect on the next examination.
TEST_F(Examinations, HaveMemoryOfTheirOwn) {
  EXPECT_FALSE(examine(2, Examination::nan).correct);
  EXPECT_TRUE(examine(2, Examination::usual).correct);
  EXPECT_FALSE(examine(7, Examination::offset).correct);
  EXPECT_TRUE(examine(7, Examination::twice).correct);
}

// Buffers that the operator's kernels write are shifted as well: here a prepared input and an inout buffer, in rows.
TEST_F(Examinations, PreparedInputsAndInoutsAreShiftedToo) {
  const Kernel rows = TemplateStore({test::share_dir() / "kernel_templates"})
                          .load((test::data_dir() / "faults" / "into_a_gap").string())
                          .value();
  ASSERT_TRUE(backend_->set_kernel({rows, make_problem(rows.spec, "n=9", "", {}).value(), 1}));
  const auto examine_rows = [&](const char* text) {
    const Config config = parse_config(rows.spec, text).value();
    const Compiled compiled = backend_->compile(config, backend_->device().value(), 60);
    return backend_->examine(config, compiled, Examination::offset).value();
  };
  const Verdict sound = examine_rows("BLOCK=64,FAULT=0");
  EXPECT_TRUE(sound.correct) << sound.detail;
  EXPECT_EQ(sound.detail, "");
  EXPECT_EQ(examine_rows("BLOCK=128,FAULT=5").detail,
            "writes out of bounds: into a gap of z, 0 bytes after the end of row 3");
}

// Inputs that the spec makes by a formula or prepares have a meaning that special values would break.
TEST_F(Examinations, WhatDoesNotApplySaysWhy) {
  Kernel integers = kernel_;
  for (auto& [name, text] : integers.sources.files)
    if (name == "spec.json") {
      const std::string fill = "\"fill\": {\"uniform\": [0.5, 1]}, \"align\": \"4\"";
      text.replace(text.find(fill), fill.size(), "\"fill\": {\"formula\": \"1 + i % 3\"}, \"align\": 256");
      const std::size_t y = text.find("\"align\": \"4\"");
      text.replace(y, 12, "\"align\": 256");
    }
  const auto spec = parse_spec(integers.sources, "test");
  ASSERT_TRUE(spec) << spec.error().message;
  integers.spec = *spec;
  ASSERT_TRUE(backend_->set_kernel({integers, make_problem(*spec, "n=200", "", {}).value(), 1}));
  const Verdict nan = examine(0, Examination::nan);
  EXPECT_TRUE(nan.correct);
  EXPECT_THAT(nan.detail, HasSubstr("no input contains random floating-point numbers"));
  EXPECT_THAT(examine(0, Examination::offset).detail, HasSubstr("must begin at multiples of 256 bytes"));
}

} // namespace
} // namespace warptune
