#include "gpu/cublaslt_library.h"

#include "core/text.h"
#include "gpu/cublaslt_functions.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace warptune {
namespace {

tl::unexpected<Error> refuse(const std::string& why) {
  return fail(ErrorKind::no_candidate, "cublaslt.matmul: " + why);
}
Result<void> check(cublasStatus_t status, std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return refuse(fmt::format("{}: {}", what, describe(status)));
}

// One per context, kept while the process lives: a handle costs milliseconds and is safe to share among threads.
Result<cublasLtHandle_t> handle_of_context(const Driver& driver, const CublasLt& lt) {
  static std::mutex mutex;
  static std::map<unsigned long long, cublasLtHandle_t> handles;
  CUcontext context = nullptr;
  unsigned long long id = 0;
  if (driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == nullptr ||
      driver.cuCtxGetId(context, &id) != CUDA_SUCCESS)
    return refuse("there is no current CUDA context");
  const std::lock_guard lock(mutex);
  cublasLtHandle_t& handle = handles[id];
  if (handle == nullptr) WT_CHECK(check(lt.cublasLtCreate(&handle), "cublasLtCreate"));
  return handle;
}

// cuBLASLt sees columns first. A row-major matrix is the transpose of a column-major one, so C = A * B is computed as
// C^T = B^T * A^T: its "left" operand is our B.
struct Operand {
  std::int64_t rows, columns; // as stored, columns first
  bool is_transposed;         // for the product that cuBLASLt sees
};

class Product final : public PreparedCall { // a, b, c, workspace
 public:
  static Result<std::unique_ptr<const PreparedCall>> make(const Driver& driver, const LibraryCallPlan& call,
                                                          const LaunchPlan& plan);
  CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept override {
    const float one = 1.0f, zero = 0.0f;
    const auto at = [](std::uint64_t address) { return reinterpret_cast<void*>(address); };
    const cublasStatus_t status = lt_.cublasLtMatmul(
        handle_, product_.get(), &one, at(args[1]), left_.get(), at(args[0]), right_.get(), &zero, at(args[2]),
        out_.get(), at(args[2]), out_.get(), &algorithm_, at(args[3]), args[3] == 0 ? 0 : workspace_bytes_, stream);
    return status == CUBLAS_STATUS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
  }

 private:
  explicit Product(const CublasLt& lt) : lt_(lt) {}
  Result<void> describe_operands(const LibraryCallPlan& call, cudaDataType_t type);
  Result<void> choose(std::int64_t rank);
  Result<CublasLtOwner<cublasLtMatrixLayout_t>> layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                                                       std::int64_t batch) const;

  const CublasLt& lt_;
  cublasLtHandle_t handle_ = nullptr;
  CublasLtOwner<cublasLtMatmulDesc_t> product_{nullptr, nullptr};
  CublasLtOwner<cublasLtMatrixLayout_t> left_{nullptr, nullptr}, right_{nullptr, nullptr}, out_{nullptr, nullptr};
  cublasLtMatmulAlgo_t algorithm_ = {};
  std::size_t workspace_bytes_ = 0;
};

const BufferPlan* buffer_of(const LibraryCallPlan& call, const LaunchPlan& plan, std::string_view name) {
  for (const auto& [arg, ref] : call.args)
    if (arg == name && ref.kind == ArgRef::Kind::buffer) return &plan.buffers[static_cast<std::size_t>(ref.index)];
  return nullptr;
}

Result<cudaDataType_t> type_of(const LibraryCallPlan& call, const LaunchPlan& plan) {
  const BufferPlan *a = buffer_of(call, plan, "a"), *b = buffer_of(call, plan, "b"), *c = buffer_of(call, plan, "c");
  if (a == nullptr || b == nullptr || c == nullptr) return refuse("'a', 'b' and 'c' must exist for every problem");
  const std::int64_t batch = value_of(call, "batch"), m = value_of(call, "m"), n = value_of(call, "n"),
                     k = value_of(call, "k");
  if (a->count != batch * m * k || b->count != batch * k * n || c->count != batch * m * n)
    return refuse("the buffers do not have the sizes that m, n, k and batch say; correct the formulas");
  if (a->dtype != b->dtype || a->dtype != c->dtype) return refuse("'a', 'b' and 'c' must have one dtype");
  switch (a->dtype) {
  case DType::bf16:
    return CUDA_R_16BF;
  case DType::fp16:
    return CUDA_R_16F;
  case DType::fp32:
    return CUDA_R_32F;
  default:
    return refuse("it takes bf16, fp16 and fp32");
  }
}

Result<CublasLtOwner<cublasLtMatrixLayout_t>> Product::layout(cudaDataType_t type, std::int64_t rows,
                                                              std::int64_t columns, std::int64_t batch) const {
  cublasLtMatrixLayout_t made = nullptr;
  WT_CHECK(check(lt_.cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                                static_cast<std::uint64_t>(columns), rows),
                 "cublasLtMatrixLayoutCreate"));
  CublasLtOwner<cublasLtMatrixLayout_t> owner(made, lt_.cublasLtMatrixLayoutDestroy);
  const auto count = static_cast<std::int32_t>(batch);
  const std::int64_t stride = rows * columns;
  WT_CHECK(check(lt_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                 "the batch's count"));
  WT_CHECK(check(
      lt_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
      "the batch's stride"));
  return owner;
}

Result<void> Product::describe_operands(const LibraryCallPlan& call, cudaDataType_t type) {
  const std::int64_t m = value_of(call, "m"), n = value_of(call, "n"), k = value_of(call, "k"),
                     batch = value_of(call, "batch");
  const Operand left =
      value_of(call, "b_is_n_by_k") != 0 ? Operand{k, n, true} : Operand{n, k, false}; // our B, columns first
  const Operand right = value_of(call, "a_is_k_by_m") != 0 ? Operand{m, k, true} : Operand{k, m, false};
  cublasLtMatmulDesc_t made = nullptr;
  WT_CHECK(check(lt_.cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate"));
  product_ = {made, lt_.cublasLtMatmulDescDestroy};
  for (const auto& [attribute, operand] :
       {std::pair(CUBLASLT_MATMUL_DESC_TRANSA, left), std::pair(CUBLASLT_MATMUL_DESC_TRANSB, right)}) {
    const cublasOperation_t operation = operand.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    WT_CHECK(
        check(lt_.cublasLtMatmulDescSetAttribute(made, attribute, &operation, sizeof operation), "a transposition"));
  }
  WT_TRY(left_, layout(type, left.rows, left.columns, batch));
  WT_TRY(right_, layout(type, right.rows, right.columns, batch));
  WT_TRY(out_, layout(type, n, m, batch));
  return {};
}

Result<void> Product::choose(std::int64_t rank) {
  cublasLtMatmulPreference_t made = nullptr;
  WT_CHECK(check(lt_.cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate"));
  const CublasLtOwner<cublasLtMatmulPreference_t> preference(made, lt_.cublasLtMatmulPreferenceDestroy);
  WT_CHECK(check(lt_.cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                          &workspace_bytes_, sizeof workspace_bytes_),
                 "the workspace's size"));
  std::array<cublasLtMatmulHeuristicResult_t, 64> results = {};
  int found = 0;
  const cublasStatus_t status =
      lt_.cublasLtMatmulAlgoGetHeuristic(handle_, product_.get(), left_.get(), right_.get(), out_.get(), out_.get(),
                                         made, static_cast<int>(results.size()), results.data(), &found);
  if (status != CUBLAS_STATUS_SUCCESS && status != CUBLAS_STATUS_NOT_SUPPORTED)
    return check(status, "cublasLtMatmulAlgoGetHeuristic");
  std::int64_t usable = 0;
  for (int i = 0; i < found; ++i)
    if (const auto& result = results[static_cast<std::size_t>(i)];
        result.state == CUBLAS_STATUS_SUCCESS && usable++ == rank) {
      algorithm_ = result.algo;
      return {};
    }
  return refuse(fmt::format("its heuristic has {} {} for this problem, and the rank is {}", usable,
                            usable == 1 ? "algorithm" : "algorithms", rank));
}

Result<std::unique_ptr<const PreparedCall>> Product::make(const Driver& driver, const LibraryCallPlan& call,
                                                          const LaunchPlan& plan) {
  WT_TRY(const CublasLt* const lt, open_cublaslt());
  WT_TRY(const cudaDataType_t type, type_of(call, plan));
  std::unique_ptr<Product> product(new Product(*lt));
  WT_TRY(product->handle_, handle_of_context(driver, *lt));
  const BufferPlan* workspace = buffer_of(call, plan, "workspace");
  product->workspace_bytes_ = workspace == nullptr ? 0 : static_cast<std::size_t>(workspace->bytes());
  WT_CHECK(product->describe_operands(call, type));
  WT_CHECK(product->choose(value_of(call, "rank")));
  return std::unique_ptr<const PreparedCall>(std::move(product));
}

class CublasLtLibrary final : public VendorLibrary {
 public:
  Result<std::string> version(const Driver&) const override {
    WT_TRY(const CublasLt* const lt, open_cublaslt());
    const std::size_t version = lt->cublasLtGetVersion(); // 130100: 13.1
    return fmt::format("{}.{}", version / 10000, version % 10000 / 100);
  }
  Result<std::unique_ptr<const PreparedCall>> prepare(const Driver& driver, const LibraryCallPlan& call,
                                                      const LaunchPlan& plan) const override {
    return Product::make(driver, call, plan);
  }
};

} // namespace

const VendorLibrary& cublaslt_library() {
  static const CublasLtLibrary only;
  return only;
}

} // namespace warptune
