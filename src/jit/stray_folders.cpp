#include "jit/stray_folders.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <vector>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescription = "implementation.json";

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Whether the spec names a source in the folder. Such a folder is not stray.
bool holds_sources_of(const KernelSpec& spec, const std::string& name) {
  const std::string prefix = name + "/";
  const auto is_inside = [&](const std::string& file) { return file.starts_with(prefix); };
  return is_inside(spec.reference.source) || (spec.prepare && is_inside(spec.prepare->source)) ||
         std::any_of(spec.implementations.begin(), spec.implementations.end(), [&](const Implementation& i) {
           return is_inside(i.source) ||
                  (i.build && std::any_of(i.build->inputs.begin(), i.build->inputs.end(), is_inside));
         });
}

// The error of a folder with these files; empty: none, or it does not look like an implementation.
std::string why_stray(const KernelSpec& spec, const std::string& name, const std::vector<std::string>& files) {
  const auto has = [&](const char* file) { return std::find(files.begin(), files.end(), file) != files.end(); };
  const auto ends = [&](const char* suffix) {
    return std::find_if(files.begin(), files.end(), [&](const std::string& file) { return file.ends_with(suffix); });
  };
  if (has(kDescription) || has("spec.json")) return {};
  for (const std::string& file : files)
    if (file.find(".json") != std::string::npos && !nearest_name(file, {kDescription}).empty())
      return fmt::format("it has {}, but no {}", quote(file), kDescription);
  if (holds_sources_of(spec, name)) return {};
  if (const auto json = ends(".json"); json != files.end() && ends(".cu") != files.end())
    return fmt::format("it has a source and {}, but no {}", quote(*json), kDescription);
  const bool is_divided = std::any_of(spec.implementations.begin(), spec.implementations.end(),
                                      [](const Implementation& i) { return i.source.find('/') != std::string::npos; });
  return is_divided && has("kernel.cu") ? fmt::format("it has kernel.cu, but no {}", kDescription) : std::string();
}

} // namespace

Result<void> check_stray_folders(const fs::path& folder, const KernelSpec& spec) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (!name.starts_with('.') && it->is_directory(ignored)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names)
    if (const std::string why = why_stray(spec, name, files_in(folder / name)); !why.empty())
      return fail(ErrorKind::bad_input, fmt::format("the folder {} looks like an implementation but is not one: {}; "
                                                    "correct the file's name, or move the folder elsewhere",
                                                    (folder / name).string(), why));
  return {};
}

} // namespace warptune
