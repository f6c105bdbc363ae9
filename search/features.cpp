#include "search/features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warptune {
namespace {

constexpr Features::Scale kParamScale{0.2, 0.8};   // 95 %: a quarter of the range to six times it
constexpr Features::Scale kDerivedScale{1.2, 0.7}; // lengths of features derived from params: expected to be long
constexpr Features::Scale kValueScale{2.0, 0.7};   // lengths of features of single values: the order explains most
constexpr double kLogSpan = 4;                     // a param with at least this range is compared by ratios
constexpr std::size_t kExpectedSample = 256;       // configurations that give the range of the expected times
constexpr int kMaxHalvings = 8;
// Time and memory of a model grow with its features. Each param has a coordinate; only the first params have products
// and coordinates for their values.
constexpr std::size_t kMaxProducts = 66;
constexpr std::size_t kMaxOrderedValues = 24; // an ordered param with more has no coordinates for its values

bool is_category(const std::vector<double>& coordinates) {
  return std::any_of(coordinates.begin(), coordinates.end(), [](double c) { return !std::isfinite(c); });
}

// 0, 1, 2 ...: usually codes of alternatives, whose order has no meaning.
bool is_numbering(std::vector<double> coordinates) {
  std::sort(coordinates.begin(), coordinates.end());
  for (std::size_t v = 0; v < coordinates.size(); ++v)
    if (coordinates[v] != static_cast<double>(v)) return false;
  return coordinates.size() > 2;
}

std::vector<float> to_unit(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::vector<float> unit;
  unit.reserve(values.size());
  const double part = std::isfinite(*high - *low) ? 1 : 0.5; // the whole span may be more than a double holds
  for (const double v : values)
    unit.push_back(static_cast<float>((v * part - *low * part) / (*high * part - *low * part)));
  return unit;
}

// The number of halvings until the value is odd, at most kMaxHalvings; nullopt if it is not a positive whole number.
std::optional<int> halvings(double value) {
  if (value < 1 || value > 0x1p53 || value != std::floor(value)) return std::nullopt;
  int count = 0;
  for (auto v = static_cast<std::int64_t>(value); v % 2 == 0 && count < kMaxHalvings; v /= 2) ++count;
  return count;
}

bool is_power_of_two(double value) { return value >= 1 && std::exp2(std::round(std::log2(value))) == value; }

} // namespace

Features::Features(const SearchSpace& space, const Knowledge& knowledge) : space_(space), knowledge_(knowledge) {
  const auto& coordinates = space.coordinates();
  logs_.resize(coordinates.size());
  for (std::size_t p = 0; p < coordinates.size(); ++p) add_param(p, coordinates[p]);
  plain_ = columns_.size();
  for (std::size_t p = 0; p < coordinates.size(); ++p) add_divisibility(p, coordinates[p]);
  for (std::size_t p = 0; p < coordinates.size(); ++p)
    if (!is_category(coordinates[p]) && !is_numbering(coordinates[p]) && coordinates[p].size() > 2 &&
        coordinates[p].size() <= kMaxOrderedValues)
      add_values(p, coordinates[p].size(), kValueScale);
  add_products();
  add_expected_time();
}

void Features::add_param(std::size_t param, const std::vector<double>& coordinates) {
  if (coordinates.size() < 2) return;
  const auto add = [&](const std::vector<double>& values) {
    columns_.push_back({param, to_unit(values)});
    scales_.push_back(kParamScale);
  };
  const bool category = is_category(coordinates);
  if ((category || is_numbering(coordinates)) && add_values(param, coordinates.size(), kParamScale)) return;
  if (category) { // too many values: uses their order in the list
    std::vector<double> listed(coordinates.size());
    std::iota(listed.begin(), listed.end(), 0);
    return add(listed);
  }
  const auto [low, high] = std::minmax_element(coordinates.begin(), coordinates.end());
  if (*low == *high) return;
  // Zero ("none") is as far below one as two is above it.
  const double shift = *low == 0 ? 1 : 0;
  if (*low < 0 || (*high + shift) / (*low + shift) < kLogSpan) return add(coordinates);
  std::vector<double> logs;
  for (const double c : coordinates) logs.push_back(std::log2(c + shift));
  add(logs);
  if (shift == 0) logs_[param] = std::move(logs);
}

void Features::add_divisibility(std::size_t param, const std::vector<double>& coordinates) {
  if (logs_[param].size() < 5) return;
  if (std::all_of(coordinates.begin(), coordinates.end(), is_power_of_two)) return;
  std::vector<double> counts;
  for (const double c : coordinates) {
    const auto count = halvings(c);
    if (!count) return;
    counts.push_back(*count);
  }
  if (std::all_of(counts.begin(), counts.end(), [&](double c) { return c == counts.front(); })) return;
  columns_.push_back({param, to_unit(counts)});
  scales_.push_back({kParamScale.log_mean + 0.3, kParamScale.log_sd});
}

bool Features::add_values(std::size_t param, std::size_t count, const Scale& scale) {
  if (count > value_columns_left_) return false;
  value_columns_left_ -= count;
  for (std::size_t v = 0; v < count; ++v) {
    std::vector<float> chosen(count);
    chosen[v] = 1;
    columns_.push_back({param, std::move(chosen)});
    scales_.push_back(scale);
  }
  return true;
}

void Features::add_products() {
  const auto span = [this](std::size_t p) {
    const auto [low, high] = std::minmax_element(logs_[p].begin(), logs_[p].end());
    return *high - *low;
  };
  for (std::size_t a = 0; a < logs_.size(); ++a)
    for (std::size_t b = a + 1; b < logs_.size(); ++b)
      if (!logs_[a].empty() && !logs_[b].empty() && products_.size() < kMaxProducts) {
        products_.push_back({a, b, 1 / std::max(span(a), span(b))});
        scales_.push_back(kDerivedScale);
      }
}

void Features::add_expected_time() {
  if (!knowledge_.expected_log_time) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = kInfinity, high = -kInfinity;
  const std::size_t sample = std::min(kExpectedSample, static_cast<std::size_t>(space_.size()));
  for (std::size_t i = 0; i < sample; ++i) {
    const auto share = static_cast<double>(i) / static_cast<double>(sample);
    const auto index = static_cast<ConfigIndex>(share * static_cast<double>(space_.size()));
    const double expected = knowledge_.expected_log_time(index);
    if (!std::isfinite(expected)) continue;
    low = std::min(low, expected);
    high = std::max(high, expected);
  }
  expected_ = {std::isfinite(low) ? low : 0, high > low ? high - low : 0};
  scales_.push_back(kDerivedScale);
}

void Features::encode(ConfigIndex index, std::span<float> out) const {
  space_.positions(index, at_);
  std::size_t d = 0;
  for (const Column& column : columns_) out[d++] = column.value[static_cast<std::size_t>(at_[column.param])];
  for (const Product& product : products_) {
    const double first = logs_[product.first_param][static_cast<std::size_t>(at_[product.first_param])];
    const double second = logs_[product.second_param][static_cast<std::size_t>(at_[product.second_param])];
    out[d++] = static_cast<float>((first + second) * product.scale);
  }
  if (!knowledge_.expected_log_time) return;
  const double expected = knowledge_.expected_log_time(index);
  const bool tells = expected_.span > 0 && std::isfinite(expected);
  out[d] = tells ? static_cast<float>((expected - expected_.low) / expected_.span) : 0.5f;
}

} // namespace warptune
