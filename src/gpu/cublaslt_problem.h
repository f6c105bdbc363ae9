// The matrix product of a call `cublaslt.matmul`, in cuBLASLt's terms.
#pragma once

#include "core/result.h"
#include "plan/plan.h"

#include <cublasLt.h>

namespace warptune {

// cuBLASLt's matrices are column-major. A row-major matrix is the transpose of a column-major one, so C = A * B is
// computed as C^T = B^T * A^T: cuBLASLt's left operand is warptune's B.
struct CublasLtMatrix {
  std::int64_t rows = 0, columns = 0, leading = 0; // sizes as stored, column-major, in elements
  std::int64_t stride = 0;                         // distance between matrices of a batch; 0: all products share one
  cudaDataType_t type = CUDA_R_32F;
  bool is_transposed = false; // whether cuBLASLt's product uses the transpose
};

struct CublasLtProblem {
  CublasLtMatrix left, right, out; // the residual has the layout of `out`
  std::int64_t batch = 1;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  bool has_bias = false, has_residual = false;
  std::size_t workspace_bytes = 0;
};

// Kind no_candidate: the sizes of buffers contradict the call's values, or the call does not support these types or
// this combination.
Result<CublasLtProblem> describe_product(const LibraryCallPlan& call, const LaunchPlan& plan);

} // namespace warptune
