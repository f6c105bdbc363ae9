// Element types of the shipped operators, shared by operators.hpp and gemm.hpp.
#pragma once

namespace warptune {
inline namespace v0 {
namespace operators {

enum class Type { fp32, bf16, fp16 };

inline const char* type_name(Type type) noexcept {
  return type == Type::bf16 ? "bf16" : type == Type::fp16 ? "fp16" : "fp32";
}

} // namespace operators
} // namespace v0
} // namespace warptune
