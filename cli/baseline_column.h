// The column of a table that compares results with the library calls of the same sessions (--baseline).
#pragma once

#include "db/records.h"

#include <set>
#include <string>

namespace warptune::cli {

class BaselineColumn {
 public:
  void add(const BestRecord& best); // for every row, before title() and cell()
  bool empty() const { return names_.empty(); }
  std::string title() const; // "vs cublaslt"; "vs baseline" if the rows have different baselines
  // "1.05x", with the name if the title has none; "winner" if the baseline won, "-" without a baseline.
  std::string cell(const BestRecord& best) const;

 private:
  std::set<std::string> names_;
};

// ", 1.05x cublaslt"; empty without a baseline, or if it won.
std::string baseline_words(const BestRecord& best);

} // namespace warptune::cli
