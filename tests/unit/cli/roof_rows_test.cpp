#include "cli/roof_rows.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using testing::HasSubstr;

DeviceInfo measured_h200() {
  DeviceInfo device = h200_device();
  device.roofs = {};
  device.roofs.measured = true;
  device.roofs.driver = "580.159.04";
  device.roofs.dram_read_gbs = 4560;
  device.roofs.tensor_tflops = 954;
  device.roofs.l2_gbs = 8800;
  device.roofs.clocks = {{"dram_read_gbs", 1500}, {"tensor_tflops", 1780}, {"l2_gbs", 1980}};
  return device;
}

RoofRow row_of(const DeviceInfo& device, const std::string& name) {
  for (const RoofRow& row : roof_rows(device))
    if (row.roof.name == name) return row;
  ADD_FAILURE() << name;
  return {};
}

TEST(RoofRows, ATensorRoofIsJudgedAtItsClockToo) {
  const RoofRow row = row_of(measured_h200(), "tensor_tflops");
  EXPECT_NEAR(row.share, 0.891, 0.001);
  EXPECT_NEAR(row.share_at_clock, 0.991, 0.001);
}

TEST(RoofRows, MemoryHasAClockOfItsOwn) {
  const RoofRow row = row_of(measured_h200(), "dram_read_gbs");
  EXPECT_NEAR(row.share, 0.947, 0.001);
  EXPECT_EQ(row.share_at_clock, 0);
}

TEST(RoofRows, WhatIsNotKnownIsNotGuessed) {
  const RoofRow l2 = row_of(measured_h200(), "l2_gbs"); // not published
  EXPECT_EQ(l2.theoretical, 0);
  EXPECT_EQ(l2.share, 0);
  const RoofRow fp32 = row_of(measured_h200(), "fp32_tflops"); // not measured
  EXPECT_EQ(fp32.share, 0);
  EXPECT_TRUE(roof_rows(DeviceInfo()).empty());
}

TEST(RoofRows, TextAndJson) {
  DeviceInfo device = measured_h200();
  device.name = "evil\x1b[2J";
  const std::string shown = roofs_text(device, 0);
  EXPECT_THAT(shown, HasSubstr("evil\\x1b[2J, driver 580.159.04, SM clock at most 1980 MHz"));
  EXPECT_THAT(shown, HasSubstr("954 TFLOP/s"));
  EXPECT_THAT(shown, HasSubstr("1780 MHz"));
  EXPECT_THAT(shown, HasSubstr("99.1 %"));
  const nlohmann::json json = roofs_json(device);
  EXPECT_EQ(json["roofs"].size(), roof_names().size());
  EXPECT_EQ(json["roofs"][0]["name"], "dram_read_gbs");
  EXPECT_EQ(json["roofs"][0]["measured"], 4560);
  EXPECT_TRUE(json["roofs"][3]["theoretical"].is_null());
}

} // namespace
} // namespace warptune::cli
