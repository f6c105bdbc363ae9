#include "jit/ptxas_log.h"

#include <algorithm>
#include <charconv>

namespace warptune {
namespace {

// The number before `unit`: "36 bytes spill stores" -> 36 for " bytes spill stores".
int number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

template <class Visit> void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

SpillBytes spills_in(std::string_view line) {
  return {number_before(line, " bytes spill stores"), number_before(line, " bytes spill loads")};
}

constexpr std::string_view kProperties = "Function properties for ";
constexpr std::string_view kEntry = "Compiling entry function '";

bool is_info(std::string_view line) {
  return line.starts_with("ptxas info") || line.find("bytes stack frame,") != std::string_view::npos;
}

// ptxas prints C7510 and similar lines as information, but they matter for a configuration ("wgmma serialized"), so
// they are kept.
bool is_advice(std::string_view line) { return line.find("(C7") != std::string_view::npos; }

} // namespace

std::vector<PtxasKernel> parse_ptxas_log(std::string_view log) {
  std::vector<PtxasKernel> kernels;
  bool in_entry = false;
  for_each_line(log, [&](std::string_view line) {
    if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + kEntry.size());
      kernels.push_back({std::string(rest.substr(0, rest.find('\''))), {}});
      in_entry = true;
      return;
    }
    if (line.find(kProperties) != std::string_view::npos) {
      // A called function that was not inlined has its own properties, which are not the kernel's.
      in_entry = !kernels.empty() && line.ends_with(kernels.back().lowered_name);
      return;
    }
    if (kernels.empty() || !in_entry) return;
    KernelResources& found = kernels.back().resources;
    if (line.find("spill stores") != std::string_view::npos) {
      const SpillBytes spills = spills_in(line);
      found.spill_bytes = std::max(spills.stores, spills.loads);
    } else if (line.find(" registers") != std::string_view::npos && is_info(line)) {
      found.registers = number_before(line, " registers");
      found.static_shared_bytes = number_before(line, " bytes smem");
    }
  });
  return kernels;
}

std::string strip_ptxas_info(std::string_view log) {
  std::string kept;
  std::string_view properties; // the line above
  const auto keep = [&](std::string_view line) { kept.append(line).push_back('\n'); };
  for_each_line(log, [&](std::string_view line) {
    const SpillBytes spills = spills_in(line);
    const bool is_spill = spills.stores > 0 || spills.loads > 0;
    if (is_spill && !properties.empty()) keep(properties);
    properties = line.find(kProperties) != std::string_view::npos ? line : std::string_view();
    if (!is_info(line) || is_advice(line) || is_spill) keep(line);
  });
  while (!kept.empty() && kept.back() == '\n') kept.pop_back();
  return kept;
}

std::optional<SpillBytes> find_spills(std::string_view log, std::string_view lowered_name) {
  std::optional<SpillBytes> found;
  bool is_its = false;
  for_each_line(log, [&](std::string_view line) {
    if (const std::size_t at = line.find(kProperties); at != std::string_view::npos)
      is_its = line.substr(at + kProperties.size()) == lowered_name;
    else if (is_its && line.find(" bytes spill stores") != std::string_view::npos)
      found = spills_in(line);
  });
  return found;
}

std::vector<CompilerWarning> find_warnings(std::string_view log) {
  std::vector<CompilerWarning> warnings;
  for_each_line(log, [&](std::string_view line) {
    if (line.starts_with("ptxas")) {
      const std::size_t text = line.find(": ");
      if (text != std::string_view::npos && (line.starts_with("ptxas warning") || is_advice(line)))
        warnings.push_back({{}, 0, std::string(line.substr(text + 2))});
      return;
    }
    constexpr std::string_view kSign = "): warning ";
    const std::size_t at = line.find(kSign);
    const std::size_t open = line.rfind('(', at);
    if (at == std::string_view::npos || open == std::string_view::npos) return;
    int number = 0;
    std::from_chars(line.data() + open + 1, line.data() + at, number);
    warnings.push_back({std::string(line.substr(0, open)), number, std::string(line.substr(at + kSign.size()))});
  });
  return warnings;
}

bool exceeds_shared_memory(std::string_view log) {
  return log.find("uses too much shared data") != std::string_view::npos;
}

} // namespace warptune
