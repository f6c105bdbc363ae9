// The processes that work on a run. Each has a file in processes/ with its identity and progress. The modification time
// of the file is the process's heartbeat. When the process ends, ".ended" is appended to the file's name.
#pragma once

#include "cluster/shared_file.h"
#include "core/result.h"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace warptune {

struct ProcessRecord {
  struct Device {
    std::string device, name, model; // "cuda:0", "NVIDIA H200", a model_key
    bool operator==(const Device&) const = default;
  };
  std::string host;
  std::int64_t pid = 0, shard = 0, shards = 1;
  std::string slurm_job; // "123_4"; empty: Slurm did not start it
  std::vector<Device> devices;
  std::int64_t jobs = 0, failed = 0, trials = 0;
  double worked_s = 0;    // time from its start to the end of its last job
  double cost_s = 0;      // sum of RunJob::cost_s over its finished jobs
  std::string started_at; // by the clock of the process's machine; only for display
  bool operator==(const ProcessRecord&) const = default;
};

std::string record_text(const ProcessRecord& record);
std::optional<ProcessRecord> parse_record(const std::string& text); // nullopt: the text is damaged

// Describes this process: its host, pid and Slurm job, and the current time.
ProcessRecord this_process(std::int64_t shard, std::int64_t shards);

class RunProcess {
 public:
  // Writes this process's file. A thread then touches the file four times per lease, or writes it if the record has
  // changed.
  static Result<std::unique_ptr<RunProcess>> start(const std::filesystem::path& run, ProcessRecord record,
                                                   double lease_s);
  ~RunProcess(); // writes the record a last time, and appends ".ended" to the file's name
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;

  const std::string& id() const { return id_; } // "00003-node7-4711-5f2a9c"; ids sort by shard
  // Changes the record and writes it at once. Errors: also those of renew_process, because a deleted file is not made
  // again.
  Result<void> update(const std::function<void(ProcessRecord&)>& change);
  // Changes the record, which the next heartbeat writes. Writing the record after every short job would overload the
  // file server.
  void note(const std::function<void(ProcessRecord&)>& change);
  ProcessRecord record() const;

  // Whether the run continues; false: it was cancelled. Error: the run folder could not be written for a whole lease,
  // so other processes may have taken over this process's jobs. Reads no file.
  Result<bool> goes_on() const;
  // Whether the run folder still holds this process's run. Call it before publishing. Errors: those of renew_process.
  Result<void> check_run() const;

 private:
  RunProcess(std::filesystem::path run, std::string id, ProcessRecord record, double lease_s);
  void beat();
  Result<void> write();

  const std::filesystem::path run_, file_;
  const std::string id_;
  const double lease_s_;
  std::mutex writing_; // held while the file is written, so that an older record never replaces a newer one
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ProcessRecord record_;
  bool ended_ = false, cancelled_ = false, unwritten_ = false; // unwritten_: the record is newer than the file
  bool made_ = false;                                          // whether the file was made; guarded by writing_
  std::optional<Error> lost_;
  std::thread thread_;
};

// Tells whether processes are alive: compares the time of a process's file with the time of a file just touched
// (`clock`). Both times are from the file server, so the machines' clocks may differ.
class Heartbeats {
 public:
  // `clock`: an existing file that this process may touch, on the file system of `run`.
  Heartbeats(const std::filesystem::path& run, std::filesystem::path clock, double lease_s);
  Result<void> begin();      // touches `clock`; call it before a series of is_alive calls
  void begin_by_own_clock(); // for a folder that cannot be written: uses this machine's clock, which must be right
  Result<bool> is_alive(const std::string& id) const; // false if the process has ended
  Result<std::vector<std::string>> alive() const;     // sorted ids

 private:
  const std::filesystem::path folder_, clock_;
  const FileTime lease_;
  FileTime now_{};
};

// Sets the time of a living process's file to the server's current time. Error (database): the file is gone, because
// the run folder was deleted or now belongs to another run.
Result<void> renew_process(const std::filesystem::path& run, const std::string& id);

inline constexpr std::string_view kEndedProcess = ".ended"; // suffix of the files of processes that have ended
std::filesystem::path processes_of(const std::filesystem::path& run);
std::filesystem::path cancel_file(const std::filesystem::path& run);

} // namespace warptune
