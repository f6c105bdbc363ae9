// Claims: what a process does with the jobs of a run: claims them, ends its claims, and finds those of processes that
// are gone. Safe against any number of processes that do the same (claim_board.h).
#pragma once

#include "cluster/claim_board.h"
#include "cluster/run_process.h"
#include "core/result.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// After this many processes that ended in a row without an outcome, a job counts as failed: it may be what ends them.
inline constexpr int kMaxLostAttempts = 3;

class Claims {
 public:
  // `process`: RunProcess::id.
  Claims(const std::filesystem::path& run, const std::string& process, double lease_s);

  Result<ClaimBoard> look() const;
  // false: another process has it. `facts`: a JSON object for people and for --status; "process" is added.
  Result<bool> take(const ClaimName& claim, const std::string& facts) const;
  Result<void> end(const ClaimName& claim, ClaimOutcome outcome, const std::string& facts) const;
  // Makes a failed job free again. It may be free already.
  Result<void> free_again(const ClaimName& failed) const;
  // The facts of a claim, or of its end. nullopt: there are none.
  Result<std::optional<std::string>> facts(const ClaimName& claim, std::optional<ClaimOutcome> outcome) const;

  // The running jobs whose process is gone. A job that has lost too many is given the outcome failed instead.
  Result<std::vector<ClaimName>> lost(const ClaimBoard& board);
  // The processes that are alive and work on no job, by id.
  Result<std::vector<std::string>> idle(const ClaimBoard& board);
  // Whether it is time to look for lost claims. All processes together look about twice a lease, because each looks at
  // the heartbeats of all.
  Result<bool> look_is_due() const;

  static std::filesystem::path folder_of(const std::filesystem::path& run);

 private:
  Result<std::string> process_of(const ClaimName& claim); // empty: the claim cannot be read

  const std::filesystem::path run_, folder_;
  const std::string process_;
  const double lease_s_;
  Heartbeats heartbeats_;
  std::map<ClaimName, std::string> processes_; // a claim never changes its process
};

} // namespace warptune
