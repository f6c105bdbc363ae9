// elementwise and its gradient on an emulated device: every function in every dtype gives the result of its reference,
// NaN and infinities give PyTorch's results, and the gradients are derivatives.
#include "space/space.h"
#include "support/emulated_kernel.h"
#include "support/emulated_memory.h"
#include "support/shipped_store.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace warptune::test {
namespace {

using Numbers = std::vector<double>;
using Named = std::map<std::string, Numbers>;

// An operator with its problems. All are added before the first run.
class Operator {
 public:
  explicit Operator(const std::string& name) : kernel_(shipped_store().load(name).value()) {}

  // Returns the problem's index. Compiles the default configuration and one drawn with `seed`.
  std::size_t add(DType dtype, std::int64_t count, const std::vector<std::string>& flags, unsigned seed) {
    const DeviceInfo device = h200_device();
    const std::string shape = "rows=1,cols=" + std::to_string(count);
    const Problem problem = make_problem(kernel_.spec, shape, std::string(dtype_name(dtype)), flags).value();
    Case made{problem, dtype, make_reference_plan(kernel_.spec, problem, device).value(), {}, {}};
    kernels_.add(kernel_.spec.reference.source, made.reference);
    const SearchSpace space = SearchSpace::build(kernel_.spec, problem, device).value();
    std::mt19937_64 random(seed);
    const auto drawn = static_cast<ConfigIndex>(random() % static_cast<std::uint64_t>(space.size()));
    for (const Config& config : {default_config(kernel_.spec), space.config(drawn)}) {
      made.configs.push_back(config_text(kernel_.spec, config));
      made.plans.push_back(make_plan(kernel_.spec, problem, config, device).value());
      kernels_.add(kernel_.spec.implementations.front().source, made.plans.back());
    }
    cases_.push_back(std::move(made));
    return cases_.size() - 1;
  }
  void build() { kernels_.build(kernel_, folder_.path()); }

  // Passes these values instead of those in the description.
  void set(const std::map<std::string, double>& parameters) {
    for (Case& one : cases_) {
      std::vector<LaunchPlan*> plans = {&one.reference};
      for (LaunchPlan& plan : one.plans) plans.push_back(&plan);
      for (LaunchPlan* plan : plans)
        for (ScalarPlan& scalar : plan->scalars)
          if (scalar.is_parameter) scalar.number = parameters.at(scalar.name);
    }
  }

  // The inputs, rounded to the problem's dtype.
  Named rounded(std::size_t index, const Named& inputs) const {
    Named held = inputs;
    for (auto& [name, numbers] : held)
      for (double& number : numbers) number = through(cases_[index].dtype, number);
    return held;
  }
  Named reference(std::size_t index, const Named& inputs) {
    return run(cases_[index].reference, kernel_.spec.reference.source, inputs);
  }
  // The results of configuration `which`.
  Named result(std::size_t index, std::size_t which, const Named& inputs) {
    return run(cases_[index].plans[which], kernel_.spec.implementations.front().source, inputs);
  }

  // Describes the first element of an output that differs from the reference's by more than the tolerance; empty if
  // none. `share`: the allowed error of a result before it is rounded, relative to it. Such an error may also change
  // the direction of the rounding, so it counts twice; against a wide tolerance, which has room for the rounding, it
  // would not show.
  std::string difference(std::size_t index, const Named& inputs, double share) {
    const Case& tested = cases_[index];
    const Named expected = reference(index, inputs);
    for (std::size_t which = 0; which < tested.plans.size(); ++which) {
      for (const auto& [name, own] : result(index, which, inputs)) {
        const Numbers& wanted = expected.at(name);
        const Tolerance allowed = tolerance_of(kernel_.spec, tested.problem, name).value();
        const DType dtype = dtype_of(tested.plans[which], name);
        for (std::size_t i = 0; i < own.size(); ++i) {
          const double target = std::isfinite(wanted[i]) ? wanted[i] : through(dtype, wanted[i]);
          const double rounded = through(dtype, target);
          const bool is_same = std::isnan(target) ? std::isnan(own[i]) : own[i] == rounded;
          // The RMS of these inputs, most of which are large, is not a useful scale; that of dy is about 1.
          const double most = std::min(allowed.rtol * std::abs(target) + allowed.atol,
                                       std::abs(rounded - target) + 2 * (share * std::abs(target) + allowed.atol)) +
                              allowed.rms;
          if (!is_same && !(std::abs(own[i] - target) <= most))
            return fmt::format("{}; {}: {}[{}] of x = {} is {} and must be {} within {}",
                               problem_key(kernel_.spec, tested.problem), tested.configs[which], name, i,
                               inputs.at("x")[i], own[i], target, most);
        }
      }
    }
    return "";
  }

 private:
  struct Case {
    Problem problem;
    DType dtype;
    LaunchPlan reference;
    std::vector<std::string> configs;
    std::vector<LaunchPlan> plans;
  };

  static double through(DType dtype, double number) {
    const std::uint64_t bits = encode_number(dtype, number);
    unsigned char data[8];
    put(data, dtype, 0, bits);
    return number_at(data, dtype, 0);
  }
  static DType dtype_of(const LaunchPlan& plan, const std::string& name) {
    for (const BufferPlan& buffer : plan.buffers)
      if (buffer.name == name) return buffer.dtype;
    throw std::runtime_error(name);
  }
  Named run(const LaunchPlan& plan, const std::string& source, const Named& inputs) {
    Memory memory;
    for (const BufferPlan& buffer : plan.buffers) {
      unsigned char* const data = memory.try_emplace(buffer.name, buffer.bytes()).first->second.data();
      if (buffer.role != Role::input) continue;
      const Numbers& numbers = inputs.at(buffer.name);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        put(data, buffer.dtype, static_cast<std::int64_t>(i),
            dtype_is_floating(buffer.dtype) ? encode_number(buffer.dtype, numbers[i])
                                            : encode_integer(buffer.dtype, static_cast<std::int64_t>(numbers[i])));
    }
    run_plan(kernels_, source, plan, memory);
    Named results;
    for (const BufferPlan& buffer : plan.buffers) {
      if (!memory.at(buffer.name).is_guarded()) throw std::runtime_error("writes outside " + buffer.name);
      for (std::int64_t i = 0; i < buffer.count && buffer.role == Role::output; ++i)
        results[buffer.name].push_back(number_at(memory.at(buffer.name).data(), buffer.dtype, i));
    }
    return results;
  }

  Kernel kernel_;
  TempDir folder_;
  EmulatedKernels kernels_;
  std::vector<Case> cases_;
};

const std::vector<std::string> kFunctions = {"identity", "relu",      "leaky_relu", "elu",      "selu",
                                             "gelu",     "gelu_tanh", "silu",       "sigmoid",  "hardsigmoid",
                                             "hardtanh", "tanh",      "softplus",   "softsign", "expression"};

// Arguments of a function: dense ranges, all magnitudes of a dtype, zeros, bends, NaN and infinities. PyTorch's
// gradient of gelu_tanh is NaN where x * x overflows; the kernel's is, too, but not the reference's.
Numbers arguments(DType dtype, const std::string& function) {
  const double largest = dtype == DType::fp16 ? 65504 : function == "gelu_tanh" ? 1e18 : 1e38;
  Numbers numbers = {kNaN, kInfinity, -kInfinity, 0.0, -0.0, 3, -3, -0.5, 2, 2.5, 2.75, -20, largest, -largest};
  for (double x = -90; x <= 30; x += 0.0625 / 3) numbers.push_back(x);
  for (double x = -1; x <= 1; x += 1.0 / 1500) numbers.push_back(x);
  for (double x = dtype == DType::fp16 ? 1e-7 : 1e-30; x < largest; x *= 1.7) numbers.insert(numbers.end(), {x, -x});
  return numbers;
}

class Elementwise : public testing::TestWithParam<const char*> {};

TEST_P(Elementwise, isRightInEveryFunctionAndDtype) {
  const std::string name = GetParam();
  const bool is_backward = name == "elementwise_backward";
  Operator tested(name);
  std::vector<std::pair<DType, std::string>> cases;
  for (const DType dtype : {DType::bf16, DType::fp16, DType::fp32}) {
    for (const std::string& function : kFunctions) {
      const auto count = static_cast<std::int64_t>(arguments(dtype, function).size());
      const bool is_gated = is_backward && function != "expression";
      tested.add(dtype, count, {"function=" + function, is_gated ? "other=mul" : "other=none"},
                 static_cast<unsigned>(cases.size()));
      cases.emplace_back(dtype, function);
    }
  }
  tested.build();
  tested.set(
      {{"negative_slope", 0.25}, {"alpha", 0.7}, {"beta", 2}, {"threshold", 5}, {"min_val", -0.5}, {"max_val", 2}});
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Named inputs{{"x", arguments(cases[i].first, cases[i].second)}};
    for (const char* more : {"dy", "other"})
      for (std::size_t k = 0; k < inputs["x"].size(); ++k)
        inputs[more].push_back(std::uniform_real_distribution(-2.0, 2.0)(random));
    inputs["dy"][5] = kNaN; // at x = 3, and an infinity at x = -3: they reach dx only where PyTorch passes them on
    inputs["dy"][6] = kInfinity;
    const bool uses_instruction = cases[i].first == DType::bf16 && cases[i].second == "tanh";
    EXPECT_EQ(tested.difference(i, tested.rounded(i, inputs), uses_instruction ? 5e-4 : 1e-5), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Elementwise, testing::Values("elementwise", "elementwise_backward"),
                         [](const auto& tested) { return tested.param; });

// PyTorch's results for x = minus infinity, infinity and NaN: of the function, and of its gradient with dy = 1.
struct Special {
  const char* function;
  double value[3], gradient[3];
};
const Special kSpecial[] = {
    {"identity", {-kInfinity, kInfinity, kNaN}, {1, 1, 1}},
    {"relu", {0, kInfinity, kNaN}, {0, 1, 1}},
    {"leaky_relu", {-kInfinity, kInfinity, kNaN}, {0.01, 1, 0.01}},
    {"elu", {-1, kInfinity, kNaN}, {0, 1, 1}},
    {"selu", {-1.7580993, kInfinity, kNaN}, {0, 1.050701, 1.050701}},
    {"gelu", {kNaN, kInfinity, kNaN}, {kNaN, kNaN, kNaN}},
    {"gelu_tanh", {kNaN, kInfinity, kNaN}, {kNaN, kNaN, kNaN}},
    {"silu", {kNaN, kInfinity, kNaN}, {kNaN, kNaN, kNaN}},
    {"sigmoid", {0, 1, kNaN}, {0, 0, kNaN}},
    {"hardsigmoid", {0, 1, kNaN}, {0, 0, 0}},
    {"hardtanh", {-1, 1, kNaN}, {0, 0, 1}},
    {"tanh", {-1, 1, kNaN}, {0, 0, kNaN}},
    {"softplus", {0, kInfinity, kNaN}, {0, 1, kNaN}},
    {"softsign", {kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}},
};

TEST(ElementwiseSpecialValues, areThoseOfTorch) {
  Operator forward("elementwise"), backward("elementwise_backward");
  for (const Special& special : kSpecial) {
    for (const DType dtype : {DType::bf16, DType::fp32}) {
      const std::string flag = std::string("function=") + special.function;
      forward.add(dtype, 3, {flag}, 1);
      backward.add(dtype, 3, {flag}, 1);
    }
  }
  forward.build();
  backward.build();
  const Named inputs{{"x", {-kInfinity, kInfinity, kNaN}}, {"dy", {1, 1, 1}}};
  for (std::size_t i = 0; i < 2 * std::size(kSpecial); ++i) {
    const Special& special = kSpecial[i / 2];
    const auto expect = [&](const Numbers& own, const double(&wanted)[3], const char* what) {
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_TRUE(std::isnan(wanted[k]) ? std::isnan(own[k])
                                          : own[k] == wanted[k] || std::abs(own[k] - wanted[k]) < 5e-3)
            << special.function << what << inputs.at("x")[k] << ": " << own[k];
    };
    expect(forward.result(i, 0, inputs).at("y"), special.value, " of ");
    expect(backward.result(i, 0, inputs).at("dx"), special.gradient, "'s gradient at ");
    expect(forward.reference(i, inputs).at("y"), special.value, " of ");
    expect(backward.reference(i, inputs).at("dx"), special.gradient, "'s gradient at ");
  }
}

// The mask of the forward pass gives the same gradient as x, in every pair of configurations: with counts that fill the
// last byte or not, and with numbers at the bends.
TEST(ElementwiseMask, givesTheGradientOfX) {
  Operator forward("elementwise"), masked("elementwise_backward"), backward("elementwise_backward");
  struct Case {
    DType dtype;
    std::size_t count;
    std::string function;
  };
  std::vector<Case> cases;
  for (const DType dtype : {DType::bf16, DType::fp16, DType::fp32}) {
    for (const char* function : {"relu", "leaky_relu", "hardsigmoid", "hardtanh"}) {
      const std::size_t count = arguments(dtype, function).size() + cases.size();
      const auto seed = static_cast<unsigned>(cases.size());
      const std::string flag = std::string("function=") + function;
      forward.add(dtype, static_cast<std::int64_t>(count), {flag, "mask=1"}, seed);
      masked.add(dtype, static_cast<std::int64_t>(count), {flag, "mask=1"}, seed + 100);
      backward.add(dtype, static_cast<std::int64_t>(count), {flag}, seed);
      cases.push_back({dtype, count, function});
    }
  }
  for (Operator* tested : {&forward, &masked, &backward}) {
    tested->build();
    tested->set(
        {{"negative_slope", 0.25}, {"alpha", 1}, {"beta", 1}, {"threshold", 20}, {"min_val", -0.5}, {"max_val", 2}});
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& tested = cases[i];
    Numbers x = arguments(tested.dtype, tested.function), dy;
    x.resize(tested.count, -1);
    std::mt19937_64 random(i);
    std::shuffle(x.begin(), x.end(), random);
    for (std::size_t k = 0; k < x.size(); ++k) dy.push_back(std::uniform_real_distribution(-2.0, 2.0)(random));
    dy[5] = kNaN;
    dy[6] = kInfinity;
    const Named inputs = forward.rounded(i, {{"x", x}, {"dy", dy}});
    const Numbers wanted = backward.result(i, 0, inputs).at("dx");
    const Numbers mask = forward.reference(i, inputs).at("mask");
    EXPECT_EQ(mask.size(), (tested.count + 7) / 8);
    for (std::size_t which : {0, 1}) {
      EXPECT_EQ(forward.result(i, which, inputs).at("mask"), mask) << tested.function << " of " << tested.count;
      const Named bits{{"dy", inputs.at("dy")}, {"mask", mask}};
      for (const Numbers& found : {masked.result(i, which, bits).at("dx"), masked.reference(i, bits).at("dx")}) {
        for (std::size_t k = 0; k < wanted.size(); ++k) {
          // One of the two is rounded.
          const bool is_near = std::abs(found[k] - wanted[k]) <= 4e-3 * std::abs(wanted[k]);
          ASSERT_TRUE(std::isnan(wanted[k]) ? std::isnan(found[k]) : found[k] == wanted[k] || is_near)
              << tested.function << " at " << inputs.at("x")[k] << ": " << found[k] << ", and with x " << wanted[k];
        }
      }
    }
  }
}

TEST(ElementwiseGradients, areDerivatives) {
  Numbers x;
  for (double at = -6.03; at < 6; at += 0.11)
    if (std::abs(std::abs(at) - 3) > 0.05 && std::abs(std::abs(at) - 1) > 0.05 && std::abs(at) > 0.05) x.push_back(at);
  const auto count = static_cast<std::int64_t>(x.size());
  Operator forward("elementwise"), backward("elementwise_backward");
  for (const std::string& function : kFunctions) {
    forward.add(DType::fp32, count, {"function=" + function, "other=mul"}, 1);
    backward.add(DType::fp32, count, {"function=" + function, "other=mul"}, 1);
  }
  forward.build();
  backward.build();
  const Numbers ones(x.size(), 1.0), halves(x.size(), 0.5);
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    constexpr double kStep = 0.01;
    const auto value_at = [&](double step) {
      Numbers moved = x;
      for (double& number : moved) number = static_cast<float>(number + step);
      return forward.reference(i, {{"x", moved}, {"other", halves}}).at("y");
    };
    const Numbers far = value_at(2 * kStep), near = value_at(kStep), below = value_at(-kStep),
                  lowest = value_at(-2 * kStep);
    const Named gradients = backward.reference(i, {{"x", x}, {"other", halves}, {"dy", ones}});
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double difference = (8 * (near[k] - below[k]) - (far[k] - lowest[k])) / (12 * kStep);
      EXPECT_NEAR(gradients.at("dx")[k], difference, 1e-4) << kFunctions[i] << " at " << x[k];
      EXPECT_NEAR(gradients.at("dother")[k], 2 * value_at(0)[k], 1e-6) << kFunctions[i] << " at " << x[k];
    }
  }
}

// A user-defined expression: a copy of the folder with one changed line.
TEST(ElementwiseExpression, ofACopyOfTheFolder) {
  const TempDir parent;
  const std::filesystem::path copy = parent.path() / "elementwise";
  std::filesystem::copy(share_dir() / "kernel_templates" / "elementwise", copy);
  std::ifstream original(copy / "spec.json");
  std::string text{std::istreambuf_iterator<char>(original), {}};
  const std::string line = "x * sigmoid(F(1.702) * x)";
  ASSERT_NE(text.find(line), std::string::npos);
  text.replace(text.find(line), line.size(), "other * (x + bias > 0 ? x * x : F(0.5) + beta)");
  std::ofstream(copy / "spec.json") << text;
  Operator tested(copy.string());
  tested.add(DType::fp32, 5, {"function=expression", "other=read", "bias=columns"}, 1);
  tested.build();
  const Named inputs{{"x", {-2, 0, 1, 3, 4}}, {"bias", {1, 0, 1, -4, 0.5}}, {"other", {2, 3, 4, 5, 6}}};
  EXPECT_EQ(tested.result(0, 0, inputs).at("y"), (Numbers{3, 4.5, 4, 7.5, 96}));
  EXPECT_EQ(tested.difference(0, inputs, 1e-6), "");
}

} // namespace
} // namespace warptune::test
