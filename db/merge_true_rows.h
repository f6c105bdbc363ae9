// Whether a row that is merged can be true, by the rules of those who read it (db/true_rows.h).
#pragma once

#include "db/merge_rows.h"

namespace warptune::db {

bool can_be_true(const Row& row);

} // namespace warptune::db
