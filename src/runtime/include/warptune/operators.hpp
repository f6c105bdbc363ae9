// The shipped operators as typed calls; header only, built on warptune.hpp. Pointers are device pointers to elements of
// the operator's type. Matrices are dense and row-major, and sizes are numbers of elements. `stream` is a CUstream or
// cudaStream_t. A call has a parameter `workspace` if some configurations of its operator need one (ReduceSum, Sgemm).
// Sizes and buffers are in the order of kernel_templates/<operator>/spec.json; Axpy takes alpha between them. A call
// returns when its work is queued on the stream. An operator object must not be used after its library was destroyed.
// `prefetch` prepares later calls with these sizes and with buffers aligned to 16 bytes (see wt_prefetch). Errors are
// thrown as warptune::Error. The status is WT_BAD_INPUT for sizes that the operator does not accept. It is
// WT_NO_CANDIDATE if no configuration can be launched, for example because buffers are not aligned enough
// (docs/selection.md). Otherwise it is a status of wt_run. This header includes gemm.hpp, which has matrix products of
// all types, with layouts, batches and epilogues.
#pragma once

#include <warptune/gemm.hpp>
#include <warptune/operator_types.hpp>
#include <warptune/warptune.hpp>

namespace warptune {
inline namespace v0 {
namespace operators {

// y = alpha * x + y over n elements.
class Axpy {
 public:
  explicit Axpy(const Library& library, Type type = Type::fp32) : kernel_(library.kernel("axpy", type_name(type))) {}
  void operator()(void* stream, std::int64_t n, float alpha, const void* x, void* y) const {
    kernel_(stream, {n}, x, y, alpha);
  }
  void prefetch(std::int64_t n) const { kernel_.prefetch({n}); }
  const Kernel& kernel() const noexcept { return kernel_; }

 private:
  Kernel kernel_;
};

// *sum = x[0] + ... + x[n - 1]. The sum is a single fp32 value, whatever the type of x.
class ReduceSum {
 public:
  explicit ReduceSum(const Library& library, Type type = Type::fp32)
      : kernel_(library.kernel("reduce_sum", type_name(type))) {}
  void operator()(void* stream, std::int64_t n, const void* x, float* sum, Workspace& workspace) const {
    kernel_.run(stream, {n}, workspace, x, sum);
  }
  void prefetch(std::int64_t n) const { kernel_.prefetch({n}); }
  const Kernel& kernel() const noexcept { return kernel_; }

 private:
  Kernel kernel_;
};

// C = A * B in fp32. A is m x k, C is m x n, and B is k x n (or n x k if it is transposed). The class Gemm also
// supports other layouts, ragged sizes and epilogues. Whether Sgemm or Gemm is faster depends on the shape
// (docs/gemm.md).
class Sgemm {
 public:
  enum class Layout { nn, nt }; // nt: B is n x k
  explicit Sgemm(const Library& library, Layout layout = Layout::nn)
      : kernel_(library.kernel("sgemm", "fp32", layout == Layout::nt ? "layout=nt" : "layout=nn")) {}
  void operator()(void* stream, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
                  float* c, Workspace& workspace) const {
    kernel_.run(stream, {m, n, k}, workspace, a, b, c);
  }
  void prefetch(std::int64_t m, std::int64_t n, std::int64_t k) const { kernel_.prefetch({m, n, k}); }
  const Kernel& kernel() const noexcept { return kernel_; }

 private:
  Kernel kernel_;
};

// y[r] = softmax(x[r]), or its logarithm, for each row r of a rows x cols matrix.
class Softmax {
 public:
  explicit Softmax(const Library& library, Type type = Type::bf16, bool is_log = false)
      : kernel_(library.kernel("softmax", type_name(type), is_log ? "log=1" : "log=0")) {}
  void operator()(void* stream, std::int64_t rows, std::int64_t cols, const void* x, void* y) const {
    kernel_(stream, {rows, cols}, x, y);
  }
  void prefetch(std::int64_t rows, std::int64_t cols) const { kernel_.prefetch({rows, cols}); }
  const Kernel& kernel() const noexcept { return kernel_; }

 private:
  Kernel kernel_;
};

// y is x transposed. x has the shape (rows, cols), y has the shape (cols, rows).
class Transpose {
 public:
  explicit Transpose(const Library& library, Type type = Type::bf16)
      : kernel_(library.kernel("transpose", type_name(type))) {}
  void operator()(void* stream, std::int64_t rows, std::int64_t cols, const void* x, void* y) const {
    kernel_(stream, {rows, cols}, x, y);
  }
  void prefetch(std::int64_t rows, std::int64_t cols) const { kernel_.prefetch({rows, cols}); }
  const Kernel& kernel() const noexcept { return kernel_; }

 private:
  Kernel kernel_;
};

} // namespace operators
} // namespace v0
} // namespace warptune
