// Translates a call `cublaslt.matmul` into cuBLASLt's terms.
#pragma once

#include "core/result.h"
#include "plan/plan.h"

#include <cublasLt.h>

namespace warptune {

// cuBLASLt's matrices are column-major, warptune's row-major. The same memory read in the other order is the transpose,
// so C = A * B is computed as C^T = B^T * A^T: cuBLASLt's left operand is warptune's B.
struct CublasLtMatrix {
  std::int64_t rows = 0, columns = 0, leading = 0; // sizes as stored, column-major, in elements
  std::int64_t stride = 0; // elements between matrices of a batch; 0: all products share one matrix
  cudaDataType_t type = CUDA_R_32F;
  bool is_transposed = false; // whether cuBLASLt multiplies the transpose
};

struct CublasLtProblem {
  CublasLtMatrix left, right, out; // a residual has the layout of `out`
  std::int64_t batch = 1;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  bool has_bias = false, has_residual = false;
  std::size_t workspace_bytes = 0;
};

// Error (no_candidate): buffer sizes contradict the call's values, or the call does not support these types or this
// combination of options.
Result<CublasLtProblem> describe_product(const LibraryCallPlan& call, const LaunchPlan& plan);

} // namespace warptune
