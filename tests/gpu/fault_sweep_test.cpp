// All planted faults (tests/data/faults) in one sweep on a real GPU, among correct kernels: each gets its status and
// its diagnostic, and no correct kernel is lost. Also a GPU whose memory another program takes.
#include "db/reader.h"
#include "support/child.h"
#include "support/fault_folders.h"
#include "support/require_gpu.h"
#include "support/temp_dir.h"
#include "tuner/session.h"
#include "tuner/sweep.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <cstdio>
#include <gmock/gmock.h>
#include <optional>

namespace warptune::test {
namespace {

// Medians before and after may differ by this factor: far beyond noise, far below the effect of a device that is still
// busy.
constexpr double kAgree = 2;

std::shared_ptr<const Kernel> shipped(const std::string& name) {
  auto kernel = TemplateStore({share_dir() / "kernel_templates"}).load(name);
  if (!kernel) throw std::runtime_error(kernel.error().message);
  return std::make_shared<const Kernel>(std::move(*kernel));
}

SweepJob job(std::shared_ptr<const Kernel> kernel, const std::string& shape, const std::string& budget = "") {
  SweepJob made{kernel, make_problem(kernel->spec, shape, "", {}).value(), {}};
  made.options.strategy = budget.empty() ? "exhaustive" : "random";
  made.options.budget = parse_budget(budget).value();
  made.options.compile_timeout_s = 10;
  made.options.evaluate_timeout_s = 20;
  made.options.finalists = 2;
  made.options.rounds = 5;
  made.options.measure.max_ms = 50;
  return made;
}

SweepOptions sweep_options(const TempDir& dir) {
  SweepOptions options;
  options.devices = {"cuda:0"};
  options.database = dir / "faults.db";
  options.cache_directory = dir / "cache";
  options.worker_executable = cli();
  return options;
}

SessionOptions session_options(const SweepJob& made, const TempDir& dir) {
  SessionOptions options = made.options;
  options.device = "cuda:0";
  options.database = dir / "faults.db";
  options.cache_directory = dir / "cache";
  options.worker_executable = cli();
  return options;
}

void expect_whole(const std::filesystem::path& database) {
  SQLite::Database db(database.string(), SQLite::OPEN_READONLY);
  EXPECT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

std::map<std::string, Trial> trials_of(const std::filesystem::path& database, RowId session) {
  std::map<std::string, Trial> trials;
  auto rows = Reader::open(database).value().trials(session);
  EXPECT_TRUE(rows);
  for (TrialRow& row : *rows) trials.emplace(row.config, std::move(row.trial));
  return trials;
}

double default_median(const std::filesystem::path& database, const JobReport& report, const Kernel& kernel) {
  const auto trials = trials_of(database, report.result.session);
  const auto found = trials.find(config_text(kernel.spec, default_config(kernel.spec)));
  return found != trials.end() && found->second.timing ? found->second.timing->median_us : 0;
}

// The first line is enough for a table.
std::string first_line(const std::string& text) { return text.substr(0, std::min<std::size_t>(text.find('\n'), 100)); }

TEST(FaultSweep, EveryFaultIsToldAndNothingGoodIsLost) {
  WT_REQUIRE_GPU();
  const TempDir dir;
  const auto folders = fault_folders();
  const std::vector<SweepJob> good = {job(shipped("axpy"), "n=16777216", "8"),
                                      job(shipped("transpose"), "rows=2048,cols=2048", "8"),
                                      job(shipped("softmax"), "rows=4096,cols=2048", "8")};
  std::vector<SweepJob> jobs = good;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    jobs.push_back(job(std::make_shared<const Kernel>(folders[i].kernel), "n=1048576"));
    if (i % 3 != 2) continue;
    SweepJob between = good[i / 3 % good.size()];
    between.options.seed = 100 + i;
    jobs.push_back(between);
  }
  const SweepOptions options = sweep_options(dir);
  const std::atomic<bool> stop{false};
  auto swept = run_sweep(
      jobs, options,
      [](const SweepProgress& p) {
        if (p.ended) std::printf("%zu of %zu jobs, %.0f s\n", p.done, p.total, p.elapsed_s), std::fflush(stdout);
      },
      stop);
  ASSERT_TRUE(swept) << swept.error().message;
  ASSERT_EQ(swept->jobs.size(), jobs.size());
  expect_whole(options.database);

  std::printf("%-20s %-22s %-15s %s\n", "fault", "configuration", "status", "evidence");
  for (const JobReport& report : swept->jobs) {
    const Kernel& kernel = *jobs[report.job].kernel;
    SCOPED_TRACE(kernel.spec.name);
    EXPECT_EQ(report.state, JobState::finished) << (report.error ? report.error->message : "");
    if (report.state != JobState::finished) continue;
    const auto trials = trials_of(options.database, report.result.session);
    const auto folder =
        std::find_if(folders.begin(), folders.end(), [&](const FaultFolder& f) { return f.name == kernel.spec.name; });
    if (folder == folders.end()) { // a correct kernel must be as fast as at the beginning
      const JobReport& first = *std::find_if(swept->jobs.begin(), swept->jobs.end(), [&](const JobReport& r) {
        return jobs[r.job].kernel == jobs[report.job].kernel;
      });
      const double before = default_median(options.database, first, kernel);
      const double now = default_median(options.database, report, kernel);
      EXPECT_GT(now, 0);
      EXPECT_LT(now, before * kAgree);
      EXPECT_GT(now, before / kAgree);
      for (const auto& [config, trial] : trials)
        EXPECT_EQ(status_name(trial.status), "ok") << config << ": " << trial.evidence;
      continue;
    }
    EXPECT_EQ(trials.size(), 3 + folder->expected.size()); // three are correct
    for (const auto& [config, trial] : trials) {
      expect_as_planted(*folder, config, std::string(status_name(trial.status)), trial.evidence);
      EXPECT_EQ(trial.timing.has_value(), trial.status == TrialStatus::ok) << config;
      if (folder->expected.count(config) > 0)
        std::printf("%-20s %-22s %-15s %s\n", folder->name.c_str(), config.c_str(),
                    std::string(status_name(trial.status)).c_str(), first_line(trial.evidence).c_str());
    }
    EXPECT_EQ(folder->expected.count(report.result.best.config), 0U) << "the winner is a good one";
  }
}

// The hog as a child process; the memory is free again when it ends.
class Hog {
 public:
  Hog() {
    std::array<int, 2> in{}, out{};
    if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0) throw std::runtime_error("no pipe");
    pid_ = start_child([&] {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      const std::string program = program_dir() / "support" / "gpu_hog";
      ::execl(program.c_str(), "gpu_hog", nullptr);
      return 127;
    });
    ::close(in[0]), ::close(out[1]);
    stdin_ = in[1];
    char word[16];
    holding_ = ::read(out[0], word, sizeof word) > 0;
    ::close(out[0]);
  }
  ~Hog() {
    ::close(stdin_);
    EXPECT_EQ(wait_child(pid_), 0);
  }
  bool holding() const { return holding_; }

 private:
  pid_t pid_ = -1;
  int stdin_ = -1;
  bool holding_ = false;
};

TEST(FaultSweep, MemoryTakenByAnotherProgramIsToldAndResumedFrom) {
  WT_REQUIRE_GPU();
  const TempDir dir;
  const auto folders = fault_folders();
  const auto folder =
      std::find_if(folders.begin(), folders.end(), [](const FaultFolder& f) { return f.name == "illegal_address"; });
  ASSERT_NE(folder, folders.end());
  // The fault in its middle ends the process that holds the memory; the next process finds none.
  const SweepJob made = job(std::make_shared<const Kernel>(folder->kernel), "n=268435456");
  SessionOptions options = session_options(made, dir);
  const std::atomic<bool> stop{false};
  std::optional<Hog> hog;
  const auto taken = run_session(
      *made.kernel, made.problem, options,
      [&](const Progress& p) {
        if (!hog && p.last != nullptr) hog.emplace();
      },
      stop);
  ASSERT_TRUE(hog && hog->holding());
  expect_whole(options.database);
  std::printf("while another program held the memory: %s\n", taken ? "finished" : taken.error().message.c_str());
  if (!taken) {
    EXPECT_THAT(taken.error().message,
                testing::ContainsRegex("[Oo]ut of memory|OUT_OF_MEMORY|[Oo]ut of device memory"));
  }
  hog.reset();
  options.resume = true;
  const auto resumed = run_session(
      *made.kernel, made.problem, options, [](const Progress&) {}, stop);
  ASSERT_TRUE(resumed) << resumed.error().message;
  const auto trials = trials_of(options.database, resumed->session);
  EXPECT_EQ(trials.size(), 4U);
  for (const auto& [config, trial] : trials)
    expect_as_planted(*folder, config, std::string(status_name(trial.status)), trial.evidence);
  expect_whole(options.database);
}

TEST(FaultSweep, ACubinCacheThatIsDamagedOrDeletedInMidRunLosesNothing) {
  WT_REQUIRE_GPU();
  const TempDir dir;
  const SweepJob made = job(shipped("axpy"), "n=16777216", "16");
  SessionOptions options = session_options(made, dir);
  const std::atomic<bool> stop{false};
  const auto tuned = run_session(
      *made.kernel, made.problem, options,
      [&](const Progress& p) {
        if (p.last == nullptr) return;
        if (p.done == 4) {
          for (const auto& entry : std::filesystem::recursive_directory_iterator(options.cache_directory))
            if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
        }
        std::error_code none;
        if (p.done == 8) std::filesystem::remove_all(options.cache_directory, none);
      },
      stop);
  ASSERT_TRUE(tuned) << tuned.error().message;
  EXPECT_TRUE(tuned->best.certified) << tuned->best.outcome;
  for (const auto& [config, trial] : trials_of(options.database, tuned->session))
    EXPECT_EQ(status_name(trial.status), "ok") << config << ": " << trial.evidence;
}

} // namespace
} // namespace warptune::test
