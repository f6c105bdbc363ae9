#include "cli/report_file.h"

#include "cli/overwrite.h"
#include "core/text.h"
#include "system/text_file.h"
#include "system/whole_file.h"

#include <fmt/format.h>
#include <string>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLookedAt = 4 << 20; // bytes; a page's data come after its styles

// Recognises each kind of report by its beginning or a part that it must contain. The word "warptune" is not enough:
// other files of the user contain it.
bool is_report(std::string_view start) {
  return start.empty() || start.starts_with("session,kernel,problem,device,") ||
         start.starts_with("{\"format\":1,\"title\":") ||
         (start.starts_with("<svg") && start.find("<!-- made by warptune report -->") != std::string_view::npos) ||
         (start.starts_with("<!") && start.find("id=\"wt-data\"") != std::string_view::npos);
}

} // namespace

Result<void> write_report(const fs::path& file, std::string_view text, bool force,
                          const std::vector<fs::path>& inputs) {
  const OutputKind reports{"was not made by `warptune report`", [](const fs::path& there) {
                             return is_report(read_file(there, kLookedAt).value_or(std::string()));
                           }};
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    return fail(ErrorKind::bad_input, fmt::format("cannot write {}: there is no directory {}; create it first",
                                                  quote(file.string()), quote(folder.string())));
  WT_CHECK(refuse_overwriting(file, inputs));
  WT_CHECK(refuse_replacing(file, reports, force));
  return write_text_file(file, "report", text);
}

} // namespace warptune::cli
