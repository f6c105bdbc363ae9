#include "spec/alignment.h"

#include "core/text.h"

#include <algorithm>

namespace warptune {

Result<std::int64_t> buffer_alignment(const BufferArg& buffer, std::span<const std::int64_t> slots) {
  if (!buffer.align) return kDefaultAlignment;
  WT_TRY(const auto bytes, buffer.align->evaluate(slots));
  if (bytes < 1 || bytes > kMaxAlignment || (bytes & (bytes - 1)) != 0)
    return fail(ErrorKind::bad_input, "the alignment is " + std::to_string(bytes) + " (" + quote(buffer.align->text()) +
                                          "), not a power of two from 1 to " + std::to_string(kMaxAlignment));
  return bytes;
}

std::optional<std::string> check_alignment(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                           const Config& config, std::int64_t alignment) {
  if (alignment >= kMaxAlignment) return std::nullopt;
  std::vector<std::int64_t> slots;
  for (const Argument& argument : spec.implementation(config).arguments) {
    const auto* buffer = std::get_if<BufferArg>(&argument.value);
    if (buffer == nullptr || buffer->role == Role::workspace) continue;
    if (!buffer->align && alignment >= kDefaultAlignment) continue;
    if (slots.empty()) {
      slots = make_slots(spec, problem, device.limits);
      std::copy(config.begin(), config.end(), slots.begin() + spec.first_param_slot);
    }
    if (argument.is_absent(slots)) continue;
    const auto needed = buffer_alignment(*buffer, slots);
    if (!needed) return "argument " + argument.name + ": " + needed.error().message;
    if (*needed > alignment)
      return "argument " + argument.name + " requires " + std::to_string(*needed) + "-byte alignment, and only " +
             std::to_string(alignment) + (alignment == 1 ? " byte is" : " bytes are") + " guaranteed";
  }
  return std::nullopt;
}

} // namespace warptune
