// Groups in int4 and tensors with one scale give the results of their references on an emulated device, and the
// references have the documented format.
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <gmock/gmock.h>
#include <limits>

namespace warptune::test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// `element`: of x, by its index.
EmulatedOperator::Change input(double (*element)(std::int64_t i)) {
  return [element](const BufferPlan& buffer, const Problem&, unsigned char* data) {
    for (std::int64_t i = 0; i < buffer.count && buffer.name == "x"; ++i)
      put(data, buffer.dtype, i, encode_number(buffer.dtype, element(i)));
  };
}

class Scales : public testing::TestWithParam<const char*> {};

TEST_P(Scales, giveTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  tested.add_ragged(80'000);
  tested.build();
  EXPECT_EQ(tested.check(), "");
  if (tested.spec().name != "dequantise_groups") {
    EXPECT_EQ(tested.check(input([](std::int64_t) { return 0.0; })), "") << "zeros";
    EXPECT_EQ(tested.check(input([](std::int64_t i) { return i % 100 == 37 ? std::nan("") : 2.0; })), "") << "NaN";
    EXPECT_EQ(tested.check(input([](std::int64_t i) { return i % 1000 == 637 ? -kInfinite : 1e-3; })), "")
        << "infinity";
    // The largest magnitude is at one place, which moves through the vectors and the tails.
    EXPECT_EQ(tested.check(input([](std::int64_t i) { return i == 0 ? -77.0 : 0.5; })), "");
    EXPECT_EQ(tested.check(input([](std::int64_t i) { return static_cast<double>(i % 211) - 100; })), "");
    EXPECT_EQ(tested.check(input([](std::int64_t i) { return static_cast<double>(i) / 1024; })), "") << "the last one";
  }
  EXPECT_GE(tested.checked, 20);
  std::printf("%s: %d results checked\n", GetParam(), tested.checked);
}

INSTANTIATE_TEST_SUITE_P(All, Scales, testing::Values("quantise_groups", "dequantise_groups", "quantise_tensor"),
                         [](const auto& tested) { return tested.param; });

// A magnitude that counts is in each place: in each lane of a group, each vector of a thread, and before other groups.
TEST(Groups, everyElementCounts) {
  EmulatedOperator tested("quantise_groups");
  const auto add = [&](const char* dtype, const char* flag, const std::vector<std::string>& configs) {
    tested.add(make_problem(tested.spec(), "groups=261", dtype, {flag}).value(), configs);
  };
  add("bf16", "size=128", {"LOAD_BYTES=16,VECTORS=4,UNROLL=1,BLOCK=128", "LOAD_BYTES=8,VECTORS=1,UNROLL=4,BLOCK=256"});
  add("fp16", "size=32", {"LOAD_BYTES=16,VECTORS=4,UNROLL=1,BLOCK=128", "LOAD_BYTES=16,VECTORS=1,UNROLL=4,BLOCK=512"});
  add("fp32", "size=64", {"LOAD_BYTES=8,VECTORS=1,UNROLL=2,BLOCK=128", "LOAD_BYTES=8,VECTORS=4,UNROLL=2,BLOCK=128"});
  tested.build();
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i % 131 == 5 ? 9.0 : 1.0; })), "");
  EXPECT_EQ(tested.checked, 6);
}

// The first of two numbers is in the lower half of a byte, the largest magnitude of a group becomes 7 or -7, and halves
// are rounded to the even number.
TEST(Groups, areTwoNumbersInAByte) {
  EmulatedReference narrow("quantise_groups", "groups=1", {"size=32"}),
      wide("dequantise_groups", "groups=1", {"size=32"});
  std::vector<double> x(32);
  const double first[] = {3.5, -1, 0.25, -0.75, -3.5, 2};
  std::copy(std::begin(first), std::end(first), x.begin());
  const Values packed = narrow.results({{"x", x}});
  EXPECT_EQ(packed.at("scales"), std::vector<double>{0.5});
  const std::vector<double>& y = packed.at("y");
  ASSERT_EQ(y.size(), 16U);
  EXPECT_EQ(y[0], 0xE7); // 7 and -2
  EXPECT_EQ(y[1], 0xE0); // 0 and -2
  EXPECT_EQ(y[2], 0x49); // -7 and 4
  EXPECT_EQ(y[3], 0);
  const std::vector<double> back = wide.results({{"x", y}, {"scales", {0.5}}}).at("y");
  const double expected[] = {3.5, -1, 0, -1, -3.5, 2, 0};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(back[i], expected[i]) << i;
}

// Blocks of several rounds, and more blocks than a block has threads.
TEST(QuantiseTensor, mergesTheMagnitudesOfAllBlocks) {
  EmulatedOperator tested("quantise_tensor", {}, small_h200(40));
  const Problem problem = make_problem(tested.spec(), "n=1100003", "bf16", {"to=e4m3"}).value();
  tested.add(problem, {"implementation=twice,LOAD_BYTES=16,UNROLL=2,BLOCK=256,BLOCKS_PER_SM=8,ORDER=backward",
                       "implementation=twice,LOAD_BYTES=8,UNROLL=8,BLOCK=256,BLOCKS_PER_SM=4,ORDER=forward"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i == 1100002 ? -90.0 : 1.0; })), "");
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i == 1050001 ? std::nan("") : 1.0; })), "");
  EXPECT_EQ(tested.checked, 6);
}

// One block and clusters of each size, in which the largest magnitude is in the first or the last vector of a thread,
// or behind the last whole vector.
TEST(QuantiseTensor, mergesTheMagnitudesOfACluster) {
  EmulatedOperator tested("quantise_tensor");
  const auto add = [&](const char* shape, const char* dtype, const char* to, const std::vector<std::string>& texts) {
    std::vector<std::string> configs;
    for (const std::string& text : texts) configs.push_back("implementation=cluster," + text);
    tested.add(make_problem(tested.spec(), shape, dtype, {to}).value(), configs);
  };
  add("n=8195", "bf16", "to=e4m3",
      {"LOAD_BYTES=16,ITERS=8,BLOCK=128,CLUSTER=1", "LOAD_BYTES=16,ITERS=1,BLOCK=512,CLUSTER=2",
       "LOAD_BYTES=8,ITERS=4,BLOCK=128,CLUSTER=4"});
  add("n=8195", "fp32", "to=int8", {"LOAD_BYTES=16,ITERS=2,BLOCK=128,CLUSTER=8"});
  add("n=66003", "fp16", "to=e5m2", {"LOAD_BYTES=16,ITERS=8,BLOCK=256,CLUSTER=8"});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i == 0 ? -77.0 : 0.5; })), "");
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i == 4100 ? 90.0 : 1.0; })), "");
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i % 8195 == 8194 || i == 66002 ? -90.0 : 1.0; })), "");
  EXPECT_EQ(tested.check(input([](std::int64_t i) { return i == 7000 ? std::nan("") : 1.0; })), "");
  EXPECT_EQ(tested.checked, 5 * 5);
}

} // namespace
} // namespace warptune::test
