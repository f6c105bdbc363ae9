#include "cli/sanitize.h"

namespace warptune::cli {

std::string first_line(const std::string& text) {
  const std::size_t start = text.find_first_not_of(" \r\n\t");
  return start == std::string::npos ? "" : text.substr(start, text.find('\n', start) - start);
}

} // namespace warptune::cli
