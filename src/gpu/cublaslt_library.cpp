#include "gpu/cublaslt_library.h"

#include "gpu/cublaslt_functions.h"
#include "gpu/cublaslt_problem.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <optional>

namespace warptune {
namespace {

tl::unexpected<Error> refuse(const std::string& why) {
  return fail(ErrorKind::no_candidate, "cublaslt.matmul: " + why);
}
Result<void> check(cublasStatus_t status, std::string_view what) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return refuse(fmt::format("cuBLASLt refuses {}: {}", what, describe(status)));
}

// One handle per context, kept until the process ends: creating one takes milliseconds, and threads can share it.
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

constexpr std::uint32_t kMinAlignment = 16; // bytes; applications guarantee at least this alignment
// Partial sums in a 16-bit C exceed every tolerance of fp32 sums.
constexpr std::uint32_t kReductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;

// `rows` and `columns`: tiles of warptune's C; its rows are cuBLASLt's columns. nullopt: the library has no such shape.
std::optional<std::uint16_t> cluster_shape(std::int64_t rows, std::int64_t columns) {
  struct Shape {
    std::int64_t rows, columns;
    std::uint16_t id;
  };
  constexpr Shape kShapes[] = {
      {1, 1, CUBLASLT_CLUSTER_SHAPE_1x1x1}, {1, 2, CUBLASLT_CLUSTER_SHAPE_2x1x1}, {1, 4, CUBLASLT_CLUSTER_SHAPE_4x1x1},
      {1, 8, CUBLASLT_CLUSTER_SHAPE_8x1x1}, {2, 1, CUBLASLT_CLUSTER_SHAPE_1x2x1}, {2, 2, CUBLASLT_CLUSTER_SHAPE_2x2x1},
      {2, 4, CUBLASLT_CLUSTER_SHAPE_4x2x1}, {4, 1, CUBLASLT_CLUSTER_SHAPE_1x4x1}, {4, 2, CUBLASLT_CLUSTER_SHAPE_2x4x1},
      {4, 4, CUBLASLT_CLUSTER_SHAPE_4x4x1}, {8, 1, CUBLASLT_CLUSTER_SHAPE_1x8x1}};
  for (const Shape& shape : kShapes)
    if (shape.rows == rows && shape.columns == columns) return shape.id;
  return std::nullopt;
}

class Product final : public PreparedCall {
 public:
  static Result<std::unique_ptr<const PreparedCall>> make(const Driver& driver, const LibraryCallPlan& call,
                                                          const LaunchPlan& plan);
  CUresult enqueue(CUstream stream, std::span<const std::uint64_t> args) const noexcept override {
    const auto at = [&](Arg arg) { return reinterpret_cast<void*>(args[static_cast<std::size_t>(arg)]); };
    const float one = 1.0f, before = problem_.has_residual ? 1.0f : 0.0f;
    cublasLtMatmulDescOpaque_t own = *product_; // a copy: other threads may use another bias
    if (problem_.has_bias && !set_bias(&own, at(Arg::bias))) return CUDA_ERROR_LAUNCH_FAILED;
    const cublasStatus_t status = lt_.cublasLtMatmul(
        handle_, &own, &one, at(Arg::b), left_.get(), at(Arg::a), right_.get(), &before,
        problem_.has_residual ? at(Arg::residual) : at(Arg::c), out_.get(), at(Arg::c), out_.get(), &algorithm_,
        at(Arg::workspace), at(Arg::workspace) == nullptr ? 0 : problem_.workspace_bytes, stream);
    return status == CUBLAS_STATUS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
  }

 private:
  enum class Arg : std::size_t { a, b, c, workspace, bias, residual }; // in the order of spec/library_table.cpp

  explicit Product(const CublasLt& lt) : lt_(lt) {}
  Result<void> describe();
  Result<void> choose(std::int64_t rank);
  Result<void> replace(const LibraryCallPlan& call);
  Result<CublasLtOwner<cublasLtMatrixLayout_t>> layout(const CublasLtMatrix& matrix) const;
  bool set_bias(cublasLtMatmulDesc_t product, const void* bias) const {
    return lt_.cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias) ==
           CUBLAS_STATUS_SUCCESS;
  }

  const CublasLt& lt_;
  CublasLtProblem problem_;
  cublasLtHandle_t handle_ = nullptr;
  CublasLtOwner<cublasLtMatmulDesc_t> product_{nullptr, nullptr};
  CublasLtOwner<cublasLtMatrixLayout_t> left_{nullptr, nullptr}, right_{nullptr, nullptr}, out_{nullptr, nullptr};
  cublasLtMatmulAlgo_t algorithm_ = {};
};

Result<CublasLtOwner<cublasLtMatrixLayout_t>> Product::layout(const CublasLtMatrix& matrix) const {
  cublasLtMatrixLayout_t made = nullptr;
  WT_CHECK(check(lt_.cublasLtMatrixLayoutCreate(&made, matrix.type, static_cast<std::uint64_t>(matrix.rows),
                                                static_cast<std::uint64_t>(matrix.columns), matrix.leading),
                 "cublasLtMatrixLayoutCreate"));
  CublasLtOwner<cublasLtMatrixLayout_t> owner(made, lt_.cublasLtMatrixLayoutDestroy);
  const auto count = static_cast<std::int32_t>(problem_.batch);
  WT_CHECK(check(lt_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                 "the batch's count"));
  WT_CHECK(check(lt_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &matrix.stride,
                                                      sizeof matrix.stride),
                 "the batch's stride"));
  return owner;
}

Result<void> Product::describe() {
  cublasLtMatmulDesc_t made = nullptr;
  WT_CHECK(check(lt_.cublasLtMatmulDescCreate(&made, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate"));
  product_ = {made, lt_.cublasLtMatmulDescDestroy};
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value, const char* what) {
    return check(lt_.cublasLtMatmulDescSetAttribute(made, attribute, &value, sizeof value), what);
  };
  const auto operation = [](const CublasLtMatrix& m) { return m.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  WT_CHECK(set(CUBLASLT_MATMUL_DESC_TRANSA, operation(problem_.left), "a transposition"));
  WT_CHECK(set(CUBLASLT_MATMUL_DESC_TRANSB, operation(problem_.right), "a transposition"));
  WT_CHECK(set(CUBLASLT_MATMUL_DESC_EPILOGUE, problem_.epilogue, "the epilogue"));
  // The heuristic uses the alignment of the bias, so set a placeholder; each launch sets its own bias.
  if (problem_.has_bias && !set_bias(made, reinterpret_cast<const void*>(std::uintptr_t{kMinAlignment})))
    return refuse("it does not support the bias");
  WT_TRY(left_, layout(problem_.left));
  WT_TRY(right_, layout(problem_.right));
  WT_TRY(out_, layout(problem_.out));
  return {};
}

Result<void> Product::choose(std::int64_t rank) {
  cublasLtMatmulPreference_t made = nullptr;
  WT_CHECK(check(lt_.cublasLtMatmulPreferenceCreate(&made), "cublasLtMatmulPreferenceCreate"));
  const CublasLtOwner<cublasLtMatmulPreference_t> preference(made, lt_.cublasLtMatmulPreferenceDestroy);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value, const char* what) {
    return check(lt_.cublasLtMatmulPreferenceSetAttribute(made, attribute, &value, sizeof value), what);
  };
  WT_CHECK(prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, problem_.workspace_bytes, "the workspace's size"));
  WT_CHECK(prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions, "the reduction schemes"));
  for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    WT_CHECK(prefer(attribute, kMinAlignment, "the buffers' alignment"));
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
  return refuse(fmt::format("its heuristic returned {} {} for this problem, but 'rank', counted from 0, is {}", usable,
                            usable == 1 ? "algorithm" : "algorithms", rank));
}

// Replaces what the heuristic chose for the algorithm by what the call asks for (spec/library_table.h).
Result<void> Product::replace(const LibraryCallPlan& call) {
  const std::int64_t rows = value_of(call, "cluster_rows"), columns = value_of(call, "cluster_columns");
  const std::int64_t parts = value_of(call, "split_k"), option = value_of(call, "option");
  if (rows == 0 && columns == 0 && parts == 0 && option < 0) return {};
  const auto set = [&](cublasLtMatmulAlgoConfigAttributes_t attribute, const auto value, const char* what) {
    return check(lt_.cublasLtMatmulAlgoConfigSetAttribute(&algorithm_, attribute, &value, sizeof value), what);
  };
  if (rows > 0 || columns > 0) {
    const auto shape = cluster_shape(rows, columns);
    if (!shape) return refuse(fmt::format("it has no clusters of {} x {} tiles", rows, columns));
    WT_CHECK(set(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, *shape, "the cluster"));
  }
  if (parts > 0) {
    const std::uint32_t sums = parts == 1 ? std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE} : kReductions;
    WT_CHECK(set(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, static_cast<std::int32_t>(parts), "the split of k"));
    WT_CHECK(set(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, sums, "the reduction scheme"));
  }
  if (option >= 0)
    WT_CHECK(set(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, static_cast<std::uint32_t>(option), "the custom option"));
  cublasLtMatmulHeuristicResult_t result = {};
  WT_CHECK(check(lt_.cublasLtMatmulAlgoCheck(handle_, product_.get(), left_.get(), right_.get(), out_.get(), out_.get(),
                                             &algorithm_, &result),
                 "the algorithm with this cluster, split of k and option"));
  WT_CHECK(check(result.state, "the algorithm with this cluster, split of k and option"));
  if (result.workspaceSize > problem_.workspace_bytes)
    return refuse(fmt::format("the algorithm needs a workspace of {} bytes, but the call has {}", result.workspaceSize,
                              problem_.workspace_bytes));
  return {};
}

Result<std::unique_ptr<const PreparedCall>> Product::make(const Driver& driver, const LibraryCallPlan& call,
                                                          const LaunchPlan& plan) {
  WT_TRY(const CublasLt* const lt, open_cublaslt());
  std::unique_ptr<Product> product(new Product(*lt));
  WT_TRY(product->problem_, describe_product(call, plan));
  WT_TRY(product->handle_, handle_of_context(driver, *lt));
  WT_CHECK(product->describe());
  WT_CHECK(product->choose(value_of(call, "rank")));
  WT_CHECK(product->replace(call));
  return std::unique_ptr<const PreparedCall>(std::move(product));
}

class CublasLtLibrary final : public VendorLibrary {
 public:
  Result<std::string> version(const Driver&) const override {
    WT_TRY(const CublasLt* const lt, open_cublaslt());
    return version_text(lt->cublasLtGetVersion());
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
