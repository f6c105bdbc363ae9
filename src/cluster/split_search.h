// SplitSearch: one process's part in the search of one problem that is split over devices of several processes
// (tuner/shared_search.h). The process claims configurations, or ranges of configurations, as a sweep claims jobs
// (claim_board.h), and publishes trials (trial_exchange.h). The finals are also a job, so exactly one process runs
// them, and another process takes over if that process is gone.
//
// Job 0 is the finals. Job 1 + N is the range of configurations that begins at N x (size of a range). For a strategy
// that learns, a range is one configuration. A claimed configuration is done when its trial is published, so its claim
// needs no outcome.
#pragma once

#include "cluster/claims.h"
#include "cluster/local_results.h"
#include "cluster/run_folder.h"
#include "cluster/run_process.h"
#include "cluster/trial_exchange.h"
#include "tuner/session_result.h"
#include "tuner/shared_search.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace warptune {

class SplitSearch final : public SharedSearch {
 public:
  // Works as SharedSweep::join; description.split must be at least 1.
  static Result<std::unique_ptr<SplitSearch>> join(const std::filesystem::path& run, RunDescription description,
                                                   std::int64_t shard, std::int64_t shards,
                                                   const std::filesystem::path& local);
  ~SplitSearch() override; // publishes what it can, and hands back the finals

  std::filesystem::path database() const { return database_; } // the session's database
  // Call this after the session. If this process ran the finals, publishes its database and gives the claim its
  // outcome: finished, failed (no winner), or back (other processes may run the finals).
  Result<void> ended(const Result<SessionResult>& result);

  int devices() const override { return description_.split; }
  Result<DeviceInfo> agree(const DeviceInfo& own) override;
  void begin(bool learns, std::int64_t limit) override;
  Result<bool> claim(ConfigIndex index) override;
  Result<void> put(const Trial& trial) override;
  Result<News> exchange() override;
  Result<void> leave(Ending ending, const std::vector<ConfigIndex>& unfinished) override;
  Result<Finals> await_finals(const std::atomic<bool>& stop) override;
  Result<std::optional<BestRecord>> winner() override;

 private:
  using Clock = std::chrono::steady_clock;
  SplitSearch(std::filesystem::path run, RunDescription description, std::unique_ptr<RunProcess> process,
              std::unique_ptr<LocalResults> results);
  ClaimSubject range_of(ConfigIndex index) const;
  ClaimSubject finals() const { return {kFinalsJob, model_}; }
  Result<void> publish();
  Result<void> look_at_claims();
  void note_progress();
  Result<bool> take_finals(const ClaimBoard& board);
  Result<bool> others_have_left();

  const std::filesystem::path run_;
  const RunDescription description_;
  const std::unique_ptr<RunProcess> process_;
  const std::unique_ptr<LocalResults> results_;
  const std::filesystem::path database_;
  const Clock::time_point start_ = Clock::now();

  Claims claims_;
  TrialExchange trials_;
  std::string model_; // model of the devices; set by agree()
  bool learns_ = true;
  std::int64_t range_ = 1;
  std::int64_t measured_ = 0, noted_ = 0; // noted_: the value of measured_ in the process's record
  std::map<ClaimSubject, int> mine_,
      next_attempt_; // mine_: job -> attempt that this process has claimed; next_attempt_: job -> attempt to claim next
  std::set<ClaimSubject> refused_, given_up_; // refused_: claimed by others; given_up_: failed, so no longer measured
  int finals_attempt_ = 0;                    // 0: this process does not run the finals
  Clock::time_point published_at_ = start_, read_at_{}, looked_at_{};
};

} // namespace warptune
