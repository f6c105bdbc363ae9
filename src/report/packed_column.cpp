#include "report/packed_column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace warptune::report {
namespace {

using json = nlohmann::ordered_json;

std::optional<json> as_one_value(const json& column) {
  const auto differs = [&](const json& value) { return value != column.front(); };
  if (column.empty() || std::any_of(column.begin(), column.end(), differs)) return std::nullopt;
  return json::object({{"all", column.front()}});
}

json as_few_values(const json& column) {
  std::map<json, std::size_t> places;
  json values = json::array(), at = json::array();
  for (const json& value : column) {
    const auto [found, is_new] = places.emplace(value, places.size());
    if (is_new) values.push_back(value);
    at.push_back(found->second);
  }
  return {{"values", std::move(values)}, {"at", std::move(at)}};
}

// The number of decimals that the value needs; negative if it ends in zeros before the point.
int decimals_of(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific).ptr; // "1.25e+03"
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e'), point = text.find('.');
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 1 : 0; // from_chars accepts only the minus sign
  std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), exponent);
  return (point == std::string_view::npos ? 0 : static_cast<int>(e - point - 1)) - exponent;
}

// web/unpack.js computes the same with the same single rounding, because the power is exact.
double value_of(std::int64_t steps, int decimals) {
  constexpr std::array kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const double power = kPowers[static_cast<std::size_t>(std::abs(decimals))];
  return decimals < 0 ? static_cast<double>(steps) * power : static_cast<double>(steps) / power;
}

// nullopt: not all values are numbers that this form restores exactly.
std::optional<json> as_steps(const json& column) {
  constexpr int kMaxDecimals = 22;              // exponent of the largest power of ten that a double holds exactly
  constexpr double kExact = 9007199254740992.0; // 2^53: up to here a double holds every whole number
  constexpr double kMaxExactSteps = 1e15;       // so that their differences are exact as well
  std::optional<int> decimals;
  for (const json& value : column) {
    if (value.is_null()) continue;
    if (!value.is_number() || std::abs(value.get<double>()) > kExact) return std::nullopt;
    if (value != 0) decimals = std::max(decimals.value_or(-kMaxDecimals), decimals_of(value.get<double>()));
  }
  if (!decimals || *decimals > kMaxDecimals) return std::nullopt;
  std::vector<std::optional<std::int64_t>> steps;
  std::optional<std::int64_t> least;
  for (const json& value : column) {
    steps.emplace_back();
    if (value.is_null()) continue;
    const double scaled = std::round(value.get<double>() / value_of(1, *decimals));
    if (std::abs(scaled) > kMaxExactSteps) return std::nullopt;
    steps.back() = static_cast<std::int64_t>(scaled);
    if (value_of(*steps.back(), *decimals) != value.get<double>()) return std::nullopt;
    least = std::min(least.value_or(*steps.back()), *steps.back());
  }
  const std::int64_t from = *least - 1;
  json by = json::array();
  for (const auto& step : steps) by.push_back(step ? *step - from : 0);
  return json::object({{"decimals", *decimals}, {"from", from}, {"by", std::move(by)}});
}

bool is_column(const json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(), [](const json& v) { return v.is_structured(); });
}

} // namespace

json packed_column(const json& column) {
  if (std::optional<json> one = as_one_value(column)) return *one;
  json shortest = column;
  std::size_t size = column.dump().size();
  for (std::optional<json>& form : std::array{std::optional(as_few_values(column)), as_steps(column)}) {
    const std::size_t its_size = form ? form->dump().size() : size;
    if (its_size >= size) continue;
    shortest = std::move(*form);
    size = its_size;
  }
  return shortest;
}

void pack_trials(json& trials) {
  if (is_column(trials))
    trials = packed_column(trials);
  else if (trials.is_structured())
    for (json& part : trials) pack_trials(part);
}

} // namespace warptune::report
