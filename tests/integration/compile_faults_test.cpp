// The planted faults that show before a launch (tests/data/faults), through real compile workers: a compiler that is
// busy for hours, one that dies, sources that it refuses, kernels that no device can hold. The configurations between
// them compile.
#include "jit/compiler.h"
#include "support/fault_folders.h"
#include "support/temp_dir.h"
#include "tuner/compile_pool.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <set>

namespace warptune {
namespace {

// What is known of a configuration before it runs.
const std::set<std::string> kStatic = {"invalid", "compile_failed"};

bool shows_before_a_launch(const test::FaultFolder& folder, const test::ExpectedFault& fault) {
  return kStatic.count(fault.status) > 0 || folder.name == "never_compiles" || folder.name == "crashes_compiler";
}

std::map<std::string, Compiled> compile_all(const test::FaultFolder& folder, double timeout_s) {
  const test::TempDir cache;
  const DeviceInfo device = h200_device();
  const KernelSpec& spec = folder.kernel.spec;
  const Problem problem = make_problem(spec, "n=1048576", "", {}).value();
  const auto space = SearchSpace::build(spec, problem, device).value();
  CompilePool pool({test::program_dir() / "test_worker", "cuda:0", cache.path().string()}, {folder.kernel, problem, 0},
                   device, 2, timeout_s);
  for (ConfigIndex i = 0; i < space.size(); ++i) pool.submit({i, space.config(i)});
  std::map<std::string, Compiled> done;
  while (done.size() < static_cast<std::size_t>(space.size())) {
    auto finished = pool.pump();
    EXPECT_TRUE(finished) << finished.error().message;
    if (!finished) break;
    for (auto& [ticket, compiled] : *finished) done[config_text(spec, space.config(ticket))] = std::move(compiled);
    std::vector<WorkerProcess*> busy;
    pool.add_workers(busy);
    if (finished->empty()) wait_for_workers(busy, 100);
  }
  return done;
}

class CompileFaults : public testing::TestWithParam<test::FaultFolder> {};

TEST_P(CompileFaults, AreToldAndTheOthersCompile) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  test::FaultFolder folder = GetParam();
  const auto compiled = compile_all(folder, 3);
  EXPECT_EQ(compiled.size(), 4U);
  std::erase_if(folder.expected, [&](const auto& fault) { return !shows_before_a_launch(folder, fault.second); });
  for (const auto& [config, result] : compiled) {
    test::expect_as_planted(folder, config, std::string(status_name(result.status)), result.evidence);
    EXPECT_EQ(result.status == TrialStatus::ok,
              result.resources.registers > 0 && !result.cubin_hash.empty() && result.evidence.empty())
        << config;
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, CompileFaults, testing::ValuesIn(test::fault_folders()),
                         [](const auto& shown) { return shown.param.name; });

// A compiler that dies or does not hear its cancellation is another matter than a source that it refuses: its process
// is lost, and nothing else.
class CompilerFaults : public testing::Test {
 protected:
  void SetUp() override {
    auto nvrtc = find_nvrtc();
    if (!nvrtc) GTEST_SKIP() << "no NVRTC";
    ::setenv("WARPTUNE_NVRTC", (test::program_dir() / "libwt_fake_nvrtc.so").c_str(), 1); // for the workers
    ::setenv("WT_REAL_NVRTC", nvrtc->path.c_str(), 1);
    ::setenv("WT_NVRTC_VICTIM", "<128, 1>", 1);
  }
  void TearDown() override {
    for (const char* name : {"WARPTUNE_NVRTC", "WT_REAL_NVRTC", "WT_NVRTC_VICTIM", "WT_NVRTC_FAULT"}) ::unsetenv(name);
  }
  static void expect(const char* fault, const char* status, const char* evidence, double timeout_s = 60) {
    ::setenv("WT_NVRTC_FAULT", fault, 1);
    auto folders = test::fault_folders();
    const auto sound = std::find_if(folders.begin(), folders.end(), [](auto& f) { return f.name == "writes_nan"; });
    ASSERT_NE(sound, folders.end());
    sound->expected["BLOCK=128,FAULT=1"] = {status, evidence};
    const auto compiled = compile_all(*sound, timeout_s);
    EXPECT_EQ(compiled.size(), 4U);
    for (const auto& [config, result] : compiled)
      test::expect_as_planted(*sound, config, std::string(status_name(result.status)), result.evidence);
  }
};

TEST_F(CompilerFaults, ACrashCostsItsCandidate) {
  expect("segv", "crashed", "^while compiling: the worker process was killed by signal 11");
}
TEST_F(CompilerFaults, LastWordsAreEvidence) {
  expect("abort", "crashed", "killed by signal 6(.|\n)*Internal compiler error: register allocation failed");
}
TEST_F(CompilerFaults, WhoIsDeafToItsCancellationIsKilled) {
  expect("hang", "timed_out", "^while compiling: no answer within 4 s; the worker process was killed", 2);
}
TEST_F(CompilerFaults, KilledForWantOfMemoryAgainAndAgain) {
  expect("memory", "crashed", "^while compiling: the worker process was killed by signal 9");
}

} // namespace
} // namespace warptune
