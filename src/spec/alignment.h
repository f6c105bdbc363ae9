// Computes the alignment that a configuration requires of its buffers, from `align` of spec.json. Pure functions. Plans
// use these functions, and so does selection, which gets the addresses of the caller's buffers.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "spec/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace warptune {

inline constexpr std::int64_t kDefaultAlignment = 16; // bytes, for buffers without `align`; allows vectors of 16 bytes
inline constexpr std::int64_t kMaxAlignment = 256; // in bytes; every device memory allocator guarantees this alignment

// Returns the alignment in bytes. `slots`: as in KernelSpec::scope. Error (bad_input): the formula fails, or its value
// is not a power of two up to 256.
Result<std::int64_t> buffer_alignment(const BufferArg& buffer, std::span<const std::int64_t> slots);

// Checks whether the configuration can use caller buffers whose addresses are multiples of `alignment` bytes. Returns
// nullopt if so; otherwise a sentence that names the first buffer that needs a larger alignment.
std::optional<std::string> check_alignment(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                           const Config& config, std::int64_t alignment);

} // namespace warptune
