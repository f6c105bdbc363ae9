#include "gpu/toolkit_search.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace warptune {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// <environment>/lib/python3.X/site-packages/nvidia/<package>/lib
std::vector<fs::path> python_folders() {
  std::vector<fs::path> found;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string root = environment(variable);
    if (root.empty()) continue;
    std::error_code ignored;
    for (const auto& python : fs::directory_iterator(fs::path(root) / "lib", ignored))
      for (const auto& package : fs::directory_iterator(python.path() / "site-packages" / "nvidia", ignored))
        found.push_back(package.path() / "lib");
  }
  return found;
}

} // namespace

std::vector<std::string> toolkit_library_candidates(const char* order, std::span<const char* const> names) {
  std::vector<std::string> found;
  const auto add_directory = [&](const fs::path& directory) {
    for (const char* name : names)
      if (is_there(directory / name)) found.push_back((directory / name).string());
  };
  if (const std::string chosen = environment(order); !chosen.empty()) {
    std::error_code ignored;
    if (!fs::is_directory(chosen, ignored)) return {chosen};
    add_directory(chosen);
    if (found.empty()) found.push_back((fs::path(chosen) / names.front()).string());
    return found;
  }
  for (const std::string& root : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (root.empty()) continue;
    for (const char* folder : kFolders) add_directory(fs::path(root) / folder);
  }
  for (const fs::path& folder : python_folders()) add_directory(folder);
  found.insert(found.end(), names.begin(), names.end());
  return found;
}

std::string mapped_library_path(void* symbol, const std::string& asked) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return asked;
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  return error ? std::string(info.dli_fname) : real.string();
}

} // namespace warptune
