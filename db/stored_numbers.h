// Checks whether the numbers of a row are plausible. The schema is less strict: a time of 0 or 1e-300 us is finite and
// not negative, but breaks divisions and logarithms.
#pragma once

namespace warptune::db {

bool is_stored_time(double us);      // whether `us` is a plausible time: 0.1 ns to a few months
bool is_stored_time_or_0(double us); // 0: not known
// Whether a number is 0, or positive and so far from the limits of its type that products and ratios of a few such
// numbers stay finite.
bool is_stored_amount(double value);
bool is_stored_count(double value); // a plausible event count: at most that of a kernel that runs for hours

} // namespace warptune::db
