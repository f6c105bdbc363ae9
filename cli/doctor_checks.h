// What `doctor` looks at, one function for each line or group of lines. Looks only: no device context, no file is
// created.
#pragma once

#include <string>
#include <vector>

namespace warptune::cli {

struct Check {
  std::string name;
  bool ok = false;
  std::string found;  // what is there, or what is wrong
  std::string remedy; // what to do; empty when ok
};

std::vector<Check> check_gpus();
Check check_nvrtc();
std::vector<Check> check_counters(); // CUPTI and the permission to read counters
Check check_nvml();
Check check_database(const std::string& given);
Check check_templates();
Check check_cache();
Check check_recordings();

} // namespace warptune::cli
