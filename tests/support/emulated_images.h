// Contents of images that tests of several operators put into inputs.
#pragma once

#include "support/emulated_operator.h"

#include <gtest/gtest.h>
#include <set>

namespace warptune::test {

// A run of minus infinity; NaN, infinities and zeros of both signs in some places.
inline void put_special_pixels(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  const std::set<std::string> names = {"x", "dy", "y", "residual"};
  if (names.count(buffer.name) == 0) return;
  for (std::int64_t i = buffer.count / 2; i < buffer.count / 2 + buffer.count / 8; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, -kInfinity));
  const double numbers[] = {kNaN, kInfinity, -kInfinity, 0.0, -0.0};
  for (std::int64_t i = 3, which = 0; i < buffer.count; i += 31, ++which)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, numbers[which % 5]));
}

// Many equal numbers.
inline void put_ties(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, static_cast<double>(i * 5 % 7 % 3)));
}

inline void put_one_infinity(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  if (buffer.name == "x" && buffer.count > 0)
    put(data, buffer.dtype, buffer.count / 3, encode_number(buffer.dtype, kInfinity));
}

// Compiles the kernels, and compares their results on usual and on special images with those of the reference.
inline void expect_right_on_images(EmulatedOperator& tested) {
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_pixels), "") << "with NaN and infinities";
  EXPECT_EQ(tested.check(put_one_infinity), "") << "with one infinity";
  EXPECT_EQ(tested.check(put_ties), "") << "with equal numbers";
}

// A mean that is far from 0 compared with the deviation.
inline void put_far_from_zero(const BufferPlan& buffer, const Problem&, unsigned char* data) {
  for (std::int64_t i = 0; buffer.name == "x" && i < buffer.count; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, number_at(data, buffer.dtype, i) + 30));
}

} // namespace warptune::test
