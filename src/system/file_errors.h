// Maps the cause of a failed write to the kind of its error, and so to an exit code (docs/reliability.md). All code
// that writes files uses this function, except code for databases: read and write errors of databases are always of
// kind `database`.
#pragma once

#include "core/result.h"

#include <cerrno>

namespace warptune {

// If the destination cannot take more data (full disk, quota, file size limit, failing device), the caller did nothing
// wrong. Any other cause is the caller's mistake: a folder that is missing, read-only or owned by another user, or a
// name that is too long.
constexpr ErrorKind kind_of_write_error(int error) {
  const bool takes_no_more = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return takes_no_more ? ErrorKind::internal : ErrorKind::bad_input;
}

} // namespace warptune
