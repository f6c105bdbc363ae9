#include "db/stored_numbers.h"

namespace warptune::db {

namespace {
constexpr double kShortestUs = 1e-4, kLongestUs = 1e13;
constexpr double kMinAmount = 1e-18, kMaxAmount = 1e24;
constexpr double kMaxCounted = 1e18;
} // namespace

bool is_stored_time(double us) { return us >= kShortestUs && us <= kLongestUs; }
bool is_stored_time_or_0(double us) { return us == 0 || is_stored_time(us); }
bool is_stored_amount(double value) { return value == 0 || (value >= kMinAmount && value <= kMaxAmount); }
bool is_stored_count(double value) { return is_stored_amount(value) && value <= kMaxCounted; }

} // namespace warptune::db
