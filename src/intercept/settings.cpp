#include "intercept/settings.h"

#include <cstdlib>

namespace warptune::intercept {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

} // namespace

const Settings& settings() {
  static const Settings& all =
      *new Settings{environment(kDirVariable), environment(kKernelVariable), environment(kCuptiVariable),
                    std::strtoll(environment(kContentsVariable).c_str(), nullptr, 10)};
  return all;
}

} // namespace warptune::intercept
