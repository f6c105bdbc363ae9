// Numbers as people read them: times, shares, sizes, durations. The same words in every command.
#pragma once

#include "core/trial.h"

#include <cstdint>
#include <map>
#include <string>

namespace warptune::cli {

std::string time_text(double microseconds);                          // "12.34 us", "1.234 ms"; "-" for 0
std::string energy_text(double millijoules);                         // "812 uJ", "83.1 mJ", "1.08 J"; "-" for 0
std::string share_text(double share);                                // "92.1 %"; "-" for 0
std::string bytes_text(std::int64_t bytes);                          // "227 KiB"
std::string duration_text(double seconds);                           // "4 s", "1m05s", "2h03m"
std::string rate_text(double gbs);                                   // "4.12 TB/s"
std::string tflops_text(double tflops);                              // "64.2 TFLOP/s"; "-" for 0
std::string three_digits(double per_s);                              // "41.2", "3130", never "3.13e+03"
std::string count_text(std::int64_t count, const std::string& noun); // "1 trial", "3 trials"

std::string status_text(TrialStatus status); // "compile failed"
std::int64_t failure_count(const std::map<TrialStatus, std::int64_t>& by_status);
// "2 compile failed, 1 wrong result"; empty when nothing failed.
std::string failures_text(const std::map<TrialStatus, std::int64_t>& by_status);

} // namespace warptune::cli
