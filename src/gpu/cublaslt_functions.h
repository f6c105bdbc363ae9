// The functions of cuBLASLt that warptune calls, loaded with dlopen, and smart pointers for cuBLASLt's descriptors.
#pragma once

#include "core/result.h"

#include <cublasLt.h>
#include <memory>
#include <string>
#include <type_traits>

namespace warptune {

// A list for macros: X(name) for each function. The pointers get their types from the header's declarations.
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

// Opens the library once per process and never closes it. Error (no_candidate): says which paths were tried, and what
// to install.
Result<const CublasLt*> open_cublaslt();

std::string describe(cublasStatus_t status); // "CUBLAS_STATUS_NOT_SUPPORTED"

// Owns a descriptor and calls the function that destroys it.
template <class T>
using CublasLtOwner = std::unique_ptr<std::remove_pointer_t<T>, cublasStatus_t (*)(std::remove_pointer_t<T>*)>;

} // namespace warptune
