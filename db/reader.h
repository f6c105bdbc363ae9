// Read access to a tuning database. This is the only part of db/ that the runtime library contains. Other processes may
// write at the same time (WAL).
#pragma once

#include "core/result.h"
#include "db/records.h"
#include "predict/timing_matrix.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

// Returns the first of these that is set: `given` (--db), $WARPTUNE_DB, $XDG_DATA_HOME/warptune/warptune.db; otherwise
// ~/.local/share/warptune/warptune.db.
std::filesystem::path database_path(const std::string& given);

class Reader {
 public:
  // Opens a database or a pack. Errors (database): the file is missing, not a database, made by a newer version,
  // unreadable, or a damaged pack. The message says what to do. Every part of a pack is checked when it is read, so a
  // changed byte is an error.
  static Result<Reader> open(const std::filesystem::path& path);
  // Opens an empty database in memory, because none exists at `path` yet.
  static Result<Reader> open_empty(const std::filesystem::path& path);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  Result<std::vector<SessionRecord>> sessions(const std::string& kernel = {}) const; // newest first
  Result<std::optional<SessionRecord>>
  find_session(const SessionIdentity& identity) const; // the newest with this identity
  // Among the kernel's sessions, returns the one that has most in common with `identity`. If several have equally much
  // in common, returns the newest of these.
  Result<std::optional<SessionRecord>> nearest_session(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>> trials(RowId session) const; // in the order of measurement
  // Returns configuration -> instruction samples, in their stored form (report/source_profile.h).
  Result<std::map<std::string, std::string>> source_samples(RowId session) const;
  Result<TrialCounts> count_trials(RowId session) const;
  Result<TrialTimes> trial_times(RowId session) const;
  // Returns one result per kernel source, problem, device and objective, newest first. If there are several, these
  // rules choose one, in this order: no check has disqualified it; it is from the most recently used toolchain; it is
  // certified; it was timed with a cold L2; it is the fastest. So a later, shorter search never hides a better result.
  Result<std::vector<BestRecord>> best(const std::string& kernel = {}) const;
  // Returns the first `limit` results of best(), quickly even in a large database. `left_out`: number of results beyond
  // `limit`.
  Result<std::vector<BestRecord>> newest_best(const std::string& kernel, std::size_t limit,
                                              std::int64_t& left_out) const;
  // Returns the results of best() for one problem (given by its key), and reads no other results.
  Result<std::vector<BestRecord>> best_of_problem(const std::string& kernel, const std::string& problem) const;
  // Returns the result of this session, even if another session found a better one.
  Result<std::optional<BestRecord>> best_of_session(RowId session) const;
  Result<std::vector<CheckRecord>> checks(RowId best) const; // checks of one result, newest first
  Result<std::vector<DeviceInfo>> devices() const;
  // Without a hash: the sources of the last session with a result, or else of the last session.
  Result<std::optional<KernelRecord>> kernel(const std::string& name, const std::string& source_hash = {}) const;
  Result<std::vector<std::string>> kernel_names() const;
  // Returns the times of a kernel's correct trials: one matrix per device, dtype and flags, with cold times if there
  // are any. If a problem has several sessions, only the latest is used. `source_hash`: empty means any. Rows that the
  // spec cannot read are skipped. `problems`: which problems to read, as from near_problems.
  Result<std::vector<TimingMatrix>> timings(const KernelSpec& spec, const std::string& source_hash,
                                            const SomeProblems& problems = {}) const;
  // Returns the problems most similar to `problem` among those tuned for this kernel, device, dtype and flags: as many
  // as the learned rule needs, or all if there are few. Learning from thousands of problems would take seconds and
  // gigabytes of memory.
  Result<SomeProblems> near_problems(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) const;
  // Error (database): the bytes of the cubin have changed since it was stored.
  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  Result<std::vector<CubinSize>> cubin_sizes() const; // sizes of all cubins, sorted by hash
  Result<std::optional<Roofs>> roofs(const std::string& device_uuid) const;
  // Returns all stored roofs of a device, newest first.
  Result<std::vector<Roofs>> roofs_of(const SessionIdentity& device) const;
  int schema_version() const;
  const std::optional<PackInfo>& pack() const;                                    // nullopt: the file is a database
  Result<std::vector<PackRule>> pack_rules(const std::string& kernel = {}) const; // empty if the file is a database
  // Checks every byte of a pack; does nothing for a database. Error (database): names the page that has changed.
  Result<void> check_bytes() const;
  std::int64_t skipped_rows() const; // number of rows left out so far because their values are implausible

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
