#include "cli/capture_folders.h"

#include "capture/captured_kernel.h"
#include "capture/kernel_names.h"
#include "cli/output.h"
#include "cli/sanitize.h"
#include "cli/units.h"
#include "core/shell_words.h"
#include "core/text.h"
#include "starter/new_folder.h"

#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace warptune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// "scale", then "scale_2".
fs::path free_name(const fs::path& folder, const std::string& kernel) {
  std::string base;
  for (const char c : kernel) base += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  std::error_code ignored;
  fs::path path = folder / base;
  for (int i = 2; fs::exists(path, ignored); ++i) path = folder / fmt::format("{}_{}", base, i);
  return path;
}

json folder_json(const WrittenFolder& folder) {
  return {{"kernel", folder.kernel},
          {"folder", folder.why_not.empty() ? json(folder.path.string()) : json()},
          {"why_not", folder.why_not.empty() ? json() : json(folder.why_not)},
          {"shape", folder.shape},
          {"calls", folder.times.calls},
          {"device_us", static_cast<double>(folder.times.ns) / 1000},
          {"different_launches", folder.launches},
          {"notes", folder.notes}};
}

// Adds "./", so that the folder is not taken for the name of a shipped kernel.
std::string kernel_word(const fs::path& folder) {
  return quote_for_shell(folder.is_absolute() ? folder.string() : "./" + folder.string());
}

} // namespace

Result<std::vector<WrittenFolder>> write_captured_folders(const CaptureRecords& records, const fs::path& top,
                                                          const std::string& arch) {
  std::vector<WrittenFolder> all;
  for (const CapturedGroup& group : group_cases(records)) {
    const KernelName name = kernel_name(group.cases.front()->kernel);
    WT_TRY(auto folder, draft_captured_folder(records, group, arch));
    WrittenFolder written{name.full, folder.why_not,     folder.draft.shape, {},
                          {},        group.cases.size(), folder.draft.notes};
    for (const CapturedCase* one : group.cases) written.times.add(one->times);
    if (folder.why_not.empty()) {
      const std::size_t colon = name.base.rfind(':');
      written.path =
          free_name(top, operator_name_of(colon == name.base.npos ? name.base : name.base.substr(colon + 1)));
      WT_CHECK(write_new_folder(written.path, folder.draft.files));
    }
    all.push_back(std::move(written));
  }
  return all;
}

json folders_json(const std::vector<WrittenFolder>& folders) {
  json rows = json::array();
  for (const WrittenFolder& folder : folders) rows.push_back(folder_json(folder));
  return rows;
}

void print_folders(const std::vector<WrittenFolder>& folders) {
  for (const WrittenFolder& folder : folders) {
    print("\n{}: {}, {} in {}\n", sanitize(folder.kernel),
          count_text(static_cast<std::int64_t>(folder.launches), "problem"),
          time_text(static_cast<double>(folder.times.ns) / 1000), count_text(folder.times.calls, "call"));
    if (!folder.why_not.empty()) {
      print("  no folder: {}\n", sanitize(folder.why_not));
      continue;
    }
    print("  wrote {}\n", sanitize(folder.path.string()));
    for (const std::string& note : folder.notes) print("  note: {}\n", sanitize(note));
    print("  warptune check {0}\n  warptune tune {0} --shape {1}\n", kernel_word(folder.path), folder.shape);
  }
}

} // namespace warptune::cli
