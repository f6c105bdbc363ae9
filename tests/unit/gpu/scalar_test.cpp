// Numbers as device bits, compared with values from the formats' definitions.
#include "gpu/scalar.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace warptune {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Scalar, halfPrecision) {
  EXPECT_EQ(encode_number(DType::fp16, 1), 0x3C00U);
  EXPECT_EQ(encode_number(DType::fp16, -2), 0xC000U);
  EXPECT_EQ(encode_number(DType::fp16, 65504), 0x7BFFU);
  EXPECT_EQ(encode_number(DType::fp16, 65519), 0x7BFFU) << "below the halfway point";
  EXPECT_EQ(encode_number(DType::fp16, 65520), 0x7C00U) << "halfway rounds to even, which is infinity";
  EXPECT_EQ(encode_number(DType::fp16, kInf), 0x7C00U);
  EXPECT_EQ(encode_number(DType::fp16, std::ldexp(1, -24)), 0x0001U);
  EXPECT_EQ(encode_number(DType::fp16, std::ldexp(1, -25)), 0x0000U) << "tie to even";
  EXPECT_EQ(encode_number(DType::fp16, std::ldexp(1023.75, -24)), 0x0400U) << "a subnormal that carries";
  EXPECT_EQ(encode_number(DType::fp16, 0.1), 0x2E66U);
  EXPECT_EQ(encode_number(DType::fp16, -0.0), 0x8000U);
}

TEST(Scalar, brainFloat) {
  EXPECT_EQ(encode_number(DType::bf16, 1), 0x3F80U);
  EXPECT_EQ(encode_number(DType::bf16, 0.1), 0x3DCDU);
  EXPECT_EQ(encode_number(DType::bf16, 3.4e38), 0x7F80U);
  EXPECT_EQ(encode_number(DType::bf16, 1 + std::ldexp(1, -8)), 0x3F80U) << "tie to even";
  EXPECT_EQ(encode_number(DType::bf16, 1 + 3 * std::ldexp(1, -8)), 0x3F82U);
}

TEST(Scalar, eightBits) {
  EXPECT_EQ(encode_number(DType::fp8_e4m3, 1), 0x38U);
  EXPECT_EQ(encode_number(DType::fp8_e4m3, 448), 0x7EU);
  EXPECT_EQ(encode_number(DType::fp8_e4m3, 1e9), 0x7EU) << "saturates";
  EXPECT_EQ(encode_number(DType::fp8_e4m3, std::ldexp(1, -9)), 0x01U);
  EXPECT_EQ(encode_number(DType::fp8_e5m2, 1), 0x3CU);
  EXPECT_EQ(encode_number(DType::fp8_e5m2, 57344), 0x7BU);
  EXPECT_EQ(encode_number(DType::fp8_e5m2, 1e9), 0x7BU);
  EXPECT_EQ(encode_number(DType::fp8_e4m3, std::nan("")), 0x7FU);
}

TEST(Scalar, singleDoubleAndIntegers) {
  EXPECT_EQ(encode_number(DType::fp32, 1.5), 0x3FC00000U);
  EXPECT_EQ(encode_number(DType::fp64, 1), 0x3FF0000000000000U);
  EXPECT_EQ(encode_integer(DType::int8, -1), 0xFFU);
  EXPECT_EQ(encode_integer(DType::int32, -2), 0xFFFFFFFEU);
  EXPECT_EQ(encode_integer(DType::int64, -1), ~std::uint64_t{0});
  EXPECT_EQ(encode_integer(DType::boolean, 5), 1U);
  EXPECT_EQ(encode_integer(DType::fp16, 3), 0x4200U);
}

} // namespace
} // namespace warptune
