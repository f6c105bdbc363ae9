// A report's text as a file: all of it or none, and never in place of something else.
#pragma once

#include "core/result.h"

#include <filesystem>
#include <string_view>

namespace warptune::report {

// Written beside its place and renamed into it, so that a failure leaves what was there. An existing file that is no
// report of ours is refused unless `force`. Errors are bad_input: what, where, why.
Result<void> write_report(const std::filesystem::path& file, std::string_view text, bool force);

} // namespace warptune::report
