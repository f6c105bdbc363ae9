#include "db/stored_values.h"

namespace warptune {

const Result<Problem>& StoredValues::problem(const std::string& key) {
  auto found = problems_.find(key);
  if (found == problems_.end()) found = problems_.emplace(key, parse_problem_key(*spec_, key)).first;
  return found->second;
}

const Result<Config>& StoredValues::config(const std::string& text) {
  auto found = configs_.find(text);
  if (found == configs_.end()) found = configs_.emplace(text, parse_config(*spec_, text)).first;
  return found->second;
}

} // namespace warptune
