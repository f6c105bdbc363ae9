// SharedSweep: one process's part in a sweep that processes on several machines share. The process claims one job after
// another, longest first, publishes each result, and takes over jobs of processes that are gone.
#pragma once

#include "cluster/claims.h"
#include "cluster/local_results.h"
#include "cluster/run_folder.h"
#include "cluster/run_process.h"
#include "tuner/shared_jobs.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace warptune {

class SharedSweep final : public SharedJobs {
 public:
  // `shard` of `shards`: used for names. Processes that start together begin at different jobs, according to `shard`.
  // `local`: `parent` of LocalResults::make. Precondition: the run was joined (join_run). Errors: database.
  static Result<std::unique_ptr<SharedSweep>> join(const std::filesystem::path& run, RunDescription description,
                                                   std::int64_t shard, std::int64_t shards,
                                                   const std::filesystem::path& local);
  ~SharedSweep() override; // hands back the jobs that it still has

  Result<std::optional<SharedJob>> next(const DeviceInfo& device, const std::atomic<bool>& stop) override;
  Result<void> ended(const SharedJob& job, const DeviceInfo& device, const JobReport& report) override;
  Result<bool> goes_on() const override { return process_->goes_on(); }
  std::size_t done() const override { return done_; }
  // Returns sentences about problems that this process found: one for each job during which three processes in a row
  // died; one for each damaged published database; and one for all jobs that failed here and were left to other
  // processes. Call it when the sweep has ended.
  std::vector<std::string> problems() const;

 private:
  using Clock = std::chrono::steady_clock;
  SharedSweep(std::filesystem::path run, RunDescription description, std::unique_ptr<RunProcess> process,
              std::unique_ptr<LocalResults> results);
  Result<void> introduce(const DeviceInfo& device, const std::string& model);
  // Returns free jobs, longest first: those that failed here if `failed_here` is true, otherwise the others.
  std::vector<ClaimSubject> free_jobs(const ClaimBoard& board, const std::string& model, bool failed_here) const;
  // Whether the job has failed before, in this process or on another machine.
  Result<bool> failed_before(const ClaimSubject& subject) const;
  Result<std::optional<SharedJob>> claim_any(const std::vector<ClaimSubject>& free, const DeviceInfo& device,
                                             const ClaimBoard& board);
  Result<std::optional<SharedJob>> take_over(const ClaimBoard& board, const DeviceInfo& device);
  Result<std::optional<SharedJob>> claim(const ClaimName& name, const DeviceInfo& device, const ClaimBoard& board);
  // Whether this process should stay to wait for jobs of lost processes. False if an idle process of this model with a
  // smaller id is known to be alive: that process waits instead. `idle`: from Claims::idle.
  Result<bool> is_reserve(const std::vector<std::string>& idle, const std::string& model);
  nlohmann::json facts_of(const DeviceInfo& device) const; // the facts that are the same for all jobs
  void count_done(const ClaimBoard& board);

  const std::filesystem::path run_;
  const RunDescription description_;
  const std::vector<std::size_t> order_;
  const std::unique_ptr<RunProcess> process_;
  const std::unique_ptr<LocalResults> results_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<std::size_t> done_{0};

  std::mutex mutex_; // guards the members below
  Claims claims_;
  std::set<std::string> models_;               // models of this process's devices
  std::map<ClaimSubject, int> held_;           // the jobs that this process has claimed -> attempt
  std::map<std::string, FileTime> idle_beats_; // idle process -> its first heartbeat read since the last claim
  bool has_claimed_ = false;
  // Jobs that failed here once. This process handed them back, because this machine may be the cause. A broken machine
  // fails fast, so it would otherwise soon fail all jobs of the run.
  std::set<ClaimSubject> failed_here_;
  std::minstd_rand random_; // differs between processes
};

// Numbers of jobs that are available again.
struct ResumedJobs {
  std::size_t failed = 0;  // jobs that had failed
  std::size_t missing = 0; // finished jobs whose published results are gone
};
// Makes failed jobs and jobs without results available again, and ends the run's cancellation. Several processes may
// call this function at the same time.
Result<ResumedJobs> resume_run(const std::filesystem::path& run);

} // namespace warptune
