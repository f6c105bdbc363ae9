// The references of the backward row operators are the derivatives of the forward references:
// along a random direction, by a difference of fourth order. Both run on an emulated device.
#include "core/device_table.h"
#include "support/emulated_kernel.h"
#include "support/emulated_memory.h"
#include "support/operator_store.h"
#include "support/temp_dir.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace warptune::test {
namespace {

using Values = std::map<std::string, std::vector<double>>;

// The reference of an operator for one problem in fp32.
class Reference {
 public:
  Reference(const std::string& name, const std::string& shape, const std::vector<std::string>& flags) {
    kernel_ = operator_store().load(name).value();
    const Problem problem = make_problem(kernel_.spec, shape, "fp32", flags).value();
    plan_ = make_reference_plan(kernel_.spec, problem, h200_device()).value();
    kernels_.add(kernel_.spec.reference.source, plan_);
    if (kernel_.spec.prepare) {
      prepare_ = make_prepare_plan(kernel_.spec, problem, h200_device()).value();
      kernels_.add(kernel_.spec.prepare->source, prepare_);
    }
    kernels_.build(kernel_, folder_.path());
  }

  // `inputs` by name; what they lack is prepared.
  Values results(const Values& inputs) {
    Memory memory;
    for (const LaunchPlan* plan : {&plan_, &prepare_})
      for (const BufferPlan& buffer : plan->buffers) memory.try_emplace(buffer.name, buffer.bytes());
    put_inputs(inputs, memory);
    if (!prepare_.launches.empty()) run_plan(kernels_, kernel_.spec.prepare->source, prepare_, memory);
    put_inputs(inputs, memory); // also those that would be prepared
    run_plan(kernels_, kernel_.spec.reference.source, plan_, memory);
    Values results;
    for (const BufferPlan& buffer : plan_.buffers) {
      if (buffer.role != Role::output) continue;
      for (std::int64_t i = 0; i < buffer.count; ++i)
        results[buffer.name].push_back(number_at(memory.at(buffer.name).data(), buffer.dtype, i));
    }
    return results;
  }

 private:
  void put_inputs(const Values& inputs, Memory& memory) const {
    for (const BufferPlan& buffer : plan_.buffers) {
      const auto given = inputs.find(buffer.name);
      if (given == inputs.end()) continue;
      for (std::size_t i = 0; i < given->second.size(); ++i) {
        const double value = given->second[i];
        put(memory.at(buffer.name).data(), buffer.dtype, static_cast<std::int64_t>(i),
            dtype_is_floating(buffer.dtype) ? encode_number(buffer.dtype, value)
                                            : encode_integer(buffer.dtype, static_cast<std::int64_t>(value)));
      }
    }
  }

  Kernel kernel_;
  LaunchPlan plan_, prepare_;
  TempDir folder_;
  EmulatedKernels kernels_;
};

struct Pair {
  const char* name;
  std::string forward, backward;
  std::vector<std::string> flags;
  std::string output, gradient;                 // of the forward pass, and its gradient, an input of the backward pass
  std::map<std::string, std::string> gradients; // input -> its gradient
  bool reads_output = false;                    // the backward pass, as its input of the same name
};

constexpr std::size_t kRows = 5, kCols = 37;

class RowGradients : public testing::TestWithParam<Pair> {
 protected:
  std::vector<double> draw(std::size_t count, double mean, double deviation) {
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<float>(std::normal_distribution(mean, deviation)(random_));
    return values;
  }
  std::mt19937_64 random_{5};
};

TEST_P(RowGradients, areTheDerivatives) {
  const Pair& pair = GetParam();
  Reference forward(pair.forward, "rows=5,cols=37", pair.flags), backward(pair.backward, "rows=5,cols=37", pair.flags);
  Values inputs;
  for (const auto& [name, gradient] : pair.gradients) {
    const bool is_matrix = name == "x" || name == "logits";
    inputs[name] = is_matrix ? draw(kRows * kCols, 0.5, 2) : draw(kCols, 1, 0.5);
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

INSTANTIATE_TEST_SUITE_P(
    All, RowGradients,
    testing::Values(
        Pair{"layer_norm",
             "row_norm",
             "row_norm_backward",
             {"norm=layer", "weight=1", "bias=1"},
             "y",
             "dy",
             kNormGradients},
        Pair{
            "rms_norm", "row_norm", "row_norm_backward", {"norm=rms", "weight=1", "bias=1"}, "y", "dy", kNormGradients},
        Pair{"cross_entropy",
             "cross_entropy",
             "cross_entropy_backward",
             {"smoothing=0"},
             "loss",
             "dloss",
             {{"logits", "dlogits"}}},
        Pair{"label_smoothing",
             "cross_entropy",
             "cross_entropy_backward",
             {"smoothing=1"},
             "loss",
             "dloss",
             {{"logits", "dlogits"}}},
        Pair{"softmax",
             "masked_softmax",
             "masked_softmax_backward",
             {"log=0", "causal=lower_right"},
             "y",
             "dy",
             {{"x", "dx"}},
             true},
        Pair{"log_softmax",
             "masked_softmax",
             "masked_softmax_backward",
             {"log=1", "causal=upper_left"},
             "y",
             "dy",
             {{"x", "dx"}},
             true}),
    [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace warptune::test
