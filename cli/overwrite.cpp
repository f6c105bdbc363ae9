#include "cli/overwrite.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <string>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase{"SQLite format 3\0", 16};

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  return fs::equivalent(a, b, none);
}

Result<void> refuse_no_file(const fs::path& output) {
  std::error_code none;
  if (fs::is_directory(output, none))
    return fail(ErrorKind::bad_input,
                fmt::format("{} is a directory; name a file in it with -o", quote(output.string())));
  fs::path folder = (fs::current_path(none) / output).parent_path();
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  if (fs::is_directory(folder, none)) return {};
  return fail(ErrorKind::bad_input, fmt::format("cannot write {}: {} is not a directory; name another file with -o",
                                                quote(output.string()), quote(folder.string())));
}

} // namespace

bool is_database(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return false;
  std::string start(kDatabase.size(), ' ');
  return std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == kDatabase;
}

Result<void> refuse_log_name(const fs::path& output) {
  const std::string name = output.string();
  for (const std::string_view end : {"-wal", "-shm", "-journal"})
    if (const std::string database = name.substr(0, name.size() - std::min(end.size(), name.size()));
        name.ends_with(end) && is_database(database))
      return fail(ErrorKind::bad_input,
                  fmt::format("{} is where SQLite keeps the log of the database {}, and would be taken for it; name "
                              "another file",
                              quote(name), quote(database)));
  return {};
}

Result<void> refuse_overwriting(const fs::path& output, const std::vector<fs::path>& inputs) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorKind::bad_input, fmt::format("{} {} and would be written over; name another file with -o",
                                                  quote(output.string()), what));
  };
  if (std::any_of(inputs.begin(), inputs.end(), [&](const fs::path& input) { return is_same_file(output, input); }))
    return refuse("is read");
  if (is_database(output)) return refuse("is a database or a pack");
  WT_CHECK(refuse_no_file(output));
  return refuse_log_name(output);
}

} // namespace warptune::cli
