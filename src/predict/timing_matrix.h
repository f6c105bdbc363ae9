// What every configuration of a kernel took on every tuned problem, for one dtype, one set of flags and one device:
// what the transfer rule (predict/transfer.h) learns from and what a pack covers. Filled by db's Reader::timings or
// from recordings; knows neither.
#pragma once

#include "space/space.h"
#include "spec/problem.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct TimingMatrix {
  std::string device_name, arch;
  std::vector<Problem> problems; // of one dtype and one set of flags
  std::vector<Config> configs;
  std::vector<double>
      us; // median of problem p and config c: us[p * configs.size() + c]; NaN: not measured, or it failed

  double at(std::size_t p, std::size_t c) const { return us[p * configs.size() + c]; }
};

// What can be believed: a positive finite time. Anything else reads as "not measured".
inline bool is_time(double us) { return us > 0 && us < std::numeric_limits<double>::infinity(); }

// The shortest time of a problem; nothing when none was measured.
std::optional<double> best_us(const TimingMatrix& matrix, std::size_t problem);

// The matrix with problems and configurations in an order that does not depend on that of the rows, doubles merged (the
// shorter time stands), problems without any time and configurations without any left out.
TimingMatrix canonical(const TimingMatrix& matrix);

// Of a matrix only the given problems or configurations, by index, in the order given.
TimingMatrix with_problems(const TimingMatrix& matrix, const std::vector<std::size_t>& problems);
TimingMatrix with_configs(const TimingMatrix& matrix, const std::vector<std::size_t>& configs);
TimingMatrix without_problem(const TimingMatrix& matrix, std::size_t problem);

} // namespace warptune
