// Losses of rows give the results of their references on an emulated device; the references match PyTorch, and their
// gradients are derivatives.
#include "support/emulated_operator.h"
#include "support/emulated_reference.h"

#include <cmath>
#include <gtest/gtest.h>

namespace warptune::test {
namespace {

// Rows with NaN, infinities and large numbers, and equal rows.
void put_special_rows(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  const std::int64_t rows = problem.dims[0], cols = problem.dims[1];
  if (buffer.name[0] != 'x') return;
  const double ones[] = {kNaN, kInfinity, -kInfinity, 300};
  for (std::int64_t row = 0; row < std::min<std::int64_t>(rows, 12); ++row)
    if (buffer.name == (row % 3 == 0 ? "x" : row % 3 == 1 ? "x2" : "x3"))
      put(data, buffer.dtype, row * cols + cols / 2, encode_number(buffer.dtype, ones[row / 3]));
  for (std::int64_t i = 12 * cols; i < std::min<std::int64_t>(rows, 15) * cols; ++i)
    put(data, buffer.dtype, i, encode_number(buffer.dtype, 1));
}

// Rows of zeros: the gradient of a cosine there is near 1e6, more than fp16 holds. In fp32 their distance to x2 is 0.
void put_zeros(const BufferPlan& buffer, const Problem& problem, unsigned char* data) {
  const bool is_x = buffer.name == "x" && buffer.dtype != DType::fp16;
  const bool is_x2 = buffer.name == "x2" && buffer.dtype == DType::fp32;
  for (std::int64_t i = 0; i < buffer.count && (is_x || is_x2); ++i)
    if (i / problem.dims[1] % 4 == 1) put(data, buffer.dtype, i, encode_number(buffer.dtype, is_x ? 0 : 1e-6F));
}

class EmulatedRowLoss : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedRowLoss, givesTheResultsOfTheReference) {
  EmulatedOperator tested(GetParam());
  const bool is_backward = std::string(GetParam()) == "row_loss_backward";
  const auto in_shared = [](int threads, int cluster, int batch) {
    return fmt::format("THREADS_PER_ROW={},ROWS_PER_BLOCK=1,CLUSTER={},SHARED=1,BATCH={},LOAD_BYTES=16", threads,
                       cluster, batch);
  };
  tested.add_ragged(40'000, is_backward ? in_shared(32, 1, 2) : "");
  const auto& suite = tested.spec().suites.at("ragged");
  for (const SuiteEntry& entry : suite) // again, with a cluster where there is one
    if (entry.shape[1] == 16400) tested.add(tested.problem_of(entry.shape, DType::bf16, entry.flags), 1, true);
  if (is_backward)
    tested.add(tested.problem_of({3, 16399}, DType::fp16, {}), {in_shared(128, 4, 1), in_shared(256, 2, 2)});
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_EQ(tested.check(put_special_rows), "") << "with NaN, infinities and equal rows";
  EXPECT_EQ(tested.check(put_zeros), "") << "with zeros";
  EXPECT_GT(tested.checked, 8);
  std::printf("%s: %d results checked\n", GetParam(), tested.checked);
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedRowLoss, testing::Values("row_loss", "row_loss_backward"),
                         [](const auto& tested) { return tested.param; });

// Results of torch.nn.functional for rows of two elements: cosine_embedding_loss with margin 0.5, triplet_margin_loss.
TEST(RowLoss, lossesAreThoseOfPyTorch) {
  const auto close_to = [](const std::vector<double>& own, const std::vector<double>& wanted) {
    ASSERT_EQ(own.size(), wanted.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(own[i]) : std::abs(own[i] - wanted[i]) < 1e-5)
          << i << ": " << own[i] << " and not " << wanted[i];
  };
  EmulatedReference cosine("row_loss", "rows=7,cols=2", {"reduction=none"});
  cosine.set({{"margin", 0.5}, {"eps", 0}});
  const Values pairs{{"x", {3, 4, 3, 4, 3, 4, 3, 4, 0, 0, kNaN, 1, 1, 0}},
                     {"x2", {4, 3, 4, 3, -4, 3, 4, 3, 1, 2, 1, 1, -1, 0}},
                     {"target", {1, -1, -1, 0, 1, -1, 1}}};
  close_to(cosine.results(pairs).at("y"), {0.04, 0.46, 0, 0, 1, kNaN, 2});
  const Values triplets{
      {"x", {0, 0, 0, 0, 0, 0, 1, kNaN}}, {"x2", {3, 4, 0, 1, 3, 4, 0, 0}}, {"x3", {0, 2, 3, 4, 3, 5, 0, 0}}};
  for (const bool swap : {false, true}) {
    EmulatedReference triplet("row_loss", "rows=4,cols=2",
                              {swap ? "function=triplet_margin_swap" : "function=triplet_margin", "reduction=none"});
    triplet.set({{"margin", 1}, {"eps", 0}});
    close_to(triplet.results(triplets).at("y"), {4, 0, swap ? 5 : 6 - std::sqrt(34), kNaN});
  }
}

// Along random directions, with margins that keep the rows away from bends; for each reduction.
TEST(RowLoss, gradientsAreDerivatives) {
  constexpr std::size_t kRows = 12, kCols = 5;
  for (const std::string function : {"cosine_embedding", "triplet_margin", "triplet_margin_swap"}) {
    const bool is_cosine = function == "cosine_embedding";
    const std::string shape = fmt::format("rows={},cols={}", kRows, kCols);
    for (const std::string reduction : {"none", "mean", "sum"}) {
      const std::vector<std::string> flags = {"function=" + function, "reduction=" + reduction};
      EmulatedReference forward("row_loss", shape, flags), backward("row_loss_backward", shape, flags);
      Values inputs{{"x", draw_normal(kRows * kCols, 1)}};
      for (const std::string name : {"x2", "x3"}) inputs[name] = draw_normal(kRows * kCols, name == "x2" ? 2 : 3);
      for (std::size_t row = 0; row < kRows; ++row) inputs["target"].push_back(static_cast<double>(row % 3) - 1);
      const std::vector<double> dloss = draw_normal(reduction == "none" ? kRows : 1, 4);
      Values with_loss = inputs;
      with_loss["dloss"] = dloss;
      const Values gradients = backward.results(with_loss);
      for (const std::string name : {"x", "x2", "x3"}) {
        if (is_cosine && name == "x3") continue;
        const std::vector<double> direction = draw_normal(kRows * kCols, 5);
        const auto loss_at = [&](double step) {
          Values moved = inputs;
          for (std::size_t i = 0; i < direction.size(); ++i)
            moved[name][i] = static_cast<float>(moved[name][i] + step * direction[i]);
          const std::vector<double> y = forward.results(moved).at("y");
          double sum = 0;
          for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * dloss[i];
          return sum;
        };
        double along = 0;
        for (std::size_t i = 0; i < direction.size(); ++i) along += direction[i] * gradients.at("d" + name)[i];
        const double difference = (loss_at(1e-3) - loss_at(-1e-3)) / 2e-3;
        EXPECT_NEAR(along, difference, 2e-3 * (1 + std::abs(difference)))
            << function << " " << reduction << " d" << name;
        EXPECT_GT(std::abs(along), 1e-3) << function << " " << reduction << " d" << name;
      }
    }
  }
}

// The gradients from the sums that the losses store are those from rows, also for NaN and infinite rows.
TEST(RowLoss, gradientsFromSumsAreThoseFromRows) {
  constexpr std::size_t kRows = 6, kCols = 5;
  for (const std::string function : {"cosine_embedding", "triplet_margin", "triplet_margin_swap"}) {
    const std::string shape = fmt::format("rows={},cols={}", kRows, kCols), flag = "function=" + function;
    EmulatedReference forward("row_loss", shape, {flag, "sums=1"}), from_rows("row_loss_backward", shape, {flag}),
        from_sums("row_loss_backward", shape, {flag, "sums=1"});
    Values inputs{{"dloss", {1.5}}, {"target", {1, -1, 1, -1, 1, -1}}};
    for (const std::string name : {"x", "x2", "x3"}) inputs[name] = draw_normal(kRows * kCols, name == "x2" ? 2 : 3);
    inputs["x"][2] = kNaN;
    inputs["x2"][kCols] = kInfinity;
    inputs["sums"] = forward.results(inputs).at("sums");
    const Values wanted = from_rows.results(inputs), found = from_sums.results(inputs);
    for (const auto& [name, values] : wanted)
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = found.at(name)[i];
        EXPECT_TRUE(std::isnan(values[i]) ? std::isnan(value) : std::abs(value - values[i]) <= 1e-6)
            << function << " " << name << "[" << i << "] is " << value << " and must be " << values[i];
      }
    EXPECT_TRUE(std::isnan(found.at("dx")[0]) && found.at("dx")[kRows * kCols - 1] != 0) << function;
  }
}

} // namespace
} // namespace warptune::test
