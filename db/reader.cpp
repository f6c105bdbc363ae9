#include "db/reader.h"

#include "db/check_rows.h"
#include "db/connection.h"
#include "db/trial_rows.h"

#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <sqlite3.h>

namespace warptune {

namespace fs = std::filesystem;

struct Reader::Impl {
  std::unique_ptr<SQLite::Database> db;
  fs::path path;
  int version = 0;
  mutable std::int64_t skipped = 0;

  template <class F> auto read(F&& f) const { return db::guard(db.get(), path, "read", std::forward<F>(f)); }
  Result<std::vector<BestRecord>> best(const std::string& kernel, RowId session) const; // session 0: see Reader::best
};

namespace {

// A later, shorter search must not hide a better result: see Reader::best. {}: the results that checks disqualified, as
// rows of (best_id, check_id).
constexpr const char* kBestQuery = R"(
WITH disqualified AS ({}),
results AS (
  SELECT n.id, m.kernel_id AS kernel, m.problem_id AS problem, m.device_id AS device, n.certified, m.cold_l2 AS cold,
         n.median_us AS time, m.toolchain_id AS toolchain, n.id IN (SELECT best_id FROM disqualified) AS is_out,
         first_value(m.toolchain_id) OVER (PARTITION BY m.kernel_id, m.problem_id, m.device_id ORDER BY n.id DESC)
           AS last_toolchain
  FROM best n JOIN sessions m ON m.id = n.session_id),
ranked AS (
  SELECT id, row_number() OVER (PARTITION BY kernel, problem, device ORDER BY is_out, toolchain = last_toolchain DESC,
                                certified DESC, cold DESC, time, id DESC) AS place
  FROM results)
SELECT b.id, b.session_id, k.name, k.source_hash, p.key, d.name, d.uuid, s.arch, c.text, coalesce(f.text, ''), b.bound,
       b.outcome, b.checks, b.cubin_hash, b.created_at, d.backend, t.driver, t.compiler, s.version, b.median_us,
       b.ci_low_us, b.ci_high_us, b.default_us, b.roofline_share, b.p_value, b.certified, s.cold_l2,
       coalesce((SELECT max(check_id) FROM disqualified WHERE best_id = b.id), 0)
FROM best b JOIN sessions s ON s.id = b.session_id JOIN kernels k ON k.id = s.kernel_id
  JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id JOIN configs c ON c.id = b.config_id
  JOIN toolchains t ON t.id = s.toolchain_id LEFT JOIN configs f ON f.id = b.default_config_id
WHERE (?1 = '' OR k.name = ?1)
  AND CASE WHEN ?2 = 0 THEN b.id IN (SELECT id FROM ranked WHERE place = 1) ELSE b.session_id = ?2 END
ORDER BY b.id DESC)";

// A URI because "immutable" has no other spelling: no locks, no -shm file; right only where nobody can write.
std::string immutable_uri(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '-' || c == '_')
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

Result<int> prepare(SQLite::Database& db, const fs::path& path) {
  db.exec("PRAGMA trusted_schema = OFF"); // the file may come from anywhere
  db.exec("PRAGMA cell_size_check = ON");
  return db::check_schema(db, path);
}

SessionState parse_state(const std::string& text, bool& known) {
  known = true;
  if (text == "running") return SessionState::running;
  if (text == "interrupted") return SessionState::interrupted;
  if (text == "finished") return SessionState::finished;
  known = text == "failed";
  return SessionState::failed;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::optional<Roofs> read_roofs(SQLite::Statement& row, int first) {
  Roofs roofs;
  int i = first;
  for (double* rate : {&roofs.dram_read_gbs, &roofs.dram_copy_gbs, &roofs.dram_write_gbs, &roofs.fp32_tflops,
                       &roofs.fp64_tflops, &roofs.fp16_tflops, &roofs.tensor_tflops}) {
    *rate = row.getColumn(i++).getDouble();
    if (!std::isfinite(*rate) || *rate < 0) return std::nullopt;
  }
  roofs.measured = row.getColumn(i).getInt() != 0;
  return roofs;
}

constexpr const char* kRoofColumns =
    "p.dram_read_gbs, p.dram_copy_gbs, p.dram_write_gbs, p.fp32_tflops, p.fp64_tflops, "
    "p.fp16_tflops, p.tensor_tflops, p.measured";

} // namespace

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
int Reader::schema_version() const { return impl_->version; }
std::int64_t Reader::skipped_rows() const { return impl_->skipped; }

Result<Reader> Reader::open(const fs::path& given) {
  Result<fs::path> path = db::check_path(given);
  if (!path) return tl::make_unexpected(path.error());
  std::error_code ec;
  const auto missing = [&](const char* what) {
    return fail(ErrorKind::database, fmt::format("{} {}; `warptune tune KERNEL --shape ...` fills it, or name another "
                                                 "file with --db or WARPTUNE_DB",
                                                 what, path->string()));
  };
  if (const bool there = fs::exists(*path, ec); !there && !ec) return missing("there is no database");

  auto impl = std::make_unique<Impl>();
  impl->path = *path;
  const auto open = [&](const std::string& name, int flags) -> Result<int> {
    impl->db = std::make_unique<SQLite::Database>(name, SQLite::OPEN_READONLY | flags, db::busy_timeout_ms());
    return prepare(*impl->db, *path);
  };
  Result<int> version = db::guard(nullptr, *path, "open", [&]() -> Result<int> {
    try {
      return open(path->string(), 0);
    } catch (const SQLite::Exception& e) {
      // Where no -shm file can be made, a file without a log is complete in itself.
      if (e.getErrorCode() != SQLITE_CANTOPEN && e.getErrorCode() != SQLITE_READONLY) throw;
      const fs::path log = path->string() + "-wal";
      if (fs::exists(log, ec) && fs::file_size(log, ec) > 0)
        return fail(
            ErrorKind::database,
            fmt::format("cannot read the database {}: its folder is read-only and {} holds changes that are not "
                        "merged yet; copy both files to a folder of yours and use --db",
                        path->string(), log.filename().string()));
      return open(immutable_uri(*path), SQLite::OPEN_URI);
    }
  });
  if (!version) return tl::make_unexpected(version.error());
  if (*version == 0) return missing("nothing was recorded yet in the database");
  impl->version = *version;
  return Reader(std::move(impl));
}

Result<std::vector<SessionRecord>> Reader::sessions(const std::string& kernel) const {
  return impl_->read([&]() -> Result<std::vector<SessionRecord>> {
    std::vector<SessionRecord> sessions;
    SQLite::Statement row(*impl_->db,
                          "SELECT s.id, k.name, k.source_hash, p.key, d.backend, d.name, d.uuid, s.arch, t.driver, "
                          "t.compiler, s.strategy, "
                          "s.budget, s.seed, s.cold_l2, s.state, s.started_at, s.ended_at, s.version, s.space_size, "
                          "(SELECT count(*) FROM trials WHERE session_id = s.id), "
                          "(SELECT count(*) FROM trials WHERE session_id = s.id AND status = 'ok') "
                          "FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN problems p ON p.id = s.problem_id "
                          "JOIN devices d ON d.id = s.device_id JOIN toolchains t ON t.id = s.toolchain_id "
                          "WHERE ?1 = '' OR k.name = ?1 ORDER BY s.id DESC");
    row.bind(1, kernel);
    while (row.executeStep()) {
      SessionRecord session;
      SessionIdentity& identity = session.identity;
      int i = 0;
      session.id = row.getColumn(i++).getInt64();
      for (std::string* text : {&identity.kernel, &identity.source_hash, &identity.problem, &identity.device_backend,
                                &identity.device_name, &identity.device_uuid, &identity.arch, &identity.driver,
                                &identity.compiler, &identity.strategy, &identity.budget})
        *text = row.getColumn(i++).getString();
      identity.seed = static_cast<std::uint64_t>(row.getColumn(i++).getInt64());
      identity.cold_l2 = row.getColumn(i++).getInt() != 0;
      bool known = false;
      session.state = parse_state(row.getColumn(i++).getString(), known);
      session.started_at = row.getColumn(i++).getString();
      session.ended_at = row.getColumn(i++).getString();
      session.version = row.getColumn(i++).getString();
      session.space_size = row.getColumn(i++).getInt64();
      session.trial_count = row.getColumn(i++).getInt64();
      session.ok_count = row.getColumn(i++).getInt64();
      if (known && session.space_size >= 0)
        sessions.push_back(std::move(session));
      else
        ++impl_->skipped;
    }
    return sessions;
  });
}

Result<std::vector<TrialRow>> Reader::trials(RowId session) const {
  return impl_->read([&]() -> Result<std::vector<TrialRow>> {
    std::vector<TrialRow> rows;
    for (db::StoredTrial& stored : db::read_trials(*impl_->db, session, impl_->skipped))
      rows.push_back({session, std::move(stored.trial), std::move(stored.config)});
    return rows;
  });
}

Result<std::vector<BestRecord>> Reader::best(const std::string& kernel) const { return impl_->best(kernel, 0); }

Result<std::optional<BestRecord>> Reader::best_of_session(RowId session) const {
  auto rows = impl_->best({}, session);
  if (!rows) return tl::make_unexpected(rows.error());
  return rows->empty() ? std::nullopt : std::optional(std::move(rows->front()));
}

Result<std::vector<CheckRecord>> Reader::checks(RowId best) const {
  return impl_->read([&]() -> Result<std::vector<CheckRecord>> {
    return db::read_checks(*impl_->db, impl_->version, best, impl_->skipped);
  });
}

Result<std::vector<BestRecord>> Reader::Impl::best(const std::string& kernel, RowId session) const {
  return read([&]() -> Result<std::vector<BestRecord>> {
    std::vector<BestRecord> records;
    SQLite::Transaction snapshot(*db, SQLite::TransactionBehavior::DEFERRED);
    SQLite::Statement row(*db, fmt::format(kBestQuery, db::disqualified_query(version)));
    row.bind(1, kernel);
    row.bind(2, session);
    SQLite::Statement tie(*db, "SELECT c.text FROM best_ties t JOIN configs c ON c.id = t.config_id "
                               "WHERE t.best_id = ? ORDER BY t.position");
    while (row.executeStep()) {
      BestRecord best;
      int i = 0;
      best.id = row.getColumn(i++).getInt64();
      best.session = row.getColumn(i++).getInt64();
      for (std::string* text :
           {&best.kernel, &best.source_hash, &best.problem, &best.device_name, &best.device_uuid, &best.arch,
            &best.config, &best.default_config, &best.bound, &best.outcome, &best.checks, &best.cubin_hash,
            &best.created_at, &best.device_backend, &best.driver, &best.compiler, &best.version})
        *text = row.getColumn(i++).getString();
      bool sound = db::config_values(best.config).has_value();
      for (double* value : {&best.median_us, &best.ci_low_us, &best.ci_high_us, &best.default_us, &best.roofline_share,
                            &best.p_value}) {
        *value = row.getColumn(i++).getDouble();
        sound = sound && std::isfinite(*value) && *value >= 0;
      }
      best.certified = row.getColumn(i++).getInt() != 0;
      best.cold_l2 = row.getColumn(i++).getInt() != 0;
      if (!sound) {
        ++skipped;
        continue;
      }
      tie.reset();
      tie.bind(1, best.id);
      while (tie.executeStep()) best.tie_set.push_back(tie.getColumn(0).getString());
      db::attach_checks(*db, version, row.getColumn(i).getInt64(), best, skipped);
      records.push_back(std::move(best));
    }
    return records;
  });
}

Result<std::vector<DeviceInfo>> Reader::devices() const {
  return impl_->read([&]() -> Result<std::vector<DeviceInfo>> {
    std::vector<DeviceInfo> devices;
    SQLite::Statement row(
        *impl_->db,
        fmt::format(
            "SELECT d.backend, d.name, d.uuid, d.arch, coalesce(t.driver, ''), coalesce(t.compiler, ''), "
            "d.memory_bytes, d.sm_count, d.compute_capability, d.warp_size, d.max_threads_per_block, "
            "d.max_threads_per_sm, d.max_shared_per_block, d.max_shared_per_sm, d.registers_per_sm, "
            "d.max_blocks_per_sm, d.l2_bytes, {} FROM devices d LEFT JOIN toolchains t ON t.id = d.toolchain_id "
            "LEFT JOIN peaks p ON p.id = (SELECT max(id) FROM peaks WHERE device_id = d.id) ORDER BY d.id",
            kRoofColumns));
    while (row.executeStep()) {
      DeviceInfo device;
      DeviceLimits& l = device.limits;
      int i = 0;
      for (std::string* text :
           {&device.backend, &device.name, &device.uuid, &device.arch, &device.driver, &device.compiler})
        *text = row.getColumn(i++).getString();
      bool sound = true;
      for (std::int64_t* limit : {&device.memory_bytes, &l.sm_count, &l.compute_capability, &l.warp_size,
                                  &l.max_threads_per_block, &l.max_threads_per_sm, &l.max_shared_per_block,
                                  &l.max_shared_per_sm, &l.registers_per_sm, &l.max_blocks_per_sm, &l.l2_bytes}) {
        *limit = row.getColumn(i++).getInt64();
        sound = sound && *limit >= 0;
      }
      const std::optional<Roofs> roofs = read_roofs(row, i); // NULL columns read as 0: unknown
      if (!sound || !roofs) {
        ++impl_->skipped;
        continue;
      }
      device.roofs = *roofs;
      devices.push_back(std::move(device));
    }
    return devices;
  });
}

Result<std::optional<KernelRecord>> Reader::kernel(const std::string& name, const std::string& source_hash) const {
  return impl_->read([&]() -> Result<std::optional<KernelRecord>> {
    SQLite::Statement row(*impl_->db, "SELECT k.id, k.source_hash FROM kernels k WHERE k.name = ?1 AND (?2 = '' OR "
                                      "k.source_hash = ?2) ORDER BY coalesce((SELECT max(id) FROM sessions WHERE "
                                      "kernel_id = k.id), 0) DESC, k.id DESC LIMIT 1");
    row.bind(1, name);
    row.bind(2, source_hash);
    if (!row.executeStep()) return std::nullopt;
    KernelRecord kernel{row.getColumn(0).getInt64(), name, row.getColumn(1).getString(), {}};
    SQLite::Statement file(*impl_->db, "SELECT name, text FROM kernel_files WHERE kernel_id = ? ORDER BY position");
    file.bind(1, kernel.id);
    while (file.executeStep()) kernel.files.emplace_back(file.getColumn(0).getString(), file.getColumn(1).getString());
    return kernel;
  });
}

Result<std::vector<std::string>> Reader::kernel_names() const {
  return impl_->read([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> names;
    SQLite::Statement row(*impl_->db, "SELECT DISTINCT name FROM kernels ORDER BY name");
    while (row.executeStep()) names.push_back(row.getColumn(0).getString());
    return names;
  });
}

Result<std::optional<CubinRecord>> Reader::cubin(const std::string& hash) const {
  return impl_->read([&]() -> Result<std::optional<CubinRecord>> {
    SQLite::Statement row(*impl_->db, "SELECT arch, image, lowered_names FROM cubins WHERE hash = ?");
    row.bind(1, hash);
    if (!row.executeStep()) return std::nullopt;
    return CubinRecord{hash, row.getColumn(0).getString(), row.getColumn(1).getString(),
                       split_lines(row.getColumn(2).getString())};
  });
}

Result<std::optional<Roofs>> Reader::roofs(const std::string& device_uuid) const {
  return impl_->read([&]() -> Result<std::optional<Roofs>> {
    if (device_uuid.empty()) return std::nullopt; // recordings have none: no identity
    SQLite::Statement row(*impl_->db, fmt::format("SELECT {} FROM peaks p JOIN devices d ON d.id = p.device_id "
                                                  "WHERE d.uuid = ? ORDER BY p.id DESC LIMIT 1",
                                                  kRoofColumns));
    row.bind(1, device_uuid);
    if (!row.executeStep()) return std::nullopt;
    return read_roofs(row, 0);
  });
}

} // namespace warptune
