// Chooses the exit code for a file that cannot be written, by cause. All code that writes files uses this table
// (docs/reliability.md). Errors in reading or writing a database are always of kind database.
#pragma once

#include "core/result.h"

#include <cerrno>

namespace warptune {

// A destination that accepts no more data (full disk, quota, file size limit, failing device) is not the caller's
// mistake. Any other cause is the caller's mistake: a folder that is missing, read-only or owned by another user, or a
// name that is too long.
constexpr ErrorKind kind_of_write_error(int error) {
  const bool takes_no_more = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return takes_no_more ? ErrorKind::internal : ErrorKind::bad_input;
}

} // namespace warptune
