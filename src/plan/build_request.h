// BuildRequest: the command that makes a program in place of NVRTC, with the values of one configuration.
#pragma once

#include "core/device.h"
#include "core/result.h"
#include "spec/build.h"

#include <string>
#include <vector>

namespace warptune {

class PlanValues;
struct Implementation;

struct BuildRequest {
  std::string implementation; // whose command it is
  // Words as in the spec: {output} and {folder}, which are known when the command runs, and doubled braces remain.
  std::vector<std::string> command;
  std::vector<std::string> version; // prints which compiler it is; may be empty
  std::string compiler = {}; // what that printed: a part of compile_key as NVRTC's name is, and no part of program_key
  bool is_allowed = false;   // whether the user lets the command run; a part of no key
};

Result<BuildRequest> make_build_request(const Implementation& implementation, const PlanValues& values,
                                        const DeviceInfo& device);

// A word of BuildRequest::command as the program is given it.
std::string expand_build_word(const std::string& word, const std::string& output, const std::string& folder);

} // namespace warptune
