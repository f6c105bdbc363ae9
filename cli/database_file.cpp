#include "cli/database_file.h"

#include "cli/output.h"
#include "db/writer.h"

#include <fmt/format.h>
#include <system_error>

namespace warptune::cli {

void settle_database(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return;
  const auto writer = Writer::open(path);
  if (writer && !writer->settle())
    complain(fmt::format("note: another program is still reading {0}, so some of the new data is still in {0}-wal; to "
                         "copy the database, copy both files or use `warptune backup`",
                         path.string()));
}

Result<std::optional<Reader>> open_if_present(const std::filesystem::path& path) {
  std::error_code error;
  const bool present = std::filesystem::exists(path, error);
  if (!present && (!error || error == std::errc::no_such_file_or_directory)) return std::optional<Reader>();
  WT_TRY(auto reader, Reader::open(path));
  return std::optional<Reader>(std::move(reader));
}

Result<std::optional<Reader>> open_named(const std::string& given) {
  if (given.empty()) return open_if_present(database_path(given));
  WT_TRY(auto reader, Reader::open(given));
  return std::optional<Reader>(std::move(reader));
}

} // namespace warptune::cli
