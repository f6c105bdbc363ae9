// Formats times, sizes, shares and rates for people.
#pragma once

#include "core/trial.h"

#include <cstdint>
#include <string>

namespace warptune {

std::string time_text(double microseconds);                          // "12.34 us", "1.234 ms"; "-" for 0
std::string energy_text(double millijoules);                         // "812 uJ", "83.1 mJ", "1.08 J"; "-" for 0
std::string share_text(double share);                                // "92.1 %"; "-" for 0
std::string bytes_text(std::int64_t bytes);                          // "227 KiB"
std::string rate_text(double gbs);                                   // "4.12 TB/s"; "-" for 0
std::string tflops_text(double tflops);                              // "64.2 TFLOP/s"; "-" for 0
std::string three_digits(double value);                              // "41.2", "3130", never "3.13e+03"
std::string count_text(std::int64_t count, const std::string& noun); // "1 trial", "3 trials"
std::string status_text(TrialStatus status);                         // "compile failed"

} // namespace warptune
