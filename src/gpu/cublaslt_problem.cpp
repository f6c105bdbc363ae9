#include "gpu/cublaslt_problem.h"

#include "gpu/vendor_library.h"

namespace warptune {
namespace {

tl::unexpected<Error> refuse_problem(const std::string& why) {
  return fail(ErrorKind::no_candidate, "cublaslt.matmul: " + why);
}

const BufferPlan* buffer_of(const LibraryCallPlan& call, const LaunchPlan& plan, std::string_view name) {
  for (const auto& [arg, ref] : call.args)
    if (arg == name && ref.kind == ArgRef::Kind::buffer) return &plan.buffers[static_cast<std::size_t>(ref.index)];
  return nullptr;
}

Result<cudaDataType_t> type_of(const BufferPlan& buffer) {
  switch (buffer.dtype) {
  case DType::bf16:
    return CUDA_R_16BF;
  case DType::fp16:
    return CUDA_R_16F;
  case DType::fp32:
    return CUDA_R_32F;
  default:
    return refuse_problem("it supports only bf16, fp16 and fp32");
  }
}

// A row-major matrix of `height` rows of `width` elements; `leading` is the distance between rows, 0 if there is no
// gap.
CublasLtMatrix matrix(std::int64_t width, std::int64_t height, std::int64_t leading, bool is_shared) {
  const std::int64_t apart = leading == 0 ? width : leading;
  return {width, height, apart, is_shared ? 0 : apart * height, CUDA_R_32F, false};
}

bool has_size(const BufferPlan& buffer, const CublasLtMatrix& m, std::int64_t batch) {
  const std::int64_t products = m.stride == 0 ? 1 : batch;
  return buffer.count == products * m.columns * m.leading - (m.leading - m.rows);
}

cublasLtEpilogue_t epilogue_of(std::int64_t activation, bool has_bias) {
  switch (activation) {
  case 0:
    return has_bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  case 1:
    return has_bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  default: // 2, the largest value that the call accepts
    return has_bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  }
}

} // namespace

Result<CublasLtProblem> describe_product(const LibraryCallPlan& call, const LaunchPlan& plan) {
  const auto value = [&](const char* name) { return value_of(call, name); };
  const BufferPlan *a = buffer_of(call, plan, "a"), *b = buffer_of(call, plan, "b"), *c = buffer_of(call, plan, "c"),
                   *bias = buffer_of(call, plan, "bias"), *residual = buffer_of(call, plan, "residual"),
                   *workspace = buffer_of(call, plan, "workspace");
  if (a == nullptr || b == nullptr || c == nullptr)
    return refuse_problem("'a', 'b' and 'c' must exist for every problem");
  const std::int64_t m = value("m"), n = value("n"), k = value("k");
  const bool a_t = value("a_is_k_by_m") != 0, b_t = value("b_is_n_by_k") != 0;
  CublasLtProblem p;
  p.batch = value("batch");
  p.left = matrix(b_t ? k : n, b_t ? n : k, value("ldb"), value("b_is_shared") != 0);
  p.right = matrix(a_t ? m : k, a_t ? k : m, value("lda"), value("a_is_shared") != 0);
  p.left.is_transposed = b_t;
  p.right.is_transposed = a_t;
  p.out = matrix(n, m, value("ldc"), false);
  if (p.left.leading < p.left.rows || p.right.leading < p.right.rows || p.out.leading < p.out.rows)
    return refuse_problem("'lda', 'ldb' and 'ldc' must be at least the length of a row");
  if (!has_size(*a, p.right, p.batch) || !has_size(*b, p.left, p.batch) || !has_size(*c, p.out, p.batch) ||
      (residual != nullptr && !has_size(*residual, p.out, p.batch)) || (bias != nullptr && bias->count != n))
    return refuse_problem(
        "the sizes of the buffers do not match m, n, k, batch, lda, ldb and ldc; correct the formulas");
  const bool widens = a->dtype != c->dtype && c->dtype == DType::fp32;
  if (a->dtype != b->dtype || (a->dtype != c->dtype && !widens) ||
      (residual != nullptr && residual->dtype != a->dtype) || (bias != nullptr && bias->dtype != a->dtype))
    return refuse_problem("all operands must have the same dtype; only 'c' may be fp32 instead");
  p.has_bias = bias != nullptr;
  p.has_residual = residual != nullptr;
  const std::int64_t activation = value("activation");
  if (widens && (p.has_bias || p.has_residual || activation != 0))
    return refuse_problem("if only 'c' is fp32, bias, activation and residual are not supported");
  if (p.has_residual && activation != 0)
    return refuse_problem("it adds a residual before the activation, but the problem adds it after the activation");
  p.epilogue = epilogue_of(activation, p.has_bias);
  WT_TRY(p.left.type, type_of(*a));
  p.right.type = p.left.type;
  WT_TRY(p.out.type, type_of(*c));
  p.workspace_bytes = workspace == nullptr ? 0 : static_cast<std::size_t>(workspace->bytes());
  return p;
}

} // namespace warptune
