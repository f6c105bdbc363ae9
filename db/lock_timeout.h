// How long to wait while another program writes to the database.
#pragma once

#include "core/result.h"

namespace warptune::db {

// Returns $WARPTUNE_DB_TIMEOUT (seconds) in ms; 10 s if it is not set. Error (bad_input): it is not a number from 0 to
// 86400.
Result<int> lock_timeout_ms();

// Returns the same timeout without errors, for SQLite: 10 s if the value is not valid.
int busy_timeout_ms();

} // namespace warptune::db
