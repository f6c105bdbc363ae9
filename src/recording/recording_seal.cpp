#include "recording/recording_seal.h"

#include "recording/recording.h"
#include "recording/recording_checksum.h"
#include "system/text_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace warptune {
namespace {

constexpr std::string_view kRecording = "recording"; // the kind of file, in errors

} // namespace

Result<SealedRecording> seal_recording(const std::filesystem::path& file) {
  WT_TRY(std::string text, read_text_file(file, kRecording, kMaxRecordingBytes));
  WT_TRY(const auto recording, parse_recording(text, file.string()));
  const std::size_t trials = recording.trials.size();
  if (checksum_of(text) == Checksum::holds) return SealedRecording{trials, true};
  // Adding a second member of this name would hide that the first was never checked.
  if (nlohmann::json::parse(text).contains("sha256"))
    return fail(
        ErrorKind::bad_input,
        fmt::format("{}: the text of the recording was changed after its checksum was added, so the checksum cannot be "
                    "compared; use the original file, or remove the member sha256 and repeat `warptune record --seal`",
                    file.string()));
  text.erase(text.find_last_of('}') + 1);
  WT_CHECK(write_text_file(file, kRecording, with_checksum(text)));
  return SealedRecording{trials, false};
}

} // namespace warptune
