// The references of the training operators match PyTorch, also with NaN and infinities, and their gradients are
// derivatives.
#include "support/emulated_reference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

namespace warptune::test {
namespace {

// Three steps of torch.optim.AdamW(lr=0.01, weight_decay=0.1), Adam(lr=0.01, weight_decay=0.1), SGD(lr=0.1,
// momentum=0.9, dampening=0.5, weight_decay=0.1) and SGD(lr=0.1, momentum=0.9, nesterov=True), written out here as in
// their documentation.
TEST(Adam, rulesAreThoseOfTorch) {
  const std::vector<double> grads[] = {{0.5, -2}, {0.25, 1}, {-1, 3}}, start = {1, -0.5};
  for (const std::string rule : {"adamw", "adam", "sgd", "nesterov"}) {
    EmulatedReference reference("adam", "n=2", {"rule=" + rule});
    std::vector<double> w = start, m(2), v(2), own_w = start, own_m(2), own_v(2);
    for (int t = 1; t <= 3; ++t) {
      const bool is_adam = rule[0] == 'a';
      const double rate = is_adam ? 0.01 : 0.1, decay = rule == "nesterov" ? 0 : 0.1;
      reference.set({{"rate", rate},
                     {"decay", decay},
                     {"scale", 1},
                     {"beta1", 0.9},
                     {"beta2", 0.999},
                     {"eps", 1e-8},
                     {"correction1", 1 - std::pow(0.9, t)},
                     {"correction2", 1 - std::pow(0.999, t)},
                     {"momentum", 0.9},
                     {"dampening", rule == "sgd" && t > 1 ? 0.5 : 0}}); // the first step has no dampening
      Values inputs{{"grads", grads[t - 1]}, {"weights", own_w}, {"means", own_m}};
      if (is_adam) inputs["squares"] = own_v;
      const Values results = reference.results(inputs);
      own_w = results.at("weights");
      own_m = results.at("means");
      if (is_adam) own_v = results.at("squares");
      for (std::size_t i = 0; i < 2; ++i) {
        double g = grads[t - 1][i];
        if (rule == "adamw") w[i] *= 1 - rate * decay;
        if (rule != "adamw") g += decay * w[i];
        if (is_adam) {
          m[i] += (g - m[i]) * (1 - 0.9);
          v[i] = v[i] * 0.999 + g * g * (1 - 0.999);
          w[i] -= rate / (1 - std::pow(0.9, t)) * m[i] / (std::sqrt(v[i]) / std::sqrt(1 - std::pow(0.999, t)) + 1e-8);
        } else {
          m[i] = t == 1 ? g : m[i] * 0.9 + g * (rule == "sgd" ? 0.5 : 1);
          w[i] -= rate * (rule == "nesterov" ? g + 0.9 * m[i] : m[i]);
        }
        EXPECT_NEAR(own_w[i], w[i], 1e-6) << rule << " step " << t;
        EXPECT_NEAR(own_m[i], m[i], 1e-6) << rule << " step " << t;
        EXPECT_NEAR(own_v[i], v[i], 1e-6) << rule << " step " << t;
      }
    }
  }
}

// Denormal second moments and eps count, quotients are right up to the largest denominators, and those of zeros,
// infinities and NaN are IEEE 754's. Weights of 0 and running means that stay make the new weights multiples of them.
TEST(Adam, quotientsAreRightForAllMagnitudes) {
  std::vector<double> means, squares;
  for (const float mean : {0.0F, 1e-45F, -1e-40F, 1e-30F, 1e-10F, -1.0F, 1e10F, 1e30F, -3e38F, HUGE_VALF, NAN})
    for (const float square :
         {0.0F, 1e-45F, 1e-40F, 1.1e-38F, 1.2e-38F, 1e-20F, 0.3F, 1.0F, 1e20F, 3e38F, HUGE_VALF, NAN}) {
      means.push_back(mean);
      squares.push_back(square);
    }
  const std::string shape = fmt::format("n={}", means.size());
  const std::vector<double> zeros(means.size());
  const Values inputs{{"grads", zeros}, {"weights", zeros}, {"means", means}, {"squares", squares}};
  EmulatedReference exact("adam", shape, {}), tested("adam", shape, {}, EmulatedReference::Runs::default_config);
  const auto weights = [&](EmulatedReference& of, double eps, double correction2) {
    of.set({{"rate", 0.75},
            {"decay", 0},
            {"scale", 1},
            {"beta1", 1},
            {"beta2", 1},
            {"eps", eps},
            {"correction1", 0.3},
            {"correction2", correction2}});
    return of.results(inputs).at("weights");
  };
  std::map<int, int> found_kinds;
  for (const float eps : {0.0F, 1e-45F, 1e-40F, 1e-30F, 1e-8F, 1.0F, 8e37F, 9e37F, 1.5e38F, HUGE_VALF})
    for (const double correction2 : {0x1p-126, 0.001, 1.0}) { // the first one multiplies roots by 2^63
      const std::vector<double> wanted = weights(exact, eps, correction2), found = weights(tested, eps, correction2);
      for (std::size_t i = 0; i < means.size(); ++i) {
        const double allowed = 2e-6 * std::abs(wanted[i]) + 0x1p-147; // four denormal units
        EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(found[i])
                                          : wanted[i] == found[i] || std::abs(wanted[i] - found[i]) <= allowed)
            << found[i] << " instead of " << wanted[i] << " for " << means[i] << " / (sqrt(" << squares[i] << " / "
            << correction2 << ") + " << eps << ")";
        ++found_kinds[std::fpclassify(static_cast<float>(found[i]))];
      }
    }
  for (const int kind : {FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL}) EXPECT_GT(found_kinds[kind], 100);
  const std::vector<double> without_eps = weights(tested, 0, 1); // of a second moment of 0, see above
  EXPECT_TRUE(std::isnan(without_eps[0]));
  EXPECT_EQ(without_eps[12], -kInfinity);
}

// A list of tensors, wherever they begin, has the results of one buffer.
TEST(Adam, aListIsUpdatedLikeOneBuffer) {
  const std::vector<std::size_t> sizes = {3, 0, 5, 1},
                                 begins[] = {{0, 3, 3, 8}, {6, 6, 1, 0}, {70, 9, 200, 80}, {5, 5, 0, 20}};
  const char* const names[] = {"grads", "weights", "means", "squares"};
  for (const std::string rule : {"adamw", "adam", "sgd", "nesterov"}) {
    EmulatedReference list("adam_list", "sizes=[3,0,5,1]", {"rule=" + rule}), flat("adam", "n=9", {"rule=" + rule});
    const std::size_t buffers = rule[0] == 'a' ? 4 : 3;
    Values of_list{{"offsets", {0, 3, 3, 8, 9}}}, of_flat;
    for (std::size_t buffer = 0; buffer < buffers; ++buffer) {
      std::vector<double> one = draw_normal(9, static_cast<unsigned>(buffer) + 1), placed(9 + 72 * sizes.size());
      for (double& number : one) number = buffer == 3 ? std::abs(number) : number;
      for (std::size_t tensor = 0, at = 0; tensor < sizes.size(); at += sizes[tensor++])
        std::copy_n(one.begin() + static_cast<std::ptrdiff_t>(at), sizes[tensor],
                    placed.begin() + static_cast<std::ptrdiff_t>(begins[buffer][tensor]));
      of_flat[names[buffer]] = one;
      of_list[names[buffer]] = placed;
    }
    for (std::size_t tensor = 0; tensor < sizes.size(); ++tensor)
      for (std::size_t buffer = 0; buffer < buffers; ++buffer)
        of_list["starts"].push_back(static_cast<double>(begins[buffer][tensor]));
    const Values found = list.results(of_list), wanted = flat.results(of_flat);
    for (std::size_t buffer = 1; buffer < buffers; ++buffer) {
      std::vector<double> values = of_list.at(names[buffer]); // the elements between the tensors stay
      const auto& updated = wanted.at(names[buffer]);
      for (std::size_t tensor = 0, at = 0; tensor < sizes.size(); at += sizes[tensor++])
        std::copy_n(updated.begin() + static_cast<std::ptrdiff_t>(at), sizes[tensor],
                    values.begin() + static_cast<std::ptrdiff_t>(begins[buffer][tensor]));
      EXPECT_EQ(found.at(names[buffer]), values) << rule << " " << names[buffer];
    }
  }
}

// Results of torch.nn.functional for x and target, with 1 as the gradient of the loss.
struct OneLoss {
  const char* function;
  double x, target, loss, gradient;
};
const OneLoss kOneLoss[] = {
    {"mse", 3, 1, 4, 4},
    {"mse", kInfinity, 0, kInfinity, kInfinity},
    {"mse", kNaN, 0, kNaN, kNaN},
    {"l1", -2, 1, 3, -1},
    {"l1", 1, 1, 0, 0},
    {"l1", kNaN, 1, kNaN, 0},
    {"smooth_l1", 0.5, 0, 0.125, 0.5},
    {"smooth_l1", -3, 0, 2.5, -1},
    {"smooth_l1", kNaN, 0, kNaN, kNaN},
    {"huber", 3, 0, 2.5, 1},
    {"huber", -kInfinity, 0, kInfinity, -1},
    {"huber", kNaN, 0, kNaN, kNaN},
    {"kl_div", -1, 0, 0, 0},
    {"kl_div", -1, 0.5, 0.15342641, -0.5},
    {"kl_div", -kInfinity, 0, kNaN, 0},
    {"kl_div", -kInfinity, 0.5, kInfinity, -0.5},
    {"kl_div", -1, -1, kNaN, 1},
    {"kl_div_log", -1, 0, 1, -1},
    {"kl_div_log", -1, -kInfinity, kNaN, 0},
    {"bce_with_logits", 0, 1, 0.69314718, -0.5},
    {"bce_with_logits", kInfinity, 0, kInfinity, 1},
    {"bce_with_logits", -kInfinity, 0, kNaN, 0},
    {"bce_with_logits", kNaN, 0, kNaN, kNaN},
    {"hinge_embedding", 0.25, 1, 0.25, 1},
    {"hinge_embedding", 0.25, -1, 0.75, -1},
    {"hinge_embedding", 2, -1, 0, 0},
    {"hinge_embedding", 1, -1, 0, -1},
    {"hinge_embedding", 0.25, 0, 1, 0},
    {"hinge_embedding", kNaN, -1, kNaN, 0},
};

// Differences at places without a bend; then the results in the table.
TEST(Loss, gradientsAreDerivativesAndSpecialValuesThoseOfTorch) {
  std::vector<std::string> functions;
  for (const OneLoss& one : kOneLoss)
    if (functions.empty() || functions.back() != one.function) functions.emplace_back(one.function);
  for (const std::string& function : functions) {
    std::vector<double> x, target;
    std::vector<OneLoss> special;
    for (double at = -2.03; at < 2; at += 0.13) {
      x.push_back(at);
      target.push_back(x.size() % 3 == 0 ? 1 : x.size() % 3 == 1 ? 0.4 : 0.05);
    }
    const std::size_t smooth = x.size();
    for (const OneLoss& one : kOneLoss) {
      if (one.function != function) continue;
      special.push_back(one);
      x.push_back(one.x);
      target.push_back(one.target);
    }
    const std::string shape = fmt::format("rows={}", x.size());
    const std::vector<std::string> flags = {"function=" + function, "reduction=none"};
    EmulatedReference forward("loss", shape, flags), backward("loss_backward", shape, flags);
    constexpr double kStep = 1e-3;
    const auto losses_at = [&](double step) {
      std::vector<double> moved = x;
      for (double& number : moved) number = static_cast<float>(number + step);
      return forward.results({{"x", moved}, {"target", target}}).at("y");
    };
    const std::vector<double> above = losses_at(kStep), below = losses_at(-kStep), here = losses_at(0);
    const std::vector<double> dloss = draw_normal(x.size(), 7), ones(x.size(), 1.0);
    const std::vector<double> dx = backward.results({{"x", x}, {"target", target}, {"dloss", dloss}}).at("dx");
    const std::vector<double> slopes = backward.results({{"x", x}, {"target", target}, {"dloss", ones}}).at("dx");
    for (std::size_t i = 0; i < smooth; ++i) {
      const double difference = (above[i] - below[i]) / (2 * kStep);
      EXPECT_NEAR(dx[i], difference * dloss[i], 1e-3 * (1 + std::abs(difference))) << function << " at " << x[i];
    }
    for (std::size_t i = 0; i < special.size(); ++i) {
      const auto is_same = [](double a, double b) {
        return std::isnan(a) ? std::isnan(b) : a == b || std::abs(a - b) < 1e-6;
      };
      const std::string what = fmt::format("{} of {}, {}: ", function, special[i].x, special[i].target);
      EXPECT_TRUE(is_same(special[i].loss, here[smooth + i])) << what << here[smooth + i];
      EXPECT_TRUE(is_same(special[i].gradient, slopes[smooth + i])) << what << slopes[smooth + i];
    }
  }
}

// The signs that the forward pass stores give the same gradients as x and the target.
TEST(Loss, signsGiveTheGradientsOfTheTable) {
  for (const std::string function : {"l1", "hinge_embedding"}) {
    std::vector<double> x, target, slopes;
    for (const OneLoss& one : kOneLoss) {
      if (one.function != function) continue;
      x.push_back(one.x);
      target.push_back(one.target);
      slopes.push_back(one.gradient);
    }
    const std::string shape = fmt::format("rows={}", x.size());
    const std::vector<std::string> flags = {"function=" + function, "reduction=sum", "signs=1"};
    EmulatedReference forward("loss", shape, flags), backward("loss_backward", shape, flags);
    const std::vector<double> signs = forward.results({{"x", x}, {"target", target}}).at("signs");
    EXPECT_EQ(signs.size(), (x.size() + 3) / 4);
    EXPECT_EQ(backward.results({{"signs", signs}, {"dloss", {1}}}).at("dx"), slopes) << function;
  }
}

TEST(Loss, reductionsAreThoseOfTorch) {
  const Values inputs{{"x", {1, -2, 3, 0.5, 2, 4}}, {"target", {0, 1, 1, 0.5, 0, 1}}, {"dloss", {1.5}}};
  const double sum = 1 + 9 + 4 + 0 + 4 + 9;
  const std::tuple<const char*, double> reductions[] = {{"sum", 1}, {"mean", 6}, {"batchmean", 3}};
  for (const auto& [reduction, divisor] : reductions) {
    const std::vector<std::string> flags = {std::string("reduction=") + reduction};
    EmulatedReference forward("loss", "rows=3,cols=2", flags), backward("loss_backward", "rows=3,cols=2", flags);
    EXPECT_NEAR(forward.results(inputs).at("y")[0], sum / divisor, 1e-5) << reduction;
    EXPECT_NEAR(backward.results(inputs).at("dx")[1], -6 * 1.5 / divisor, 1e-5) << reduction;
  }
}

} // namespace
} // namespace warptune::test
