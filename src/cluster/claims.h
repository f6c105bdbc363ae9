// Claims: lets a process claim jobs of a run, end its claims, and find claims of processes that are gone. Any number of
// processes may work with claims at the same time (claim_board.h).
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

// A job counts as failed if this many processes in a row died during it, because the job may be the cause.
inline constexpr int kMaxLostAttempts = 3;

class Claims {
 public:
  // `process`: a RunProcess::id. `max_lost`: a job counts as failed if this many processes in a row died during it.
  // `jobs`: as for ClaimBoard.
  Claims(const std::filesystem::path& run, const std::string& process, double lease_s, int max_lost = kMaxLostAttempts,
         std::size_t jobs = ClaimBoard::kAnyNumber);
  ~Claims();
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  // Reads the claims folder.
  Result<ClaimBoard> look() const;
  // Claims a job. Returns false if another process has the job, or if this process took this attempt before. Errors
  // (database): the errors of renew_process; a claim that this process made was deleted. `facts`: a JSON object for
  // --status and for people who read the file; the member "process" is added to it. After the first claim, each further
  // claim with the same facts costs the file server only one operation.
  Result<bool> take(const ClaimName& claim, const std::string& facts);
  // Does not check whether the folder now has another run: call RunProcess::check_run before this function.
  Result<void> end(const ClaimName& claim, ClaimOutcome outcome, const std::string& facts) const;
  // Makes a failed job available again; does nothing if it already is.
  Result<void> free_again(const ClaimName& failed);
  // Returns the facts stored with a claim; if `outcome` is given, the facts stored with that outcome. nullopt if there
  // are none.
  Result<std::optional<std::string>> facts(const ClaimName& claim, std::optional<ClaimOutcome> outcome) const;

  // Returns the running jobs whose process is gone. If `max_lost` processes in a row died during a job, gives the job
  // the outcome `failed` and does not return it.
  Result<std::vector<ClaimName>> lost(const ClaimBoard& board);
  // The jobs to which lost() gave the outcome `failed`, with the reasons.
  const std::map<ClaimSubject, std::string>& given_up() const { return given_up_; }
  // Returns the ids of the processes that are alive but have no job.
  Result<std::vector<std::string>> idle(const ClaimBoard& board);
  // Whether this process should search for lost claims now. All processes together search about twice per lease,
  // because each search reads the heartbeats of all processes.
  Result<bool> look_is_due();
  // Makes the next search due at once. Call this if a search found more lost jobs than this process takes over.
  void look_again();

  static std::filesystem::path folder_of(const std::filesystem::path& run);
  // The file with the facts of an outcome.
  static std::filesystem::path end_file(const std::filesystem::path& run, const ClaimName& claim, ClaimOutcome outcome);

 private:
  Result<void> begin_beats();
  Result<bool> link_prepared(const std::string& text, const std::filesystem::path& to);
  Result<std::string> process_of(const ClaimName& claim); // empty: the claim cannot be read

  const std::filesystem::path run_, folder_;
  const std::string process_;
  const double lease_s_;
  const int max_lost_;
  const std::size_t jobs_;
  Heartbeats heartbeats_;
  std::chrono::steady_clock::time_point not_due_until_{}; // until then, look_is_due does not ask the file server
  std::map<std::string, std::filesystem::path> prepared_; // text -> file with this text; a link to it makes a claim
  std::set<ClaimName> taken_;
  std::map<ClaimSubject, std::string> given_up_;
  std::map<ClaimName, std::string> processes_; // cached, because the process of a claim never changes
};

} // namespace warptune
