// Ledger: stores a session's data in the database and reads it back. Decides whether a run is new, continues an
// unfinished session or repeats a finished one.
#pragma once

#include "db/reader.h"
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

// Returns the string that the database stores for a strategy: the strategy, its options, and the knowledge that it is
// given.
std::string strategy_identity(const SessionOptions& options);
// Returns all strings that stored sessions may have for this strategy: the current one, then those of earlier versions.
std::vector<std::string> strategy_spellings(const std::string& strategy);

SessionIdentity make_identity(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                              const SessionOptions& options);

struct OpenedSession {
  RowId session = 0;
  bool finished = false;          // whether the exploration is complete
  std::vector<Trial> known;       // recorded by earlier runs; only configurations of the space
  std::optional<BestRecord> best; // certified by an earlier run
  std::vector<std::string> notes;
};

class Ledger {
 public:
  static Result<Ledger> open(const std::filesystem::path& path);

  // The roofs measured earlier on this device, and why they should be measured again (stale_roofs.h; empty: no reason).
  struct KnownRoofs {
    Roofs roofs;
    std::string stale;
  };
  std::optional<KnownRoofs> known_roofs(const DeviceInfo& device) const;
  Result<void> still_there() const; // see Writer::still_there
  Result<void> put_kernel(const Kernel& kernel, const DeviceInfo& device);
  Result<void> put_roofs(const DeviceInfo& device); // stores device.roofs, just measured or taken from a recording
  // Returns the state of the session that --resume would continue (unfinished) or report (finished); nullopt if there
  // is none.
  std::optional<SessionState> earlier_state(const SessionIdentity& identity) const;
  // Opens a session and locks it for this process until the ledger is destroyed. Error (bad_input):
  // another process is working on the session to resume. `part_of_sweep`: suppresses the note that
  // there is no session of this problem to resume. `knows`: whether a configuration is in the
  // space. Trials of other configurations count as damaged, and so do those that the spec cannot
  // read.
  Result<OpenedSession> open_session(const SessionIdentity& identity, bool resume, bool part_of_sweep,
                                     std::int64_t space_size, const KernelSpec& spec,
                                     const std::function<bool(const Config& config)>& knows);
  // `device`: the trial's. A trial of a recorded device gets the time of the recording.
  Result<void> record(RowId session, const KernelSpec& spec, const Trial& trial, const DeviceInfo& device);
  Result<void> keep_profile(RowId session, const KernelSpec& spec, const Trial& trial);
  Result<void> keep_power(RowId session, const KernelSpec& spec, const Trial& trial);
  // Sets the new status and diagnostic of a trial that was recorded as correct and failed later.
  Result<void> disqualify(RowId session, const KernelSpec& spec, const Trial& trial);
  // Stores the best configuration, and its cubin if the cache still has it.
  Result<void> keep_best(const BestRecord& best, const std::filesystem::path& cache_directory);
  Result<void> end(RowId session, SessionState state);

 private:
  Ledger(std::filesystem::path path, Writer writer) : path_(std::move(path)), writer_(std::move(writer)) {}
  // The session that --resume continues or reports.
  struct Earlier {
    RowId session = 0;
    bool finished = false;
    std::optional<BestRecord> best; // if finished
  };
  Result<const Reader*> reader() const; // opened once, because a sweep calls this for each of its jobs
  Result<std::optional<RowId>> find_unfinished(SessionIdentity identity) const;
  Result<std::optional<Earlier>> find_earlier(const SessionIdentity& identity) const;
  Result<std::optional<Earlier>> take_earlier(const SessionIdentity& identity); // and locks it
  // Returns a sentence; nullopt if `same_problem` is set and the nearest session is of another problem.
  Result<std::optional<std::string>> why_not_resumed(const SessionIdentity& identity, bool same_problem) const;
  Result<SessionLock> enter() const; // a lock that one process can hold at a time
  std::string unfinished_note(RowId session) const;
  Result<RowId> begin(const SessionIdentity& identity, std::int64_t space_size);

  std::filesystem::path path_;
  Writer writer_;
  mutable std::optional<Reader> reader_;
  std::optional<SessionLock> lock_;
};

} // namespace warptune
