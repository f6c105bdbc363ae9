// Claims: lets a process claim jobs of a run, end its claims, and find the claims of processes that are gone. Any
// number of processes may do this concurrently (claim_board.h).
#pragma once

#include "cluster/claim_board.h"
#include "cluster/run_process.h"
#include "core/result.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warptune {

// If this many processes in a row end during the same job without an outcome, the job counts as failed, because it may
// be the cause.
inline constexpr int kMaxLostAttempts = 3;

class Claims {
 public:
  // `process`: RunProcess::id. `max_lost`: a job counts as failed after this many lost processes in a row.
  // `jobs`: see ClaimBoard.
  Claims(const std::filesystem::path& run, const std::string& process, double lease_s, int max_lost = kMaxLostAttempts,
         std::size_t jobs = ClaimBoard::kAnyNumber);
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  Result<ClaimBoard> look() const;
  // false: another process has the job, or this one took this attempt before. `facts`: a JSON object for --status and
  // for readers of the file; the member "process" is added to it. Claims with equal facts cost the file server one
  // operation each, after the first.
  Result<bool> take(const ClaimName& claim, const std::string& facts);
  Result<void> end(const ClaimName& claim, ClaimOutcome outcome, const std::string& facts) const;
  // Makes a failed job free again; does nothing if it is already free.
  Result<void> free_again(const ClaimName& failed);
  // Returns the facts stored with a claim or, if `outcome` is given, with its outcome; nullopt if there are none.
  Result<std::optional<std::string>> facts(const ClaimName& claim, std::optional<ClaimOutcome> outcome) const;

  // Returns the running jobs whose process is gone. A job that has lost `max_lost` processes gets the outcome
  // `failed` instead.
  Result<std::vector<ClaimName>> lost(const ClaimBoard& board);
  // Returns the jobs to which this process has given the outcome `failed` in `lost`, and why.
  const std::map<ClaimSubject, std::string>& given_up() const { return given_up_; }
  // Returns the ids of processes that are alive and have no job.
  Result<std::vector<std::string>> idle(const ClaimBoard& board);
  // Whether this process should look for lost claims now. Together, all processes look about twice per lease, because
  // each look reads all heartbeats.
  Result<bool> look_is_due();
  // Makes the next look due immediately. Call it if a look found more lost jobs than this process takes over.
  void look_again();

  static std::filesystem::path folder_of(const std::filesystem::path& run);

 private:
  Result<bool> link_prepared(const std::string& text, const std::filesystem::path& to);
  Result<std::string> process_of(const ClaimName& claim); // empty: the claim cannot be read

  const std::filesystem::path run_, folder_;
  const std::string process_;
  const double lease_s_;
  const int max_lost_;
  const std::size_t jobs_;
  Heartbeats heartbeats_;
  std::chrono::steady_clock::time_point not_due_until_{}; // before this time, look_is_due does not ask the server
  std::map<std::string, std::filesystem::path> prepared_; // files that become claims by a link, by their text
  std::set<ClaimName> taken_;
  std::map<ClaimSubject, std::string> given_up_;
  std::map<ClaimName, std::string> processes_; // cached, because a claim never changes its process
};

} // namespace warptune
