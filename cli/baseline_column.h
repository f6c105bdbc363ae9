// The table column that compares results with the library calls that their sessions measured (--baseline).
#pragma once

#include "db/records.h"

#include <set>
#include <string>

namespace warptune::cli {

class BaselineColumn {
 public:
  void add(const BestRecord& best); // call it for every row before title() and cell()
  bool empty() const { return names_.empty(); }
  std::string title() const; // "vs cublaslt"; "vs baseline" if the rows have several baselines
  // "1.05x", with the baseline's name if the title does not have it; "winner" if the baseline won; "-" if there is no
  // baseline.
  std::string cell(const BestRecord& best) const;

 private:
  std::set<std::string> names_;
};

// Returns ", 1.05x cublaslt"; empty if there is no baseline, or if the baseline won.
std::string baseline_words(const BestRecord& best);

} // namespace warptune::cli
