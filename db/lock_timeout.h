// How long a program waits while another one writes to the database.
#pragma once

#include "core/result.h"

namespace warptune::db {

// $WARPTUNE_DB_TIMEOUT seconds, in ms; 10 s if not set. Error (kind bad_input): not a number of seconds from 0 to
// 86400.
Result<int> lock_timeout_ms();

// The same for SQLite; 10 s if the value is not valid.
int busy_timeout_ms();

} // namespace warptune::db
