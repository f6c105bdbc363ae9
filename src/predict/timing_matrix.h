// The measured times of a kernel's configurations on its tuned problems, for one dtype, one set of flags and one
// device. The transfer rule (predict/transfer.h) learns from this matrix, and `pack` chooses configurations that cover
// the matrix's problems. Reader::timings (db) or a recording fills it.
#pragma once

#include "spec/problem.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warptune {

struct TimingMatrix {
  std::string device_name, arch;
  std::vector<Problem> problems; // all of one dtype and one set of flags
  std::vector<Config> configs;
  std::vector<double>
      us; // us[p * configs.size() + c] is the median of problem p and config c; NaN: not measured, or failed

  double at(std::size_t p, std::size_t c) const { return us[p * configs.size() + c]; }
};

// Whether a value is a valid time: positive and finite. Any other value counts as "not measured".
inline bool is_time(double us) { return us > 0 && us < std::numeric_limits<double>::infinity(); }

// Returns the shortest time of a problem; nullopt if none was measured.
std::optional<double> best_us(const TimingMatrix& matrix, std::size_t problem);

// Returns the matrix in a canonical order of problems and configurations. Merges duplicates, keeping the shorter time,
// and leaves out problems and configurations that have no time.
TimingMatrix canonical(const TimingMatrix& matrix);

// These functions return a copy with only the given problems or configurations, by index and in the given order.
TimingMatrix with_problems(const TimingMatrix& matrix, const std::vector<std::size_t>& problems);
TimingMatrix with_configs(const TimingMatrix& matrix, const std::vector<std::size_t>& configs);
// Returns a copy without this problem.
TimingMatrix without_problem(const TimingMatrix& matrix, std::size_t problem);

} // namespace warptune
