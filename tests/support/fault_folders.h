// The planted faults of tests/data/faults: one kernel folder each, with a faulty configuration among correct ones, and
// the expected status and diagnostic in the file `expected`: CONFIG STATUS REGEX. Configurations that this file does
// not name are correct.
#pragma once

#include "jit/template_store.h"
#include "support/paths.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace warptune::test {

struct ExpectedFault {
  std::string status, evidence; // evidence: a regular expression for the diagnostic
};

struct FaultFolder {
  std::string name;
  Kernel kernel;
  std::map<std::string, ExpectedFault> expected; // by config_text
};

inline void PrintTo(const FaultFolder& folder, std::ostream* out) { *out << folder.name; }

inline std::vector<FaultFolder> fault_folders() {
  std::vector<FaultFolder> folders;
  const TemplateStore store({share_dir() / "kernel_templates"});
  for (const auto& entry : std::filesystem::directory_iterator(data_dir() / "faults")) {
    auto kernel = store.load(entry.path().string());
    if (!kernel) throw std::runtime_error(kernel.error().message);
    FaultFolder folder{entry.path().filename().string(), std::move(*kernel), {}};
    std::ifstream file(entry.path() / "expected");
    for (std::string line; std::getline(file, line);) {
      std::istringstream in(line);
      std::string config;
      ExpectedFault fault;
      in >> config >> fault.status >> std::ws;
      std::getline(in, fault.evidence);
      folder.expected.emplace(config, fault);
    }
    if (folder.expected.empty()) throw std::runtime_error(entry.path().string() + "/expected names no fault");
    folders.push_back(std::move(folder));
  }
  std::sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return folders;
}

// Compares one configuration's status and diagnostic with the expectation of its folder.
inline void expect_as_planted(const FaultFolder& folder, const std::string& config, const std::string& status,
                              const std::string& evidence) {
  SCOPED_TRACE(folder.name + " " + config + ": " + status + ": " + evidence);
  const auto fault = folder.expected.find(config);
  if (fault == folder.expected.end()) {
    EXPECT_EQ(status, "ok");
    return;
  }
  EXPECT_EQ(status, fault->second.status);
  EXPECT_TRUE(std::regex_search(evidence, std::regex(fault->second.evidence)));
}

} // namespace warptune::test
