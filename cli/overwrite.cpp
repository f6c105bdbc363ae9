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

} // namespace

bool is_database(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return false;
  std::string start(kDatabase.size(), ' ');
  return std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size())) &&
         start == kDatabase;
}

Result<void> refuse_overwriting(const fs::path& output, const std::vector<fs::path>& inputs) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorKind::bad_input, fmt::format("{} {} and would be written over; name another file with -o",
                                                  quote(output.string()), what));
  };
  if (std::any_of(inputs.begin(), inputs.end(), [&](const fs::path& input) { return is_same_file(output, input); }))
    return refuse("is read");
  if (is_database(output)) return refuse("is a database or a pack");
  return {};
}

} // namespace warptune::cli
