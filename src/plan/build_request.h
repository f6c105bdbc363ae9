// BuildRequest: the command that makes a cubin in place of NVRTC, for one configuration.
#pragma once

#include "core/device.h"
#include "core/result.h"

#include <string>
#include <vector>

namespace warptune {

class PlanValues;
struct Implementation;

struct BuildRequest {
  std::string implementation; // the implementation that the command builds
  // The command's words with the configuration's values. {output}, {folder} and doubled braces are replaced only when
  // the command runs (expand_build_word).
  std::vector<std::string> command;
  std::vector<std::string> version; // a command that prints the compiler's name and version; may be empty
  std::string compiler = {}; // output of `version`; like NVRTC's name, part of compile_key but not of program_key
  bool is_allowed = false;   // whether the user allows warptune to run the command; not part of any key
};

Result<BuildRequest> make_build_request(const Implementation& implementation, const PlanValues& values,
                                        const DeviceInfo& device);

// Returns a word of BuildRequest::command with {output}, {folder} and doubled braces replaced.
std::string expand_build_word(const std::string& word, const std::string& output, const std::string& folder);

} // namespace warptune
