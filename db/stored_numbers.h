// Checks whether numbers in a row are plausible. The schema also allows implausible numbers: a time of 1e-300 us is
// finite and not negative, but breaks divisions and logarithms.
#pragma once

namespace warptune::db {

bool is_stored_time(double us);      // 0.1 ns to a few months
bool is_stored_time_or_0(double us); // whether it is a stored time, or 0 for "not known"
// Whether the number is 0, or positive and so far from the limits of its type that products and ratios of a few such
// numbers are finite.
bool is_stored_amount(double value);
// Whether the number can be a count of events: at most as many as in a kernel that runs for hours.
bool is_stored_count(double value);

} // namespace warptune::db
