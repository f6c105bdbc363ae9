#include "cli/report_file.h"

#include "cli/overwrite.h"
#include "core/text.h"
#include "recording/text_file.h"

#include <fmt/format.h>
#include <fstream>
#include <string>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAt = 4 << 20; // a page's data stand behind its styles

// By what each kind of report begins with or must hold; the word "warptune" alone stands in many files of its users.
bool is_report(std::string_view start) {
  return start.empty() || start.starts_with("session,kernel,problem,device,") ||
         start.starts_with("{\"format\":1,\"title\":") ||
         (start.starts_with("<svg") && start.find("<!-- made by warptune report -->") != std::string_view::npos) ||
         (start.starts_with("<!") && start.find("id=\"wt-data\"") != std::string_view::npos);
}

std::string beginning_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(kLookedAt, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start;
}

} // namespace

Result<void> write_report(const fs::path& file, std::string_view text, bool force) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::bad_input, fmt::format("cannot write {}: {}", quote(file.string()), why));
  };
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    return refuse(fmt::format("there is no directory {}; make it first", quote(folder.string())));
  WT_CHECK(refuse_log_name(file));
  if (fs::is_regular_file(file, error)) {
    if (is_database(file)) return refuse("the file that is there is a database; name another");
    if (!force && !is_report(beginning_of(file)))
      return refuse("the file that is there was not made by `warptune report`; --force replaces it");
  }
  return write_text_file(file, "report", text);
}

} // namespace warptune::cli
