// An implementation built by a command, beside one that NVRTC compiles, tuned and packed on a device. The command uses
// nvcc if installed, otherwise NVRTC; Triton's implementation takes part if Python has Triton.
#include "gpu/fixture.h"
#include "pack/inspect.h"
#include "pack/pack.h"
#include "tuner/session.h"

#include <gmock/gmock.h>

namespace warptune::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class BuiltOnGpu : public testing::Test {
 protected:
  SessionResult tune(const std::vector<std::string>& also) {
    const TemplateStore store({share_dir() / "kernel_templates"});
    kernel_ = store.load((data_dir() / "kernels" / "built_scale").string(), also).value();
    SessionOptions options;
    options.database = dir_ / "built.db";
    options.cache_directory = gpu_test_cache().directory();
    options.worker_executable = cli();
    options.allow_build = true;
    const std::atomic<bool> stop{false};
    const Problem problem = make_problem(kernel_.spec, "n=1048576", "", {}).value();
    const auto result = run_session(
        kernel_, problem, options, [](const Progress&) {}, stop);
    EXPECT_TRUE(result) << result.error().message;
    return result.value_or(SessionResult{});
  }
  void expect_all_correct(RowId session, std::size_t configurations) {
    const auto rows = Reader::open(dir_ / "built.db")->trials(session).value();
    EXPECT_EQ(rows.size(), configurations);
    for (const TrialRow& row : rows) EXPECT_EQ(row.trial.status, TrialStatus::ok) << row.config << row.trial.evidence;
  }
  TempDir dir_;
  Kernel kernel_;
};

TEST_F(BuiltOnGpu, IsTunedAndPacked) {
  WT_REQUIRE_GPU();
  if (std::system("python3 -c '' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no Python";
  const SessionResult r = tune({});
  expect_all_correct(r.session, 4);
  EXPECT_TRUE(r.best.certified);
  PackOptions options;
  options.version = "0.1";
  options.licence = "none";
  options.cubins.allow_build = true;
  const auto report = make_pack(Reader::open(dir_ / "built.db").value(), dir_ / "built.wtpack", options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(inspect_pack(Reader::open(dir_ / "built.wtpack").value())->problems, IsEmpty());
}

TEST_F(BuiltOnGpu, TritonIsACompilerAmongOthers) {
  WT_REQUIRE_GPU();
  if (std::system("python3 -c 'import triton' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no Triton";
  const SessionResult r = tune({(data_dir() / "kernels" / "triton_scale").string()});
  expect_all_correct(r.session, 8);
  EXPECT_THAT(Reader::open(dir_ / "built.db")->sessions()->front().identity.compiler,
              HasSubstr("triton_scale: Triton "));
}

} // namespace
} // namespace warptune::test
