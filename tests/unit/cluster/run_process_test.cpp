// The file of a process in the run folder: its content, and when it is written.
#include "cluster/run_process.h"
#include "fake_file_server.h"
#include "support/child.h"
#include "support/temp_dir.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace warptune {
namespace {

struct RunProcessTest : testing::Test {
  test::TempDir dir;
  RunProcessTest() { std::filesystem::create_directory(processes_of(dir.path())); }

  std::unique_ptr<RunProcess> start(double lease_s) const {
    return RunProcess::start(dir.path(), this_process(0, 1), lease_s).value();
  }
  std::filesystem::path file_of(const RunProcess& process) const { return processes_of(dir.path()) / process.id(); }
  static std::optional<ProcessRecord> read(const std::filesystem::path& file) {
    return parse_record(read_shared(file).value().value_or(""));
  }
  static void add_a_job(ProcessRecord& record) { ++record.jobs; }
  static bool becomes_true(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }
};

TEST_F(RunProcessTest, ARecordIsReadAsWritten) {
  ProcessRecord record = this_process(2, 5);
  record.devices = {{"cuda:0", "NVIDIA H200", "ab12"}};
  record.jobs = 3;
  record.worked_s = 1.5;
  EXPECT_EQ(parse_record(record_text(record)), record);
  EXPECT_FALSE(parse_record("{}"));
  EXPECT_FALSE(parse_record(""));
}

TEST_F(RunProcessTest, AChangeIsWrittenByTheNextHeartbeat) {
  const auto process = start(0.4);
  process->note(add_a_job);
  EXPECT_EQ(process->record().jobs, 1);
  EXPECT_TRUE(becomes_true([&] { return read(file_of(*process))->jobs == 1; }));
  // Without changes it is only touched.
  const auto status_of = [&] { return time_of_shared(file_of(*process)).value().value(); };
  const auto number = [&] {
    struct stat status {};
    EXPECT_EQ(::stat(file_of(*process).c_str(), &status), 0);
    return status.st_ino;
  };
  const auto before = status_of();
  const auto file = number();
  EXPECT_TRUE(becomes_true([&] { return status_of() > before; }));
  EXPECT_EQ(number(), file);
}

TEST_F(RunProcessTest, AnEndWritesWhatNoHeartbeatHasWritten) {
  auto process = start(3600);
  const auto file = file_of(*process);
  process->note(add_a_job);
  EXPECT_EQ(read(file)->jobs, 0) << "no operation for each job";
  process.reset();
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(read(file.string() + ".ended")->jobs, 1);
}

TEST_F(RunProcessTest, AnUpdateIsWrittenImmediatelyWithEarlierChanges) {
  const auto process = start(3600);
  process->note(add_a_job);
  ASSERT_TRUE(process->update([](ProcessRecord& record) {
    record.devices.push_back({"cuda:0", "NVIDIA H200", "ab12"});
  }));
  EXPECT_EQ(read(file_of(*process)), process->record());
  EXPECT_EQ(read(file_of(*process))->jobs, 1);
}

TEST_F(RunProcessTest, AChangeThatCouldNotBeWrittenIsWrittenLater) {
  const auto process = start(2);
  const auto folder = processes_of(dir.path()), elsewhere = dir / "elsewhere";
  std::filesystem::rename(folder, elsewhere);
  EXPECT_FALSE(process->update(add_a_job));
  std::filesystem::rename(elsewhere, folder);
  EXPECT_TRUE(becomes_true([&] { return read(file_of(*process))->jobs == 1; }));
  EXPECT_TRUE(process->goes_on().value());
}

// The file of another run's process must not appear in the folder of a new run.
TEST_F(RunProcessTest, AFileThatIsGoneIsNotMadeAgain) {
  auto process = start(0.4);
  const auto file = file_of(*process);
  EXPECT_TRUE(process->check_run());
  std::filesystem::remove(file);
  const auto checked = process->check_run();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::database);
  EXPECT_NE(checked.error().message.find(file.string() + " was deleted while its process was working"),
            std::string::npos);
  EXPECT_FALSE(process->update(add_a_job));
  process->note(add_a_job);
  EXPECT_TRUE(becomes_true([&] { return !process->goes_on(); })) << "no heartbeat reaches the others";
  EXPECT_EQ(process->goes_on().error().message, checked.error().message);
  process.reset();
  EXPECT_TRUE(std::filesystem::is_empty(processes_of(dir.path())));
}

// A limit of the file size acts like a full disk: records cannot be written, but files can be touched.
TEST_F(RunProcessTest, AFullDiskDoesNotEndAProcess) {
  EXPECT_EQ(test::run_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const auto process = start(0.4);
              const rlimit limit{10, 10};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              process->note(add_a_job);
              for (int beats = 0; beats < 6; ++beats) {
                const auto before = time_of_shared(file_of(*process)).value().value();
                if (!becomes_true([&] { return time_of_shared(file_of(*process)).value().value() > before; })) return 1;
              }
              return process->goes_on().value() && read(file_of(*process))->jobs == 0 ? 0 : 2;
            }),
            0);
}

TEST_F(RunProcessTest, AnOlderRecordDoesNotReplaceANewerOne) {
  const auto process = start(3600);
  test::slow_renames = 1;
  std::thread older([&] { EXPECT_TRUE(process->update(add_a_job)); });
  while (test::slow_renames > 0) std::this_thread::yield();
  EXPECT_TRUE(process->update(add_a_job));
  older.join();
  EXPECT_EQ(read(file_of(*process))->jobs, 2);
}

} // namespace
} // namespace warptune
