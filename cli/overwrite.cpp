#include "cli/overwrite.h"

#include "core/text.h"
#include "system/new_file.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase{"SQLite format 3\0", 16};
constexpr std::string_view kLogEnds[] = {"-wal", "-shm", "-journal"};
constexpr int kMaxLinks = 40; // the limit of Linux

// The place of a file that exists or would be created. Links to files that do not exist yet are followed, too.
fs::path place_of(fs::path file) {
  std::error_code none;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(file, none)); ++i)
    file = file.parent_path() / fs::read_symlink(file, none);
  return fs::weakly_canonical(fs::absolute(file, none), none);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  return fs::equivalent(a, b, none) || place_of(a) == place_of(b);
}

// The file is a database, or a database can be created there.
bool is_or_becomes_database(const fs::path& file) {
  std::error_code none;
  return is_database(file) || !fs::exists(file, none) || fs::is_empty(file, none);
}

Error is_log_of(const fs::path& output, const fs::path& database) {
  return {ErrorKind::bad_input,
          fmt::format("{} is the name of the log that SQLite keeps for the database {}; name another file",
                      quote(output.string()), quote(database.string()))};
}

// Creates a file to find out: permissions do not show that a file system is read-only.
bool takes_files(const fs::path& folder) { return static_cast<bool>(NewFile(folder / ".warptune")); }

} // namespace

Result<void> refuse_readonly(const fs::path& folder, const fs::path& output, std::string_view advice) {
  if (takes_files(folder)) return {};
  return fail(ErrorKind::bad_input, fmt::format("cannot write {}: no permission to create files in {}; {}",
                                                quote(output.string()), quote(folder.string()), advice));
}

Result<void> refuse_unwritable(const fs::path& output, std::string_view option) {
  std::error_code none;
  if (output == "-")
    return fail(
        ErrorKind::bad_input,
        fmt::format("{} - means standard output, but this output must be a file; name a file (./- for a file called -)",
                    option));
  if (fs::is_directory(output, none))
    return fail(ErrorKind::bad_input,
                fmt::format("{} is a directory; name a file in it with {}", quote(output.string()), option));
  fs::path folder = (fs::current_path(none) / output).parent_path();
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  if (fs::is_directory(folder, none)) {
    const bool is_other = fs::exists(output, none) && !fs::is_regular_file(output, none); // a pipe, /dev/null
    return is_other ? Result<void>()
                    : refuse_readonly(folder, output, fmt::format("name another file with {}", option));
  }
  return fail(ErrorKind::bad_input, fmt::format("cannot write {}: {} is not a directory; name another file with {}",
                                                quote(output.string()), quote(folder.string()), option));
}

bool is_database(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return false;
  return read_file(file, kDatabase.size()) == kDatabase;
}

Result<void> refuse_log_name(const fs::path& output) {
  const std::string name = place_of(output).string();
  for (const std::string_view end : kLogEnds)
    if (const std::string database = name.substr(0, name.size() - std::min(end.size(), name.size()));
        name.ends_with(end) && is_database(database))
      return fail(is_log_of(output, database));
  return {};
}

Result<void> refuse_overwriting(const fs::path& output, const std::vector<fs::path>& inputs, std::string_view option) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorKind::bad_input, fmt::format("{} {} and would be overwritten; name another file with {}",
                                                  quote(output.string()), what, option));
  };
  for (const fs::path& input : inputs) {
    if (is_same_file(output, input)) return refuse(is_or_becomes_database(input) ? "is the database" : "is an input");
    if (!is_or_becomes_database(input)) continue;
    for (const std::string_view end : kLogEnds)
      if (is_same_file(output, place_of(input).string() + std::string(end))) return fail(is_log_of(output, input));
  }
  if (is_database(output)) return refuse("is a database or a pack");
  WT_CHECK(refuse_unwritable(output, option));
  return refuse_log_name(output);
}

Result<void> refuse_replacing(const fs::path& output, const OutputKind& kind, bool force) {
  std::error_code none;
  if (force || !fs::is_regular_file(output, none) || fs::is_empty(output, none) || kind.is_one(output)) return {};
  return fail(ErrorKind::bad_input,
              fmt::format("cannot write {}: the existing file {}; use --force to replace it, or name another file",
                          quote(output.string()), kind.otherwise));
}

} // namespace warptune::cli
