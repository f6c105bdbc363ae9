#include "db/writer.h"

#include "db/kernel_rows.h"
#include "db/member_rows.h"
#include "db/migrate.h"
#include "db/profile_rows.h"
#include "db/roof_rows.h"
#include "db/session_rows.h"
#include "db/stored_kernel.h"
#include "db/writer_impl.h"
#include "system/utc_time.h"

#include <array>
#include <random>

namespace warptune {

namespace fs = std::filesystem;

namespace {

// UUID version 4 of RFC 9562. Not from SQLite's generator, because a forked process would repeat its parent's numbers.
std::string random_uuid() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = random();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFF,
                     0x8000 | (words[2] >> 16 & 0x3FFF), words[2] & 0xFFFF, words[3]);
}

} // namespace

Writer::Writer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

Result<Writer> Writer::open(const fs::path& given) {
  WT_TRY(fs::path path, db::check_path(given));
  WT_TRY(auto db, db::open_for_writing(path));
  return Writer(std::make_unique<Impl>(std::move(db), path));
}

Result<void> Writer::still_there() const { return impl_->still_there(); }

bool Writer::settle() const {
  impl_->is_unsettled = false;
  return db::settle_log(*impl_->db);
}

Result<void> Writer::put_device(const DeviceInfo& device) {
  return impl_->write([&]() -> Result<void> {
    const RowId id = impl_->device(device.backend, device.name, device.uuid);
    const RowId toolchain = impl_->toolchain(device.driver, device.compiler);
    SQLite::Statement& row =
        impl_->statements.get("UPDATE devices SET toolchain_id = ?, seen_at = ?" + db::settings_of<DeviceInfo>() +
                              db::settings_of<DeviceLimits>() + " WHERE id = ?");
    int i = 1;
    row.bind(i++, toolchain);
    row.bind(i++, utc_now());
    db::bind_members(row, i, device);
    db::bind_members(row, i, device.limits);
    row.bind(i, id);
    row.exec();
    return {};
  });
}

Result<void> Writer::put_roofs(const DeviceInfo& device, const Roofs& roofs) {
  return impl_->write([&]() -> Result<void> {
    db::insert_roofs(impl_->statements, impl_->device(device.backend, device.name, device.uuid), roofs);
    return {};
  });
}

Result<void> Writer::put_kernel(const KernelRecord& kernel) {
  return impl_->write([&]() -> Result<void> {
    const RowId id = impl_->kernel(kernel.name, kernel.source_hash);
    if (impl_->query("SELECT 1 FROM kernel_files WHERE kernel_id = ?", id) != 0) {
      // Replace stored files that differ, if the new ones match the hash: the hash does not cover every part of the
      // files, and stored files may not match it at all.
      if (!spec_of(kernel) || db::read_kernel(*impl_->db, id).files == kernel.files) return {};
      impl_->query("DELETE FROM kernel_files WHERE kernel_id = ?", id);
      impl_->query("UPDATE kernels SET created_at = ? WHERE id = ?", utc_now(), id); // merge keeps the later files
    }
    std::int64_t position = 0;
    for (const auto& [name, text] : kernel.files)
      impl_->query("INSERT INTO kernel_files VALUES (?, ?, ?, ?)", id, position++, name, text);
    return {};
  });
}

Result<RowId> Writer::begin_session(const SessionIdentity& i, std::int64_t space_size, const std::string& version) {
  return impl_->write([&]() -> Result<RowId> {
    const RowId problem = impl_->intern("SELECT id FROM problems WHERE kernel = ? AND key = ?",
                                        "INSERT INTO problems (kernel, key) VALUES (?, ?)", i.kernel, i.problem);
    impl_->query("INSERT INTO sessions (kernel_id, problem_id, device_id, toolchain_id, arch, strategy, budget, seed, "
                 "cold_l2, space_size, state, version, started_at, uuid, objective) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)",
                 impl_->kernel(i.kernel, i.source_hash), problem,
                 impl_->device(i.device_backend, i.device_name, i.device_uuid), impl_->toolchain(i.driver, i.compiler),
                 i.arch, i.strategy, i.budget, static_cast<std::int64_t>(i.seed), i.cold_l2 ? 1 : 0, space_size,
                 version, utc_now(), random_uuid(), std::string(objective_name(i.objective)));
    return impl_->db->getLastInsertRowid();
  });
}

Result<std::optional<RowId>> Writer::find_unfinished(const SessionIdentity& i) const {
  return db::guard(impl_->db.get(), impl_->path, "read", [&]() -> Result<std::optional<RowId>> {
    SQLite::Statement row(
        *impl_->db,
        "SELECT s.id FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id "
        "JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id WHERE " +
            db::identity_matches(db::kSchemaVersion) +
            " AND s.state <> 'finished' ORDER BY s.started_at DESC, s.id DESC LIMIT 1");
    db::bind_identity(row, i);
    return row.executeStep() ? std::optional(row.getColumn(0).getInt64()) : std::nullopt;
  });
}

Result<std::vector<TrialRow>> Writer::session_trials(RowId session) const {
  return db::guard(impl_->db.get(), impl_->path, "read", [&]() -> Result<std::vector<TrialRow>> {
    std::int64_t skipped = 0; // a damaged row is measured again; reopen_session deletes it first
    std::vector<TrialRow> trials;
    for (db::StoredTrial& stored : db::read_trials(*impl_->db, session, skipped))
      trials.push_back({session, std::move(stored.trial), std::move(stored.config)});
    return trials;
  });
}

Result<std::int64_t> Writer::reopen_session(RowId session,
                                            const std::function<bool(const std::string& config)>& knows) {
  return impl_->write([&]() -> Result<std::int64_t> {
    WT_CHECK(impl_->kernel_of(session));
    impl_->query("UPDATE sessions SET state = 'running', ended_at = '' WHERE id = ?", session);
    return db::delete_unreadable(*impl_->db, session, knows);
  });
}

Result<void> Writer::record(RowId session, const std::string& config_text, const Trial& trial,
                            const std::string& measured_at) {
  return impl_->write([&]() -> Result<void> {
    WT_TRY(std::string kernel, impl_->kernel_of(session));
    db::insert_trial(impl_->statements, session, impl_->config(kernel, config_text), trial,
                     measured_at.empty() ? utc_now() : measured_at);
    return {};
  });
}

Result<void> Writer::add(RowId session, const std::string& config_text, const Findings& findings) {
  return impl_->write([&]() -> Result<void> {
    const RowId trial = impl_->query("SELECT t.id FROM trials t JOIN configs c ON c.id = t.config_id "
                                     "WHERE t.session_id = ? AND c.text = ?",
                                     session, config_text);
    if (trial == 0)
      return fail(ErrorKind::database, fmt::format("the database {} has no trial of {} in session {}",
                                                   impl_->path.string(), config_text, session));
    if (findings.profile) db::put_profile(impl_->statements, trial, *findings.profile);
    if (findings.power) db::put_power(impl_->statements, trial, *findings.power);
    if (findings.samples) db::put_samples(impl_->statements, trial, *findings.samples);
    return {};
  });
}

Result<void> Writer::end_session(RowId session, SessionState state) {
  return impl_->write([&]() -> Result<void> {
    impl_->query("UPDATE sessions SET state = ?, ended_at = ? WHERE id = ?", std::string(session_state_name(state)),
                 utc_now(), session);
    return {};
  });
}

} // namespace warptune
