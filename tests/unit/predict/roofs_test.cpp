// The theoretical roofs compared with NVIDIA's data sheets, and which of a device's roofs bounds which work.
#include "core/device_table.h"
#include "predict/roofline.h"
#include "predict/theoretical_roofs.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

void expect_near(double value, double sheet, const char* what) {
  EXPECT_NEAR(value, sheet, 0.012 * sheet) << what; // data sheets round their figures, and their clocks as well
}

TEST(TheoreticalRoofs, AreThoseOfTheA100DataSheet) {
  const Roofs r = theoretical_roofs(*device_of_arch("sm_80"));
  EXPECT_FALSE(r.measured);
  expect_near(r.dram_read_gbs, 2039, "80 GB SXM");
  expect_near(r.fp32_tflops, 19.5, "fp32");
  expect_near(r.fp64_tflops, 9.7, "fp64");
  expect_near(r.fp16_tflops, 78, "fp16");
  expect_near(r.tensor_tflops, 312, "bf16 tensor");
  expect_near(r.tensor_fp16_tflops, 312, "fp16 tensor");
  expect_near(r.tensor_tf32_tflops, 156, "tf32 tensor");
  expect_near(r.tensor_int8_tflops, 624, "int8 tensor");
  expect_near(r.tensor_fp64_tflops, 19.5, "fp64 tensor");
  EXPECT_EQ(r.tensor_fp8_tflops, 0) << "it has none";
  expect_near(r.l2_gbs, 5120 * 1.41, "5120 bytes a clock");
  expect_near(r.shared_gbs, 19491, "128 bytes a clock and SM");
}

TEST(TheoreticalRoofs, AreThoseOfTheH100DataSheet) {
  const Roofs r = theoretical_roofs(*device_of_arch("sm_90a"));
  expect_near(r.dram_copy_gbs, 3352, "SXM");
  expect_near(r.fp32_tflops, 66.9 * 1830 / 1980, "fp32, whose sheet takes a higher clock");
  expect_near(r.fp64_tflops, 33.5 * 1830 / 1980, "fp64");
  expect_near(r.tensor_tflops, 989.4, "bf16 tensor");
  expect_near(r.tensor_fp16_tflops, 989.4, "fp16 tensor");
  expect_near(r.tensor_tf32_tflops, 494.7, "tf32 tensor");
  expect_near(r.tensor_fp8_tflops, 1978.9, "fp8 tensor");
  expect_near(r.tensor_int8_tflops, 1978.9, "int8 tensor");
  EXPECT_EQ(r.l2_gbs, 0) << "not published";
}

TEST(TheoreticalRoofs, AreThoseOfSmallerDataSheets) {
  const Roofs t4 = theoretical_roofs(*device_of_arch("sm_75"));
  expect_near(t4.fp32_tflops, 8.1, "T4 fp32");
  expect_near(t4.tensor_fp16_tflops, 65, "T4 fp16 tensor");
  expect_near(t4.tensor_int8_tflops, 130, "T4 int8 tensor");
  EXPECT_EQ(t4.tensor_tflops, 0) << "no bf16";
  const Roofs l40s = theoretical_roofs(*device_of_arch("sm_89"));
  expect_near(l40s.dram_read_gbs, 864, "L40S");
  expect_near(l40s.fp32_tflops, 91.6, "L40S fp32");
  expect_near(l40s.tensor_fp8_tflops, 733, "L40S fp8 tensor");
}

TEST(TheoreticalRoofs, UnknownStaysZero) {
  DeviceInfo strange = h200_device();
  strange.limits.compute_capability = 47;
  EXPECT_EQ(theoretical_roofs(strange).fp32_tflops, 0);
  EXPECT_NEAR(theoretical_roofs(strange).dram_read_gbs, 4814, 1) << "the bus is known whatever the architecture";
  DeviceInfo silent = h200_device();
  silent.max_sm_clock_mhz = silent.memory_clock_mhz = 0;
  for (const RoofName& roof : roof_names()) EXPECT_EQ(theoretical_roofs(silent).*roof.member, 0) << roof.name;
  DeviceInfo cut_down = *device_of_arch("sm_80");
  cut_down.limits.sm_count = 56; // A30: its L2 differs
  EXPECT_EQ(theoretical_roofs(cut_down).l2_gbs, 0);
}

double floor_us(const char* pipe, const Roofs& roofs) {
  return roofline_point({1, 1, {{pipe, 1e12}}}, roofs, 1).floor_us;
}

TEST(Roofline, EachTypeHasItsOwnTensorRoof) {
  Roofs roofs;
  roofs.tensor_tflops = 1000;
  roofs.fp64_tflops = 50;
  EXPECT_DOUBLE_EQ(floor_us("tensor tf32", roofs), 2000) << "half of bf16 while its own is not known";
  EXPECT_DOUBLE_EQ(floor_us("tensor int8", roofs), 500);
  EXPECT_DOUBLE_EQ(floor_us("tensor fp64", roofs), 1e4);
  roofs.tensor_tf32_tflops = 400;
  roofs.tensor_fp8_tflops = 1600;
  roofs.tensor_int8_tflops = 1250;
  roofs.tensor_fp64_tflops = 80;
  EXPECT_DOUBLE_EQ(floor_us("tensor", roofs), 1000);
  EXPECT_DOUBLE_EQ(floor_us("tensor tf32", roofs), 2500);
  EXPECT_DOUBLE_EQ(floor_us("tensor fp32", roofs), 2500);
  EXPECT_DOUBLE_EQ(floor_us("tensor fp8_e4m3", roofs), 625);
  EXPECT_DOUBLE_EQ(floor_us("tensor fp8_e5m2", roofs), 625);
  EXPECT_DOUBLE_EQ(floor_us("tensor int8", roofs), 800);
  EXPECT_DOUBLE_EQ(floor_us("tensor uint8", roofs), 800);
  EXPECT_DOUBLE_EQ(floor_us("tensor fp64", roofs), 12500);
  Roofs turing;
  turing.tensor_fp16_tflops = 50;
  EXPECT_DOUBLE_EQ(floor_us("tensor", turing), 2e4) << "where there is no bf16";
  EXPECT_EQ(floor_us("tensor int4", roofs), roofline_point({1, 1, {}}, roofs, 1).floor_us) << "no roof is known";
}

} // namespace
} // namespace warptune
