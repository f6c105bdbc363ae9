// Rows with gaps between them, through the CUDA backend as a tuning session uses it: real compilations, and the host as
// the device (support/host_cuda.cpp).
#include "cuda/cuda_backend.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "support/fault_folders.h"
#include "support/host_device.h"
#include "support/temp_dir.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;

class Gaps : public ::testing::Test {
 protected:
  Verdict check(const std::string& shape, const std::string& config) {
    const auto& spec = kernel_.spec;
    auto problem = make_problem(spec, shape, "", {});
    EXPECT_TRUE(problem) << problem.error().message;
    EXPECT_TRUE(backend_->set_kernel({kernel_, *problem, 1}));
    auto verdict = backend_->check(parse_config(spec, config).value(), *problem, 7);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict ? *verdict : Verdict();
  }
  const test::TempDir cache_;
  const Kernel kernel_ = TemplateStore({test::share_dir() / "kernel_templates"})
                             .load((test::data_dir() / "faults" / "into_a_gap").string())
                             .value();
  const std::unique_ptr<Backend> backend_ = make_cuda_backend(0, cache_.path().string()).value();
};

TEST_F(Gaps, AreNotCompared) {
  const Verdict verdict = check("n=9", "BLOCK=64,FAULT=0"); // the reference leaves 1e30 in the gaps
  EXPECT_TRUE(verdict.correct) << verdict.detail;
  EXPECT_EQ(verdict.mismatches, 0);
  EXPECT_TRUE(check("n=9,pad=0", "BLOCK=64,FAULT=0").correct);
  EXPECT_TRUE(check("n=1,pad=7", "BLOCK=64,FAULT=0").correct);
}

TEST_F(Gaps, MustHoldWhatTheyHeld) {
  const Verdict zero = check("n=9", "BLOCK=128,FAULT=1");
  EXPECT_FALSE(zero.correct);
  EXPECT_EQ(zero.detail, "writes out of bounds: into a gap of y, 4 bytes after the end of row 1");
  EXPECT_EQ(zero.worst_buffer, "y");
  // A copy of an input's gaps is found as well, because they hold other bytes.
  EXPECT_EQ(check("n=9", "BLOCK=128,FAULT=2").detail,
            "writes out of bounds: into a gap of y, 0 bytes after the end of row 0");
}

// Also in a buffer that is read and written.
TEST_F(Gaps, OfAnInoutMustHoldWhatTheyHeld) {
  EXPECT_EQ(check("n=9", "BLOCK=128,FAULT=5").detail,
            "writes out of bounds: into a gap of z, 0 bytes after the end of row 3");
}

TEST_F(Gaps, OfInputsAreNoNumbers) {
  const Verdict verdict = check("n=9", "BLOCK=128,FAULT=3");
  EXPECT_FALSE(verdict.correct);
  EXPECT_THAT(verdict.detail, HasSubstr("y[0] is "));
  EXPECT_THAT(verdict.detail, HasSubstr("nan"));
  EXPECT_EQ(verdict.mismatches, 180) << "of 9 rows of 20";
}

// Also if a kernel makes the input and writes into its gaps: the reader of the input must not rely on that.
TEST_F(Gaps, OfPreparedInputsAreNoNumbers) {
  const Verdict verdict = check("n=9", "BLOCK=128,FAULT=6");
  EXPECT_FALSE(verdict.correct);
  EXPECT_THAT(verdict.detail, HasSubstr("nan"));
}

TEST_F(Gaps, HideNoElementThatIsMissing) {
  const Verdict verdict = check("n=9", "BLOCK=128,FAULT=4");
  EXPECT_FALSE(verdict.correct);
  EXPECT_THAT(verdict.detail, HasSubstr("y[203] is ")) << "its place in memory";
  EXPECT_THAT(verdict.detail, HasSubstr("1 of 180 elements are wrong, and 1 of them were never written"));
}

} // namespace
} // namespace warptune
