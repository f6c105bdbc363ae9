// The texts of one kernel's rows as values: keys of problems, configurations. Rows hold texts, for most readers know no
// spec (merge, listings, packs of any kernel); this is where db/ turns them into values. Each text is read once:
// thousands of rows name the same.
#pragma once

#include "spec/config.h"
#include "spec/problem.h"

#include <map>
#include <string>

namespace warptune {

class StoredValues {
 public:
  explicit StoredValues(const KernelSpec& spec) : spec_(&spec) {} // which must outlive it
  const KernelSpec& spec() const { return *spec_; }

  // Error: why the text is not of this spec; rows of other sources may have such. References stay valid.
  const Result<Problem>& problem(const std::string& key);
  const Result<Config>& config(const std::string& text);

 private:
  const KernelSpec* spec_;
  std::map<std::string, Result<Problem>, std::less<>> problems_;
  std::map<std::string, Result<Config>, std::less<>> configs_;
};

} // namespace warptune
