// Any bytes as a recording; an accepted recording is written with its checksum and read back unchanged.
#include "core/text.h"
#include "recording/recording.h"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace warptune;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto recording = parse_recording(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
  if (!recording) {
    const std::string& text = recording.error().message;
    require(!text.empty() && find_invalid_utf8(text) == std::string_view::npos);
    return 0;
  }
  const std::string written = write_recording(*recording);
  const auto again = parse_recording(written, "fuzz.json");
  require(again && again->trials.size() == recording->trials.size() && again->problem == recording->problem);
  for (std::size_t i = 0; i < again->trials.size(); ++i)
    require(again->trials[i].config == recording->trials[i].config &&
            again->trials[i].status == recording->trials[i].status);
  std::string damaged = written;
  damaged[damaged.size() / 2] ^= 1;
  require(!parse_recording(damaged, "fuzz.json"));
  return 0;
}
