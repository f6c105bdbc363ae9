#include "cli/overwrite.h"

#include "core/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune::cli {

Result<void> refuse_overwriting(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs) {
  const bool read = std::any_of(inputs.begin(), inputs.end(), [&](const std::filesystem::path& input) {
    std::error_code none;
    return std::filesystem::equivalent(output, input, none);
  });
  if (!read) return {};
  return fail(ErrorKind::bad_input,
              fmt::format("{} is read and would be written over; name another file with -o", quote(output.string())));
}

} // namespace warptune::cli
