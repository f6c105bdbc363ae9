// The functions of cuBLASLt that warptune calls, loaded with dlopen, and smart pointers for cuBLASLt's descriptors.
#pragma once

#include "core/result.h"

#include <cstddef>
#include <cublasLt.h>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace warptune {

// A list for macros: X(name) for each function. The pointers get their types from the header's declarations.
#define WARPTUNE_CUBLASLT_FUNCTIONS(X)                                                                                 \
  X(cublasLtGetVersion)                                                                                                \
  X(cublasLtCreate)                                                                                                    \
  X(cublasLtMatmul)                                                                                                    \
  X(cublasLtMatmulAlgoCheck)                                                                                           \
  X(cublasLtMatmulAlgoConfigSetAttribute)                                                                              \
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
  std::string path; // the file that was loaded
};

// Opens the library once per process and never closes it. Error (no_candidate): says which paths were tried, and what
// to install.
Result<const CublasLt*> open_cublaslt();

// Opens the first usable library among `paths`: version 12.0 or newer, with all functions. Error: as open_cublaslt; it
// also says why files that exist are not usable.
Result<CublasLt> load_cublaslt(std::span<const std::string> paths);

std::string version_text(std::size_t version); // what cublasLtGetVersion returns, such as 130200, as "13.2"

std::string describe(cublasStatus_t status); // "CUBLAS_STATUS_NOT_SUPPORTED"

// Owns a descriptor and calls the function that destroys it.
template <class T>
using CublasLtOwner = std::unique_ptr<std::remove_pointer_t<T>, cublasStatus_t (*)(std::remove_pointer_t<T>*)>;

} // namespace warptune
