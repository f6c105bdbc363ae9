#include "jit/kernel_sources.h"

#include "core/text.h"
#include "spec/source_hash.h"
#include "spec/spec_json_reader.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

// A data file that is in the folder by mistake is not read into memory.
constexpr std::uintmax_t kMaxFileBytes = 16U << 20;
constexpr int kMaxDepth = 3;
constexpr const char* kSharedFolder = "common"; // headers for all operators

bool is_header(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".cuh" || extension == ".h" || extension == ".hpp" || extension == ".inc" || extension == ".cu";
}

// In a folder from elsewhere, a link may lead to any file of the user, whose text would then be stored and packed.
bool is_inside(const fs::path& base, const fs::path& file) {
  std::error_code missing;
  const fs::path folder = fs::canonical(base, missing), whole = fs::canonical(file, missing);
  if (missing) return true; // reading it reports why
  return std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end()).first == folder.end();
}

Result<std::string> read_inside(const fs::path& base, const fs::path& name) {
  if (!is_inside(base, base / name))
    return fail(ErrorKind::bad_input, "it is a link to a file outside of the folder; copy the file into the folder");
  return read_source_file(base / name);
}

// The place of a source: its folder, its name there, and the file that describes it.
struct Place {
  fs::path folder;
  std::string name, description;
};

Place place_of(const fs::path& folder, const std::string& name, const std::string& description,
               const FoldersElsewhere& elsewhere) {
  const std::size_t slash = name.find('/');
  const auto own = elsewhere.find(name.substr(0, slash));
  if (slash == std::string::npos || own == elsewhere.end()) return {folder, name, description};
  return {own->second, name.substr(slash + 1), "implementation.json"};
}

Result<void> add_source(SourceFiles& sources, const Place& place, const std::string& name, const char* key) {
  if (find_source(sources, name) != nullptr) return {};
  auto text = read_inside(place.folder, place.name);
  if (!text)
    return fail(ErrorKind::bad_input,
                fmt::format("{}: cannot read {} ({}); create it, or correct \"{}\" in {}", place.folder.string(),
                            quote(place.name), text.error().message, key, place.description));
  sources.files.emplace_back(name, std::move(*text));
  return {};
}

// Adds the inputs of a build as texts. They are in the implementation's folder, beside spec.json, or shipped.
Result<void> add_build_inputs(SourceFiles& sources, const fs::path& folder, const Build& build,
                              const SourceFiles& descriptions, const std::vector<fs::path>& roots,
                              const FoldersElsewhere& elsewhere) {
  const std::string description = build.folder.empty() ? "spec.json" : build.folder + "implementation.json";
  for (const std::string& input : build.inputs) {
    const std::string own = build.folder + input;
    std::string name = own;
    std::error_code ignored;
    fs::path root = folder;
    if (const std::string* given = find_source(descriptions, own);
        !given && !fs::is_regular_file(folder / own, ignored)) {
      name = input;
      if (!fs::is_regular_file(folder / name, ignored) && input.starts_with("common/"))
        for (const fs::path& shipped : roots)
          if (fs::is_regular_file(shipped / name, ignored)) {
            root = shipped;
            break; // the first, as for headers
          }
    }
    if (!find_source(descriptions, name)) {
      Place place = place_of(root, own, description, elsewhere);
      if (place.folder == root || fs::is_regular_file(root / name, ignored)) place = {root, name, description};
      WT_CHECK(add_source(sources, place, name, "build/inputs"));
    }
    const std::string* text = find_source(sources, name);
    if (!text) text = find_source(descriptions, name);
    if (text->find('\0') != std::string::npos || find_invalid_utf8(*text) != std::string::npos)
      return fail(ErrorKind::bad_input,
                  fmt::format("{}: the input {} of the build command must be UTF-8 text",
                              place_of(folder, own, description, elsewhere).folder.string(), quote(input)));
  }
  return {};
}

// The inputs in the description of an implementation. Its errors are reported when the spec is read.
std::vector<std::string> build_inputs_of(const std::string& description) {
  std::vector<std::string> names;
  const auto value = parse_json(description, "implementation.json");
  if (!value) return names;
  JsonErrors errors("implementation.json");
  const JsonCursor root(*value, errors);
  if (!root.is(JsonValue::Kind::object)) return names;
  if (const auto build = root.find("build"); build && build->is(JsonValue::Kind::object))
    if (const auto inputs = build->find("inputs"))
      for (const JsonCursor& item : inputs->items()) names.push_back(item.text());
  return errors.any() ? std::vector<std::string>() : names;
}

// Adds headers under their paths relative to `base`, sorted, so that the order of a directory has no effect.
void add_headers(SourceFiles& sources, const fs::path& base, const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (it.depth() > kMaxDepth) it.disable_recursion_pending();
    if (it->is_regular_file(error) && is_header(it->path()))
      names.push_back(it->path().lexically_relative(base).generic_string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (find_source(sources, name) != nullptr) continue;
    if (is_inside(folder, base / name))
      if (auto text = read_source_file(base / name)) sources.files.emplace_back(name, std::move(*text));
  }
}

// Adds all shared headers. The includes of a kernel decide later which of them are compiled and hashed
// (spec/source_hash.h).
void add_shared_headers(SourceFiles& sources, const std::vector<fs::path>& roots) {
  for (const fs::path& root : roots) {
    std::error_code ignored;
    if (!fs::is_directory(root / kSharedFolder, ignored)) continue;
    add_headers(sources, root, root / kSharedFolder);
    return;
  }
}

} // namespace

Result<std::string> read_source_file(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error)
    return fail(ErrorKind::bad_input, error == std::errc::no_such_file_or_directory ? "no such file" : error.message());
  if (size > kMaxFileBytes)
    return fail(ErrorKind::bad_input,
                fmt::format("it has {} bytes, but a source file may have at most {}", size, kMaxFileBytes));
  auto text = read_file(path, kMaxFileBytes);
  if (!text) return fail(ErrorKind::bad_input, std::generic_category().message(text.error()));
  if (text->size() != size) return fail(ErrorKind::bad_input, "it changed while it was read");
  return std::move(*text);
}

Result<SourceFiles> collect_descriptions(const fs::path& folder) {
  SourceFiles files;
  WT_TRY(std::string spec, read_inside(folder, "spec.json"));
  files.files.emplace_back("spec.json", std::move(spec));
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string() + "/implementation.json";
    std::error_code ignored;
    if (fs::is_regular_file(folder / name, ignored)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    auto text = read_inside(folder, name);
    if (!text) return fail(ErrorKind::bad_input, fmt::format("{}: {}", name, text.error().message));
    files.files.emplace_back(name, std::move(*text));
  }
  return files;
}

Result<void> add_implementation(const fs::path& folder, const fs::path& operator_folder, SourceFiles& descriptions,
                                FoldersElsewhere& elsewhere) {
  const auto refuse = [&](const std::string& why) { return fail(ErrorKind::bad_input, folder.string() + ": " + why); };
  std::error_code error;
  const fs::path path = fs::weakly_canonical(folder / ".", error).lexically_normal();
  const fs::path whole = path.has_filename() ? path : path.parent_path();
  const std::string own = whole.filename().string();
  const std::string name = own + "/implementation.json";
  auto text = read_inside(whole, "implementation.json");
  if (!text)
    return refuse(fmt::format("no readable implementation.json in this folder ({}); --also names the folder of an "
                              "implementation (docs/spec.md)",
                              text.error().message));
  if (!is_label(own))
    return refuse(fmt::format("the folder's name is the name of the implementation, and {} has characters other than "
                              "letters, digits and _.+-; rename the folder",
                              quote(own)));
  if (own == kSharedFolder)
    return refuse(fmt::format("the folder name {} is reserved for shared headers; rename the folder", quote(own)));
  if (find_source(descriptions, name))
    return refuse(fmt::format("the kernel has an implementation {} already; rename the folder", quote(own)));
  SourceFiles added;
  const std::vector<std::string> inputs = build_inputs_of(*text);
  added.files.emplace_back(name, std::move(*text));
  add_headers(added, whole.parent_path(), whole);
  for (const std::string& input : inputs) {
    const bool inside = !input.empty() && input[0] != '/' && input.find("..") == std::string::npos;
    if (!inside || find_source(added, own + "/" + input)) continue;
    if (auto file = read_inside(whole, input)) added.files.emplace_back(own + "/" + input, std::move(*file));
  }
  for (auto& [file, content] : added.files) {
    if (find_source(descriptions, file) || fs::exists(operator_folder / file, error))
      return refuse(fmt::format("the kernel has a file {} already; rename the folder", quote(file)));
    descriptions.files.emplace_back(std::move(file), std::move(content));
  }
  elsewhere.emplace(own, folder);
  return {};
}

Result<SourceFiles> collect_sources(const fs::path& folder, const KernelSpec& spec, const SourceFiles& descriptions,
                                    const std::vector<fs::path>& roots, const FoldersElsewhere& elsewhere) {
  SourceFiles sources;
  for (const Implementation& implementation : spec.implementations) {
    if (implementation.build) {
      WT_CHECK(add_build_inputs(sources, folder, *implementation.build, descriptions, roots, elsewhere));
    } else if (!implementation.source.empty() && !find_source(descriptions, implementation.source)) {
      const std::string own = implementation.name + "/implementation.json";
      const Place place =
          place_of(folder, implementation.source, find_source(descriptions, own) ? own : "spec.json", elsewhere);
      WT_CHECK(add_source(sources, place, implementation.source, "source"));
    }
  }
  WT_CHECK(
      add_source(sources, {folder, spec.reference.source, "spec.json"}, spec.reference.source, "reference/source"));
  if (spec.prepare)
    WT_CHECK(add_source(sources, {folder, spec.prepare->source, "spec.json"}, spec.prepare->source, "prepare/source"));
  sources.files.insert(sources.files.end(), descriptions.files.begin(), descriptions.files.end());
  add_headers(sources, folder, folder);
  add_shared_headers(sources, roots);
  return sources;
}

} // namespace warptune
