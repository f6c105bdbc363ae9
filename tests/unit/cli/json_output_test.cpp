#include "cli/json_output.h"
#include "support/distinct.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

template <class T> void expect_all(const nlohmann::json& json, const T& value) {
  for_each_scalar<T>([&](const auto& m) {
    ASSERT_TRUE(json.contains(m.name)) << m.name;
    EXPECT_EQ(json[m.name], nlohmann::json(value.*m.at)) << m.name;
  });
}

TEST(JsonOutput, ShowsEveryMemberOfATrialAndADevice) {
  const auto trial = test::Distinct().make<Trial>();
  const nlohmann::json json = to_json(trial);
  expect_all(json, trial);
  expect_all(json, trial.resources);
  expect_all(json["verdict"], *trial.verdict);
  expect_all(json["timing"], *trial.timing);
  expect_all(json["profile"], *trial.profile);
  expect_all(json["power"], *trial.power);
  EXPECT_EQ(json["timing"]["samples_us"].size(), 2U);
  const auto device = test::Distinct().make<DeviceInfo>();
  expect_all(to_json(device), device);
  expect_all(to_json(device)["limits"], device.limits);
}

TEST(JsonOutput, WhatIsNotKnownIsNull) {
  EXPECT_TRUE(to_json(Timing{})["power_w"].is_null());
  EXPECT_EQ(to_json(Timing{})["rel_iqr"], 0);
  EXPECT_TRUE(to_json(DeviceInfo{})["max_sm_clock_mhz"].is_null());
  EXPECT_EQ(to_json(DeviceInfo{})["memory_bus_bits"], 0);
  EXPECT_TRUE(to_json(Trial{})["occupancy"].is_null());
  EXPECT_TRUE(to_json(Trial{})["timing"].is_null());
}

} // namespace
} // namespace warptune::cli
