// The shipped operator gemm as a typed call, header only, built on warptune.hpp:
//   C = activation(alpha * r * (A * B) * s + bias) + beta * residual
// All sums are in fp32. For each product of a batch, A is m x k and B is k x n. C and the residual are m x n or, with a
// gate (swiglu, geglu), m x (n / 2). All matrices are row-major. r is a vector with one factor per row of A * B, and s
// is a vector with one factor per column. A GemmForm says which parts of the formula a call uses.
//   GemmForm form; // C = gelu(A * B + bias): a linear layer with torch's weights, which are n x k
//   form.layout = Layout::nt, form.bias = true, form.activation = Activation::gelu;
//   const Gemm linear(library, form);
//   linear(stream, {m, n, k}, {x, weight, y, bias}, workspace);
// GemmSize and GemmArgs have the names and the order of kernel_templates/gemm/spec.json.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <warptune/operator_types.hpp>
#include <warptune/warptune.hpp>

namespace warptune {
inline namespace v0 {
namespace operators {

// How A and B are stored, one letter for each. n: as written above. t: transposed, so A is k x m or B is n x k.
enum class Layout { nn, nt, tn, tt };
// swiglu and geglu are gates: C has n / 2 columns, and n must be even. Column j of C is silu(x) * y or gelu(x) * y,
// plus beta * residual. x and y are columns j and j + n / 2 of the sum before the activation (formula above).
enum class Activation { none, relu, gelu, gelu_tanh, silu, swiglu, geglu };
enum class Scales { none, rows, columns, both };
enum class Shared { none, a, b }; // which operand is the same for all products of a batch

// A variant of gemm. Each combination of members has its own tuning results and cubins.
struct GemmForm {
  Type type = Type::bf16; // element type of A, B, C, bias and residual
  Layout layout = Layout::nt;
  Activation activation = Activation::none;
  bool bias = false;     // C gets a bias: a row of n elements, added before the activation
  bool residual = false; // C gets a residual: a matrix like C, added after the activation
  bool scaled = false;   // the call passes alpha and beta
  Scales scales = Scales::none;
  Shared shared = Shared::none;
  bool fp32_output = false; // C is fp32 whatever `type` is
  bool tf32x3 = false;      // only for fp32: three tf32 products on tensor cores instead of one exact product
};

// Sizes in elements. The leading dimension of a matrix is the width of its rows plus its pad.
struct GemmSize {
  std::int64_t m, n, k;
  std::int64_t batch = 1; // number of products; their matrices follow each other in memory
  std::int64_t a_pad = 0, b_pad = 0,
               c_pad = 0; // elements of padding after each row of A, of B, and of C and the residual
};

// Device pointers, and two numbers on the host. Members that the form does not use are ignored.
struct GemmArgs {
  const void *a, *b;
  void* c;
  const void *bias = nullptr, *residual = nullptr;
  const float *row_scale = nullptr, *column_scale = nullptr; // m elements; n elements
  float alpha = 1, beta = 1;                                 // factors of A * B and of the residual
};

namespace detail {

inline const char* layout_name(Layout layout) noexcept {
  constexpr const char* kNames[] = {"nn", "nt", "tn", "tt"};
  return kNames[static_cast<int>(layout)];
}
inline const char* activation_name(Activation activation) noexcept {
  constexpr const char* kNames[] = {"none", "relu", "gelu", "gelu_tanh", "silu", "swiglu", "geglu"};
  return kNames[static_cast<int>(activation)];
}
inline const char* scales_name(Scales scales) noexcept {
  constexpr const char* kNames[] = {"none", "rows", "columns", "both"};
  return kNames[static_cast<int>(scales)];
}
inline const char* shared_name(Shared shared) noexcept {
  return shared == Shared::a ? "a" : shared == Shared::b ? "b" : "none";
}

// The flags as wt_find_kernel expects them: "layout=nt,shared=none,...".
inline std::string flags_of(const GemmForm& form) {
  const auto number = [](bool is) { return is ? "1" : "0"; };
  return std::string("layout=") + layout_name(form.layout) + ",shared=" + shared_name(form.shared) +
         ",activation=" + activation_name(form.activation) + ",bias=" + number(form.bias) +
         ",residual=" + number(form.residual) + ",scales=" + scales_name(form.scales) +
         ",scaled=" + number(form.scaled) + ",out=" + (form.fp32_output ? "fp32" : "same") +
         ",math=" + (form.tf32x3 ? "tf32x3" : "exact");
}

} // namespace detail

// Throws Error. The status is WT_BAD_INPUT if gemm does not support the form or the sizes; WT_NO_CANDIDATE if no
// configuration fits, for example tf32x3 with a type other than fp32; otherwise a status of wt_select or wt_launch. A
// Gemm must not be used after its library was destroyed.
class Gemm {
 public:
  explicit Gemm(const Library& library, const GemmForm& form = {})
      : form_(form), kernel_(library.kernel("gemm", type_name(form.type), detail::flags_of(form))),
        dim_count_(kernel_.dims().size()) {}

  // If `workspace` is too small, it grows, which calls its allocator. Before a stream capture, call prefetch(size) and
  // workspace.reserve(workspace_bytes(size)).
  void operator()(void* stream, const GemmSize& size, const GemmArgs& args, Workspace& workspace) const {
    const Given given(form_, args);
    const Operation operation = kernel_.select(dims_of(size), given.alignment(), stream);
    check(wt_launch(operation.get(), given.data(), given.count(), workspace.reserve(operation.workspace_bytes()),
                    stream));
  }
  // The next two functions assume that buffers are aligned to 16 bytes. With a smaller alignment, a later call may
  // select another operation: it may load a cubin and need a larger workspace.
  void prefetch(const GemmSize& size) const { kernel_.prefetch(dims_of(size)); }
  std::size_t workspace_bytes(const GemmSize& size) const { return kernel_.select(dims_of(size)).workspace_bytes(); }
  const GemmForm& form() const noexcept { return form_; }
  const Kernel& kernel() const noexcept { return kernel_; }

 private:
  // Pointers to the arguments of this form of gemm, in the order of gemm's spec.json.
  class Given {
   public:
    Given(const GemmForm& form, const GemmArgs& args) {
      buffer(args.a), buffer(args.b);
      buffer(args.c);
      if (form.bias) buffer(args.bias);
      if (form.residual) buffer(args.residual);
      if (form.scales == Scales::rows || form.scales == Scales::both) buffer(args.row_scale);
      if (form.scales == Scales::columns || form.scales == Scales::both) buffer(args.column_scale);
      if (form.scaled) addresses_[count_++] = &args.alpha, addresses_[count_++] = &args.beta;
    }
    Given(const Given&) = delete; // not copyable: it holds pointers into itself
    Given& operator=(const Given&) = delete;
    const void* const* data() const noexcept { return addresses_.data(); }
    int count() const noexcept { return static_cast<int>(count_); }
    std::size_t alignment() const noexcept { // the alignment that all buffers have: the lowest bit set in any address
      std::uintptr_t bits = WT_BUFFER_ALIGNMENT;
      for (std::size_t i = 0; i < buffers_; ++i) bits |= reinterpret_cast<std::uintptr_t>(pointers_[i]);
      return static_cast<std::size_t>(bits & (~bits + 1));
    }

   private:
    void buffer(const void* pointer) noexcept {
      pointers_[buffers_] = pointer;
      addresses_[count_++] = &pointers_[buffers_++];
    }
    std::array<const void*, 7> pointers_{};
    std::array<const void*, 9> addresses_{};
    std::size_t buffers_ = 0, count_ = 0;
  };

  // If a pack was made before gemm had the dim `c_pad`, its gemm takes only the first six dims.
  Dims dims_of(const GemmSize& size) const {
    const std::array<std::int64_t, 7> all = {size.m, size.n, size.k, size.batch, size.a_pad, size.b_pad, size.c_pad};
    if (dim_count_ > all.size() || dim_count_ + 1 < all.size() || (dim_count_ < all.size() && size.c_pad != 0))
      throw Error(WT_BAD_INPUT, "gemm: the file's gemm has " + std::to_string(dim_count_) +
                                    " dims, which do not match this GemmSize; make the file again with this version");
    return Dims(all.data(), dim_count_);
  }

  GemmForm form_;
  Kernel kernel_;
  std::size_t dim_count_;
};

} // namespace operators
} // namespace v0
} // namespace warptune
