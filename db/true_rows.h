// Checks whether records are plausible. Readers and merges ignore implausible records.
#pragma once

#include "core/trial.h"
#include "db/records.h"

#include <cstdint>

namespace warptune::db {

bool can_be_true(const BestRecord& best);
bool can_be_true(const FinalRound& round);
bool can_be_true(const ParetoPoint& point);
bool can_be_true(const FinalTime& finalist);
bool can_be_true(const CheckRecord& check);
bool can_be_true(const PowerReading& power);

// Returns NVML's throttle reasons, as bits, from a stored number. A negative number is not valid, and gives no reasons.
std::uint64_t known_reasons(std::uint64_t stored);

} // namespace warptune::db
