// The shipped kernels and the operators of examples/*_operators, which tests find by folder and not by name.
#pragma once

#include "jit/template_store.h"
#include "support/paths.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace warptune::test {

inline TemplateStore operator_store() {
  std::vector<std::filesystem::path> folders;
  for (const auto& folder : std::filesystem::directory_iterator(share_dir() / "examples"))
    if (folder.path().string().ends_with("_operators")) folders.push_back(folder.path());
  std::sort(folders.begin(), folders.end());
  folders.insert(folders.begin(), share_dir() / "kernel_templates");
  return TemplateStore(folders);
}

} // namespace warptune::test
