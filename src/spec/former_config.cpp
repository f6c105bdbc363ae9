#include "spec/former_config.h"

#include "core/text.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace warptune {

bool is_former_config(const KernelSpec& spec, std::string_view config) {
  const auto has_former = [](const Implementation& implementation) { return !implementation.formerly.empty(); };
  if (std::none_of(spec.implementations.begin(), spec.implementations.end(), has_former)) return false;
  std::vector<std::pair<std::string_view, std::string_view>> given;
  for (const std::string_view piece : split(config, ',')) {
    const std::size_t equals = std::min(piece.find('='), piece.size());
    given.emplace_back(trim(piece.substr(0, equals)), trim(piece.substr(std::min(equals + 1, piece.size()))));
    if (given.back().first == kImplementation) return false;
  }
  const auto is_given = [&](const auto& former) {
    return std::find(given.begin(), given.end(), std::pair<std::string_view, std::string_view>(former)) != given.end();
  };
  return std::any_of(spec.implementations.begin(), spec.implementations.end(), [&](const Implementation& one) {
    return has_former(one) && std::all_of(one.formerly.begin(), one.formerly.end(), is_given);
  });
}

bool counts_for(const KernelSpec& spec, std::string_view wanted, std::string_view source_hash,
                std::string_view config) {
  return wanted.empty() || source_hash == wanted || is_former_config(spec, config);
}

} // namespace warptune
