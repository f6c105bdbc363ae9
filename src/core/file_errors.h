// The exit code of a file that cannot be written, by its cause: one table for all that writes files
// (docs/reliability.md). What concerns a database, as an input or an output, is of kind database whatever the cause.
#pragma once

#include "core/result.h"

#include <cerrno>

namespace warptune {

// A place that takes no more (a full disk, a quota, a limit of file sizes, a device that fails) is no mistake of
// the caller that named it; any other cause is: a folder that is missing, read-only or another's, a name that is too
// long.
constexpr ErrorKind kind_of_write_error(int error) {
  const bool takes_no_more = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return takes_no_more ? ErrorKind::internal : ErrorKind::bad_input;
}

} // namespace warptune
