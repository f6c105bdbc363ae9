#include "core/device_table.h"

#include <array>
#include <cctype>
#include <utility>

namespace warptune {
namespace {

struct Architecture {
  int compute_capability;
  const char* arch; // the compiler's -arch
  const char* stand_in;
  int sm_count, threads_per_sm, blocks_per_sm;
  int shared_per_block_kib, shared_per_sm_kib, l2_mib;
  int sm_clock_mhz, memory_clock_mhz, memory_bus_bits;
};

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". SM counts, L2 sizes, boost clocks and
// memory: the vendor's white papers and data sheets of the named device.
constexpr std::array kArchitectures = {
    Architecture{70, "sm_70", "V100", 80, 2048, 32, 96, 96, 6, 1530, 877, 4096},
    Architecture{75, "sm_75", "T4", 40, 1024, 16, 64, 64, 4, 1590, 5001, 256},
    Architecture{80, "sm_80", "A100", 108, 2048, 32, 163, 164, 40, 1410, 1593, 5120},
    Architecture{86, "sm_86", "A10", 72, 1536, 16, 99, 100, 6, 1695, 6251, 384},
    Architecture{87, "sm_87", "AGX Orin", 16, 1536, 16, 163, 164, 4, 1300, 3199, 256},
    Architecture{88, "sm_88", "AGX Orin", 16, 1536, 16, 99, 100, 4, 1300, 3199,
                 256}, // undocumented: the minimum of its family
    Architecture{89, "sm_89", "L40S", 142, 1536, 24, 99, 100, 96, 2520, 9001, 384},
    Architecture{90, "sm_90a", "H100", 132, 2048, 32, 227, 228, 50, 1830, 2619, 5120},
    Architecture{100, "sm_100a", "B200", 148, 2048, 32, 227, 228, 126, 1965, 3996, 8192},
    Architecture{103, "sm_103a", "B300", 148, 2048, 32, 227, 228, 126, 1920, 3996, 8192},
    Architecture{110, "sm_110a", "Jetson Thor", 20, 1536, 24, 227, 228, 32, 1575, 4266, 256},
    Architecture{120, "sm_120a", "RTX 5090", 170, 1536, 24, 99, 100, 96, 2407, 14001, 512},
    Architecture{121, "sm_121a", "GB10", 48, 1536, 24, 99, 100, 24, 2418, 4266, 256},
};

// Common GPU names, as plain_gpu writes them.
constexpr std::array kGpus = {
    std::pair("v100", 70),     std::pair("t4", 75),       std::pair("rtx2080", 75),     std::pair("rtx2080ti", 75),
    std::pair("a100", 80),     std::pair("a30", 80),      std::pair("a10", 86),         std::pair("a40", 86),
    std::pair("a6000", 86),    std::pair("rtxa6000", 86), std::pair("rtx3080", 86),     std::pair("rtx3090", 86),
    std::pair("orin", 87),     std::pair("agxorin", 87),  std::pair("l4", 89),          std::pair("l40", 89),
    std::pair("l40s", 89),     std::pair("rtx4080", 89),  std::pair("rtx4090", 89),     std::pair("h20", 90),
    std::pair("h100", 90),     std::pair("h200", 90),     std::pair("h800", 90),        std::pair("gh200", 90),
    std::pair("b100", 100),    std::pair("b200", 100),    std::pair("gb200", 100),      std::pair("b300", 103),
    std::pair("gb300", 103),   std::pair("thor", 110),    std::pair("jetsonthor", 110), std::pair("rtx5080", 120),
    std::pair("rtx5090", 120), std::pair("gb10", 121),
};

// "NVIDIA GeForce RTX 4090" -> "rtx4090".
std::string plain_gpu(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view word : {"nvidia", "geforce", "tesla"})
    if (plain.starts_with(word)) plain.erase(0, word.size());
  return plain;
}

std::string plain_name(const Architecture& architecture) {
  return "sm_" + std::to_string(architecture.compute_capability);
}

DeviceInfo make_device(const Architecture& architecture) {
  DeviceInfo device;
  device.name = "any " + plain_name(architecture) + " GPU (limits of the " + architecture.stand_in + ")";
  device.arch = architecture.arch;
  device.limits.sm_count = architecture.sm_count;
  device.limits.compute_capability = architecture.compute_capability;
  device.limits.max_threads_per_sm = architecture.threads_per_sm;
  device.limits.max_blocks_per_sm = architecture.blocks_per_sm;
  device.limits.max_shared_per_block = std::int64_t{architecture.shared_per_block_kib} * 1024;
  device.limits.max_shared_per_sm = std::int64_t{architecture.shared_per_sm_kib} * 1024;
  device.limits.l2_bytes = std::int64_t{architecture.l2_mib} * 1024 * 1024;
  device.max_sm_clock_mhz = architecture.sm_clock_mhz;
  device.memory_clock_mhz = architecture.memory_clock_mhz;
  device.memory_bus_bits = architecture.memory_bus_bits;
  return device;
}

} // namespace

std::optional<DeviceInfo> device_of_arch(std::string_view arch) {
  std::string digits;
  std::string_view rest = arch.substr(0, 3) == "sm_" ? arch.substr(3) : arch;
  if (!rest.empty() && (rest.back() == 'a' || rest.back() == 'f')) rest.remove_suffix(1);
  for (const char c : rest)
    if (c != '.') digits += c;
  for (const Architecture& architecture : kArchitectures)
    if (digits == std::to_string(architecture.compute_capability)) return make_device(architecture);
  return std::nullopt;
}

std::optional<DeviceInfo> device_of_arch_or_gpu(std::string_view name) {
  if (auto device = device_of_arch(name)) return device;
  const std::string plain = plain_gpu(name);
  for (const auto& [gpu, compute_capability] : kGpus)
    if (plain == gpu) return device_of_arch(std::to_string(compute_capability));
  return std::nullopt;
}

std::vector<std::string> known_archs() {
  std::vector<std::string> names;
  names.reserve(kArchitectures.size());
  for (const Architecture& architecture : kArchitectures) names.push_back(plain_name(architecture));
  return names;
}

} // namespace warptune
