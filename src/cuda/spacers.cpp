#include "cuda/spacers.h"

#include "core/random.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::size_t kSmall = std::size_t{64} * 1024, kPage = std::size_t{2} * 1024 * 1024;
constexpr std::size_t kSmallChoices = 24, kPageChoices = 160; // sizes to choose from
constexpr std::size_t kShareOfFree = 16;                      // at most so small a share is taken at once

} // namespace

void Spacers::add() {
  std::size_t free_bytes = 0, total = 0;
  if (driver_.cuMemGetInfo(&free_bytes, &total) != CUDA_SUCCESS) return;
  const auto take = [&](std::size_t unit, std::size_t choices) {
    choices = std::min(choices, free_bytes / kShareOfFree / unit);
    if (choices == 0) return;
    const std::size_t bytes = (1 + mix(state_++) % choices) * unit;
    if (auto memory = DeviceMemory::allocate(driver_, bytes, "a spacer")) taken_.push_back(std::move(*memory));
  };
  take(kSmall, kSmallChoices);
  take(kPage, kPageChoices);
}

} // namespace warptune
