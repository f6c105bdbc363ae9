#include "plan/program_key.h"

#include "core/sha256.h"

#include <string_view>

namespace warptune {

std::string request_bytes(const CompileRequest& request) {
  std::string all;
  const auto add = [&](std::string_view text) {
    all += std::to_string(text.size());
    all += ':';
    all += text;
  };
  add(request.source_name);
  add(request.source);
  for (const auto& [name, text] : request.headers) {
    add(name);
    add(text);
  }
  add("options");
  for (const std::string& option : request.options) add(option);
  add("names");
  for (const std::string& name : request.name_expressions) add(name);
  if (request.build) { // keys of NVRTC programs must not change
    add("build");
    for (const std::string& word : request.build->command) add(word);
    add("version");
    for (const std::string& word : request.build->version) add(word);
  }
  return all;
}

std::string program_key(const CompileRequest& request) { return sha256_hex(request_bytes(request)); }

} // namespace warptune
