// Parses the strings of one kernel's rows (problem keys, configurations) to values. Rows contain strings, because most
// readers have no spec (merge, listings, packs of any kernel). Only this class in db/ converts them. Each string is
// parsed once, because thousands of rows share it.
#pragma once

#include "spec/config.h"
#include "spec/problem.h"

#include <map>
#include <string>

namespace warptune {

class StoredValues {
 public:
  explicit StoredValues(const KernelSpec& spec) : spec_(&spec) {} // `spec` must outlive this object
  const KernelSpec& spec() const { return *spec_; }

  // Error: why the spec cannot read the string, which may come from other sources. References stay valid.
  const Result<Problem>& problem(const std::string& key);
  const Result<Config>& config(const std::string& text);

 private:
  const KernelSpec* spec_;
  std::map<std::string, Result<Problem>, std::less<>> problems_;
  std::map<std::string, Result<Config>, std::less<>> configs_;
};

} // namespace warptune
