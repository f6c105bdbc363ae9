// The time of every configuration of a kernel on every tuned problem, for one dtype, one set of flags and one device.
// The transfer rule (predict/transfer.h) learns from it, and a pack covers its problems. Filled by Reader::timings (db)
// or from recordings; depends on neither.
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
  std::vector<Problem> problems; // problems of one dtype and one set of flags
  std::vector<Config> configs;
  std::vector<double> us; // median of problem p and config c: us[p * configs.size() + c]; NaN: not measured, or failed

  double at(std::size_t p, std::size_t c) const { return us[p * configs.size() + c]; }
};

// Whether a time is valid: positive and finite. Any other value counts as "not measured".
inline bool is_time(double us) { return us > 0 && us < std::numeric_limits<double>::infinity(); }

// Returns the shortest time of a problem; nullopt if none was measured.
std::optional<double> best_us(const TimingMatrix& matrix, std::size_t problem);

// Returns the matrix with its problems and configurations in an order that does not depend on their order in the input.
// Duplicates are merged (the shorter time is kept); problems and configurations without any time are left out.
TimingMatrix canonical(const TimingMatrix& matrix);

// Keeps only the given problems or configurations, by index, in the given order.
TimingMatrix with_problems(const TimingMatrix& matrix, const std::vector<std::size_t>& problems);
TimingMatrix with_configs(const TimingMatrix& matrix, const std::vector<std::size_t>& configs);
TimingMatrix without_problem(const TimingMatrix& matrix, std::size_t problem);

} // namespace warptune
