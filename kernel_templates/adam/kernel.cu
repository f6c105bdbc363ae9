// One step of an optimiser: a pass over the parameters, their gradients and running means, in fp32.
#include "common/early_next.cuh"
#include "common/optimiser.cuh"

using namespace wt;

// P, S, STORES: of Step. RULE: of the enum.
template <typename P, typename G, typename S, int RULE, bool MASTER, int VEC, int UNROLL, int BLOCK, bool PERSISTENT,
          int STORES>
__global__ void __launch_bounds__(BLOCK)
    optimiser_step(const G* __restrict__ grads, typename WeightOf<P, MASTER>::type* __restrict__ weights,
                   S* __restrict__ means, S* __restrict__ squares, P* __restrict__ params, double rate, double decay,
                   double scale, double beta1, double beta2, double eps, double correction1, double correction2,
                   double momentum, double dampening, i64 n) {
  wt::let_next_start();
  const StepNumbers numbers =
      step_numbers(rate, decay, scale, beta1, beta2, eps, correction1, correction2, momentum, dampening);
  wt::wait_for_earlier_work_after(any_bits(numbers));
  const Step<P, G, S, Rule(RULE), MASTER, STORES> step{grads, weights, means, squares, params, numbers};
  for_each_tile<VEC, UNROLL, BLOCK, PERSISTENT>(n, step);
}
