// Any bytes as a Kernel Tuner cache, compressed or not; an accepted cache is written and read back.
#include "fuzz/recorded_space_check.h"
#include "interchange/gzip.h"

#include <cstdint>

using namespace warptune;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (is_gzip(text)) {
    auto inflated = gunzip(text, std::size_t{1} << 20);
    if (!inflated) {
      fuzz::check_refusal(inflated.error());
      return 0;
    }
    text = std::move(inflated->text);
  }
  const auto space = read_kernel_tuner_cache(text);
  if (space)
    fuzz::check_space(*space);
  else
    fuzz::check_refusal(space.error());
  return 0;
}
