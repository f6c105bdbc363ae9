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

TEST(JsonOutput, AResultHasItsRoundsAndItsBaseline) {
  BestRecord best;
  EXPECT_TRUE(to_json(best)["baseline"].is_null());
  EXPECT_TRUE(to_json(best)["sm_clock_mhz"].is_null());
  best.baseline = "implementation=cublaslt,RANK=2";
  best.baseline_us = 105;
  best.without_calls = "implementation=wgmma,BM=64";
  best.without_calls_us = 102;
  best.finalists = {{"implementation=cublaslt,RANK=2", 101}, {"implementation=wgmma,BM=64", 102}};
  best.rounds = {
      {100, 0, 105, {1755, 60, 695, 4}}, {101, 150, 106, {1410, 61, 696, 4}}, {100, 0, 104, {1500, 0, 0, 0}}};
  const nlohmann::json json = to_json(best);
  EXPECT_EQ(json["baseline"], "implementation=cublaslt,RANK=2");
  EXPECT_EQ(json["baseline_us"], 105);
  EXPECT_EQ(json["without_calls"], "implementation=wgmma,BM=64");
  EXPECT_EQ(json["without_calls_us"], 102);
  ASSERT_EQ(json["finalists"].size(), 2U);
  EXPECT_EQ(json["finalists"][1]["config_text"], "implementation=wgmma,BM=64");
  EXPECT_EQ(json["finalists"][1]["config"]["BM"], 64);
  EXPECT_EQ(json["finalists"][1]["median_us"], 102);
  EXPECT_EQ(json["sm_clock_mhz"], 1500);
  EXPECT_EQ(json["sm_clock_min_mhz"], 1410);
  EXPECT_EQ(json["sm_clock_max_mhz"], 1755);
  ASSERT_EQ(json["rounds"].size(), 3U);
  EXPECT_TRUE(json["rounds"][0]["default_us"].is_null());
  EXPECT_EQ(json["rounds"][1]["default_us"], 150);
  EXPECT_EQ(json["rounds"][1]["sm_clock_mhz"], 1410);
  EXPECT_EQ(json["rounds"][1]["power_w"], 696);
  EXPECT_EQ(json["rounds"][1]["throttle_reasons"], 4);
}

} // namespace
} // namespace warptune::cli
