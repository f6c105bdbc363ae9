// Kernel folders from records that no application wrote: their content, and the records that are refused.
#include "capture/captured_kernel.h"
#include "jit/compiler.h"
#include "spec/source_hash.h"

#include <cstring>
#include <functional>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kCaptured = R"(
struct Pair { int a, b; };
__global__ void scale(const float* x, float* y, float alpha, int n, int flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = flag ? alpha * x[i] : BLOCK;
}
__global__ void paired(Pair p, float* y) { y[0] = p.a; }
)";

template <class T> CapturedArgument value(T number) {
  CapturedArgument argument;
  argument.value.resize(sizeof number);
  std::memcpy(argument.value.data(), &number, sizeof number);
  return argument;
}

CapturedArgument pointer(std::int64_t bytes) {
  CapturedArgument argument = value(std::uint64_t{0x1000});
  argument.buffer = CapturedBuffer{bytes, "device", {}};
  return argument;
}

CapturedCase launch(int n, float alpha, std::int64_t grid, std::int64_t ns, const std::string& image = "a") {
  CapturedCase one;
  one.kernel = "_Z5scalePKfPffii";
  one.image = image;
  one.grid = {grid, 1, 1};
  one.block = {128, 1, 1};
  one.cluster = {1, 1, 1};
  one.has_arguments = true;
  one.arguments = {pointer(4L * n), pointer(4L * n), value(alpha), value(n), value(0)};
  one.times = {1, ns, ns, ns};
  return one;
}

class CapturedKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
    records_.programs = {{"app.cu", kCaptured, {}, {"-DBLOCK=128"}, {"a"}, {}, true},
                         {"app.cu", kCaptured, {}, {"-DBLOCK=512"}, {"b"}, {}, true}};
  }
  CapturedFolder draft() const {
    const auto groups = group_cases(records_);
    EXPECT_EQ(groups.size(), 1U);
    return draft_captured_folder(records_, groups.front(), "sm_90a").value();
  }
  std::string refusal(const std::function<void(CapturedCase&)>& change) {
    records_.cases = {launch(1000, 2, 8, 10)};
    change(records_.cases.front());
    return draft().why_not;
  }
  static std::string spec(const CapturedFolder& folder) {
    EXPECT_THAT(folder.why_not, IsEmpty());
    const std::string* text = find_source(folder.draft.files, "spec.json");
    return text == nullptr ? "" : *text;
  }
  CaptureRecords records_;
};

TEST_F(CapturedKernelTest, OtherScalarsAreOtherProblems) {
  records_.cases = {launch(1000, 2, 8, 30), launch(5000, 2, 40, 20), launch(700, 3, 6, 10)};
  const CapturedFolder folder = draft();
  EXPECT_THAT(spec(folder), HasSubstr(R"("default": [{"n": 1000}, {"n": 5000}])"));
  EXPECT_THAT(spec(folder), HasSubstr(R"("alpha": {"scalar": "fp32", "value": 2)"));
  EXPECT_THAT(spec(folder), HasSubstr(R"("flag": {"scalar": "int32", "value": "0"})")); // not a dim
  EXPECT_THAT(spec(folder), HasSubstr(R"("y": {"buffer": "fp32", "count": "n", "role": "output"})"));
  EXPECT_THAT(folder.draft.notes,
              Contains(HasSubstr("launches with other values of scalar arguments were left out: 1")));
}

TEST_F(CapturedKernelTest, ValuesOfAllCompilesAreTried) {
  records_.cases = {launch(1000, 2, 8, 30), launch(1000, 2, 2, 10, "b")};
  records_.cases[1].block = {512, 1, 1};
  EXPECT_THAT(spec(draft()), HasSubstr(R"("BLOCK": {"values": [64, 128, 256, 512], "default": 128,)"));
  EXPECT_THAT(spec(draft()), HasSubstr(R"x("grid": ["ceil_div(n, BLOCK)"], "block": ["BLOCK"])x"));
}

TEST_F(CapturedKernelTest, WhatAFolderCannotDescribeIsRefused) {
  EXPECT_THAT(refusal([](CapturedCase& one) { one.cluster = {2, 1, 1}; }), HasSubstr("clusters"));
  EXPECT_THAT(refusal([](CapturedCase& one) { one.is_cooperative = true; }), HasSubstr("cooperative"));
  EXPECT_THAT(refusal([](CapturedCase& one) { one.has_arguments = false; }), HasSubstr("12.4"));
  EXPECT_THAT(refusal([](CapturedCase& one) { one.arguments[0].buffer.reset(); }), HasSubstr("pointer x is null"));
  EXPECT_THAT(refusal([](CapturedCase& one) { one.arguments.pop_back(); }), HasSubstr("5 parameters"));
  EXPECT_THAT(refusal([](CapturedCase& one) { one.kernel = "_Z4nonev"; }), HasSubstr("not from the source itself"));
  EXPECT_THAT(refusal([](CapturedCase& one) {
                one.kernel = "_Z6paired4PairPf";
                one.arguments = {value(std::int64_t{5}), pointer(4)};
              }),
              HasSubstr("Pair"));
  records_.programs[0].source =
      "__global__ void scale(const float* x, float* y, float alpha, int n, int flag) { error }";
  EXPECT_THAT(refusal([](CapturedCase&) {}), HasSubstr("does not compile here: kernel.cu"));
}

} // namespace
} // namespace warptune
