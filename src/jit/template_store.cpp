#include "jit/template_store.h"

#include "core/text.h"
#include "jit/include_roots.h"
#include "jit/kernel_sources.h"
#include "jit/stray_folders.h"
#include "spec/source_hash.h"
#include "spec/spec_json.h"
#include "warptune/build_config.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <set>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnatomy =
    "a kernel folder contains spec.json, the kernel's source and the reference's source (docs/spec.md)";

constexpr const char* kTemplates = "WARPTUNE_TEMPLATES";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_source(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The kernels installed with the running program, and with the library that contains this code in another program.
std::vector<fs::path> install_roots() {
  std::vector<fs::path> binaries;
  std::error_code error;
  if (fs::path exe = fs::read_symlink("/proc/self/exe", error); !error) binaries.push_back(std::move(exe));
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&install_roots), &info) != 0 && info.dli_fname != nullptr) {
    fs::path library = fs::canonical(info.dli_fname, error);
    if (!error) binaries.push_back(std::move(library));
  }
  std::vector<fs::path> roots;
  for (const fs::path& binary : binaries) { // PREFIX/bin/warptune, PREFIX/lib/libwarptune.so, PREFIX/lib/TRIPLET/...
    const fs::path folder = binary.parent_path().parent_path();
    for (const fs::path& prefix : {folder, folder.parent_path()})
      roots.push_back(prefix / "share" / "warptune" / "kernel_templates");
  }
  return roots;
}

// The folders of a list such as $PATH.
std::vector<fs::path> folders_of(const char* variable) {
  std::vector<fs::path> folders;
  if (const char* list = std::getenv(variable); list != nullptr)
    for (const std::string_view piece : split(list, ':'))
      if (!piece.empty()) folders.emplace_back(piece);
  return folders;
}

Result<Kernel> load_folder(const fs::path& folder, const std::vector<fs::path>& roots,
                           const std::vector<std::string>& also, const std::vector<fs::path>& include_roots) {
  auto descriptions = collect_descriptions(folder);
  if (!descriptions)
    return fail(ErrorKind::bad_input, fmt::format("{}: no readable spec.json in this folder ({}); {}", folder.string(),
                                                  descriptions.error().message, kAnatomy));
  FoldersElsewhere elsewhere;
  for (const std::string& implementation : also)
    WT_CHECK(add_implementation(implementation, folder, *descriptions, elsewhere));
  std::map<std::string, std::string> origins;
  for (const auto& [name, path] : elsewhere)
    origins.emplace(name + "/implementation.json", (path / "implementation.json").string());
  Kernel kernel;
  WT_TRY(kernel.spec, parse_spec(*descriptions, (folder / "spec.json").string(), origins));
  WT_CHECK(check_stray_folders(folder, kernel.spec));
  WT_TRY(kernel.sources, collect_sources(folder, kernel.spec, *descriptions, roots, elsewhere));
  WT_CHECK(add_included_headers(kernel.sources, kernel.spec, include_roots));
  kernel.source_hash = source_hash(kernel.spec, kernel.sources);
  kernel.origin = folder.string();
  return kernel;
}

} // namespace

bool is_shipped(const std::string& name, const std::string& source_hash) {
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..") return false;
  const TemplateStore store = TemplateStore::standard();
  const auto has_it = [&](const fs::path& root) { return is_source(root / name / "spec.json"); };
  if (std::none_of(store.roots().begin(), store.roots().end(), has_it)) return false; // maybe a folder here
  const auto kernel = store.load(name);
  return kernel && kernel->source_hash == source_hash;
}

Result<void> check_template_folders() {
  for (const fs::path& folder : folders_of(kTemplates))
    if (!is_folder(folder))
      return fail(ErrorKind::bad_input,
                  fmt::format("{} names {}, which is not a folder; correct it, or unset it to use "
                              "the shipped kernels",
                              kTemplates, quote(folder.string())));
  return {};
}

TemplateStore::TemplateStore(std::vector<fs::path> roots, std::vector<fs::path> include_roots)
    : roots_(std::move(roots)), include_roots_(std::move(include_roots)) {}

TemplateStore TemplateStore::standard(const std::vector<std::string>& include, const fs::path& first) {
  std::vector<fs::path> roots = folders_of(kTemplates);
  for (fs::path& root : install_roots()) roots.push_back(std::move(root));
  if (*kSourceDir != '\0') roots.push_back(fs::path(kSourceDir) / "kernel_templates");
  if (!first.empty()) roots.insert(roots.begin(), first);
  std::vector<fs::path> include_roots = folders_of("WARPTUNE_INCLUDE");
  include_roots.insert(include_roots.end(), include.begin(), include.end());
  return TemplateStore(std::move(roots), std::move(include_roots));
}

std::vector<std::string> TemplateStore::names() const {
  std::set<std::string> found;
  for (const fs::path& root : roots_) {
    std::error_code error;
    for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error))
      if (is_source(it->path() / "spec.json")) found.insert(it->path().filename().string());
  }
  return {found.begin(), found.end()};
}

Result<Kernel> TemplateStore::load(const std::string& name, const std::vector<std::string>& also) const {
  if (name.empty())
    return fail(ErrorKind::bad_input, "no kernel was named; give a shipped name or the path of a kernel folder");
  const bool is_path = name.find('/') != std::string::npos || name == "." || name == "..";
  if (!is_path)
    for (const fs::path& root : roots_)
      if (is_source(root / name / "spec.json")) return load_folder(root / name, roots_, also, include_roots_);
  const fs::path path = name;
  if (is_folder(path)) return load_folder(path, roots_, also, include_roots_);
  if (path.filename() == "spec.json" && is_source(path))
    return load_folder(path.parent_path() / ".", roots_, also, include_roots_);
  if (is_source(path))
    return fail(ErrorKind::bad_input, fmt::format("{} is a file; name its folder: {}", name, kAnatomy));
  if (path.extension() == ".json")
    return fail(ErrorKind::bad_input,
                fmt::format("{}: no such file; correct the path, or give the name of a shipped kernel or the path of a "
                            "kernel folder",
                            name));
  if (is_path) return fail(ErrorKind::bad_input, fmt::format("{}: no such folder; {}", name, kAnatomy));
  const std::vector<std::string> known = names();
  if (known.empty())
    return fail(ErrorKind::bad_input,
                fmt::format("unknown kernel {}: no shipped kernels were found beside this program; set "
                            "WARPTUNE_TEMPLATES to the folder kernel_templates, or give the path of "
                            "a kernel folder",
                            quote(name)));
  return fail(ErrorKind::bad_input, fmt::format("unknown kernel {}{}", quote(name), suggest_name(name, known)));
}

} // namespace warptune
