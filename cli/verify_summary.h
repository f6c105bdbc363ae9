// What `recheck` prints at its end: one line per result, the results left out, and an overall verdict.
#pragma once

#include "tuner/recheck_rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

struct VerifyReport {
  const RecheckRun& run;
  std::size_t asked = 0; // number of results to check
  std::string database, device;
  std::uint64_t seed = 0;
  double tolerance = 0;
  std::vector<std::string> left_out, notes;
};

std::string verify_line(const RowReport& row); // printed when the check of this result ends
void print_verify_text(const VerifyReport& report, bool wide);
void print_verify_json(const VerifyReport& report);

} // namespace warptune::cli
