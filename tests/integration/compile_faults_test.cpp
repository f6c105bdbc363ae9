// The planted faults that show before a launch (tests/data/faults), through real compile workers: a compiler that runs
// for hours, one that crashes, sources that it refuses, kernels that no device can run. The configurations between them
// compile.
#include "jit/cubin_cache.h"
#include "space/space.h"
#include "support/child.h"
#include "support/fault_folders.h"
#include "support/temp_dir.h"
#include "worker/compile_pool.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <poll.h>
#include <set>
#include <sys/resource.h>

namespace warptune {
namespace {

// The statuses that a configuration can get before it runs.
const std::set<std::string> kStatic = {"invalid", "compile_failed"};

bool shows_before_a_launch(const test::FaultFolder& folder, const test::ExpectedFault& fault) {
  return kStatic.count(fault.status) > 0 || folder.name == "never_compiles" || folder.name == "crashes_compiler";
}

// `disturb` is called between the first compilation and the others.
std::map<std::string, Compiled> compile_all(const test::FaultFolder& folder, double timeout_s,
                                            const std::filesystem::path& cache,
                                            const std::function<void()>& disturb = {}) {
  const DeviceInfo device = h200_device();
  const KernelSpec& spec = folder.kernel.spec;
  const Problem problem = make_problem(spec, "n=1048576", "", {}).value();
  const auto space = SearchSpace::build(spec, problem, device).value();
  CompilePool pool(2);
  const auto queue = pool.open({test::program_dir() / "test_worker", "cuda:0", cache.string()},
                               {folder.kernel, problem, 0}, timeout_s);
  queue->set_device(device);
  for (ConfigIndex i = 0; i < space.size(); ++i) queue->submit({i, space.config(i)});
  std::map<std::string, Compiled> done;
  while (done.size() < static_cast<std::size_t>(space.size())) {
    pollfd ready{queue->descriptor(), POLLIN, 0};
    ::poll(&ready, 1, -1);
    auto finished = queue->take();
    EXPECT_TRUE(finished) << finished.error().message;
    if (!finished) break;
    if (done.empty() && !finished->empty() && disturb) disturb();
    for (auto& [ticket, compiled] : *finished) done[config_text(spec, space.config(ticket))] = std::move(compiled);
  }
  return done;
}

class CompileFaults : public testing::TestWithParam<test::FaultFolder> {};

TEST_P(CompileFaults, AreToldAndTheOthersCompile) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  test::FaultFolder folder = GetParam();
  const test::TempDir cache;
  const auto compiled = compile_all(folder, folder.name == "never_compiles" ? 8 : 60, cache.path());
  EXPECT_EQ(compiled.size(), 3 + folder.expected.size()); // three are correct
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

// All of its configurations compile.
test::FaultFolder sound_folder() {
  for (test::FaultFolder& folder : test::fault_folders())
    if (folder.name == "writes_nan") {
      folder.expected.clear();
      return std::move(folder);
    }
  throw std::runtime_error("no folder writes_nan");
}

void expect_compiled(const test::FaultFolder& folder, const std::map<std::string, Compiled>& compiled) {
  EXPECT_EQ(compiled.size(), 4U);
  for (const auto& [config, result] : compiled)
    test::expect_as_planted(folder, config, std::string(status_name(result.status)), result.evidence);
}

// A compiler that crashes or ignores its cancellation differs from one that refuses a source: only its process is lost.
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
    test::FaultFolder sound = sound_folder();
    sound.expected["BLOCK=128,FAULT=1"] = {status, evidence};
    const test::TempDir cache;
    expect_compiled(sound, compile_all(sound, timeout_s, cache.path()));
  }
};

TEST_F(CompilerFaults, ACrashCostsItsCandidate) {
  expect("segv", "crashed", "^while compiling: the worker process was killed by signal 11");
}
TEST_F(CompilerFaults, LastWordsAreEvidence) {
  expect("abort", "crashed", "killed by signal 6(.|\n)*Internal compiler error: register allocation failed");
}
TEST_F(CompilerFaults, ACompilerThatIgnoresItsCancellationIsKilled) {
  expect("hang", "timed_out", "^while compiling: no answer within 11 s; the worker process was killed", 6);
}
TEST_F(CompilerFaults, KilledForWantOfMemoryAgainAndAgain) {
  expect("memory", "crashed", "^while compiling: the worker process was killed by signal 9");
}

// If the cache cannot be read or written, the kernel is compiled; no candidate is lost.
class CacheFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  }
  void compile_with(const std::function<void()>& disturb) {
    expect_compiled(folder_, compile_all(folder_, 60, dir_.path(), disturb));
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path()))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }
  // In one step, because removing entry by entry would meet entries that another worker is writing.
  void take_cubins_away() {
    std::error_code none; // before the first entry there is nothing to take
    std::filesystem::rename(dir_ / "cubins", dir_ / ("taken" + std::to_string(++taken_)), none);
  }
  void remove_taken() {
    for (; taken_ > 0; --taken_) std::filesystem::remove_all(dir_ / ("taken" + std::to_string(taken_)));
  }
  const test::FaultFolder folder_ = sound_folder();
  const test::TempDir dir_;

 private:
  int taken_ = 0;
};

TEST_F(CacheFaults, DeletedInMidRun) {
  compile_with([&] { take_cubins_away(); });
  remove_taken();
  compile_with({});
  EXPECT_EQ(entries().size(), 4U);
}

TEST_F(CacheFaults, DamagedEntriesAreCompiledAgain) {
  compile_with({});
  const auto before = entries();
  ASSERT_EQ(before.size(), 4U);
  std::ofstream(before[0], std::ios::trunc);
  std::filesystem::resize_file(before[1], std::filesystem::file_size(before[1]) / 2);
  std::fstream(before[2]).seekp(200) << "not what was written";
  compile_with({});
  const CubinCache cache(dir_.path());
  for (const auto& entry : before) EXPECT_TRUE(cache.find(entry.stem().string())) << entry;
}

TEST_F(CacheFaults, NotWritableAnyMore) {
  compile_with([&] {
    // A worker that writes meanwhile creates the folder again; then that one is removed, too.
    while (!std::filesystem::is_regular_file(dir_ / "cubins")) {
      take_cubins_away();
      std::ofstream(dir_ / "cubins") << "a file in place of the folder: it stops root, too";
    }
  });
}

TEST_F(CacheFaults, DiskFull) {
  const int code = test::run_child([&] {
    ::signal(SIGXFSZ, SIG_IGN); // the workers inherit both
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    compile_with({});
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_THAT(entries(), testing::IsEmpty()) << "nothing half written is left";
}

} // namespace
} // namespace warptune
