#include "db/lock_timeout.h"

#include "core/text.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <system_error>

namespace warptune::db {
namespace {

constexpr int kDefaultMs = 10'000;

} // namespace

Result<int> lock_timeout_ms() {
  const char* text = std::getenv("WARPTUNE_DB_TIMEOUT");
  if (!text || !*text) return kDefaultMs;
  const char* const end = text + std::strlen(text);
  double seconds = 0;
  const auto [stop, error] = std::from_chars(text, end, seconds); // ignores the locale, unlike strtod
  if (error == std::errc() && stop == end && seconds >= 0 && seconds <= 86'400) return static_cast<int>(seconds * 1000);
  return fail(
      ErrorKind::bad_input,
      fmt::format("WARPTUNE_DB_TIMEOUT must be a number of seconds from 0 to 86400, not {}; correct it or unset "
                  "it",
                  quote(text)));
}

int busy_timeout_ms() { return lock_timeout_ms().value_or(kDefaultMs); }

} // namespace warptune::db
