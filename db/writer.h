// Write access to a database. Each call is one synchronous WAL transaction, so a killed process loses at most the
// current call. Creates and migrates the schema. Several writers may work at the same time (busy timeout, short
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
  // Creates the file and its folders if they do not exist. Errors (database): the file is not a database, has a newer
  // schema, is read-only or is locked; or the disk is full.
  static Result<Writer> open(const std::filesystem::path& path);
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  // Error: the file was deleted, moved or replaced since it was opened. Every function that writes makes the same
  // check, and writes nothing if the check fails.
  Result<void> still_there() const;
  // Merges the log. Returns whether the file itself has all written data; false if an open reader keeps a part of the
  // data in the log. Call it at the end. Closing the database merges the log too.
  bool settle() const;

  Result<void> put_device(const DeviceInfo& device); // inserts or updates the device, and inserts its toolchain
  Result<void> put_roofs(const DeviceInfo& device, const Roofs& roofs);
  Result<void> put_kernel(const KernelRecord& kernel); // stores each source hash once
  Result<RowId> begin_session(const SessionIdentity& identity, std::int64_t space_size, const std::string& version);
  // Returns the newest session with this identity that did not finish, because it was killed or interrupted.
  Result<std::optional<RowId>> find_unfinished(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>>
  session_trials(RowId session) const; // to resume the session; in the order of measurement
  // Deletes the session's unreadable trials, so that new measurements replace them, and returns how many there were.
  // `knows`: whether the kernel has a configuration with this text; a damaged text may name a configuration that does
  // not exist.
  Result<std::int64_t> reopen_session(RowId session, const std::function<bool(const std::string& config)>& knows = {});
  // Does nothing if the session has a trial of this configuration. `measured_at`: "2025-01-31T12:00:00Z"; empty: now.
  Result<void> record(RowId session, const std::string& config_text, const Trial& trial,
                      const std::string& measured_at = {});
  // Adds counters, energy or samples to a recorded trial. Error: there is no such trial.
  struct Findings {
    std::optional<Profile> profile;
    std::optional<PowerReading> power;
    std::optional<std::string> samples = {}; // report/source_profile.h; replaces earlier samples
  };
  Result<void> add(RowId session, const std::string& config_text, const Findings& findings);
  // Gives a recorded trial the status and diagnostic that the finals or the winner's checks found.
  Result<void> disqualify(RowId session, const std::string& config_text, TrialStatus status,
                          const std::string& evidence);
  Result<void> put_cubin(const CubinRecord& cubin);
  Result<void> put_best(const BestRecord& best); // replaces an earlier result of the session
  // Adds the outcome of a re-check; earlier outcomes stay. If the result is wrong, its trial becomes wrong too, so that
  // a resumed session certifies another result. Error: the result does not exist.
  Result<void> put_check(const CheckRecord& check);
  Result<void> end_session(RowId session, SessionState state);

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
