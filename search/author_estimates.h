// The author's estimates of log times, for strategies that compare configurations by them.
#pragma once

#include "search/knowledge.h"

#include <cmath>
#include <limits>

namespace warptune {

class AuthorEstimates {
 public:
  // `exist`: whether any configuration has an estimate. `knowledge` must outlive this object.
  AuthorEstimates(const Knowledge& knowledge, bool exist) : knowledge_(knowledge), exist_(exist) {}

  bool exist() const { return exist_; }

  // NaN: none, or none that can be a time.
  double log_time(ConfigIndex index) const {
    constexpr double kLongest = 700; // the exponential of a larger one overflows
    if (!exist_ || !knowledge_.expected_by_author(index)) return std::numeric_limits<double>::quiet_NaN();
    const double expected = knowledge_.expected_log_time(index);
    return std::abs(expected) < kLongest ? expected : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const Knowledge& knowledge_;
  bool exist_;
};

} // namespace warptune
