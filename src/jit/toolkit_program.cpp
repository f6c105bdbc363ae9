#include "jit/toolkit_program.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

} // namespace

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

Result<fs::path> find_toolkit_program(const ToolkitProgram& program) {
  if (const std::string chosen = environment(program.variable); !chosen.empty()) {
    if (is_program(chosen)) return fs::path(chosen);
    return fail(ErrorKind::no_device,
                fmt::format("${} names {}, which is not an executable file", program.variable, chosen));
  }
  for (const std::string& root : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")})
    for (const char* folder : {"bin", program.name})
      if (const fs::path path = fs::path(root) / folder / program.name; !root.empty() && is_program(path)) return path;
  const std::string path = environment("PATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (const fs::path found = fs::path(path.substr(at, end - at)) / program.name; is_program(found)) return found;
    at = end + 1;
  }
  return fail(ErrorKind::no_device,
              fmt::format("{} was not found in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda and $PATH; install it with the "
                          "CUDA Toolkit (the package {}), or name it in ${}",
                          program.name, program.package, program.variable));
}

} // namespace warptune
