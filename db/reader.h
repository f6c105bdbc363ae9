// Read-only access to a tuning database. The only part of db/ that the runtime links. Safe beside writers (WAL).
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

// `given` (--db), else $WARPTUNE_DB, else $XDG_DATA_HOME/warptune/warptune.db, else
// ~/.local/share/warptune/warptune.db.
std::filesystem::path database_path(const std::string& given);

class Reader {
 public:
  // A database or a pack. Errors (kind database): missing, not a database, made by a newer version, unreadable, a pack
  // that is damaged; each says what to do. What is read of a pack is checked as it is read: a changed byte is an error.
  static Result<Reader> open(const std::filesystem::path& path);
  // An empty database in memory, in place of one that does not exist at `path` yet.
  static Result<Reader> open_empty(const std::filesystem::path& path);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  Result<std::vector<SessionRecord>> sessions(const std::string& kernel = {}) const;        // newest first
  Result<std::optional<SessionRecord>> find_session(const SessionIdentity& identity) const; // the newest of them
  // Of the kernel's sessions the one that shares most with the identity; of equals the newest.
  Result<std::optional<SessionRecord>> nearest_session(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>> trials(RowId session) const; // in the order measured
  // One per kernel source, problem, device and objective, newest first: one that no check has disqualified, then among
  // the results of the toolchain used last a certified one before others, cold before warm, then the fastest. A later,
  // shorter search never hides a better result.
  Result<std::vector<BestRecord>> best(const std::string& kernel = {}) const;
  // The same of one problem, by its key: looked up, whatever else the file holds.
  Result<std::vector<BestRecord>> best_of_problem(const std::string& kernel, const std::string& problem) const;
  Result<std::optional<BestRecord>> best_of_session(RowId session) const; // whatever came before or after
  Result<std::vector<CheckRecord>> checks(RowId best) const;              // of one result, newest first
  Result<std::vector<DeviceInfo>> devices() const;
  // Without a hash: the source of the last session that has a result; without results, that of the last session.
  Result<std::optional<KernelRecord>> kernel(const std::string& name, const std::string& source_hash = {}) const;
  Result<std::vector<std::string>> kernel_names() const;
  // Of a kernel's correct trials, one matrix per device, dtype and flags; cold times where there are any. Of several
  // sessions of a problem the later one's times stand. `source_hash` empty: any. Rows that the spec cannot read are
  // skipped.
  Result<std::vector<TimingMatrix>> timings(const KernelSpec& spec, const std::string& source_hash) const;
  // Error (database): its bytes are not those that were stored.
  Result<std::optional<CubinRecord>> cubin(const std::string& hash) const;
  Result<std::vector<CubinSize>> cubin_sizes() const; // of all, by hash
  Result<std::optional<Roofs>> roofs(const std::string& device_uuid) const;
  // All that were stored of a device, the newest first.
  Result<std::vector<Roofs>> roofs_of(const SessionIdentity& device) const;
  int schema_version() const;
  const std::optional<PackInfo>& pack() const;                                    // nothing: a database
  Result<std::vector<PackRule>> pack_rules(const std::string& kernel = {}) const; // none in a database
  // Of a pack every byte, of a database nothing. Error (kind database): which page is not what was packed.
  Result<void> check_bytes() const;
  std::int64_t skipped_rows() const; // rows left out so far because what they hold cannot be true

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
