#include "jit/include_roots.h"

#include "core/text.h"
#include "jit/kernel_sources.h"
#include "spec/source_hash.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20; // limit for all headers of a kernel, which every record stores

std::string roots_text(const std::vector<fs::path>& roots) {
  std::string text;
  for (const fs::path& root : roots) text += (text.empty() ? "" : ", ") + root.string();
  return text;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

class HeaderReader {
 public:
  HeaderReader(SourceFiles& sources, const KernelSpec& spec, const std::vector<fs::path>& roots)
      : sources_(sources), spec_(spec), roots_(roots) {
    for (const auto& [name, text] : sources.files) known_.insert(name);
  }

  Result<void> check_roots() const {
    for (const std::string& name : spec_.include) {
      const bool found = std::any_of(roots_.begin(), roots_.end(), [&](const fs::path& root) {
        return is_there(root / name) || (root / "").parent_path().filename() == name;
      });
      if (!found)
        return fail(ErrorKind::bad_input,
                    fmt::format("{} includes headers of {}; name the folder that contains {} with --include DIR{}",
                                spec_.name, quote(name), quote(name),
                                roots_.empty() ? "" : " (given: " + roots_text(roots_) + ")"));
    }
    return {};
  }

  // Reads all included files, depth-first, each once.
  Result<void> read_from(const std::string& main) {
    std::vector<std::string> open = {main};
    while (!open.empty()) {
      const std::string file = std::move(open.back());
      open.pop_back();
      if (!seen_.insert(file).second) continue;
      const std::string* text = find_source(sources_, file);
      if (!text) continue;
      for (const IncludedName& included : included_names(*text)) {
        WT_TRY(const std::string found, find(file, included));
        if (!found.empty()) open.push_back(found);
      }
    }
    return {};
  }

 private:
  // Returns the name of the source that `file` includes by this name, after reading it if it is new. Empty: a header of
  // the compiler, or one that is not needed.
  Result<std::string> find(const std::string& file, const IncludedName& include) {
    const std::string& included = include.name;
    const std::size_t slash = file.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : file.substr(0, slash + 1);
    const std::string names[] = {normal_include(folder + included), normal_include(included)};
    for (const std::string& name : names)
      if (known_.count(name) != 0) return name;
    for (const std::string& name : names)
      for (const fs::path& root : roots_) {
        if (name.starts_with("..") || !is_file(root / name)) continue;
        WT_CHECK(read(root, name));
        return name;
      }
    const std::string first = included.substr(0, included.find('/'));
    const auto& wanted = spec_.include;
    if (std::find(wanted.begin(), wanted.end(), first) == wanted.end()) return std::string();
    if (include.is_conditional) return std::string(); // the compiler reports it if it is needed
    return fail(
        ErrorKind::bad_input,
        fmt::format("{}: {} includes {}, which is in none of {}; name the folder that contains {} with --include DIR",
                    spec_.name, file, quote(included), roots_text(roots_), quote(first)));
  }

  Result<void> read(const fs::path& root, const std::string& name) {
    auto text = read_source_file(root / name);
    if (!text)
      return fail(ErrorKind::bad_input,
                  fmt::format("{}: cannot read {} ({})", spec_.name, (root / name).string(), text.error().message));
    bytes_ += text->size();
    if (bytes_ > kMaxBytes)
      return fail(ErrorKind::bad_input, fmt::format("{} includes more than {} MiB of headers; one of them is {}",
                                                    spec_.name, kMaxBytes >> 20, name));
    known_.insert(name);
    sources_.files.emplace_back(name, std::move(*text));
    return {};
  }

  SourceFiles& sources_;
  const KernelSpec& spec_;
  const std::vector<fs::path>& roots_;
  std::set<std::string> known_, seen_;
  std::size_t bytes_ = 0;
};

} // namespace

Result<void> add_included_headers(SourceFiles& sources, const KernelSpec& spec, const std::vector<fs::path>& roots) {
  if (spec.include.empty()) return {};
  HeaderReader reader(sources, spec, roots);
  WT_CHECK(reader.check_roots());
  for (const Implementation& implementation : spec.implementations)
    if (!implementation.build && !implementation.source.empty()) // the compiler of a build command finds them
      WT_CHECK(reader.read_from(implementation.source));
  WT_CHECK(reader.read_from(spec.reference.source));
  if (spec.prepare) WT_CHECK(reader.read_from(spec.prepare->source));
  return {};
}

} // namespace warptune
