#include "db/writer.h"

#include "db/check_rows.h"
#include "db/connection.h"
#include "db/migrate.h"
#include "db/profile_rows.h"
#include "db/roof_rows.h"
#include "db/statements.h"
#include "db/trial_rows.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <random>

namespace warptune {

namespace fs = std::filesystem;

struct Writer::Impl {
  Impl(std::unique_ptr<SQLite::Database> opened, fs::path file)
      : db(std::move(opened)), path(std::move(file)), statements(*db) {}

  std::unique_ptr<SQLite::Database> db;
  fs::path path;
  mutable db::Statements statements;
  mutable std::map<RowId, std::string> kernel_names; // of sessions: never changes

  // One write transaction: all of `f` or nothing.
  template <class F> auto write(F&& f) -> decltype(f()) {
    return db::guard(db.get(), path, "write", [&]() -> decltype(f()) {
      SQLite::Transaction transaction(*db, SQLite::TransactionBehavior::IMMEDIATE);
      auto result = f();
      if (result) transaction.commit();
      return result;
    });
  }

  // See db::Statements::run.
  template <class... T> RowId query(const char* sql, const T&... values) const {
    return statements.run(sql, values...);
  }

  // The row that `select` finds, after `insert` where it finds none; both take the same values.
  template <class... T> RowId intern(const char* select, const char* insert, const T&... values) {
    if (const RowId found = query(select, values...)) return found;
    query(insert, values...);
    return db->getLastInsertRowid();
  }

  RowId toolchain(const std::string& driver, const std::string& compiler) {
    return intern("SELECT id FROM toolchains WHERE driver = ? AND compiler = ?",
                  "INSERT INTO toolchains (driver, compiler) VALUES (?, ?)", driver, compiler);
  }
  RowId device(const std::string& backend, const std::string& name, const std::string& uuid) {
    return intern("SELECT id FROM devices WHERE backend = ? AND name = ? AND uuid = ?",
                  "INSERT INTO devices (backend, name, uuid, arch, seen_at) VALUES (?, ?, ?, '', '')", backend, name,
                  uuid);
  }
  RowId kernel(const std::string& name, const std::string& source_hash) {
    return intern("SELECT id FROM kernels WHERE name = ? AND source_hash = ?",
                  "INSERT INTO kernels (name, source_hash, created_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ'))",
                  name, source_hash);
  }
  RowId config(const std::string& kernel_name, const std::string& text) {
    return intern("SELECT id FROM configs WHERE kernel = ? AND text = ?",
                  "INSERT INTO configs (kernel, text) VALUES (?, ?)", kernel_name, text);
  }

  // Of the trials that the condition, whose values begin with ?4, finds.
  template <class... T>
  void set_status(const std::string& condition, TrialStatus status, const std::string& evidence, const T&... values) {
    const RowId shared = db::shared_evidence(statements, evidence);
    statements.run("UPDATE trials SET status = ?1, evidence = ?2, evidence_id = nullif(?3, 0) WHERE " + condition,
                   std::string(status_name(status)), shared == 0 ? evidence : std::string(), shared, values...);
  }

  // The name of the kernel of a session.
  Result<std::string> kernel_of(RowId session) const {
    const auto known = kernel_names.find(session);
    if (known != kernel_names.end()) return known->second;
    SQLite::Statement row(*db, "SELECT k.name FROM sessions s JOIN kernels k ON k.id = s.kernel_id WHERE s.id = ?");
    row.bind(1, session);
    if (row.executeStep()) return kernel_names[session] = row.getColumn(0).getString();
    return fail(ErrorKind::database, fmt::format("the database {} has no session {}", path.string(), session));
  }
};

namespace {

std::string state_name(SessionState state) {
  switch (state) {
  case SessionState::running:
    return "running";
  case SessionState::interrupted:
    return "interrupted";
  case SessionState::finished:
    return "finished";
  case SessionState::failed:
    break;
  }
  return "failed";
}

// Version 4 of RFC 9562. Not SQLite's generator: a forked process would go on with its parent's.
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
  Result<fs::path> path = db::check_path(given);
  if (!path) return tl::make_unexpected(path.error());
  auto db = db::open_for_writing(*path);
  if (!db) return tl::make_unexpected(db.error());
  return Writer(std::make_unique<Impl>(std::move(*db), *path));
}

Result<void> Writer::put_device(const DeviceInfo& device) {
  return impl_->write([&]() -> Result<void> {
    const DeviceLimits& l = device.limits;
    const RowId id = impl_->device(device.backend, device.name, device.uuid);
    impl_->query(
        "UPDATE devices SET arch = ?, memory_bytes = ?, sm_count = ?, compute_capability = ?, warp_size = ?, "
        "max_threads_per_block = ?, max_threads_per_sm = ?, max_shared_per_block = ?, max_shared_per_sm = ?, "
        "registers_per_sm = ?, max_blocks_per_sm = ?, l2_bytes = ?, max_sm_clock_mhz = ?, memory_clock_mhz = ?, "
        "memory_bus_bits = ?, toolchain_id = ?, seen_at = ? WHERE id = ?",
        device.arch, device.memory_bytes, l.sm_count, l.compute_capability, l.warp_size, l.max_threads_per_block,
        l.max_threads_per_sm, l.max_shared_per_block, l.max_shared_per_sm, l.registers_per_sm, l.max_blocks_per_sm,
        l.l2_bytes, device.max_sm_clock_mhz, device.memory_clock_mhz, device.memory_bus_bits,
        impl_->toolchain(device.driver, device.compiler), db::utc_now(), id);
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
    if (impl_->query("SELECT 1 FROM kernel_files WHERE kernel_id = ?", id) != 0) return {};
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
                 version, db::utc_now(), random_uuid(), std::string(objective_name(i.objective)));
    return impl_->db->getLastInsertRowid();
  });
}

Result<std::optional<RowId>> Writer::find_unfinished(const SessionIdentity& i) const {
  return db::guard(impl_->db.get(), impl_->path, "read", [&]() -> Result<std::optional<RowId>> {
    const RowId id = impl_->query(
        "SELECT s.id FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id "
        "JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id "
        "WHERE k.name = ? AND k.source_hash = ? AND p.key = ? AND d.backend = ? AND d.name = ? AND d.uuid = ? AND "
        "s.arch = ? AND t.driver = ? AND t.compiler = ? AND s.strategy = ? AND s.budget = ? AND s.seed = ? AND "
        "s.cold_l2 = ? AND s.objective = ? AND s.state <> 'finished' ORDER BY s.started_at DESC, s.id DESC LIMIT 1",
        i.kernel, i.source_hash, i.problem, i.device_backend, i.device_name, i.device_uuid, i.arch, i.driver,
        i.compiler, i.strategy, i.budget, static_cast<std::int64_t>(i.seed), i.cold_l2 ? 1 : 0,
        std::string(objective_name(i.objective)));
    return id == 0 ? std::nullopt : std::optional(id);
  });
}

Result<std::vector<Trial>> Writer::session_trials(RowId session) const {
  return db::guard(impl_->db.get(), impl_->path, "read", [&]() -> Result<std::vector<Trial>> {
    std::int64_t skipped = 0; // a damaged row is measured again; reopen_session makes room for it
    std::vector<Trial> trials;
    for (db::StoredTrial& stored : db::read_trials(*impl_->db, session, skipped))
      trials.push_back(std::move(stored.trial));
    return trials;
  });
}

Result<std::int64_t> Writer::reopen_session(RowId session) {
  return impl_->write([&]() -> Result<std::int64_t> {
    if (Result<std::string> kernel = impl_->kernel_of(session); !kernel) return tl::make_unexpected(kernel.error());
    impl_->query("UPDATE sessions SET state = 'running', ended_at = '' WHERE id = ?", session);
    return db::delete_unreadable(*impl_->db, session);
  });
}

Result<void> Writer::record(RowId session, const std::string& config_text, const Trial& trial) {
  return impl_->write([&]() -> Result<void> {
    Result<std::string> kernel = impl_->kernel_of(session);
    if (!kernel) return tl::make_unexpected(kernel.error());
    db::insert_trial(impl_->statements, session, impl_->config(*kernel, config_text), trial, db::utc_now());
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
    return {};
  });
}

Result<void> Writer::disqualify(RowId session, const std::string& config_text, TrialStatus status,
                                const std::string& evidence) {
  return impl_->write([&]() -> Result<void> {
    Result<std::string> kernel = impl_->kernel_of(session);
    if (!kernel) return tl::make_unexpected(kernel.error());
    impl_->set_status("session_id = ?4 AND config_id = ?5", status, evidence, session,
                      impl_->config(*kernel, config_text));
    return {};
  });
}

Result<void> Writer::put_cubin(const CubinRecord& cubin) {
  return impl_->write([&]() -> Result<void> {
    std::string names;
    for (const std::string& name : cubin.lowered_names) names += name + '\n';
    SQLite::Statement row(*impl_->db, "INSERT INTO cubins (hash, arch, lowered_names, image, created_at) "
                                      "VALUES (?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING");
    row.bind(1, cubin.hash);
    row.bind(2, cubin.arch);
    row.bind(3, names);
    row.bind(4, cubin.image.data(), static_cast<int>(cubin.image.size()));
    row.bind(5, db::utc_now());
    row.exec();
    return {};
  });
}

Result<void> Writer::put_best(const BestRecord& best) {
  return impl_->write([&]() -> Result<void> {
    Result<std::string> kernel = impl_->kernel_of(best.session);
    if (!kernel) return tl::make_unexpected(kernel.error());
    // Its ties go with it.
    impl_->query("DELETE FROM best WHERE session_id = ?", best.session);
    SQLite::Statement row(
        *impl_->db,
        "INSERT INTO best (session_id, config_id, default_config_id, median_us, ci_low_us, ci_high_us, default_us, "
        "roofline_share, bound, certified, p_value, outcome, checks, cubin_hash, created_at, energy_mj) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int i = 1;
    row.bind(i++, best.session);
    row.bind(i++, impl_->config(*kernel, best.config));
    if (!best.default_config.empty()) row.bind(i, impl_->config(*kernel, best.default_config));
    ++i;
    for (const double value : {best.median_us, best.ci_low_us, best.ci_high_us, best.default_us, best.roofline_share})
      row.bind(i++, value);
    row.bind(i++, best.bound);
    row.bind(i++, best.certified ? 1 : 0);
    row.bind(i++, best.p_value);
    for (const std::string* text : {&best.outcome, &best.checks, &best.cubin_hash}) row.bind(i++, *text);
    row.bind(i++, best.created_at.empty() ? db::utc_now() : best.created_at);
    if (best.energy_mj > 0) row.bind(i, best.energy_mj);
    row.exec();
    const RowId id = impl_->db->getLastInsertRowid();
    std::int64_t position = 0;
    for (const std::string& tied : best.tie_set)
      impl_->query("INSERT INTO best_ties VALUES (?, ?, ?)", id, position++, impl_->config(*kernel, tied));
    position = 0;
    for (const ParetoPoint& point : best.pareto)
      impl_->query("INSERT INTO best_pareto VALUES (?, ?, ?, ?, ?)", id, position++,
                   impl_->config(*kernel, point.config), point.median_us, point.energy_mj);
    return {};
  });
}

Result<void> Writer::put_check(const CheckRecord& check) {
  return impl_->write([&]() -> Result<void> {
    if (impl_->query("SELECT 1 FROM best WHERE id = ?", check.best) == 0)
      return fail(ErrorKind::database,
                  fmt::format("the database {} has no result {} any more: its session was resumed meanwhile; verify "
                              "again",
                              impl_->path.string(), check.best));
    const bool ran = !check.driver.empty() || !check.compiler.empty();
    db::insert_check(*impl_->db, check, ran ? impl_->toolchain(check.driver, check.compiler) : 0);
    if (check.status == CheckStatus::wrong)
      impl_->set_status("(session_id, config_id) = (SELECT session_id, config_id FROM best WHERE id = ?4)",
                        TrialStatus::wrong_result, check.evidence, check.best);
    return {};
  });
}

Result<void> Writer::end_session(RowId session, SessionState state) {
  return impl_->write([&]() -> Result<void> {
    impl_->query("UPDATE sessions SET state = ?, ended_at = ? WHERE id = ?", state_name(state), db::utc_now(), session);
    return {};
  });
}

} // namespace warptune
