// The reference of adam, in double with the formulas of torch.optim: one thread a parameter. RULE: AdamW, Adam, SGD
// with momentum, with Nesterov's.
#include "common/prelude.cuh"

template <typename P, typename W, typename G, typename S, int RULE>
__global__ void step_reference(const G* grads, W* weights, S* means, S* squares, float* params, double rate,
                               double decay, double scale, double beta1, double beta2, double eps, double correction1,
                               double correction2, double momentum, double dampening, i64 n) {
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    double g = wt::to_double(grads[i]) * scale, w = wt::to_double(weights[i]), m = wt::to_double(means[i]);
    if (RULE == 0)
      w -= rate * decay * w;
    else
      g += decay * w;
    if (RULE <= 1) {
      m = beta1 * m + (1 - beta1) * g;
      const double v = beta2 * wt::to_double(squares[i]) + (1 - beta2) * g * g;
      w -= rate * (m / correction1) / (sqrt(v / correction2) + eps);
      squares[i] = wt::from_double<S>(v);
    } else {
      m = momentum * m + (1 - dampening) * g;
      w -= rate * (RULE == 3 ? g + momentum * m : m);
    }
    means[i] = wt::from_double<S>(m);
    weights[i] = wt::from_double<W>(w);
    if (params) params[i] = static_cast<float>(w);
  }
}
