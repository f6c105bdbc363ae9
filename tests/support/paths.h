// Paths of test files, in the build tree (<build>/tests/<program>) and in the tree of make dist.
#pragma once

#include "warptune/build_config.h"

#include <filesystem>
#include <string_view>

namespace warptune::test {

// The folder of this test program.
inline std::filesystem::path program_dir() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

// The command line, for tests that run it as a user does.
inline std::filesystem::path cli() { return program_dir().parent_path() / "bin" / "warptune"; }

// tests/data.
inline std::filesystem::path data_dir() {
  if (std::string_view(kSourceDir).empty()) return program_dir() / "data";
  return std::filesystem::path(kSourceDir) / "tests" / "data";
}

// The folder that holds kernel_templates/, recordings/ and examples/.
inline std::filesystem::path share_dir() {
  if (std::string_view(kSourceDir).empty()) return program_dir().parent_path() / "share" / "warptune";
  return kSourceDir;
}

} // namespace warptune::test
