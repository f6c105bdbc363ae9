#include "jit/ptxas_log.h"

#include <algorithm>
#include <charconv>

namespace warptune {
namespace {

// The number that stands before `unit`: "36 bytes spill stores" -> 36 for " bytes spill stores".
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

constexpr std::string_view kEntry = "Compiling entry function '";

bool is_info(std::string_view line) {
  return line.starts_with("ptxas info") || line.find("bytes stack frame,") != std::string_view::npos;
}

// C7510 and its kin are information to ptxas but a verdict on a configuration ("wgmma serialized"): they stay.
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
    if (line.find("Function properties for ") != std::string_view::npos) {
      // A called function that was not inlined has properties of its own; they are not the kernel's.
      in_entry = !kernels.empty() && line.ends_with(kernels.back().lowered_name);
      return;
    }
    if (kernels.empty() || !in_entry) return;
    KernelResources& found = kernels.back().resources;
    if (line.find("spill stores") != std::string_view::npos) {
      found.spill_bytes =
          std::max(number_before(line, " bytes spill stores"), number_before(line, " bytes spill loads"));
    } else if (line.find(" registers") != std::string_view::npos && is_info(line)) {
      found.registers = number_before(line, " registers");
      found.static_shared_bytes = number_before(line, " bytes smem");
    }
  });
  return kernels;
}

std::string strip_ptxas_info(std::string_view log) {
  std::string kept;
  for_each_line(log, [&](std::string_view line) {
    if (is_info(line) && !is_advice(line)) return;
    kept.append(line).push_back('\n');
  });
  while (!kept.empty() && kept.back() == '\n') kept.pop_back();
  return kept;
}

bool exceeds_shared_memory(std::string_view log) {
  return log.find("uses too much shared data") != std::string_view::npos;
}

} // namespace warptune
