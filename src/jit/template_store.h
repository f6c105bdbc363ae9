// Finds a kernel folder, either a shipped template by its name or a user's folder by its path, and reads its spec and
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
  SourceFiles sources;     // [0]: the kernel's source; then reference, spec.json, own headers, common/*.cuh
  std::string source_hash; // spec/source_hash.h
  std::string origin;      // the path that it was read from, for messages
};

// Whether `source_hash` is that of the shipped template of this name.
bool is_shipped(const std::string& name, const std::string& source_hash);

// Error (bad_input): a folder in $WARPTUNE_TEMPLATES does not exist.
Result<void> check_template_folders();

class TemplateStore {
 public:
  // Searches these folders for shipped templates: $WARPTUNE_TEMPLATES; share/warptune/kernel_templates next to the
  // program and next to the library with this code; the source tree (in a developer's build). Searches the folders in
  // $WARPTUNE_INCLUDE, then those in the argument `include`, for third-party headers. `first`: a folder of templates to
  // search before all others.
  static TemplateStore standard(const std::vector<std::string>& include = {}, const std::filesystem::path& first = {});
  explicit TemplateStore(std::vector<std::filesystem::path> roots,
                         std::vector<std::filesystem::path> include_roots = {});

  // `name`: a shipped template, or the path of a folder (a name that contains a '/' or is a directory). If the name is
  // unknown, the error suggests the nearest one. `also`: folders elsewhere, each with one more implementation.
  Result<Kernel> load(const std::string& name, const std::vector<std::string>& also = {}) const;
  std::vector<std::string> names() const;
  // The folders that are searched for templates. Each may also have suites/NAME.json, a shipped sweep.
  const std::vector<std::filesystem::path>& roots() const { return roots_; }

 private:
  std::vector<std::filesystem::path> roots_, include_roots_;
};

} // namespace warptune
