// What a configuration asks of the addresses of its buffers: `align` of spec.json. Pure; used by selection, which knows
// the caller's addresses, and by plans.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "spec/config.h"
#include "spec/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace warptune {

inline constexpr std::int64_t kDefaultAlignment = 16; // bytes, of a buffer whose spec says nothing: vectors of 16
inline constexpr std::int64_t kMaxAlignment = 256;    // bytes; what every allocator of device memory gives

// In bytes; slots as in KernelSpec::scope. Error (bad_input): the formula fails, or gives no power of two up to 256.
Result<std::int64_t> buffer_alignment(const BufferArg& buffer, std::span<const std::int64_t> slots);

// Nothing when all buffers of the caller may lie at multiples of so many bytes, else the sentence that says which not.
std::optional<std::string> check_alignment(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                           const Config& config, std::int64_t alignment);

} // namespace warptune
