// Ledger: what a session writes down and finds again. Maps the session's words to rows of the database; decides whether
// a run is new, continues an unfinished session or repeats a finished one.
#pragma once

#include "db/records.h"
#include "db/writer.h"
#include "jit/template_store.h"
#include "tuner/session_lock.h"
#include "tuner/session_options.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// A strategy with its options and what it is told beforehand, as it stands in the database.
std::string strategy_identity(const SessionOptions& options);
// The texts by which a stored session may name this strategy: itself, then those that earlier versions wrote for it.
std::vector<std::string> strategy_spellings(const std::string& strategy);

SessionIdentity make_identity(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                              const SessionOptions& options);

struct OpenedSession {
  RowId session = 0;
  bool finished = false;          // the sweep was complete already: nothing is to be explored
  std::vector<Trial> known;       // recorded before, with configurations of the spec
  std::optional<BestRecord> best; // certified before
  std::vector<std::string> notes;
};

class Ledger {
 public:
  static Result<Ledger> open(const std::filesystem::path& path);

  // The roofs measured earlier on this very device, and why they should be measured again (stale_roofs.h); or empty.
  struct KnownRoofs {
    Roofs roofs;
    std::string stale;
  };
  std::optional<KnownRoofs> known_roofs(const DeviceInfo& device) const;
  Result<void> still_there() const; // see Writer
  Result<void> put_kernel(const Kernel& kernel, const DeviceInfo& device);
  Result<void> put_roofs(const DeviceInfo& device); // the device's, measured just now or recorded
  // Of the session that resuming would continue (unfinished) or report (finished); nothing where there is none.
  std::optional<SessionState> earlier_state(const SessionIdentity& identity) const;
  // The session is this process's from here on, until the ledger goes. Error (kind bad_input): another process works on
  // the one that is to be resumed.
  // `part_of_sweep`: that nothing of this problem is there to be resumed is no news.
  // `knows`: whether a configuration is one of the space; trials of others, and of none of the spec's, are damaged.
  Result<OpenedSession> open_session(const SessionIdentity& identity, bool resume, bool part_of_sweep,
                                     std::int64_t space_size, const KernelSpec& spec,
                                     const std::function<bool(const Config& config)>& knows);
  Result<void> record(RowId session, const KernelSpec& spec, const Trial& trial);
  Result<void> keep_profile(RowId session, const KernelSpec& spec, const Trial& trial);
  Result<void> keep_power(RowId session, const KernelSpec& spec, const Trial& trial);
  // A configuration that was recorded as correct and then failed: its trial gets the new status and evidence.
  Result<void> disqualify(RowId session, const KernelSpec& spec, const Trial& trial);
  // With the cubin, if the cache still has it.
  Result<void> keep_best(const BestRecord& best, const std::filesystem::path& cache_directory);
  Result<void> end(RowId session, SessionState state);

 private:
  Ledger(std::filesystem::path path, Writer writer) : path_(std::move(path)), writer_(std::move(writer)) {}
  // The session that `resume` continues or reports.
  struct Earlier {
    RowId session = 0;
    bool finished = false;
    std::optional<BestRecord> best; // when finished
  };
  Result<std::optional<RowId>> find_unfinished(SessionIdentity identity) const;
  Result<std::optional<Earlier>> find_earlier(const SessionIdentity& identity) const;
  Result<std::optional<Earlier>> take_earlier(const SessionIdentity& identity); // with its lock
  // A sentence; nothing when the nearest is of another problem and `same_problem` is asked for.
  Result<std::optional<std::string>> why_not_resumed(const SessionIdentity& identity, bool same_problem) const;
  Result<SessionLock> enter() const; // one at a time, whatever the program
  std::string unfinished_note(RowId session) const;
  Result<RowId> begin(const SessionIdentity& identity, std::int64_t space_size);

  std::filesystem::path path_;
  Writer writer_;
  std::optional<SessionLock> lock_;
};

} // namespace warptune
