// Examinations on a real GPU: each planted fault of tests/data/check/examined is found by its own examination.
#include "cuda/cuda_backend.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "support/paths.h"
#include "support/require_gpu.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

TEST(GpuExaminations, EachFindsItsFault) {
  WT_REQUIRE_GPU();
  const test::TempDir cache;
  const Kernel kernel = TemplateStore({}).load((test::data_dir() / "check" / "examined").string()).value();
  const auto backend = make_cuda_backend(0, cache.path().string()).value();
  ASSERT_TRUE(backend->set_kernel({kernel, make_problem(kernel.spec, "n=100000", "", {}).value(), 1}));
  const auto examine = [&](int fault, Examination what) {
    const std::string text = fault == 0 ? "BLOCK=64,FAULT=0" : "BLOCK=128,FAULT=" + std::to_string(fault);
    const Config config = parse_config(kernel.spec, text).value();
    const Compiled compiled = backend->compile(config, backend->device().value(), 60);
    EXPECT_EQ(compiled.status, TrialStatus::ok) << compiled.evidence;
    const auto verdict = backend->examine(config, compiled, what);
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict());
  };
  for (const ExaminationName& one : examinations()) {
    const Verdict sound = examine(0, one.what);
    EXPECT_TRUE(sound.correct) << one.name << ": " << sound.detail;
    EXPECT_EQ(sound.detail, "") << one.name;
  }
  const std::pair<int, Examination> planted[] = {
      {1, Examination::twice}, {2, Examination::nan},   {3, Examination::infinity}, {4, Examination::denormals},
      {5, Examination::zeros}, {6, Examination::large}, {7, Examination::offset},   {8, Examination::dirty_shared}};
  for (const auto& [fault, what] : planted) {
    const Verdict found = examine(fault, what);
    EXPECT_FALSE(found.correct) << "fault " << fault;
    EXPECT_NE(found.detail, "") << "fault " << fault;
  }
}

} // namespace
} // namespace warptune
