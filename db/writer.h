// The writing side of the database: one synchronous WAL transaction per call, so that a killed process loses at most
// the current call. Creates and migrates the schema. Several writers may work concurrently (busy timeout, short
// transactions).
#pragma once

#include "core/result.h"
#include "core/trial.h"
#include "db/records.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace warptune {

class Writer {
 public:
  // Creates the file and its directories. Errors (kind database): not a database, newer schema, read-only, locked, disk
  // full.
  static Result<Writer> open(const std::filesystem::path& path);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  // Error: the file was deleted, moved or replaced since it was opened. Every writing call checks this too, and then
  // writes nothing.
  Result<void> still_there() const;
  // Merges the log. Returns whether everything written is in the file itself; false if a reader keeps part of it in the
  // log. Call it at the end; closing also merges the log.
  bool settle() const;

  Result<void> put_device(const DeviceInfo& device); // inserts or updates the device and its toolchain
  Result<void> put_roofs(const DeviceInfo& device, const Roofs& roofs);
  Result<void> put_kernel(const KernelRecord& kernel); // once per source hash
  Result<RowId> begin_session(const SessionIdentity& identity, std::int64_t space_size, const std::string& version);
  // Returns the newest session with this identity that did not finish (killed or interrupted).
  Result<std::optional<RowId>> find_unfinished(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>> session_trials(RowId session) const; // for resuming it; in the order measured
  // Deletes the session's unreadable trials, so that new measurements replace them; returns how many there were.
  // `knows`: whether the kernel has a configuration with this text. A damaged text may name one that it does not have.
  Result<std::int64_t> reopen_session(RowId session, const std::function<bool(const std::string& config)>& knows = {});
  // Idempotent per (session, config). `measured_at`: "2025-01-31T12:00:00Z"; empty: now.
  Result<void> record(RowId session, const std::string& config_text, const Trial& trial,
                      const std::string& measured_at = {});
  // Adds later findings to a recorded trial. Error: there is no such trial.
  struct Findings {
    std::optional<Profile> profile;
    std::optional<PowerReading> power;
    std::optional<std::string> samples = {}; // report/source_profile.h; replaces earlier ones
  };
  Result<void> add(RowId session, const std::string& config_text, const Findings& findings);
  // Changes status and evidence of a recorded trial that later turned out wrong (in the finals or the winner's checks).
  Result<void> disqualify(RowId session, const std::string& config_text, TrialStatus status,
                          const std::string& evidence);
  Result<void> put_cubin(const CubinRecord& cubin);
  Result<void> put_best(const BestRecord& best); // replaces the session's earlier result
  // Adds the outcome of a re-check; earlier checks stay. If the result is wrong, its trial becomes wrong too, and a
  // resumed session certifies another result. Error: the result does not exist.
  Result<void> put_check(const CheckRecord& check);
  Result<void> end_session(RowId session, SessionState state);

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
