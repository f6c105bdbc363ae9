#include "cli/environment.h"

#include "db/lock_timeout.h"
#include "jit/template_store.h"

namespace warptune::cli {

Result<void> check_environment() {
  WT_CHECK(db::lock_timeout_ms());
  return check_template_folders();
}

} // namespace warptune::cli
