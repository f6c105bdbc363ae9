// The functions of cuBLASLt that warptune calls, opened with dlopen, and owners for its descriptors.
#pragma once

#include "core/result.h"

#include <cublasLt.h>
#include <memory>
#include <string>
#include <type_traits>

namespace warptune {

// One macro per function: the pointer has the type of the header's declaration.
#define WARPTUNE_CUBLASLT_FUNCTIONS(X)                                                                                 \
  X(cublasLtGetVersion)                                                                                                \
  X(cublasLtCreate)                                                                                                    \
  X(cublasLtMatmul)                                                                                                    \
  X(cublasLtMatmulAlgoGetHeuristic)                                                                                    \
  X(cublasLtMatmulDescCreate)                                                                                          \
  X(cublasLtMatmulDescDestroy)                                                                                         \
  X(cublasLtMatmulDescSetAttribute)                                                                                    \
  X(cublasLtMatrixLayoutCreate)                                                                                        \
  X(cublasLtMatrixLayoutDestroy)                                                                                       \
  X(cublasLtMatrixLayoutSetAttribute)                                                                                  \
  X(cublasLtMatmulPreferenceCreate)                                                                                    \
  X(cublasLtMatmulPreferenceDestroy)                                                                                   \
  X(cublasLtMatmulPreferenceSetAttribute)

struct CublasLt {
#define WARPTUNE_MEMBER(name) decltype(&::name) name = nullptr;
  WARPTUNE_CUBLASLT_FUNCTIONS(WARPTUNE_MEMBER)
#undef WARPTUNE_MEMBER
};

// Opened once per process and never closed. Kind no_candidate: the message says which paths were tried, and what to
// install.
Result<const CublasLt*> open_cublaslt();

std::string describe(cublasStatus_t status); // "CUBLAS_STATUS_NOT_SUPPORTED"

// A descriptor and the function that destroys it.
template <class T>
using CublasLtOwner = std::unique_ptr<std::remove_pointer_t<T>, cublasStatus_t (*)(std::remove_pointer_t<T>*)>;

} // namespace warptune
