// Compares outputs (WT_OUT) with the oracle's (WT_REF), and prepares them for it. Each block leaves one partial result, which a
// second kernel combines: no atomics, so the same data gives the same report.
#include "convert.cuh"

__device__ inline double infinity() { return __longlong_as_double(0x7FF0000000000000ll); }
const int kThreads = 256;

// The oracle's value as an integer output would have it.
template <class O, class R> __device__ O as_integer(R reference) {
  if (IsInteger<R>::value) return (O)reference;
  return (O)(i64)rint(to_double(reference));
}

// What an output holds before the kernel runs. Floats: all bits set, a NaN that no instruction makes (the canonical ones
// have no sign), so it counts as unwritten even where the oracle has a NaN. Integers: the oracle's value with its highest
// bit but one flipped, which no tolerance of a few units forgives.
template <class T> struct Poison {
  __device__ static T value(T reference) { return (T)(reference ^ ((T)1 << (8 * sizeof(T) - 2))); }
};
template <> struct Poison<bool> {
  __device__ static bool value(bool reference) { return !reference; }
};

// The bits of `x` as an unsigned number, to tell a poisoned float from any other NaN.
template <class T> __device__ bool is_all_ones(T x) {
  const unsigned char* bytes = (const unsigned char*)&x;
  bool ones = true;
  for (int i = 0; i < (int)sizeof(T); ++i) ones = ones && bytes[i] == 0xFF;
  return ones;
}

enum Kinds { both_integers, rounded_to_integer, floats }; // of the output and the oracle's

template <class O, class R, Kinds kinds> struct Compare;

template <class O, class R> struct Compare<O, R, both_integers> {
  __device__ static double error(O out, R ref) { // exact beyond the 53 bits of a double
    const i64 o = (i64)out, r = (i64)ref;
    if ((O)-1 > (O)0) return (u64)o > (u64)r ? (double)((u64)o - (u64)r) : (double)((u64)r - (u64)o);
    return o > r ? (double)((u64)o - (u64)r) : (double)((u64)r - (u64)o);
  }
  __device__ static bool unwritten(O out, R ref) { return out == Poison<O>::value((O)ref); }
};

// The oracle does not round, so a tolerance of half a unit accepts only the nearest integer.
template <class O, class R> struct Compare<O, R, rounded_to_integer> {
  __device__ static double error(O out, R ref) {
    const double r = to_double(ref);
    return isnan(r) ? infinity() : fabs(to_double(out) - r);
  }
  __device__ static bool unwritten(O out, R ref) { return out == Poison<O>::value(as_integer<O>(ref)); }
};

template <class O, class R> struct Compare<O, R, floats> {
  __device__ static double error(O out, R ref) {
    const double o = to_double(out), r = to_double(ref);
    if (isnan(r)) return isnan(o) && !is_all_ones(out) ? 0.0 : infinity();
    if (isnan(o)) return infinity();
    // Infinite where the oracle is, or where the oracle's number does not fit the output's type.
    if (isinf(o)) return o == r || o == to_double(From<O>::number(r)) ? 0.0 : infinity();
    return fabs(o - r); // infinite where only the oracle is
  }
  __device__ static bool unwritten(O out, R) { return is_all_ones(out); }
};

const Kinds kKinds = !IsInteger<WT_OUT>::value ? floats : IsInteger<WT_REF>::value ? both_integers : rounded_to_integer;

struct Partial {
  double max_abs, max_rel, worst_ratio, worst_out, worst_ref;
  i64 worst_index, mismatches, unwritten;
};

__device__ void merge(Partial& into, const Partial& from) {
  into.max_abs = fmax(into.max_abs, from.max_abs);
  into.max_rel = fmax(into.max_rel, from.max_rel);
  into.mismatches += from.mismatches;
  into.unwritten += from.unwritten;
  const bool worse = from.worst_ratio > into.worst_ratio ||
                     (from.worst_ratio == into.worst_ratio && from.worst_index >= 0 &&
                      (into.worst_index < 0 || from.worst_index < into.worst_index));
  if (!worse) return;
  into.worst_ratio = from.worst_ratio;
  into.worst_index = from.worst_index;
  into.worst_out = from.worst_out;
  into.worst_ref = from.worst_ref;
}

// |out - ref| <= rtol * |ref| + atol. The ratio is the error over that bound. `count` elements lie in rows; an index is a place
// in memory.
extern "C" __global__ void __launch_bounds__(kThreads)
    compare(const WT_OUT* out, const WT_REF* ref, i64 count, Rows rows, double rtol, double atol, Partial* partials) {
  __shared__ Partial shared[kThreads];
  Partial mine = {0, 0, 0, 0, 0, -1, 0, 0};
  for (i64 i = first_index(); i < count; i += index_step()) {
    const i64 at = rows.place(i);
    const WT_OUT o = out[at];
    const WT_REF r = ref[at];
    const double error = Compare<WT_OUT, WT_REF, kKinds>::error(o, r);
    const double size = fabs(to_double(r));
    const double bound = isinf(size) || isnan(size) ? atol : rtol * size + atol;
    const double ratio = error == 0 ? 0 : (bound > 0 ? error / bound : infinity());
    const bool wrong = !(ratio <= 1);
    Partial one = {error, size > 0 && error > 0 ? error / size : 0, ratio, to_double(o), to_double(r), at, wrong,
                   wrong && Compare<WT_OUT, WT_REF, kKinds>::unwritten(o, r)};
    merge(mine, one);
  }
  shared[threadIdx.x] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = shared[0];
}

// All partial results of one comparison into one, so that the host fetches few bytes.
extern "C" __global__ void __launch_bounds__(kThreads) merge_partials(const Partial* partials, i64 count, Partial* result) {
  __shared__ Partial shared[kThreads];
  Partial mine = {0, 0, 0, 0, 0, -1, 0, 0};
  for (i64 i = threadIdx.x; i < count; i += kThreads) merge(mine, partials[i]);
  shared[threadIdx.x] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) *result = shared[0];
}

// Sum of squares and number of the finite elements, per block.
extern "C" __global__ void __launch_bounds__(kThreads) sum_squares(const WT_REF* ref, i64 count, Rows rows, double* sums) {
  __shared__ double squares[kThreads], counts[kThreads];
  double square = 0, finite = 0;
  for (i64 i = first_index(); i < count; i += index_step()) {
    const double x = to_double(ref[rows.place(i)]);
    if (isnan(x) || isinf(x)) continue;
    square += x * x;
    finite += 1;
  }
  squares[threadIdx.x] = square;
  counts[threadIdx.x] = finite;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    squares[threadIdx.x] += squares[threadIdx.x + half];
    counts[threadIdx.x] += counts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    sums[2 * blockIdx.x] = squares[0];
    sums[2 * blockIdx.x + 1] = counts[0];
  }
}

#if WT_OUT_IS_INTEGER
extern "C" __global__ void poison_integers(WT_OUT* out, const WT_REF* ref, i64 count) {
  for (i64 i = first_index(); i < count; i += index_step()) out[i] = Poison<WT_OUT>::value(as_integer<WT_OUT>(ref[i]));
}
#endif
