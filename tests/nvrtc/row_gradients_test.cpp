// The references of the backward row operators are the derivatives of the forward references: along a random direction,
// by a fourth-order difference. Both run on an emulated device.
#include "support/emulated_reference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace warptune::test {
namespace {

struct RowPair {
  const char* name;
  std::string forward, backward;
  std::vector<std::string> flags;
  std::string output, gradient;                 // of the forward pass, and its gradient, an input of the backward pass
  std::map<std::string, std::string> gradients; // input -> its gradient
  bool reads_output = false;                    // the backward pass reads the output, as its input of the same name
  std::string shape = "rows=5,cols=37";
};

constexpr std::size_t kRows = 5, kCols = 37;

class RowGradients : public testing::TestWithParam<RowPair> {
 protected:
  std::vector<double> draw(std::size_t count, double mean, double deviation) {
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<float>(std::normal_distribution(mean, deviation)(random_));
    return values;
  }
  std::mt19937_64 random_{5};
};

TEST_P(RowGradients, areTheDerivatives) {
  const RowPair& pair = GetParam();
  EmulatedReference forward(pair.forward, pair.shape, pair.flags), backward(pair.backward, pair.shape, pair.flags);
  Values inputs;
  for (const auto& [name, gradient] : pair.gradients) {
    const bool is_matrix = name == "x" || name == "logits";
    const bool is_column = pair.flags.front() == "along=rows";
    inputs[name] = is_matrix ? draw(kRows * kCols, 0.5, 2) : draw(is_column ? kRows : kCols, 1, 0.5);
  }
  if (pair.forward == "cross_entropy") inputs["target"] = {3, 7, -100, 0, 36};
  const Values results = forward.results(inputs);
  const std::vector<double> weights = draw(results.at(pair.output).size(), 0, 1);
  Values known = inputs;
  known[pair.gradient] = weights;
  if (pair.reads_output) known[pair.output] = results.at(pair.output);
  const Values gradients = backward.results(known);
  // The sum of the outputs times `weights`.
  const auto loss = [&](const Values& at) {
    const std::vector<double> outputs = forward.results(at).at(pair.output);
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (std::isfinite(outputs[i])) sum += outputs[i] * weights[i]; // log-softmax is minus infinity where masked
    return sum;
  };
  for (const auto& [name, gradient] : pair.gradients) {
    const std::vector<double> direction = draw(inputs.at(name).size(), 0, 1);
    const auto loss_at = [&](double step) {
      Values moved = inputs;
      for (std::size_t i = 0; i < direction.size(); ++i)
        moved[name][i] = static_cast<float>(moved[name][i] + step * direction[i]);
      return loss(moved);
    };
    constexpr double kStep = 0.02;
    const double difference =
        (8 * (loss_at(kStep) - loss_at(-kStep)) - (loss_at(2 * kStep) - loss_at(-2 * kStep))) / (12 * kStep);
    double derivative = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) derivative += direction[i] * gradients.at(gradient)[i];
    EXPECT_NEAR(difference, derivative, 1e-3 * (1 + std::abs(derivative))) << gradient;
  }
}

const std::map<std::string, std::string> kNormGradients{{"x", "dx"}, {"weight", "dweight"}, {"bias", "dbias"}};

RowPair normalised(const char* name, const std::string& order, const std::string& shape) {
  return {name, "normalise", "normalise_backward", {"order=" + order}, "y", "dy", {{"x", "dx"}}, false, shape};
}

INSTANTIATE_TEST_SUITE_P(
    All, RowGradients,
    testing::Values(
        RowPair{"layer_norm",
                "row_norm",
                "row_norm_backward",
                {"norm=layer", "weight=1", "bias=1"},
                "y",
                "dy",
                kNormGradients},
        RowPair{
            "rms_norm", "row_norm", "row_norm_backward", {"norm=rms", "weight=1", "bias=1"}, "y", "dy", kNormGradients},
        RowPair{"cross_entropy",
                "cross_entropy",
                "cross_entropy_backward",
                {"smoothing=0"},
                "loss",
                "dloss",
                {{"logits", "dlogits"}}},
        RowPair{"label_smoothing",
                "cross_entropy",
                "cross_entropy_backward",
                {"smoothing=1"},
                "loss",
                "dloss",
                {{"logits", "dlogits"}}},
        RowPair{"values_of_columns",
                "broadcast",
                "broadcast_backward",
                {"along=columns"},
                "y",
                "dy",
                {{"x", "dx"}, {"values", "dvalues"}}},
        RowPair{"values_of_rows",
                "broadcast",
                "broadcast_backward",
                {"along=rows"},
                "y",
                "dy",
                {{"x", "dx"}, {"values", "dvalues"}}},
        RowPair{"values_of_matrices",
                "broadcast",
                "broadcast_backward",
                {"along=matrices"},
                "y",
                "dy",
                {{"x", "dx"}, {"values", "dvalues"}}},
        RowPair{"softmax",
                "masked_softmax",
                "masked_softmax_backward",
                {"log=0", "causal=lower_right"},
                "y",
                "dy",
                {{"x", "dx"}},
                true},
        RowPair{"log_softmax",
                "masked_softmax",
                "masked_softmax_backward",
                {"log=1", "causal=upper_left"},
                "y",
                "dy",
                {{"x", "dx"}},
                true},
        normalised("l2_norm", "l2", "outer=5,n=37"), normalised("l1_norm", "l1", "outer=5,n=37"),
        normalised("largest_of_rows", "max", "outer=5,n=37"),
        normalised("l2_norm_of_columns", "l2", "outer=1,n=5,inner=37"),
        normalised("frobenius_norm", "l2", "outer=1,n=185")),
    [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace warptune::test
