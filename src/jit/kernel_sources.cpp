#include "jit/kernel_sources.h"

#include "core/sha256.h"
#include "core/text.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxFileBytes = 16u << 20; // a folder that holds data by mistake is not read into memory

bool holds(const SourceFiles& sources, const std::string& name) {
  return std::any_of(sources.files.begin(), sources.files.end(), [&](const auto& file) { return file.first == name; });
}

bool is_header(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".cuh" || extension == ".h" || extension == ".hpp" || extension == ".inc" || extension == ".cu";
}

Result<void> add_source(SourceFiles& sources, const fs::path& folder, const std::string& name, const char* key) {
  if (holds(sources, name)) return {};
  auto text = read_source_file(folder / name);
  if (!text)
    return fail(ErrorKind::bad_input, fmt::format("{}: cannot read {} ({}); create it, or correct \"{}\" in spec.json",
                                                  folder.string(), quote(name), text.error().message, key));
  sources.files.emplace_back(name, std::move(*text));
  return {};
}

// Sorted by name, so that the hash does not depend on the order of a directory.
void add_own_headers(SourceFiles& sources, const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (it.depth() > 3) it.disable_recursion_pending();
    if (it->is_regular_file(error) && is_header(it->path()))
      names.push_back(it->path().lexically_relative(folder).generic_string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (holds(sources, name)) continue;
    if (auto text = read_source_file(folder / name)) sources.files.emplace_back(name, std::move(*text));
  }
}

// NVRTC looks an in-memory header up by the text of the #include, with the includer's folder put before it as well.
std::vector<std::string> lookup_names(const std::string& includer, const std::string& name) {
  const std::string beside = (fs::path(includer).parent_path() / name).lexically_normal().generic_string();
  if (beside == name) return {name};
  return {beside, name};
}

void add_shared_headers(SourceFiles& sources, const std::vector<fs::path>& roots) {
  for (std::size_t i = 0; i < sources.files.size(); ++i) { // grows while it runs: headers include headers
    const std::string includer = sources.files[i].first;
    if (includer == "spec.json") continue;
    for (const std::string& name : included_names(sources.files[i].second)) {
      for (const std::string& lookup : lookup_names(includer, name)) {
        if (holds(sources, lookup)) break;
        // Only the shared folder: a template must not depend on the files of another.
        if (!lookup.starts_with("common/")) continue;
        const auto found = std::find_if(roots.begin(), roots.end(), [&](const fs::path& root) {
          std::error_code ignored;
          return fs::is_regular_file(root / lookup, ignored);
        });
        if (found == roots.end()) continue;
        if (auto text = read_source_file(*found / lookup)) sources.files.emplace_back(lookup, std::move(*text));
        break;
      }
    }
  }
}

} // namespace

Result<std::string> read_source_file(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) return fail(ErrorKind::bad_input, error == std::errc::no_such_file_or_directory ? "no such file" : error.message());
  if (size > kMaxFileBytes) return fail(ErrorKind::bad_input, fmt::format("{} bytes is no source file", size));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorKind::bad_input, std::generic_category().message(errno));
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

std::vector<std::string> included_names(std::string_view source) {
  std::vector<std::string> names;
  for (std::string_view line : split(source, '\n')) {
    if (line.empty() || line.front() != '#') continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = trim(line.substr(7));
    if (line.size() < 2 || line.front() != '"') continue;
    line.remove_prefix(1);
    const std::size_t end = line.find('"');
    if (end != std::string_view::npos) names.emplace_back(line.substr(0, end));
  }
  return names;
}

Result<SourceFiles> collect_sources(const fs::path& folder, const KernelSpec& spec, std::string spec_text,
                                    const std::vector<fs::path>& roots) {
  SourceFiles sources;
  if (auto added = add_source(sources, folder, spec.source, "source"); !added) return tl::make_unexpected(added.error());
  if (auto added = add_source(sources, folder, spec.reference.source, "reference/source"); !added)
    return tl::make_unexpected(added.error());
  sources.files.emplace_back("spec.json", std::move(spec_text));
  add_own_headers(sources, folder);
  add_shared_headers(sources, roots);
  return sources;
}

std::string hash_sources(const SourceFiles& sources) {
  std::string all;
  for (const auto& [name, text] : sources.files) {
    all += fmt::format("{}:{}:{}:", name.size(), name, text.size());
    all += text;
  }
  return sha256_hex(all);
}

} // namespace warptune
