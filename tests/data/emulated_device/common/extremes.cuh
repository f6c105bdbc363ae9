// In place of the shipped header.
#pragma once

#include "common/prelude.cuh"

namespace wt {

struct MaxNan {
  float operator()(float a, float b) const { return a > b || a != a ? a : b; }
};
struct MinNan {
  float operator()(float a, float b) const { return a < b || a != a ? a : b; }
};

} // namespace wt
