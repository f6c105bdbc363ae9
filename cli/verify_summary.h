// What `verify` says at the end: one line a result, what was left out, how it all stands.
#pragma once

#include "tuner/recheck_rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warptune::cli {

struct VerifyReport {
  const RecheckRun& run;
  std::size_t asked = 0; // results that were to be looked at
  std::string database, device;
  std::uint64_t seed = 0;
  double tolerance = 0;
  std::vector<std::string> left_out, notes;
};

std::string verify_line(const RowReport& row); // of one result, as it ends
void print_verify_text(const VerifyReport& report);
void print_verify_json(const VerifyReport& report);

} // namespace warptune::cli
