// The reference of adam_list: one thread a parameter.
#include "common/optimiser_exact.cuh"

template <typename P, typename W, typename G, typename S, int RULE>
__global__ void list_reference(const G* grads, W* weights, S* means, S* squares, P* params, const i64* offsets,
                               const i64* starts, double rate, double decay, double scale, double beta1, double beta2,
                               double eps, double correction1, double correction2, double momentum, double dampening,
                               int count) {
  const wt::exact::StepNumbers numbers{rate, decay,       scale,       beta1,    beta2,
                                       eps,  correction1, correction2, momentum, dampening};
  const int buffers = 3 + (squares != nullptr) + (params != nullptr);
  const i64 stride = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < offsets[count]; i += stride) {
    int tensor = 0, above = count; // offsets[tensor] <= i < offsets[above]
    while (above - tensor > 1) {
      const int middle = (tensor + above) / 2;
      (offsets[middle] <= i ? tensor : above) = middle;
    }
    const i64* const start = starts + i64(tensor) * buffers;
    const i64 at = i - offsets[tensor];
    const double w = wt::exact::step<RULE>(grads[start[0] + at], weights[start[1] + at], means[start[2] + at],
                                           squares ? squares + start[3] + at : nullptr, numbers);
    if (params) params[start[buffers - 1] + at] = wt::from_double<P>(w);
  }
}

// Where the tensors begin in each buffer, so that a kernel that takes an element of another tensor or buffer is wrong:
// every other buffer has the tensors in reverse order. A tensor begins at a multiple of 64 elements, or, if
// `misaligned`, up to 7 elements after one, as far in all buffers. Every third tensor begins elsewhere in one buffer.
__global__ void place_tensors(const i64* offsets, i64* starts, int count, int buffers, int misaligned) {
  const int buffer = threadIdx.x;
  i64 free = 0;
  for (int i = 0; i < count; ++i) {
    const int tensor = buffer % 2 ? count - 1 - i : i;
    const int more = tensor % 3 == 2 && tensor / 3 % buffers == buffer;
    starts[i64(tensor) * buffers + buffer] = free + (misaligned ? (tensor * 3 + more) % 8 : 0);
    free = (free + 7 + offsets[tensor + 1] - offsets[tensor] + 63) / 64 * 64;
  }
}
