// The writing side of the database: one transaction per call, WAL, synchronous so that a killed process loses at most
// the call in flight. Creates and migrates the schema. Several writers may work at once (busy timeout, short
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

  // Error: the file was deleted, moved or replaced since; every call that writes says so too, and writes nothing.
  Result<void> still_there() const;
  // Whether all that was written is in the file itself, and not beside it in a log because somebody goes on reading.
  // To be asked at the end; closing merges the log as well.
  bool settle() const;

  Result<void> put_device(const DeviceInfo& device); // insert or update, with its toolchain
  Result<void> put_roofs(const DeviceInfo& device, const Roofs& roofs);
  Result<void> put_kernel(const KernelRecord& kernel); // once per source hash
  Result<RowId> begin_session(const SessionIdentity& identity, std::int64_t space_size, const std::string& version);
  // The newest session with this identity that did not finish (killed or interrupted).
  Result<std::optional<RowId>> find_unfinished(const SessionIdentity& identity) const;
  Result<std::vector<TrialRow>> session_trials(RowId session) const; // for resuming; in the order measured
  // Its unreadable trials are deleted, so that what is measured again takes their place; says how many there were.
  // `knows`: whether the kernel has a configuration, by its text; a damaged one may be another's name.
  Result<std::int64_t> reopen_session(RowId session, const std::function<bool(const std::string& config)>& knows = {});
  Result<void> record(RowId session, const std::string& config_text,
                      const Trial& trial); // idempotent per (session, config)
  // What was found of a recorded trial later. Error: there is no such trial.
  struct Findings {
    std::optional<Profile> profile;
    std::optional<PowerReading> power;
  };
  Result<void> add(RowId session, const std::string& config_text, const Findings& findings);
  // A recorded trial turned out wrong later (in the finals or the winner's checks): its status and evidence change.
  Result<void> disqualify(RowId session, const std::string& config_text, TrialStatus status,
                          const std::string& evidence);
  Result<void> put_cubin(const CubinRecord& cubin);
  Result<void> put_best(const BestRecord& best); // in place of the session's earlier one
  // What was found of a result now; rows of earlier checks stay. Wrong: so is its trial from here on, and a session
  // that is resumed certifies another. Error: there is no such result (any more).
  Result<void> put_check(const CheckRecord& check);
  Result<void> end_session(RowId session, SessionState state);

 private:
  struct Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace warptune
