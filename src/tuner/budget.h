// How much of a space a session looks at. Counts proposals, measured or reused, so that a resumed session looks at the
// same candidates as an undisturbed one. parse_budget is declared in session.h.
#pragma once

#include "tuner/session.h"

#include <cstdint>

namespace warptune {

class BudgetMeter {
 public:
  // `spent_s`: what the session that is resumed had used already.
  BudgetMeter(const Budget& budget, std::int64_t space_size, double spent_s);

  bool out_of_time(double elapsed_s) const;
  std::int64_t limit() const { return limit_; } // candidates, at most; the whole space when seconds count

 private:
  std::int64_t limit_;
  double seconds_; // 0: no limit
  double spent_s_;
};

} // namespace warptune
