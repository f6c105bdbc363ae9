// The checks of `doctor`; each function makes one line, or a group of lines, of the command's output. The checks only
// read: they create no device context and no file.
#pragma once

#include <string>
#include <vector>

namespace warptune::cli {

struct Check {
  std::string name;
  bool ok = false;
  std::string found;  // what was found, or the problem
  std::string remedy; // how to fix the problem; empty if ok
};

std::vector<Check> check_gpus();
Check check_nvrtc();
Check check_cublaslt();
std::vector<Check> check_counters(); // CUPTI, and the permission to read counters
Check check_nvml();
Check check_database(const std::string& given);
Check check_templates();
Check check_cache();
Check check_recordings();

} // namespace warptune::cli
