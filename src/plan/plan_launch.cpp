#include "plan/plan_values.h"

namespace warptune {
namespace {

constexpr std::int64_t kMaxGridX =
    2147483647; // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
constexpr std::int64_t kMaxGridYZ = 65535;
constexpr std::int64_t kMaxBlockXY = 1024;
constexpr std::int64_t kMaxBlockZ = 64;
constexpr std::int64_t kMaxCluster = 16; // more than 8 blocks are a non-portable cluster size
constexpr const char* kAxes[] = {"x", "y", "z"};

Result<Dim3> dim3(const std::vector<Expr>& exprs, const std::int64_t (&most)[3], const std::string& what,
                  const std::string& of, const PlanValues& values) {
  std::uint32_t sizes[3] = {1, 1, 1};
  for (std::size_t i = 0; i < exprs.size() && i < 3; ++i) {
    WT_TRY(const auto size, values.in_range(exprs[i], 1, most[i], what + " " + kAxes[i] + of));
    sizes[i] = static_cast<std::uint32_t>(size);
  }
  return Dim3{sizes[0], sizes[1], sizes[2]};
}

std::int64_t product(const Dim3& d) { return std::int64_t{d.x} * d.y * d.z; }

Result<void> check_cluster(const KernelLaunch& launch, const std::string& name, const PlanValues& values,
                           const DeviceInfo& device) {
  const auto refuse = [&](const std::string& why) { return values.refuse(ErrorKind::no_candidate, why); };
  const std::int64_t blocks = product(launch.cluster);
  if (blocks == 1) return {};
  if (device.limits.compute_capability < 90)
    return refuse("'" + name + "' uses clusters, which need compute capability 9.0 or newer");
  if (blocks > kMaxCluster)
    return refuse("the cluster of '" + name + "' has " + std::to_string(blocks) + " blocks, more than the " +
                  std::to_string(kMaxCluster) + " allowed");
  const std::uint32_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const std::uint32_t cluster[] = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  for (std::size_t i = 0; i < 3; ++i)
    if (grid[i] % cluster[i] != 0)
      return refuse("the grid " + std::string(kAxes[i]) + " of '" + name + "' is " + std::to_string(grid[i]) +
                    ", not a multiple of the cluster's " + std::to_string(cluster[i]));
  return {};
}

} // namespace

Result<KernelLaunch> plan_launch(const Launch& launch, const std::vector<ArgRef>& args, const PlanValues& values,
                                 const DeviceInfo& device) {
  KernelLaunch plan;
  const std::string of = " of '" + launch.kernel + "'";
  plan.name_expression = launch.kernel;
  if (launch.has_template) {
    plan.name_expression += "<";
    for (std::size_t i = 0; i < launch.template_args.size(); ++i) {
      WT_TRY(const auto text,
             values.source_text(launch.template_args[i], "template argument " + std::to_string(i + 1) + of));
      plan.name_expression += (i ? ", " : "") + text;
    }
    plan.name_expression += ">";
  }

  WT_TRY(const auto grid, dim3(launch.grid, {kMaxGridX, kMaxGridYZ, kMaxGridYZ}, "the grid", of, values));
  WT_TRY(const auto block, dim3(launch.block, {kMaxBlockXY, kMaxBlockXY, kMaxBlockZ}, "the block", of, values));
  WT_TRY(const auto cluster, dim3(launch.cluster, {kMaxCluster, kMaxCluster, kMaxCluster}, "the cluster", of, values));
  plan.grid = grid;
  plan.block = block;
  plan.cluster = cluster;
  if (product(plan.block) > device.limits.max_threads_per_block)
    return values.refuse(ErrorKind::no_candidate, "the block" + of + " has " + std::to_string(product(plan.block)) +
                                                      " threads, more than the device's " +
                                                      std::to_string(device.limits.max_threads_per_block));
  WT_CHECK(check_cluster(plan, launch.kernel, values, device));

  WT_TRY(const auto shared, values.in_range(launch.shared, 0, device.limits.max_shared_per_block,
                                            "the dynamic shared memory in bytes" + of));
  plan.shared_bytes = static_cast<std::uint32_t>(shared);
  plan.cooperative = launch.cooperative;
  plan.programmatic = launch.programmatic;
  for (const int index : launch.args) plan.args.push_back(args[static_cast<std::size_t>(index)]);
  return plan;
}

} // namespace warptune
