#include "tuner/sass.h"

#include "core/text.h"
#include "jit/build_folder.h"
#include "jit/toolkit_program.h"

#include <charconv>
#include <fmt/format.h>

namespace warptune {
namespace {

constexpr double kListTimeout = 60; // seconds
constexpr std::size_t kMaxListing = std::size_t{64} << 20;

// ".text.scale:" -> "scale"; empty: no such label.
std::string_view function_label(std::string_view line) {
  constexpr std::string_view kSection = ".text.";
  return line.starts_with(kSection) && line.ends_with(':')
             ? line.substr(kSection.size(), line.size() - kSection.size() - 1)
             : std::string_view();
}

} // namespace

SassText parse_nvdisasm(std::string_view text) {
  SassText all;
  std::string function;
  for (const std::string_view line : split(text, '\n')) {
    if (const std::string_view label = function_label(line); !label.empty()) {
      function = label;
      continue;
    }
    // "/*0010*/  @!P0 LDG.E R2, desc[UR4][R2.64] ;", followed by the encoding as another comment.
    if (function.empty() || !line.starts_with("/*")) continue;
    const std::size_t close = line.find("*/");
    std::int64_t offset = 0;
    const char* end = line.data() + std::min(close, line.size());
    if (close == std::string_view::npos || std::from_chars(line.data() + 2, end, offset, 16).ptr != end) continue;
    const std::string_view rest = line.substr(close + 2);
    const std::size_t semicolon = rest.find(';');
    if (semicolon == std::string_view::npos) continue; // the second half of an encoding
    all.emplace(std::pair(function, offset), trim(rest.substr(0, semicolon)));
  }
  return all;
}

Result<SassText> disassemble(std::string_view cubin) {
  WT_TRY(const auto program, find_toolkit_program({"nvdisasm", "WARPTUNE_NVDISASM", "cuda-nvdisasm"}));
  const std::string name = "kernel.cubin";
  WT_TRY(const auto folder, BuildFolder::make({{name, std::string(cubin)}}));
  const CommandEnd end = folder.run({program.string(), "-c", name}, {kListTimeout, kMaxListing, nullptr});
  if (!end.succeeded()) return fail(ErrorKind::no_device, fmt::format("{} {}", program.string(), end.sentence()));
  SassText sass = parse_nvdisasm(end.printed);
  if (sass.empty())
    return fail(
        ErrorKind::no_device,
        fmt::format("{} printed no instructions; it may be older than this cubin's architecture; install a newer "
                    "CUDA Toolkit",
                    program.string()));
  return sass;
}

} // namespace warptune
