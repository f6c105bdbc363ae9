// SharedSweep: one process's part in a sweep that is shared by processes on several machines. It claims one job after
// another, the longest first, publishes each result, and takes over the jobs of processes that are gone.
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
  // `shard` of `shards`: only for names, and so that processes that start together do not all claim the same job.
  // `local`: see LocalResults::make. `run` must be joined already (join_run). Errors: database.
  static Result<std::unique_ptr<SharedSweep>> join(const std::filesystem::path& run, RunDescription description,
                                                   std::int64_t shard, std::int64_t shards,
                                                   const std::filesystem::path& local);
  ~SharedSweep() override; // hands back the jobs that are still claimed

  Result<std::optional<SharedJob>> next(const DeviceInfo& device, const std::atomic<bool>& stop) override;
  Result<void> ended(const SharedJob& job, const DeviceInfo& device, const JobReport& report) override;
  Result<bool> goes_on() const override { return process_->goes_on(); }
  std::size_t done() const override { return done_; }
  // Returns a sentence for each job that failed because three processes in a row ended during it, if this process
  // found that out. Call it when the sweep has ended.
  std::vector<std::string> given_up() const;

 private:
  using Clock = std::chrono::steady_clock;
  SharedSweep(std::filesystem::path run, RunDescription description, std::unique_ptr<RunProcess> process,
              std::unique_ptr<LocalResults> results);
  Result<void> introduce(const DeviceInfo& device, const std::string& model);
  std::vector<ClaimSubject> free_jobs(const ClaimBoard& board, const std::string& model) const; // the longest first
  Result<std::optional<SharedJob>> claim_any(const std::vector<ClaimSubject>& free, const DeviceInfo& device,
                                             const ClaimBoard& board);
  Result<std::optional<SharedJob>> take_over(const ClaimBoard& board, const DeviceInfo& device);
  Result<std::optional<SharedJob>> claim(const ClaimName& name, const DeviceInfo& device, const ClaimBoard& board);
  // Whether this process should wait for jobs of lost processes. false: an idle process of this model with a smaller id
  // is known to be alive, and waits instead. `idle`: as from Claims::idle.
  Result<bool> is_reserve(const std::vector<std::string>& idle, const std::string& model);
  nlohmann::json facts_of(const DeviceInfo& device) const; // the same for all jobs
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
  std::set<std::string> models_;               // the models of this process's devices
  std::map<ClaimSubject, int> held_;           // the attempts of the jobs that this process has claimed
  std::map<std::string, FileTime> idle_beats_; // heartbeats of idle processes, as first seen since the last claim
  bool has_claimed_ = false;
  std::minstd_rand random_; // each process has its own sequence
};

// Makes the failed jobs of a run free again, and ends the run's cancellation. Returns the number of these jobs. Several
// processes may call it concurrently.
Result<std::size_t> resume_run(const std::filesystem::path& run);

} // namespace warptune
