#include "db/reader.h"

#include "db/check_rows.h"
#include "db/connection.h"
#include "db/cubin_digest.h"
#include "db/kernel_rows.h"
#include "db/member_rows.h"
#include "db/newest_rows.h"
#include "db/pack_rows.h"
#include "db/roof_rows.h"
#include "db/session_rows.h"
#include "db/statements.h"
#include "db/stored_numbers.h"
#include "db/timing_rows.h"
#include "db/trial_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace warptune {

namespace fs = std::filesystem;

struct Reader::Impl {
  std::unique_ptr<db::PackVfs> pack; // nullptr for a database
  std::optional<PackInfo> pack_info;
  std::unique_ptr<SQLite::Database> db;
  fs::path path;
  int version = 0;
  mutable std::int64_t skipped = 0;

  template <class F> auto read(F&& f, std::int64_t max_value_bytes = db::kMaxTextBytes) const -> decltype(f()) {
    if (!pack) return db::guard(db.get(), path, "read", std::forward<F>(f));
    return db::read_limited(*db, pack->file(), path, max_value_bytes, std::forward<F>(f));
  }
  // The results that match `condition`, newest first. `sessions`: see best_query. `first` and `second` are bound to the
  // parameters of both.
  Result<std::vector<BestRecord>> bests(const char* condition, const char* sessions, const std::string& first,
                                        const std::string* second = nullptr) const {
    return read([&]() -> Result<std::vector<BestRecord>> {
      SQLite::Transaction snapshot(*db, SQLite::TransactionBehavior::DEFERRED);
      SQLite::Statement rows(*db, db::best_query(*db, version, condition, sessions, pack == nullptr));
      rows.bind(1, first);
      if (second != nullptr) rows.bind(2, *second);
      return db::read_bests(*db, version, rows, skipped);
    });
  }
};

namespace {

template <class Record> std::optional<Record> first(std::vector<Record> records) {
  if (records.empty()) return std::nullopt;
  return std::move(records.front());
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

// No number of a device may be negative or implausibly large.
template <class T> bool is_sound(const T& value) {
  bool sound = true;
  for_each_scalar<T>([&](const auto& m) {
    if constexpr (std::is_arithmetic_v<MemberValue<decltype(m)>>)
      sound = sound && db::is_stored_amount(static_cast<double>(value.*m.at));
  });
  return sound;
}

} // namespace

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
int Reader::schema_version() const { return impl_->version; }
std::int64_t Reader::skipped_rows() const { return impl_->skipped; }
const std::optional<PackInfo>& Reader::pack() const { return impl_->pack_info; }

Result<std::vector<PackRule>> Reader::pack_rules(const std::string& kernel) const {
  if (!impl_->pack) return {};
  return impl_->read(
      [&]() -> Result<std::vector<PackRule>> { return db::read_pack_rules(*impl_->db, kernel, impl_->skipped); });
}

Result<void> Reader::check_bytes() const {
  if (impl_->pack && !impl_->pack->file().check_pages()) return fail(ErrorKind::database, impl_->pack->file().damage());
  return {};
}

Result<Reader> Reader::open(const fs::path& given) {
  WT_TRY(fs::path path, db::check_path(given));
  std::error_code ec;
  const bool is_pack = path.extension() == ".wtpack";
  if (const bool there = fs::exists(path, ec); !there && !ec)
    return fail(
        ErrorKind::database,
        fmt::format("there is no {} {}; check the path (--db or WARPTUNE_DB); {}", is_pack ? "pack" : "database",
                    path.string(),
                    is_pack ? "`warptune pack -o FILE` makes a pack"
                    : db::is_run_folder(path.parent_path())
                        ? fmt::format("it would be in a run folder: `warptune sweep --status {0}` shows the state "
                                      "of the run, and `warptune merge -o all.db {0}` collects its results",
                                      path.parent_path().string())
                        : "`warptune tune KERNEL --shape ...` makes a database"));

  auto impl = std::make_unique<Impl>();
  impl->path = path;
  WT_TRY(auto pack, db::PackFile::open(path));
  if (pack) {
    WT_TRY(auto opened, db::open_pack(std::move(pack), path));
    impl->pack = std::move(opened.vfs);
    impl->db = std::move(opened.db);
    impl->version = opened.schema_version;
    WT_TRY(auto info, impl->read([&]() -> Result<PackInfo> { return db::read_pack_info(*impl->db); }));
    info.digest = impl->pack->file().digest();
    impl->pack_info = std::move(info);
    return Reader(std::move(impl));
  }
  auto db = db::open_read_only(path);
  WT_CHECK(db);
  impl->db = std::move(*db);
  WT_TRY(const int version, impl->read([&] { return db::check_schema(*impl->db, path); }));
  if (version == 0)
    return fail(ErrorKind::database,
                is_pack ? fmt::format("the pack {} is empty; make it again with `warptune pack -o FILE`", path.string())
                        : fmt::format("nothing was recorded yet in the database {}; `warptune tune KERNEL --shape ...` "
                                      "fills it, and --db or WARPTUNE_DB names another one",
                                      path.string()));
  impl->version = version;
  return Reader(std::move(impl));
}

Result<Reader> Reader::open_empty(const fs::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->version = db::kSchemaVersion;
  const Result<void> made = db::guard(nullptr, path, "replace", [&]() -> Result<void> {
    impl->db = std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE);
    db::migrate(*impl->db, db::embedded_migrations());
    return {};
  });
  WT_CHECK(made);
  return Reader(std::move(impl));
}

Result<std::vector<SessionRecord>> Reader::sessions(const std::string& kernel) const {
  return impl_->read([&]() -> Result<std::vector<SessionRecord>> {
    SQLite::Statement rows(*impl_->db, db::session_columns(impl_->version) +
                                           "WHERE ?1 = '' OR k.name = ?1 ORDER BY s.started_at DESC, s.id DESC");
    rows.bind(1, kernel);
    return db::read_sessions(rows, impl_->skipped);
  });
}

Result<std::optional<SessionRecord>> Reader::find_session(const SessionIdentity& i) const {
  return impl_->read([&]() -> Result<std::optional<SessionRecord>> {
    SQLite::Statement row(*impl_->db, db::session_columns(impl_->version) + "WHERE " +
                                          db::identity_matches(impl_->version) +
                                          " ORDER BY s.started_at DESC, s.id DESC");
    db::bind_identity(row, i);
    return first(db::read_sessions(row, impl_->skipped));
  });
}

Result<std::optional<SessionRecord>> Reader::nearest_session(const SessionIdentity& i) const {
  return impl_->read([&]() -> Result<std::optional<SessionRecord>> {
    SQLite::Statement row(
        *impl_->db, db::session_columns(impl_->version) +
                        "WHERE s.id = (SELECT s.id FROM sessions s JOIN kernels k ON k.id = s.kernel_id "
                        "JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id "
                        "JOIN toolchains t ON t.id = s.toolchain_id WHERE k.name = ? ORDER BY "
                        "(k.source_hash = ?) + (p.key = ?) + (d.backend = ?) + (d.name = ?) + (d.uuid = ?) + "
                        "(s.arch = ?) + (t.driver = ?) + (t.compiler = ?) + (s.strategy = ?) + (s.budget = ?) + "
                        "(s.seed = ?) + (s.cold_l2 = ?) + (" +
                        db::objective_column(impl_->version) + " = ?) DESC, s.started_at DESC, s.id DESC LIMIT 1)");
    db::bind_identity(row, i);
    return first(db::read_sessions(row, impl_->skipped));
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

Result<std::map<std::string, std::string>> Reader::source_samples(RowId session) const {
  return impl_->read([&]() -> Result<std::map<std::string, std::string>> {
    std::map<std::string, std::string> samples;
    if (!impl_->db->tableExists("source_samples")) return samples; // added in schema 8
    SQLite::Statement row(*impl_->db,
                          "SELECT c.text, s.content FROM source_samples s JOIN trials t ON t.id = s.trial_id "
                          "JOIN configs c ON c.id = t.config_id WHERE t.session_id = ?");
    row.bind(1, session);
    while (row.executeStep()) samples[row.getColumn(0).getString()] = row.getColumn(1).getString();
    return samples;
  });
}

Result<TrialCounts> Reader::count_trials(RowId session) const {
  return impl_->read([&]() -> Result<TrialCounts> {
    SQLite::Statement row(*impl_->db, "SELECT count(*), count(nullif(status = 'ok', 0)) FROM trials "
                                      "WHERE session_id = ?");
    row.bind(1, session);
    row.executeStep();
    return TrialCounts{row.getColumn(0).getInt64(), row.getColumn(1).getInt64()};
  });
}

Result<TrialTimes> Reader::trial_times(RowId session) const {
  return impl_->read([&]() -> Result<TrialTimes> {
    SQLite::Statement row(*impl_->db, "SELECT coalesce(min(recorded_at), ''), coalesce(max(recorded_at), '') "
                                      "FROM trials WHERE session_id = ?");
    row.bind(1, session);
    row.executeStep();
    return TrialTimes{row.getColumn(0).getString(), row.getColumn(1).getString()};
  });
}

Result<std::vector<BestRecord>> Reader::best(const std::string& kernel) const {
  // A pack has one result of each kind. Ranking them all to find one kernel's results would slow down opening a pack.
  if (impl_->pack) return impl_->bests(kernel.empty() ? "?1 = ''" : "k.name = ?1", "", kernel);
  return impl_->bests("(?1 = '' OR k.name = ?1) AND b.id IN (SELECT id FROM ranked WHERE place = 1)", "", kernel);
}

Result<std::vector<BestRecord>> Reader::newest_best(const std::string& kernel, std::size_t limit,
                                                    std::int64_t& left_out) const {
  if (!impl_->pack)
    return impl_->read([&]() -> Result<std::vector<BestRecord>> {
      return db::newest_bests(*impl_->db, impl_->version, kernel, limit, left_out, impl_->skipped);
    });
  WT_TRY(auto rows, best(kernel));
  left_out = static_cast<std::int64_t>(rows.size() - std::min(rows.size(), limit));
  rows.resize(std::min(rows.size(), limit));
  return rows;
}

Result<std::vector<BestRecord>> Reader::best_of_problem(const std::string& kernel, const std::string& problem) const {
  return impl_->bests("b.id IN (SELECT id FROM ranked WHERE place = 1)",
                      "SELECT id FROM sessions WHERE kernel_id IN (SELECT id FROM kernels WHERE name = ?1) AND "
                      "problem_id = (SELECT id FROM problems WHERE kernel = ?1 AND key = ?2)",
                      kernel, &problem);
}

Result<std::optional<BestRecord>> Reader::best_of_session(RowId session) const {
  WT_TRY(auto rows, impl_->bests("b.session_id = ?", "", std::to_string(session)));
  return first(std::move(rows));
}

Result<std::vector<CheckRecord>> Reader::checks(RowId best) const {
  return impl_->read([&]() -> Result<std::vector<CheckRecord>> {
    db::Statements statements(*impl_->db);
    return db::read_checks(statements, impl_->version, best, impl_->skipped);
  });
}

Result<std::vector<DeviceInfo>> Reader::devices() const {
  return impl_->read([&]() -> Result<std::vector<DeviceInfo>> {
    std::vector<DeviceInfo> devices;
    const db::ColumnNames present = db::columns_in(*impl_->db, "devices");
    SQLite::Statement row(*impl_->db,
                          "SELECT d.id, coalesce(t.driver, ''), coalesce(t.compiler, '')" +
                              db::columns_of<DeviceInfo>("d.", present) + db::columns_of<DeviceLimits>("d.", present) +
                              " FROM devices d LEFT JOIN toolchains t ON t.id = d.toolchain_id ORDER BY d.id");
    while (row.executeStep()) {
      DeviceInfo device;
      int i = 1;
      for (std::string* text : {&device.driver, &device.compiler}) *text = row.getColumn(i++).getString();
      db::read_members(row, i, device);
      db::read_members(row, i, device.limits);
      const bool sound = is_sound(device) && is_sound(device.limits);
      bool damaged = false;
      const auto roofs = db::newest_roofs(*impl_->db, impl_->version, row.getColumn(0).getInt64(), damaged);
      if (!sound || damaged) {
        ++impl_->skipped;
        continue;
      }
      if (roofs) device.roofs = *roofs;
      devices.push_back(std::move(device));
    }
    return devices;
  });
}

Result<std::optional<KernelRecord>> Reader::kernel(const std::string& name, const std::string& source_hash) const {
  return impl_->read([&]() -> Result<std::optional<KernelRecord>> {
    // A session that has only begun, or found nothing, must not hide the results of other sources.
    SQLite::Statement row(*impl_->db,
                          "SELECT k.id FROM kernels k WHERE k.name = ?1 AND (?2 = '' OR k.source_hash = "
                          "?2) ORDER BY coalesce((SELECT max(s.started_at) FROM sessions s JOIN best b ON b.session_id "
                          "= s.id WHERE s.kernel_id = k.id), '') DESC, coalesce((SELECT max(started_at) FROM sessions "
                          "WHERE kernel_id = k.id), '') DESC, coalesce((SELECT max(id) FROM sessions WHERE kernel_id = "
                          "k.id), 0) DESC, k.id DESC LIMIT 1");
    row.bind(1, name);
    row.bind(2, source_hash);
    if (!row.executeStep()) return std::nullopt;
    return db::read_kernel(*impl_->db, row.getColumn(0).getInt64());
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

Result<std::vector<TimingMatrix>> Reader::timings(const KernelSpec& spec, const std::string& source_hash,
                                                  const SomeProblems& problems) const {
  return impl_->read([&]() -> Result<std::vector<TimingMatrix>> {
    return db::read_timings(*impl_->db, spec, source_hash, problems, impl_->skipped);
  });
}

Result<SomeProblems> Reader::near_problems(const KernelSpec& spec, const Problem& problem,
                                           const DeviceInfo& device) const {
  if (impl_->pack) return SomeProblems(); // a pack's rules were learned from all problems
  return impl_->read([&]() -> Result<SomeProblems> { return db::near_problems(*impl_->db, spec, problem, device); });
}

Result<std::optional<CubinRecord>> Reader::cubin(const std::string& hash) const {
  const auto find = [&]() -> Result<std::optional<CubinRecord>> {
    const bool has_digest = impl_->version >= db::kFirstSchemaWithDigests;
    SQLite::Statement row(*impl_->db, fmt::format("SELECT arch, image, lowered_names{} FROM cubins WHERE hash = ?",
                                                  has_digest ? ", digest" : ""));
    row.bind(1, hash);
    if (!row.executeStep()) return std::nullopt;
    CubinRecord cubin{hash, row.getColumn(0).getString(), row.getColumn(1).getString(), {}};
    const std::string names = row.getColumn(2).getString();
    if (has_digest && row.getColumn(3).getString() != db::cubin_digest(hash, cubin.arch, names, cubin.image))
      return fail(
          ErrorKind::database,
          fmt::format("the cubin {:.12} in {} does not match its digest: the file was changed or damaged; restore "
                      "a backup, or tune again",
                      hash, impl_->path.string()));
    cubin.lowered_names = split_lines(names);
    return cubin;
  };
  return impl_->read(find, db::kMaxImageBytes);
}

Result<std::vector<CubinSize>> Reader::cubin_sizes() const {
  return impl_->read([&]() -> Result<std::vector<CubinSize>> {
    std::vector<CubinSize> sizes;
    SQLite::Statement row(*impl_->db, "SELECT hash, arch, length(image) FROM cubins ORDER BY hash");
    while (row.executeStep())
      sizes.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getInt64()});
    return sizes;
  });
}

Result<std::optional<Roofs>> Reader::roofs(const std::string& device_uuid) const {
  return impl_->read([&]() -> Result<std::optional<Roofs>> {
    if (device_uuid.empty()) return std::nullopt; // recorded devices have no UUID
    SQLite::Statement row(*impl_->db, "SELECT d.id FROM devices d WHERE d.uuid = ? AND EXISTS "
                                      "(SELECT 1 FROM peaks WHERE device_id = d.id) ORDER BY d.id DESC LIMIT 1");
    row.bind(1, device_uuid);
    if (!row.executeStep()) return std::nullopt;
    bool damaged = false;
    return db::newest_roofs(*impl_->db, impl_->version, row.getColumn(0).getInt64(), damaged);
  });
}

Result<std::vector<Roofs>> Reader::roofs_of(const SessionIdentity& device) const {
  return impl_->read([&]() -> Result<std::vector<Roofs>> {
    SQLite::Statement row(*impl_->db, "SELECT id FROM devices WHERE backend = ? AND name = ? AND uuid = ?");
    row.bind(1, device.device_backend);
    row.bind(2, device.device_name);
    row.bind(3, device.device_uuid);
    if (!row.executeStep()) return std::vector<Roofs>();
    return db::all_roofs(*impl_->db, impl_->version, row.getColumn(0).getInt64());
  });
}

} // namespace warptune
