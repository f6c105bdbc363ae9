#include "support/fake_cublaslt.h"

#include <cstdlib>
#include <cstring>
#include <cublasLt.h>

namespace {

FakeProduct seen;
struct Desc {
  std::int32_t left = 0, right = 0, epilogue = 0;
  const void* bias = nullptr;
};

} // namespace

FakeProduct fake_cublaslt_product() { return seen; }

extern "C" {

size_t cublasLtGetVersion() {
  const char* asked = std::getenv("WT_FAKE_CUBLASLT_VERSION");
  return asked == nullptr ? 130200 : std::strtoull(asked, nullptr, 10);
}
cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(&seen);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* desc, cublasComputeType_t, cudaDataType_t) {
  static_assert(sizeof(Desc) <= sizeof(cublasLtMatmulDescOpaque_t)); // callers may copy the opaque struct
  *desc = new cublasLtMatmulDescOpaque_t;
  new (*desc) Desc;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t) {
  auto* known = reinterpret_cast<Desc*>(desc);
  std::int32_t number = 0;
  std::memcpy(&number, value, sizeof number);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) known->left = number == CUBLAS_OP_T;
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) known->right = number == CUBLAS_OP_T;
  if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) known->epilogue = number;
  if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) std::memcpy(&known->bias, value, sizeof known->bias);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new FakeMatrix{rows, columns, leading, 0, 1, type, 0});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<FakeMatrix*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t size) {
  auto* matrix = reinterpret_cast<FakeMatrix*>(layout);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) std::memcpy(&matrix->batch, value, size);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) std::memcpy(&matrix->stride, value, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new std::uint64_t{0});
  for (std::uint32_t& alignment : seen.least_alignments) alignment = 256; // the default in cublasLt.h
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<std::uint64_t*>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                    size_t size) {
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) std::memcpy(&seen.most_workspace, value, size);
  if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) std::memcpy(&seen.reductions, value, size);
  const cublasLtMatmulPreferenceAttributes_t alignments[] = {
      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
  for (std::size_t i = 0; i < 4; ++i)
    if (attribute == alignments[i]) std::memcpy(&seen.least_alignments[i], value, size);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t out, cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
  *found = 0;
  if (reinterpret_cast<const FakeMatrix*>(out)->columns == 1) return CUBLAS_STATUS_NOT_SUPPORTED;
  *found = wanted < 3 ? wanted : 3;
  for (int i = 0; i < *found; ++i) {
    results[i].algo = {};
    results[i].algo.data[0] = static_cast<std::uint64_t>(i);
    results[i].state = i == 1 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, const void* value,
                                                    size_t size) {
  std::uint32_t number = 0;
  std::memcpy(&number, value, size);
  const bool has_size = size == (attribute == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID ? 2 : 4);
  if (!has_size) return CUBLAS_STATUS_INVALID_VALUE;
  if (attribute == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID) algorithm->data[1] = number;
  if (attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM) algorithm->data[2] = number;
  if (attribute == CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME) algorithm->data[3] = number;
  if (attribute == CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION) algorithm->data[4] = number + 1; // 0: not set
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                       cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                       const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulHeuristicResult_t* result) {
  ++seen.checks;
  if (algorithm->data[4] > 8) return CUBLAS_STATUS_INVALID_VALUE;
  result->state =
      algorithm->data[1] == CUBLASLT_CLUSTER_SHAPE_8x1x1 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
  result->workspaceSize = algorithm->data[2] * 200;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t left, const void* b, cublasLtMatrixLayout_t right,
                              const void* beta, const void* c, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t out, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t) {
  const auto matrix = [](cublasLtMatrixLayout_t layout) { return *reinterpret_cast<FakeMatrix*>(layout); };
  const auto* known = reinterpret_cast<Desc*>(desc);
  ++seen.count;
  seen.algorithm = static_cast<int>(algorithm->data[0]);
  seen.cluster = static_cast<int>(algorithm->data[1]), seen.split_k = static_cast<int>(algorithm->data[2]);
  seen.reduction = static_cast<int>(algorithm->data[3]), seen.option = static_cast<int>(algorithm->data[4]) - 1;
  seen.left = matrix(left), seen.right = matrix(right), seen.out = matrix(out);
  seen.left.transposed = known->left, seen.right.transposed = known->right;
  seen.left_data = a, seen.right_data = b, seen.out_data = d;
  seen.epilogue = known->epilogue, seen.bias = known->bias, seen.added = c;
  seen.workspace = workspace, seen.workspace_bytes = workspace_bytes;
  std::memcpy(&seen.alpha, alpha, sizeof seen.alpha);
  std::memcpy(&seen.beta, beta, sizeof seen.beta);
  return CUBLAS_STATUS_SUCCESS;
}

} // extern "C"
