#include "cluster/facts.h"

#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using nlohmann::json;

// Members are numbers and texts. Others are skipped, because a copy of a deeply nested one would overflow the stack.
json fact(const std::optional<std::string>& facts, const char* key) {
  const json all = json::parse(facts.value_or(""), nullptr, false);
  if (!all.is_object()) return {};
  const auto member = all.find(key);
  return member == all.end() || member->is_structured() ? json() : *member;
}

} // namespace

std::string facts_text(const json& facts) { return facts.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string fact_text(const std::optional<std::string>& facts, const char* key) {
  const json value = fact(facts, key);
  return value.is_string() ? value.get<std::string>() : "";
}

double fact_number(const std::optional<std::string>& facts, const char* key) {
  const json value = fact(facts, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::int64_t fact_integer(const std::optional<std::string>& facts, const char* key) {
  const json value = fact(facts, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

} // namespace warptune
