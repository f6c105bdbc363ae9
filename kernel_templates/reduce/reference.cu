// The reference of reduce, in double: one thread for each piece of a result, then one for each result. Kinds are
// numbered as in the operator: sum, mean, prod, max, min, L1, L2, variance, argmax, argmin.
#include "common/prelude.cuh"

struct State {
  double value, squares; // squares: of the deviations from the mean, which `value` is
  i64 place;             // of the extreme, or the number of elements

  __device__ void merge(const State& other, int kind) {
    if (kind == 7) {
      const double both = double(place) + double(other.place), apart = other.value - value;
      value += apart * double(other.place) / both;
      squares += other.squares + apart * apart * double(place) * double(other.place) / both;
      place += other.place;
    } else if (kind == 3 || kind == 4 || kind == 8 || kind == 9) {
      const bool larger = kind % 5 == 3 ? other.value > value : other.value < value;
      if (!isnan(value) && (larger || isnan(other.value))) *this = other; // `other` comes later: the first counts
    } else {
      value = kind == 2 ? value * other.value : value + other.value;
    }
  }
};

template <typename T>
__global__ void reduce_pieces(const T* x, State* states, i64 results, i64 n, i64 inner, i64 pieces, i64 length,
                              int kind) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x; i < results * pieces; i += step) {
    const i64 result = i % results, first = i / results * length, end = first + length < n ? first + length : n;
    const T* from = x + result / inner * n * inner + result % inner;
    State all{};
    for (i64 e = first; e < end; ++e) {
      const double v = wt::to_double(from[e * inner]);
      const State one{kind == 5 ? fabs(v) : kind == 6 ? v * v : v, v - v, kind == 7 ? 1 : e}; // of infinity: NaN
      if (e == first)
        all = one;
      else
        all.merge(one, kind);
    }
    states[i] = all;
  }
}

template <typename R>
__global__ void reduce_states(const State* states, R* y, float correction, i64 results, i64 n, i64 pieces, int kind) {
  const i64 step = i64(gridDim.x) * blockDim.x;
  for (i64 result = i64(blockIdx.x) * blockDim.x + threadIdx.x; result < results; result += step) {
    State all = states[result];
    for (i64 piece = 1; piece < pieces; ++piece) all.merge(states[piece * results + result], kind);
    if (kind >= 8)
      y[result] = static_cast<R>(all.place);
    else if (kind == 7)
      y[result] = static_cast<R>(all.squares / fmax(double(n) - correction, 0.0));
    else
      y[result] = static_cast<R>(kind == 1 ? all.value / double(n) : kind == 6 ? sqrt(all.value) : all.value);
  }
}
