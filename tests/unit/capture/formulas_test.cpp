// Guesses of `capture` from numbers and texts: formulas of launches, uses of buffers, fills, names of kernels.
#include "capture/buffer_use.h"
#include "capture/fill_guess.h"
#include "capture/fit_formula.h"
#include "capture/kernel_names.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two launches: n = 1000 and 4096 with BLOCK = 128 and 256.
const KnownNumbers kTwo = {{{"n", {1000, 4096}}, {"m", {7, 30}}}, {{"WORK", {1, 1}}, {"BLOCK", {128, 256}}}};
const KnownNumber kBlock = {"BLOCK", {128, 256}};

TEST(CaptureFormulas, ABlockIsAMacroOrANumber) {
  EXPECT_EQ(fit_block(kTwo, {128, 256}), "BLOCK");
  EXPECT_EQ(fit_block(kTwo, {32, 32}), "32");
  EXPECT_EQ(fit_block(kTwo, {1, 1}), "1"); // not WORK
  EXPECT_EQ(fit_block(kTwo, {32, 64}), "");
  const KnownNumbers tile = {{}, {{"TILE", {64}}, {"BLOCK_X", {64}}, {"BLOCK_Y", {4}}}};
  EXPECT_EQ(fit_block(tile, {64}), "BLOCK_X"); // its name says it
  EXPECT_EQ(fit_block(tile, {256}), "BLOCK_X * BLOCK_Y");
}

TEST(CaptureFormulas, AGridCoversADim) {
  EXPECT_EQ(fit_grid(kTwo, kBlock, {8, 16}), "ceil_div(n, BLOCK)");
  EXPECT_EQ(fit_grid(kTwo, kBlock, {7, 30}), "m");
  EXPECT_EQ(fit_grid(kTwo, kBlock, {7000, 122880}), "n * m");
  EXPECT_EQ(fit_grid(kTwo, kBlock, {132, 132}), "132");
  EXPECT_EQ(fit_grid(kTwo, kBlock, {1, 1}), "ceil_div(m, BLOCK)");      // one block does all the work
  EXPECT_EQ(fit_grid({{{"n", {1000}}}, {}}, {"256", {256}}, {1}), "1"); // one block for any size
  EXPECT_EQ(fit_grid(kTwo, kBlock, {2, 4}), "ceil_div(n, BLOCK * 4)");
  EXPECT_EQ(fit_grid(kTwo, kBlock, {5, 9}), "");
  const KnownNumbers work = {{{"n", {1000}}}, {{"WORK", {3}}, {"BLOCK", {128}}}};
  EXPECT_EQ(fit_grid(work, {"BLOCK", {128}}, {3}), "ceil_div(n, BLOCK * WORK)");
  EXPECT_EQ(fit_grid(work, {"256", {256}}, {4}), "ceil_div(n, 256)");
  EXPECT_EQ(fit_grid(work, {"1", {1}}, {334}), "ceil_div(n, WORK)");
}

TEST(CaptureFormulas, SharedMemoryIsMultiplesOfMacros) {
  EXPECT_EQ(fit_shared(kTwo, {0, 0}), "0");
  EXPECT_EQ(fit_shared(kTwo, {512, 1024}), "BLOCK * 4");
  EXPECT_EQ(fit_shared(kTwo, {128, 256}), "BLOCK");
  EXPECT_EQ(fit_shared(kTwo, {48, 48}), "48");
  EXPECT_EQ(fit_shared(kTwo, {48, 50}), "");
}

TEST(CaptureFormulas, ACountIsAProductOfDimsWithinTheSlackOfAllocators) {
  EXPECT_EQ(fit_count(kTwo, {1000, 4096}, 0), "n");
  EXPECT_EQ(fit_count(kTwo, {1024, 4096}, 128), "n");
  EXPECT_EQ(fit_count(kTwo, {1024, 4096}, 16), "");
  EXPECT_EQ(fit_count(kTwo, {7000, 122880}, 128), "n * m");
  EXPECT_EQ(fit_count(kTwo, {25, 25}, 4), "25");
  EXPECT_EQ(fit_count(kTwo, {999, 4096}, 128), ""); // fewer than n elements
  const KnownNumbers near = {{{"n", {1000}}, {"padded", {1024}}}, {}};
  EXPECT_EQ(fit_count(near, {1024}, 128), "padded"); // the closest dim
  const KnownNumbers huge = {{{"a", {std::int64_t{1} << 40}}, {"b", {std::int64_t{1} << 40}}}, {}};
  EXPECT_EQ(fit_count(huge, {16}, 16), "16"); // a product that does not fit in 64 bits does not count
}

TEST(CaptureUses, OnlyAssignmentsToElementsAreOutputs) {
  const char* head = "__global__ void k(const float* x, float *__restrict__ y, float* const z, int n) {";
  const auto with = [&](const char* body) { return std::string(head) + body + "}"; };
  EXPECT_TRUE(is_only_written(with("y[i] = x[i];"), "y"));
  EXPECT_TRUE(is_only_written(with("y[a[i] + 1] = x[i]; // y += 1\n"), "y"));
  EXPECT_TRUE(is_only_written(with("z[i] = 1;"), "z"));
  EXPECT_FALSE(is_only_written(with("y[i] += x[i];"), "y"));
  EXPECT_FALSE(is_only_written(with("if (y[i] == 2) y[i] = x[i];"), "y"));
  EXPECT_FALSE(is_only_written(with("atomicAdd(&y[i], 1.0f);"), "y"));
  EXPECT_FALSE(is_only_written(with("*y = 1; "), "y"));
  EXPECT_FALSE(is_only_written(with("store(y); y[0] = 1;"), "y"));
  EXPECT_FALSE(is_only_written(with("store(*y); y[0] = 1;"), "y"));
  EXPECT_FALSE(is_only_written(with("y[i] = y[i] + 1;"), "y"));
  EXPECT_FALSE(is_only_written(with(""), "y")); // a macro may write it
}

template <class T> std::string bytes(std::initializer_list<T> values) {
  std::string all(values.size() * sizeof(T), '\0');
  std::memcpy(all.data(), values.begin(), all.size());
  return all;
}

TEST(CaptureFills, RangesOfTheContents) {
  EXPECT_EQ(guess_fill(DType::int32, bytes<std::int32_t>({5, -3, 9})), R"({"integers": [-3, 9]})");
  EXPECT_EQ(guess_fill(DType::uint8, bytes<std::uint8_t>({200, 7})), R"({"integers": [7, 200]})");
  EXPECT_EQ(guess_fill(DType::int64, bytes<std::int64_t>({4, 4})), R"({"constant": 4})");
  EXPECT_EQ(guess_fill(DType::fp32, bytes<float>({0.5F, -2.0F, INFINITY, NAN})), R"({"uniform": [-2, 0.5]})");
  EXPECT_EQ(guess_fill(DType::fp64, bytes<double>({0.25, 8})), R"({"uniform": [0.25, 8]})");
  EXPECT_EQ(guess_fill(DType::bf16, bytes<std::uint16_t>({0x3f80, 0xc040})), R"({"uniform": [-3, 1]})");
  EXPECT_EQ(guess_fill(DType::fp16, bytes<std::uint16_t>({0x3c00, 0xb800})), R"({"uniform": [-0.5, 1]})");
  EXPECT_EQ(guess_fill(DType::fp32, bytes<float>({0, 0, 0})), ""); // zeros would hide wrong results
  EXPECT_EQ(guess_fill(DType::fp32, {}), "");
  EXPECT_EQ(guess_fill(DType::int32, "12"), ""); // fewer bytes than one element
  EXPECT_EQ(guess_fill(DType::uint64, bytes<std::uint64_t>({~std::uint64_t{0}})), "");
}

TEST(CaptureNames, PartsOfMangledNames) {
  const KernelName plain = kernel_name("saxpy");
  EXPECT_EQ(plain.full, "saxpy");
  EXPECT_EQ(plain.base, "saxpy");
  EXPECT_THAT(plain.template_arguments, IsEmpty());
  const KernelName templated = kernel_name("_ZN3app6gatherIfLi2EEEvPKT_PKiPS1_i");
  EXPECT_EQ(templated.full, "app::gather<float, 2>");
  EXPECT_EQ(templated.base, "app::gather");
  EXPECT_THAT(templated.template_arguments, ElementsAre("float", "2"));
  EXPECT_EQ(kernel_name("_ZN12_GLOBAL__N_15scaleEPfi").full, "scale");
  const KernelName nested = kernel_name("_Z1kI4PairIiLi3EELb1EEvT_"); // k<Pair<int, 3>, true>(Pair<int, 3>)
  EXPECT_THAT(nested.template_arguments, ElementsAre("Pair<int, 3>", "true"));
}

} // namespace
} // namespace warptune
