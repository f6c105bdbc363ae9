// Ledger: stores a session's data in the database and reads it back. Decides whether a run begins a new session,
// continues an unfinished one, or repeats a finished one.
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

// Returns the text that the database stores for a strategy: its name, its options, and which knowledge it is given.
std::string strategy_identity(const SessionOptions& options);
// Returns all texts that stored sessions may have for this strategy: the present one, then those of earlier versions.
std::vector<std::string> strategy_spellings(const std::string& strategy);

SessionIdentity make_identity(const Kernel& kernel, const Problem& problem, const DeviceInfo& device,
                              const SessionOptions& options);

struct OpenedSession {
  RowId session = 0;
  bool finished = false;          // whether the exploration is complete
  std::vector<Trial> known;       // from earlier runs; only configurations of the space
  std::optional<BestRecord> best; // certified by an earlier run
  std::vector<std::string> notes;
};

class Ledger {
 public:
  static Result<Ledger> open(const std::filesystem::path& path);

  // Roofs that were measured on this device before. `stale`: why to measure them again (stale_roofs.h); empty: they are
  // valid.
  struct KnownRoofs {
    Roofs roofs;
    std::string stale;
  };
  std::optional<KnownRoofs> known_roofs(const DeviceInfo& device) const;
  Result<void> still_there() const; // see Writer::still_there
  Result<void> put_kernel(const Kernel& kernel, const DeviceInfo& device);
  Result<void>
  put_roofs(const DeviceInfo& device); // stores device.roofs, which were just measured or come from a recording
  // Returns the state of the session that --resume would continue (unfinished) or report (finished); nullopt: there is
  // none.
  std::optional<SessionState> earlier_state(const SessionIdentity& identity) const;
  // Opens a session and locks it for this process until the ledger is destroyed. Error (bad_input): another process is
  // working on the session to resume. `part_of_sweep`: leave out the note that this problem has no session to resume.
  // `knows`: whether a configuration is in the space. Trials of other configurations, and trials that the spec cannot
  // read, count as damaged.
  Result<OpenedSession> open_session(const SessionIdentity& identity, bool resume, bool part_of_sweep,
                                     std::int64_t space_size, const KernelSpec& spec,
                                     const std::function<bool(const Config& config)>& knows);
  // `device`: the device of the trial. If it is a recorded device, the trial gets the date of the recording.
  Result<void> record(RowId session, const KernelSpec& spec, const Trial& trial, const DeviceInfo& device);
  Result<void> keep_profile(RowId session, const KernelSpec& spec, const Trial& trial);
  Result<void> keep_power(RowId session, const KernelSpec& spec, const Trial& trial);
  // Stores a new status and diagnostic for a trial that was recorded as correct and failed later.
  Result<void> disqualify(RowId session, const KernelSpec& spec, const Trial& trial);
  // Stores the best configuration, and also its cubin if the cache still has it.
  Result<void> keep_best(const BestRecord& best, const std::filesystem::path& cache_directory);
  Result<void> end(RowId session, SessionState state);

 private:
  Ledger(std::filesystem::path path, Writer writer) : path_(std::move(path)), writer_(std::move(writer)) {}
  // The session that --resume would continue (unfinished) or report (finished).
  struct Earlier {
    RowId session = 0;
    bool finished = false;
    std::optional<BestRecord> best; // set if finished
  };
  Result<const Reader*> reader() const; // opens the database only once, because a sweep calls this for each job
  Result<std::optional<RowId>> find_unfinished(SessionIdentity identity) const;
  Result<std::optional<Earlier>> find_earlier(const SessionIdentity& identity) const;
  Result<std::optional<Earlier>> take_earlier(const SessionIdentity& identity); // also locks the session
  // Returns a sentence that says why no session is resumed. nullopt if `same_problem` is set and the most similar
  // session is for another problem.
  Result<std::optional<std::string>> why_not_resumed(const SessionIdentity& identity, bool same_problem) const;
  Result<SessionLock> enter() const; // a lock that only one process holds at a time
  std::string unfinished_note(RowId session) const;
  Result<RowId> begin(const SessionIdentity& identity, std::int64_t space_size);

  std::filesystem::path path_;
  Writer writer_;
  mutable std::optional<Reader> reader_;
  std::optional<SessionLock> lock_;
};

} // namespace warptune
