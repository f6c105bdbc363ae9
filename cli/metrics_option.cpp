#include "cli/metrics_option.h"

#include "core/text.h"
#include "profiler/metric_sets.h"

#include <fmt/format.h>

namespace warptune::cli {

Result<void> read_profile_options(const std::string& scope, DType dtype, SessionOptions& session) {
  const auto profile = parse_profile_scope(scope);
  if (!profile)
    return fail(ErrorKind::bad_input, fmt::format("--profile takes none, best or all, not {}{}", quote(scope),
                                                  suggest_name(scope, {"none", "best", "all"})));
  session.profile = *profile;
  if (*profile == ProfileScope::none) return {};
  return check_metrics(session.metrics, dtype);
}

Result<void> check_metrics(const std::string& metrics, DType dtype) {
  auto asked = expand_metrics(metrics, dtype);
  if (!asked) return tl::make_unexpected(asked.error());
  return {};
}

} // namespace warptune::cli
