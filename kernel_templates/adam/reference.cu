// The reference of adam: one thread a parameter.
#include "common/optimiser_exact.cuh"

template <typename P, typename W, typename G, typename S, int RULE>
__global__ void step_reference(const G* grads, W* weights, S* means, S* squares, float* params, double rate,
                               double decay, double scale, double beta1, double beta2, double eps, double correction1,
                               double correction2, double momentum, double dampening, i64 n) {
  const wt::exact::StepNumbers numbers{rate, decay,       scale,       beta1,    beta2,
                                       eps,  correction1, correction2, momentum, dampening};
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double w = wt::exact::step<RULE>(grads[i], weights[i], means[i], squares + i, numbers);
    if (params) params[i] = static_cast<float>(w);
  }
}
