#include "cli/spellings.h"

#include "core/device.h"
#include "core/text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace warptune::cli {
namespace {

constexpr std::string_view kRecorded = "recorded"; // in device options, for kReplayBackend

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A bare number is a GPU, as in device names of torch and in CUDA_VISIBLE_DEVICES.
std::string usual_device(std::string text) {
  if (is_digits(text.substr(0, text.find(',')))) return "cuda:" + text;
  if (text == kRecorded || text.starts_with(std::string(kRecorded) + ":"))
    return std::string(kReplayBackend) + text.substr(kRecorded.size());
  return text;
}

// C, numpy and torch write these; none of them is the name of another type here.
std::string usual_dtype(const std::string& text) {
  static const std::map<std::string, std::string> names = {{"half", "fp16"},
                                                           {"float16", "fp16"},
                                                           {"f16", "fp16"},
                                                           {"bfloat16", "bf16"},
                                                           {"float", "fp32"},
                                                           {"float32", "fp32"},
                                                           {"f32", "fp32"},
                                                           {"single", "fp32"},
                                                           {"double", "fp64"},
                                                           {"float64", "fp64"},
                                                           {"f64", "fp64"},
                                                           {"e4m3", "fp8_e4m3"},
                                                           {"e5m2", "fp8_e5m2"},
                                                           {"float8_e4m3fn", "fp8_e4m3"},
                                                           {"float8_e5m2", "fp8_e5m2"}};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.starts_with("torch.")) lower.erase(0, 6);
  const auto found = names.find(lower);
  return found == names.end() ? lower : found->second;
}

// Whether --device of the command is the name of a GPU that was measured before.
bool takes_gpu_name(const std::string& command) { return command == "report" || command == "import"; }

std::string usual_value(std::string_view option, const std::string& value, const std::string& command) {
  if (option == "--device" && takes_gpu_name(command)) return value;
  if (option == "--device" || option == "--devices") return usual_device(value);
  if (option == "--dtype") return usual_dtype(value);
  return value;
}

} // namespace

std::string shown_device(const std::string& device) {
  if (!is_recorded_device(device)) return device;
  return std::string(kRecorded) + device.substr(kReplayBackend.size());
}

std::vector<std::string> with_usual_spellings(std::vector<std::string> words) {
  const std::string command = words.size() > 1 ? words[1] : std::string();
  const bool is_sweep = command == "sweep";
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word == "--") break; // the words of another program
    if (is_sweep && (word == "--device" || word.starts_with("--device="))) word.insert(8, "s"); // it takes a list
    if (const std::size_t equals = word.find('='); word.starts_with("--") && equals != std::string::npos)
      word = word.substr(0, equals + 1) + usual_value(word.substr(0, equals), word.substr(equals + 1), command);
    else if (i > 1)
      word = usual_value(words[i - 1], word, command);
  }
  return words;
}

std::optional<Error> pathless_recording(const std::vector<std::string>& args) {
  const std::string empty = std::string(kReplayBackend) + ":";
  for (std::size_t i = 0; i < args.size() && args[i] != "--"; ++i)
    for (const std::string option : {"--device", "--devices"}) {
      std::string_view value;
      if (args[i].starts_with(option + "="))
        value = std::string_view(args[i]).substr(option.size() + 1);
      else if (i > 0 && args[i - 1] == option)
        value = args[i];
      const auto devices = split(value, ','); // a list of --devices may name several
      if (value == empty ||
          (option == "--devices" && std::find(devices.begin(), devices.end(), empty) != devices.end()))
        return Error{
            ErrorKind::bad_input,
            fmt::format("{} {}: the path is empty; write `recorded` for the shipped recordings, or `recorded:PATH`",
                        option, quote(shown_device(std::string(value))))};
    }
  return std::nullopt;
}

} // namespace warptune::cli
