// Which records can be true: those that readers give, and that a merge takes over.
#pragma once

#include "core/trial.h"
#include "db/records.h"

#include <cstdint>

namespace warptune::db {

bool can_be_true(const BestRecord& best);
bool can_be_true(const FinalRound& round);
bool can_be_true(const ParetoPoint& point);
bool can_be_true(const CheckRecord& check);
bool can_be_true(const PowerReading& power);

// NVML's bits as they are stored; a number below 0 says nothing, so that no reason is known.
std::uint64_t known_reasons(std::uint64_t stored);

} // namespace warptune::db
