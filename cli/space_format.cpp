#include "cli/space_format.h"

#include "core/text.h"
#include "interchange/gzip.h"
#include "interchange/kernel_tuner_cache.h"
#include "interchange/t4_results.h"
#include "recording/recorded_space_file.h"
#include "recording/recorded_space_recording.h"
#include "system/text_file.h"

#include <fmt/format.h>

namespace warptune::cli {

Result<SpaceFormat> parse_space_format(const std::string& name, bool with_recording) {
  if (name == "recording" && with_recording) return SpaceFormat::recording;
  if (name == "kernel-tuner") return SpaceFormat::kernel_tuner;
  if (name == "t4") return SpaceFormat::t4;
  std::vector<std::string> known = {"kernel-tuner", "t4"};
  if (with_recording) known.insert(known.begin(), "recording");
  return fail(ErrorKind::bad_input, fmt::format("unknown format {}{}", quote(name), suggest_name(name, known)));
}

OutputKind files_of(SpaceFormat format) {
  const auto of = [](const char* name) {
    return [name](const std::filesystem::path& file) {
      const auto space = load_recorded_space(file);
      return space && space->format == name;
    };
  };
  switch (format) {
  case SpaceFormat::kernel_tuner:
    return {"is not a Kernel Tuner cache", of(kKernelTunerFormat)};
  case SpaceFormat::t4:
    return {"is not a T4 file", of(kT4Format)};
  case SpaceFormat::recording:
    break;
  }
  return {"is not a recording", of(kRecordingFormat)};
}

Result<void> write_space(const RecordedSpace& space, SpaceFormat format, const std::filesystem::path& file,
                         const DeviceInfo& device) {
  const bool packed = file.extension() == ".gz";
  if (format == SpaceFormat::recording) {
    if (packed) return fail(ErrorKind::bad_input, "a recording cannot be compressed; choose a name that ends in .json");
    auto recording = recording_of(space, device);
    if (!recording)
      return fail(recording.error().kind,
                  fmt::format("{} is not a recording: {}", space.name, recording.error().message));
    return save_recording(*recording, file);
  }
  auto written = format == SpaceFormat::t4 ? write_t4_results(space) : write_kernel_tuner_cache(space);
  if (!written) return fail(written.error().kind, fmt::format("{}: {}", space.name, written.error().message));
  std::string text = std::move(*written);
  if (packed) {
    WT_TRY(auto bytes, gzip(text));
    text = std::move(bytes);
  }
  return write_text_file(file, "recorded space", text);
}

} // namespace warptune::cli
