#include "gpu/launch_attributes.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr std::uint32_t kPortableCluster = 8;
constexpr std::uint32_t kSharedWithoutOptIn = 48 * 1024;

std::size_t cluster_size(const KernelLaunch& launch) {
  return std::size_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
}

// A function rejected an attribute: either this device cannot run it this way, or the context is broken.
ErrorKind refusal_kind(CUresult status) {
  return is_fatal_cuda_error(status) ? ErrorKind::no_device : ErrorKind::no_candidate;
}

} // namespace

std::vector<CUlaunchAttribute> launch_attributes(const KernelLaunch& launch) {
  std::vector<CUlaunchAttribute> attributes;
  if (cluster_size(launch) > 1) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = launch.cluster.x;
    attribute.value.clusterDim.y = launch.cluster.y;
    attribute.value.clusterDim.z = launch.cluster.z;
    attributes.push_back(attribute);
  }
  if (launch.cooperative) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    attributes.push_back(attribute);
  }
  if (launch.programmatic) {
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    attributes.push_back(attribute);
  }
  return attributes;
}

Result<void> prepare_function(const Driver& driver, const LaunchPlan& plan, const KernelLaunch& launch,
                              CUfunction function) {
  std::uint32_t shared = 0;
  for (const KernelLaunch& other : plan.launches)
    if (other.name_expression == launch.name_expression) shared = std::max(shared, other.shared_bytes);
  if (shared > 0) {
    // Static shared memory counts towards the 48 KiB, so include it in the comparison.
    int fixed = 0;
    driver.cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    // Other sequences may need more for the same function: never lower the limit.
    int granted = 0;
    driver.cuFuncGetAttribute(&granted, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    if (shared + static_cast<std::uint32_t>(fixed) > kSharedWithoutOptIn &&
        static_cast<std::uint32_t>(granted) < shared) {
      const CUresult status = driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                        static_cast<int>(shared));
      if (status != CUDA_SUCCESS)
        return fail(refusal_kind(status),
                    fmt::format("{}: {} bytes of dynamic and {} of static shared memory are more than this device "
                                "allows per block ({})",
                                launch.name_expression, shared, fixed, cuda_error_text(driver, status)));
    }
  }
  if (cluster_size(launch) > kPortableCluster) {
    const CUresult status = driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (status != CUDA_SUCCESS)
      return fail(refusal_kind(status),
                  fmt::format("{}: this device cannot run a cluster of {} blocks ({})", launch.name_expression,
                              cluster_size(launch), cuda_error_text(driver, status)));
  }
  return {};
}

} // namespace warptune
