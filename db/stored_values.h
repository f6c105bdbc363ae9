// Parses the strings in the rows of one kernel (problem keys, configurations) to values. Rows have strings, because
// most readers have no spec (merge, listings, packs of any kernel). In db/, only this class converts them. Each string
// is parsed only once, because thousands of rows share it.
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

  // Error: why the spec cannot read the string. The string may belong to other sources. The returned references stay
  // valid.
  const Result<Problem>& problem(const std::string& key);
  const Result<Config>& config(const std::string& text);

 private:
  const KernelSpec* spec_;
  std::map<std::string, Result<Problem>, std::less<>> problems_;
  std::map<std::string, Result<Config>, std::less<>> configs_;
};

} // namespace warptune
