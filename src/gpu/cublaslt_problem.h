// The matrix product of a call `cublaslt.matmul`, in cuBLASLt's terms.
#pragma once

#include "core/result.h"
#include "plan/plan.h"

#include <cublasLt.h>

namespace warptune {

// cuBLASLt's matrices are column-major. A row-major matrix is the transpose of a column-major one, so C = A * B is
// computed as C^T = B^T * A^T: cuBLASLt's left operand is our B.
struct CublasLtMatrix {
  std::int64_t rows = 0, columns = 0, leading = 0; // as stored, column-major; in elements
  std::int64_t stride = 0;                         // from one product of the batch to the next; 0: all share the matrix
  cudaDataType_t type = CUDA_R_32F;
  bool is_transposed = false; // in the product that cuBLASLt computes
};

struct CublasLtProblem {
  CublasLtMatrix left, right, out; // the residual is laid out like `out`
  std::int64_t batch = 1;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  bool has_bias = false, has_residual = false;
  std::size_t workspace_bytes = 0;
};

// Kind no_candidate: the sizes of buffers contradict the call's values, or the call does not support these types or
// this combination.
Result<CublasLtProblem> describe_product(const LibraryCallPlan& call, const LaunchPlan& plan);

} // namespace warptune
