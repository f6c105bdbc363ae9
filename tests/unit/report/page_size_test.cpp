// The size of a page; packing its columns loses nothing.
#include "report/packed_column.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "support/sample_view.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace warptune::report {
namespace {

using nlohmann::ordered_json;
using namespace test;

// Unpacks as web/unpack.js does.
ordered_json unpacked(const ordered_json& packed, std::size_t n) {
  if (packed.is_array()) return packed;
  if (packed.contains("all")) return ordered_json(n, packed["all"]);
  ordered_json column = ordered_json::array();
  if (packed.contains("values")) {
    for (const ordered_json& place : packed["at"]) column.push_back(packed["values"][place.get<std::size_t>()]);
    return column;
  }
  const int decimals = packed["decimals"];
  const double power = std::stod("1e" + std::to_string(std::abs(decimals)));
  for (const ordered_json& step : packed["by"]) {
    const auto value = static_cast<double>(packed["from"].get<std::int64_t>() + step.get<std::int64_t>());
    column.push_back(step == 0 ? ordered_json(nullptr) : ordered_json(decimals < 0 ? value * power : value / power));
  }
  return column;
}

void expect_kept(const ordered_json& column, const char* form) {
  const ordered_json packed = packed_column(column);
  EXPECT_EQ(unpacked(packed, column.size()), column) << packed.dump();
  EXPECT_TRUE(form == nullptr ? packed.is_array() : packed.contains(form)) << packed.dump();
  EXPECT_LE(packed.dump().size(), std::max<std::size_t>(column.dump().size(), 14));
}

TEST(PackedColumn, EachFormGivesBackWhatItWasGiven) {
  expect_kept(ordered_json::array(), nullptr);
  expect_kept({1, 2, 3}, nullptr);
  expect_kept({"a", 2.5, true}, nullptr);
  expect_kept({7, 7, 7}, "all");
  expect_kept({nullptr, nullptr}, "all");
  expect_kept({true, false, nullptr, true, false, nullptr, true, false, nullptr, true, false, nullptr}, "values");
  expect_kept({1.25e9, 64, 1.25e9, 64, 1.25e9, 64, 1.25e9, 64, nullptr, 64, 1.25e9, 1.25e9}, "values");
  expect_kept({123457000, 123459000, nullptr, 123460000, 123461000, 123462000, 123463000, 123457000}, "by");
  expect_kept({0.0123457, 0.0123459, nullptr, 0.0123471, 0.0123472, 0.0123473, 0.0123474, 0.012348}, "by");
  ordered_json quarters = {nullptr, 0};
  for (int i = -40; i < 40; ++i) quarters.push_back(i * 1.25);
  expect_kept(quarters, "by");
}

TEST(PackedColumn, NumbersThatStepsWouldChangeStayAsTheyAre) {
  expect_kept({9007199254740993, 9007199254740995, 9007199254740997, 9007199254740999}, nullptr);
  expect_kept({1e-30, 2e-30, 3e-30, 4e-30, 5e-30}, nullptr);
  expect_kept({1e300, 1e-300, 2e300, 3e300}, nullptr);
  expect_kept({0.1 + 0.2, 1.0 / 3, 1e15 + 0.125, 4e15}, nullptr);
  expect_kept({0, 1e-8, 123456789.0, 987654321.5}, nullptr);
}

// Counters are noise in every digit, except those that a template fixes; one trial in fifty fails and has none.
Report profiled_report(int trials, int counters) {
  constexpr int kLevels = 3;
  Report report = sample_report(trials);
  std::mt19937 random(1); // the same on every machine, as are the ratios below
  const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
  View& view = report.views[0];
  for (Point& p : view.points) {
    const double us = 100 * (1 + 3 * share());
    const Point timed = sample_point(static_cast<int>(p.trial.index), us);
    if (share() < 0.02) {
      p.trial.status = TrialStatus::wrong_result;
      p.trial.timing.reset();
      p.tflops = 0;
      p.levels = {};
      continue;
    }
    p = timed;
    Timing& timing = *p.trial.timing;
    timing.ci_low_us = us * (1 - 0.01 * share());
    timing.ci_high_us = us * (1 + 0.01 * share());
    timing.min_us = us * (1 - 0.02 * share());
    timing.rel_iqr = 0.05 * share();
    timing.temperature_c = std::round(40 + 4 * share());
    timing.power_w = std::round(300 + 400 * share());
    p.trial.compile_ms = 200 + 800 * share();
    for (int level = 0; level < kLevels; ++level) {
      const double bytes = 4e8 * (1 + (level + 0.2) * share());
      p.levels[static_cast<std::size_t>(level)] = {Origin::measured, bytes, bytes / us * 1e-3, 1e9 / bytes};
    }
    Profile profile;
    for (int m = 0; m < counters; ++m)
      profile.counters[fmt::format("unit__of_the_chip_{}.sum", m)] =
          std::round(std::pow(10, 5 + m % 6) * (1 + 8 * share()));
    p.trial.profile = profile;
  }
  return report;
}

TEST(PageSize, FiveThousandTrialsWithEveryCounterFitInThreeMegabytes) {
  const Report report = profiled_report(5000, 44);
  const std::string page = html_text(report, embedded_assets());
  EXPECT_LE(page.size(), 3'000'000U);
}

TEST(PageSize, ThePageHoldsEveryValueOfTheJson) {
  const Report report = profiled_report(300, 9);
  const ordered_json plain = ordered_json::parse(json_text(report))["views"][0]["trials"];
  const ordered_json packed = ordered_json::parse(page_data(report))["views"][0]["trials"];
  const std::size_t n = plain["n"];
  for (const auto& [name, column] : plain.items()) {
    if (name == "levels") {
      for (const auto& [level, parts] : column.items())
        for (const auto& [part, values] : parts.items())
          EXPECT_EQ(unpacked(packed[name][level][part], n), values) << level << " " << part;
    } else if (name == "config" || name == "counters") {
      ASSERT_EQ(packed[name].size(), column.size());
      for (std::size_t i = 0; i < column.size(); ++i) EXPECT_EQ(unpacked(packed[name][i], n), column[i]) << name << i;
    } else if (name != "n") {
      EXPECT_EQ(unpacked(packed[name], n), column) << name;
    }
  }
}

} // namespace
} // namespace warptune::report
