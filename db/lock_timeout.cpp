#include "db/lock_timeout.h"

#include "core/text.h"

#include <cstdlib>
#include <fmt/format.h>

namespace warptune::db {
namespace {

constexpr int kDefaultMs = 10'000;

} // namespace

Result<int> lock_timeout_ms() {
  const char* text = std::getenv("WARPTUNE_DB_TIMEOUT");
  if (!text || !*text) return kDefaultMs;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end == '\0' && seconds >= 0 && seconds <= 86'400) return static_cast<int>(seconds * 1000);
  return fail(
      ErrorKind::bad_input,
      fmt::format("WARPTUNE_DB_TIMEOUT must be a number of seconds from 0 to 86400, not {}; correct it or unset "
                  "it",
                  quote(text)));
}

int busy_timeout_ms() { return lock_timeout_ms().value_or(kDefaultMs); }

} // namespace warptune::db
