#include "db/pack_writer.h"

#include "db/connection.h"
#include "db/cubin_digest.h"
#include "db/member_rows.h"
#include "db/pack_rows.h"
#include "db/roof_rows.h"
#include "db/session_rows.h"
#include "db/statements.h"
#include "db/trial_rows.h"
#include "system/descriptor.h"
#include "system/file_errors.h"
#include "system/temporary_path.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <tuple>

namespace warptune {

namespace fs = std::filesystem;

namespace {

// Row ids in the pack, assigned in the order of first use.
class Rows {
 public:
  explicit Rows(db::Statements& statements) : statements_(statements) {}

  RowId toolchain(const std::string& driver, const std::string& compiler) {
    return intern("toolchains (driver, compiler)", driver, compiler);
  }
  RowId problem(const std::string& kernel, const std::string& key) {
    return intern("problems (kernel, key)", kernel, key);
  }
  RowId config(const std::string& kernel, const std::string& text) {
    return intern("configs (kernel, text)", kernel, text);
  }
  RowId last() { return statements_.database().getLastInsertRowid(); }
  db::Statements& statements() { return statements_; }

  std::map<std::pair<std::string, std::string>, RowId> kernels; // keyed by name and source hash
  std::map<std::pair<std::string, std::string>, RowId> devices; // keyed by name and architecture

 private:
  RowId intern(const std::string& table, const std::string& a, const std::string& b) {
    const auto [found, is_new] = numbers_.try_emplace(std::tuple(table, a, b), 0);
    if (is_new) {
      statements_.run("INSERT INTO " + table + " VALUES (?, ?)", a, b);
      found->second = last();
    }
    return found->second;
  }

  db::Statements& statements_;
  std::map<std::tuple<std::string, std::string, std::string>, RowId> numbers_;
};

void put_device(Rows& rows, const DeviceInfo& d) {
  const RowId toolchain = rows.toolchain(d.driver, d.compiler);
  SQLite::Statement& row = rows.statements().get(
      "INSERT INTO devices (toolchain_id, seen_at" + db::columns_of<DeviceInfo>() + db::columns_of<DeviceLimits>() +
      ") VALUES (?, ''" + db::places_of<DeviceInfo>() + db::places_of<DeviceLimits>() + ")");
  int i = 1;
  row.bind(i++, toolchain);
  db::bind_members(row, i, d);
  db::bind_members(row, i, d.limits);
  row.exec();
  const RowId id = rows.last();
  rows.devices[{d.name, d.arch}] = id;
  // Roofs without a time would be stored with the current time.
  if (!d.roofs.measured_at.empty()) db::insert_roofs(rows.statements(), id, d.roofs);
}

void put_kernel(Rows& rows, const KernelRecord& kernel) {
  rows.statements().run("INSERT INTO kernels (name, source_hash, created_at) VALUES (?, ?, '')", kernel.name,
                        kernel.source_hash);
  const RowId id = rows.last();
  rows.kernels[{kernel.name, kernel.source_hash}] = id;
  std::int64_t position = 0;
  for (const auto& [name, text] : kernel.files)
    rows.statements().run("INSERT INTO kernel_files VALUES (?, ?, ?, ?)", id, position++, name, text);
}

void put_shape(Rows& rows, const PackedShape& shape, RowId number) {
  const SessionIdentity& i = shape.session;
  rows.statements().run("INSERT INTO sessions (id, kernel_id, problem_id, device_id, toolchain_id, arch, strategy, "
                        "budget, seed, cold_l2, "
                        "space_size, state, version, started_at, ended_at, uuid, objective) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'finished', ?, ?, ?, ?, ?)",
                        number, rows.kernels.at({i.kernel, i.source_hash}), rows.problem(i.kernel, i.problem),
                        rows.devices.at({i.device_name, i.arch}), rows.toolchain(i.driver, i.compiler), i.arch,
                        i.strategy, i.budget, static_cast<std::int64_t>(i.seed), i.cold_l2 ? 1 : 0, shape.space_size,
                        shape.version, shape.started_at, shape.ended_at, std::to_string(number),
                        std::string(objective_name(i.objective)));
  const BestRecord& b = shape.best;
  const RowId config = rows.config(i.kernel, b.config), standard = rows.config(i.kernel, b.default_config);
  db::insert_best(rows.statements(), number, number, config, standard, b);
  std::int64_t position = 0;
  for (const std::string& tied : b.tie_set)
    rows.statements().run("INSERT INTO best_ties VALUES (?, ?, ?)", number, position++, rows.config(i.kernel, tied));
  for (const TrialRow& row : shape.trials)
    db::insert_trial(rows.statements(), number, rows.config(i.kernel, row.config), row.trial, shape.ended_at);
}

void put_rule(Rows& rows, const PackRule& r) {
  SQLite::Statement& row = rows.statements().get("INSERT INTO pack_rules VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  int i = 1;
  row.bind(i++, rows.kernels.at({r.kernel, r.source_hash}));
  row.bind(i++, rows.devices.at({r.device_name, r.arch}));
  row.bind(i++, r.variant);
  row.bind(i++, r.shapes);
  row.bind(i++, r.configs);
  row.bind(i++, r.worst_loss);
  row.bind(i++, r.method);
  row.bind(i++, r.guarded);
  if (!r.rule.empty()) row.bind(i, r.rule);
  if (r.rule_loss) {
    row.bind(i + 1, r.rule_loss->mean);
    row.bind(i + 2, r.rule_loss->worst);
  }
  row.exec();
}

void put_cubin(Rows& rows, const CubinRecord& cubin) {
  const std::string names = db::cubin_names(cubin);
  SQLite::Statement& row = rows.statements().get("INSERT INTO cubins VALUES (?, ?, ?, ?, '', ?)");
  row.bind(1, cubin.hash);
  row.bind(2, cubin.arch);
  row.bind(3, names);
  db::bind_bytes(row, 4, cubin.image);
  row.bind(5, db::cubin_digest(cubin.hash, cubin.arch, names, cubin.image));
  row.exec();
}

void sort(PackContent& content) {
  const auto by = [](auto& rows, auto key) {
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  };
  by(content.devices, [](const DeviceInfo& d) { return std::tie(d.backend, d.name, d.arch); });
  by(content.kernels, [](const KernelRecord& k) { return std::tie(k.name, k.source_hash); });
  by(content.shapes, [](const PackedShape& s) {
    return std::tie(s.session.kernel, s.session.device_name, s.session.arch, s.session.problem);
  });
  by(content.rules, [](const PackRule& r) { return std::tie(r.kernel, r.device_name, r.arch, r.variant); });
  by(content.cubins, [](const CubinRecord& c) { return std::tie(c.hash); });
  for (PackedShape& shape : content.shapes) by(shape.trials, [](const TrialRow& t) { return std::tie(t.config); });
}

void write_rows(SQLite::Database& db, const PackContent& content) {
  db.exec(
      "PRAGMA page_size = " + std::to_string(db::kPackPageBytes) +
      "; PRAGMA auto_vacuum = NONE; PRAGMA encoding = 'UTF-8'; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
      "PRAGMA foreign_keys = ON; PRAGMA application_id = " +
      std::to_string(db::kPackApplicationId) + "; PRAGMA user_version = " + std::to_string(db::kSchemaVersion));
  SQLite::Transaction transaction(db);
  db.exec(db::pack_schema(db::kSchemaVersion));
  db::Statements statements(db);
  Rows rows(statements);
  for (const auto& [name, value] : content.values) statements.run("INSERT INTO pack VALUES (?, ?)", name, value);
  for (const DeviceInfo& device : content.devices) put_device(rows, device);
  for (const KernelRecord& kernel : content.kernels) put_kernel(rows, kernel);
  RowId number = 0;
  for (const PackedShape& shape : content.shapes) put_shape(rows, shape, ++number);
  for (const PackRule& rule : content.rules) put_rule(rows, rule);
  for (const CubinRecord& cubin : content.cubins) put_cubin(rows, cubin);
  transaction.commit();
}

Result<void> sync_and_rename(const fs::path& temporary, const fs::path& target) {
  const Descriptor file(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC));
  if (file && flush_to_disk(file.get()) && ::rename(temporary.c_str(), target.c_str()) == 0) return {};
  const int error = errno;
  return fail(kind_of_write_error(error),
              fmt::format("cannot write the pack {}: {}", target.string(), std::strerror(error)));
}

// A pack is an output, not a database: if the disk takes no more data, the error has no advice about databases.
Result<void> write_content(const fs::path& temporary, const fs::path& target, const PackContent& content) {
  try {
    SQLite::Database db(temporary.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    write_rows(db, content);
    return {};
  } catch (const SQLite::Exception& e) {
    const int code = e.getErrorCode() & 0xFF;
    if (code != SQLITE_FULL && code != SQLITE_IOERR) throw;
    return fail(ErrorKind::internal,
                fmt::format("cannot write the pack {}: the disk is full, or a file size limit is reached; free "
                            "some space or name another file with -o",
                            target.string()));
  }
}

} // namespace

Result<void> check_pack_output(const fs::path& path) {
  std::error_code ec;
  const auto refuse = [&](const char* why) {
    return fail(ErrorKind::bad_input, fmt::format("cannot write the pack {}: {}", path.string(), why));
  };
  if (path.empty()) return fail(ErrorKind::bad_input, "cannot write a pack without a name; give -o FILE");
  const fs::file_status status = fs::status(path, ec);
  if (fs::is_directory(status)) return refuse("this is a folder; name a file in it, such as ops.wtpack");
  if (!fs::exists(status)) return {};
  if (!fs::is_regular_file(status)) return refuse("this is a pipe, a socket or a device; name a file");
  if (fs::file_size(path, ec) == 0 && !ec) return {};
  // A damaged pack may be replaced, because packing again is the way to repair it.
  const auto file = db::PackFile::open(fs::absolute(path));
  if (file && !*file) return refuse("the file exists and is not a pack; choose another name, or remove the file");
  return {};
}

Result<void> write_pack(const fs::path& path, PackContent content) {
  WT_CHECK(check_pack_output(path));
  std::error_code ec;
  const fs::path absolute = fs::absolute(path);
  if (const fs::path folder = absolute.parent_path(); !folder.empty()) {
    fs::create_directories(folder, ec);
    if (ec)
      return fail(kind_of_write_error(ec.value()), fmt::format("cannot make the folder {} for the pack: {}; name "
                                                               "another file",
                                                               folder.string(), ec.message()));
  }
  const fs::path target = fs::exists(absolute, ec) ? fs::canonical(absolute) : absolute;
  const fs::path temporary = temporary_path(target);
  remove_left_behind(target);
  if (const int error = write_file(temporary, ""); error != 0) // SQLite does not say why it fails
    return fail(kind_of_write_error(error), fmt::format("cannot write the pack {}: {}; name another file with -o",
                                                        target.string(), std::strerror(error)));
  sort(content);
  Result<void> written = db::guard(nullptr, target, "write", [&]() -> Result<void> {
    fs::remove(temporary);
    if (auto rows = write_content(temporary, target, content); !rows) return rows;
    db::seal_pack(temporary);
    return sync_and_rename(temporary, target);
  });
  if (!written) fs::remove(temporary, ec);
  return written.map_error([&](Error error) { return db::about_output(std::move(error), target, target, "-o"); });
}

} // namespace warptune
