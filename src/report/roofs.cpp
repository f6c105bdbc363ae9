#include "report/roofs.h"

#include <algorithm>
#include <string_view>

namespace warptune::report {
namespace {

std::string level_of(std::string_view name) {
  if (name.starts_with("dram_")) return "DRAM";
  if (name == "l2_gbs") return "L2";
  return name == "shared_gbs" ? "L1" : "compute";
}

// Pipes as CostEstimate names them.
std::string roof_of_pipe(const std::string& pipe) {
  if (pipe == "tensor fp32" || pipe == "tensor tf32") return "tensor_tf32_tflops";
  if (pipe.starts_with("tensor fp8")) return "tensor_fp8_tflops";
  if (pipe == "tensor int8" || pipe == "tensor uint8") return "tensor_int8_tflops";
  std::string name = pipe + "_tflops";
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

double clock_of(const Roofs& roofs, const std::string& name) {
  const auto found = roofs.clocks.find(name);
  return found == roofs.clocks.end() ? 0 : found->second;
}

} // namespace

std::vector<Roof> make_roofs(const Roofs& measured, const Roofs& theoretical, const std::optional<CostEstimate>& cost,
                             const std::vector<Level>& levels) {
  std::vector<Roof> all;
  const auto add = [&](Roof roof) {
    if (roof.measured > 0 || roof.theoretical > 0) all.push_back(std::move(roof));
  };
  if (cost && cost->bytes_read + cost->bytes_written > 0)
    add({"dram_mix", "DRAM at its mix of reads and writes", "DRAM", "GB/s", dram_roof_gbs(*cost, measured),
         dram_roof_gbs(*cost, theoretical), clock_of(measured, "dram_copy_gbs"), true});
  for (const RoofName& name : roof_names()) {
    Roof roof{name.name,
              name.label,
              level_of(name.name),
              name.unit,
              measured.*name.member,
              theoretical.*name.member,
              clock_of(measured, name.name),
              false};
    for (const Level level : levels)
      roof.relevant = roof.relevant || (level != Level::dram && roof.level == level_name(level));
    if (cost)
      for (const auto& [pipe, count] : cost->flops) {
        if (count <= 0 || roof_of_pipe(pipe) != name.name) continue;
        roof.relevant = true;
        // An older database may lack this type's roof; it is then derived from another type's.
        if (roof.measured <= 0) roof.measured = pipe_roof_tflops(pipe, measured);
        if (roof.theoretical <= 0) roof.theoretical = pipe_roof_tflops(pipe, theoretical);
      }
    add(std::move(roof));
  }
  return all;
}

} // namespace warptune::report
