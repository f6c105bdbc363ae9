// Finds kernel folders: shipped templates by name, or a user's folder by path. Loads the spec and its
// sources.
#pragma once

#include "core/result.h"
#include "spec/source_files.h"
#include "spec/spec.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warptune {

struct Kernel {
  KernelSpec spec;
  SourceFiles sources;     // [0] the kernel's source; then reference, spec.json, own headers, common/*.cuh
  std::string source_hash; // spec/source_hash.h
  std::string origin;      // the path that it was loaded from, for messages
};

// Whether sources with this hash are those of the shipped template of this name.
bool is_shipped(const std::string& name, const std::string& source_hash);

// Error (kind bad_input): a folder in $WARPTUNE_TEMPLATES does not exist.
Result<void> check_template_folders();

class TemplateStore {
 public:
  // These directories are searched for shipped templates: $WARPTUNE_TEMPLATES, share/warptune/kernel_templates beside
  // the program and beside the library that contains this code, and the source tree of a developer's build. Third-party
  // headers ("include" of spec.json) are searched under $WARPTUNE_INCLUDE, then under `include`. `first`: searched
  // before all others.
  static TemplateStore standard(const std::vector<std::string>& include = {}, const std::filesystem::path& first = {});
  explicit TemplateStore(std::vector<std::filesystem::path> roots,
                         std::vector<std::filesystem::path> include_roots = {});

  // `name` is a shipped name, or a path to a folder (it contains a '/' or is a directory). If it is unknown, the error
  // suggests the nearest name. `also`: folders elsewhere, each with a further implementation.
  Result<Kernel> load(const std::string& name, const std::vector<std::string>& also = {}) const;
  std::vector<std::string> names() const;
  // Each root may also contain suites/NAME.json, the shipped sweeps.
  const std::vector<std::filesystem::path>& roots() const { return roots_; }

 private:
  std::vector<std::filesystem::path> roots_, include_roots_;
};

} // namespace warptune
