// One step of an optimiser in double, with the formulas of torch.optim: what references are made of.
#pragma once

#include "common/prelude.cuh"

namespace wt::exact {

struct StepNumbers {
  double rate, decay, scale, beta1, beta2, eps, correction1, correction2, momentum, dampening;
};

// RULE: 0 AdamW, 1 Adam, 2 SGD with momentum, 3 SGD with Nesterov's momentum. Returns the new parameter.
template <int RULE, typename W, typename G, typename S>
__device__ double step(const G& grad, W& weight, S& mean, S* square, const StepNumbers& at) {
  double g = to_double(grad) * at.scale, w = to_double(weight), m = to_double(mean);
  if (RULE == 0)
    w *= 1 - at.rate * at.decay;
  else
    g += at.decay * w;
  if (RULE <= 1) {
    m = at.beta1 * m + (1 - at.beta1) * g;
    const double v = at.beta2 * to_double(*square) + (1 - at.beta2) * g * g;
    w -= at.rate * (m / at.correction1) / (sqrt(v / at.correction2) + at.eps);
    *square = from_double<S>(v);
  } else {
    m = at.momentum * m + (1 - at.dampening) * g;
    w -= at.rate * (RULE == 3 ? g + at.momentum * m : m);
  }
  mean = from_double<S>(m);
  weight = from_double<W>(w);
  return w;
}

} // namespace wt::exact
