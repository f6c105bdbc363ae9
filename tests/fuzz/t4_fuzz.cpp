// Any bytes as T4 results; accepted results are written and read back.
#include "fuzz/recorded_space_check.h"

#include <cstdint>

using namespace warptune;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const auto space = read_t4_results(text);
  if (space)
    fuzz::check_space(*space);
  else
    fuzz::check_refusal(space.error());
  return 0;
}
