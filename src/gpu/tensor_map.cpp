#include "gpu/tensor_map.h"

#include <array>

namespace warptune {
namespace {

constexpr std::size_t kMaxRank = 5;

CUtensorMapDataType data_type(DType t) {
  switch (t) {
  case DType::fp64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  case DType::fp32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case DType::tf32:
    return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  case DType::fp16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case DType::bf16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case DType::int64:
    return CU_TENSOR_MAP_DATA_TYPE_INT64;
  case DType::int32:
    return CU_TENSOR_MAP_DATA_TYPE_INT32;
  case DType::uint64:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  case DType::uint32:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case DType::int16:
  case DType::uint16:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  default:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8; // fp8, 8-bit integers, bool: bulk async copies (TMA) only move them
  }
}

CUtensorMapSwizzle swizzle(int bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

CUtensorMapInterleave interleave(int bytes) {
  return bytes == 32   ? CU_TENSOR_MAP_INTERLEAVE_32B
         : bytes == 16 ? CU_TENSOR_MAP_INTERLEAVE_16B
                       : CU_TENSOR_MAP_INTERLEAVE_NONE;
}

CUtensorMapL2promotion promotion(int bytes) {
  return bytes == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
         : bytes == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
         : bytes == 64  ? CU_TENSOR_MAP_L2_PROMOTION_L2_64B
                        : CU_TENSOR_MAP_L2_PROMOTION_NONE;
}

} // namespace

CUresult encode_tensor_map(const Driver& driver, const TensorMapPlan& plan, CUdeviceptr base,
                           CUtensorMap* map) noexcept {
  const std::size_t rank = plan.dims.size();
  if (rank == 0 || rank > kMaxRank || plan.strides.size() + 1 < rank || plan.element_strides.size() != rank)
    return CUDA_ERROR_INVALID_VALUE;
  std::array<cuuint64_t, kMaxRank> dims{}, strides{};
  std::array<cuuint32_t, kMaxRank> steps{}, box{};
  for (std::size_t i = 0; i < rank; ++i) {
    dims[i] = plan.dims[i];
    steps[i] = plan.element_strides[i];
    if (i > 0) strides[i - 1] = plan.strides[i - 1];
    if (!plan.im2col) {
      if (plan.box.size() != rank) return CUDA_ERROR_INVALID_VALUE;
      box[i] = plan.box[i];
    }
  }
  void* address = reinterpret_cast<void*>(base); // the driver takes a pointer
  const auto fill =
      plan.fill_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  if (!plan.im2col)
    return driver.cuTensorMapEncodeTiled(map, data_type(plan.dtype), static_cast<cuuint32_t>(rank), address,
                                         dims.data(), strides.data(), box.data(), steps.data(),
                                         interleave(plan.interleave_bytes), swizzle(plan.swizzle_bytes),
                                         promotion(plan.l2_promotion_bytes), fill);
  if (rank < 3 || plan.lower.size() != rank - 2 || plan.upper.size() != rank - 2) return CUDA_ERROR_INVALID_VALUE;
  return driver.cuTensorMapEncodeIm2col(map, data_type(plan.dtype), static_cast<cuuint32_t>(rank), address, dims.data(),
                                        strides.data(), plan.lower.data(), plan.upper.data(), plan.channels_per_pixel,
                                        plan.pixels_per_column, steps.data(), interleave(plan.interleave_bytes),
                                        swizzle(plan.swizzle_bytes), promotion(plan.l2_promotion_bytes), fill);
}

} // namespace warptune
