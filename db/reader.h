// Read-only access to a tuning database; the only part of db/ that the runtime links. Safe while other processes write
// (WAL).
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

// The first of `given` (--db), $WARPTUNE_DB, $XDG_DATA_HOME/warptune/warptune.db and
// ~/.local/share/warptune/warptune.db.
std::filesystem::path database_path(const std::string& given);

class Reader {
 public:
  // Opens a database or a pack. Errors (kind database): a missing file, not a database, made by a newer version,
  // unreadable, a damaged pack; the message says what to do. Every part of a pack is checked when it is read: a changed
  // byte is an error.
  static Result<Reader> open(const std::filesystem::path& path);
  // Opens an empty in-memory database, in place of one that does not exist at `path` yet.
  static Result<Reader> open_empty(const std::filesystem::path& path);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  Result<std::vector<SessionRecord>> sessions(const std::string& kernel = {}) const;        // newest first
  Result<std::optional<SessionRecord>> find_session(const SessionIdentity& identity) const; // the newest one
  // Returns the kernel's session that shares most with the identity; among equals, the newest.
  Result<std::optional<SessionRecord>> nearest_session(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>> trials(RowId session) const; // in the order measured
  // The instruction samples by configuration, as stored (report/source_profile.h).
  Result<std::map<std::string, std::string>> source_samples(RowId session) const;
  Result<TrialCounts> count_trials(RowId session) const;
  Result<TrialTimes> trial_times(RowId session) const;
  // Returns one result per kernel source, problem, device and objective; newest first. Prefers results that no check
  // has disqualified. Then, among the results of the most recently used toolchain: certified ones first, cold before
  // warm, then the fastest. A later, shorter search therefore never hides a better result.
  Result<std::vector<BestRecord>> best(const std::string& kernel = {}) const;
  // Returns the first `limit` results of best(); quick even in a large database. `left_out`: the number of results
  // beyond `limit`.
  Result<std::vector<BestRecord>> newest_best(const std::string& kernel, std::size_t limit,
                                              std::int64_t& left_out) const;
  // Returns the results of best() for one problem, given by its key, without reading others.
  Result<std::vector<BestRecord>> best_of_problem(const std::string& kernel, const std::string& problem) const;
  Result<std::optional<BestRecord>> best_of_session(RowId session) const; // regardless of other sessions
  Result<std::vector<CheckRecord>> checks(RowId best) const;              // the checks of one result, newest first
  Result<std::vector<DeviceInfo>> devices() const;
  // Without a hash, returns the source of the last session with a result, or else of the last session.
  Result<std::optional<KernelRecord>> kernel(const std::string& name, const std::string& source_hash = {}) const;
  Result<std::vector<std::string>> kernel_names() const;
  // The times of a kernel's correct trials, one matrix per device, dtype and flags; cold times if there are any. If a
  // problem has several sessions, the latest one counts. `source_hash` empty: any. Rows that the spec cannot read are
  // skipped. `problems`: the problems to read, as near_problems returns them.
  Result<std::vector<TimingMatrix>> timings(const KernelSpec& spec, const std::string& source_hash,
                                            const SomeProblems& problems = {}) const;
  // Returns the problems most similar to `problem` among those tuned for this kernel, device, dtype and flags: as many
  // as the learned rule needs, because learning from thousands would take seconds and gigabytes; all if there are few.
  Result<SomeProblems> near_problems(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) const;
  // Error (database): the cubin's bytes have changed since it was stored.
  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  Result<std::vector<CubinSize>> cubin_sizes() const; // the sizes of all cubins, by hash
  Result<std::optional<Roofs>> roofs(const std::string& device_uuid) const;
  // All stored roofs of a device, newest first.
  Result<std::vector<Roofs>> roofs_of(const SessionIdentity& device) const;
  int schema_version() const;
  const std::optional<PackInfo>& pack() const;                                    // nullopt: a database
  Result<std::vector<PackRule>> pack_rules(const std::string& kernel = {}) const; // empty for a database
  // Checks every byte of a pack; does nothing for a database. Error (kind database): names the page that has changed.
  Result<void> check_bytes() const;
  std::int64_t skipped_rows() const; // rows left out so far, because their values are implausible

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
