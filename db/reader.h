// Read-only access to a tuning database. The only part of db/ that the runtime links. Safe while others write (WAL).
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
  // Opens a database or a pack. Errors (kind database): missing, not a database, made by a newer version, unreadable, a
  // damaged pack; each says what to do. Every part of a pack is checked when it is read: a changed byte is an error.
  static Result<Reader> open(const std::filesystem::path& path);
  // An empty database in memory, instead of one that does not exist at `path` yet.
  static Result<Reader> open_empty(const std::filesystem::path& path);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  Result<std::vector<SessionRecord>> sessions(const std::string& kernel = {}) const;        // newest first
  Result<std::optional<SessionRecord>> find_session(const SessionIdentity& identity) const; // the newest one
  // Returns the session of the kernel that shares most with the identity; of several, the newest.
  Result<std::optional<SessionRecord>> nearest_session(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>> trials(RowId session) const; // in the order measured
  // The samples of instructions by configuration, as they were stored (report/source_profile.h).
  Result<std::map<std::string, std::string>> source_samples(RowId session) const;
  Result<TrialCounts> count_trials(RowId session) const;
  // Returns one result per kernel source, problem, device and objective; newest first. A result that no check has
  // disqualified is preferred. Then, among the results of the toolchain used last: a certified one before others, cold
  // before warm, then the fastest. So a later, shorter search never hides a better result.
  Result<std::vector<BestRecord>> best(const std::string& kernel = {}) const;
  // Returns the first `limit` results of best(); quick even in a large database. `left_out`: the number of results
  // beyond `limit`.
  Result<std::vector<BestRecord>> newest_best(const std::string& kernel, std::size_t limit,
                                              std::int64_t& left_out) const;
  // Returns the same for one problem, by its key, without reading the others.
  Result<std::vector<BestRecord>> best_of_problem(const std::string& kernel, const std::string& problem) const;
  Result<std::optional<BestRecord>> best_of_session(RowId session) const; // whatever other sessions have
  Result<std::vector<CheckRecord>> checks(RowId best) const;              // the checks of one result, newest first
  Result<std::vector<DeviceInfo>> devices() const;
  // Without a hash: the source of the last session that has a result, otherwise of the last session.
  Result<std::optional<KernelRecord>> kernel(const std::string& name, const std::string& source_hash = {}) const;
  Result<std::vector<std::string>> kernel_names() const;
  // The times of a kernel's correct trials, one matrix per device, dtype and flags; cold times if there are any. If a
  // problem has several sessions, the latest one's times are used. `source_hash` empty: any. Rows that the spec cannot
  // read are skipped. `problems`: reads only the times of these problems, which near_problems returns.
  Result<std::vector<TimingMatrix>> timings(const KernelSpec& spec, const std::string& source_hash,
                                            const SomeProblems& problems = {}) const;
  // Returns the problems most similar to `problem` among those tuned for this kernel, device, dtype and flags: as many
  // as the learned rule needs, because with thousands of them it would take seconds and gigabytes. Returns all if there
  // are few.
  Result<SomeProblems> near_problems(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) const;
  // Error (database): the cubin's bytes have changed since it was stored.
  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  Result<std::vector<CubinSize>> cubin_sizes() const; // the sizes of all cubins, by hash
  Result<std::optional<Roofs>> roofs(const std::string& device_uuid) const;
  // All stored roofs of a device, the newest first.
  Result<std::vector<Roofs>> roofs_of(const SessionIdentity& device) const;
  int schema_version() const;
  const std::optional<PackInfo>& pack() const;                                    // nullopt: a database
  Result<std::vector<PackRule>> pack_rules(const std::string& kernel = {}) const; // empty for a database
  // Checks every byte of a pack; does nothing for a database. Error (kind database): names the page that has changed.
  Result<void> check_bytes() const;
  std::int64_t skipped_rows() const; // rows left out so far because their values are implausible

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
