#include "cli/trace_files.h"

#include "cli/units.h"
#include "core/text.h"
#include "recording/recorded_space_file.h"

#include <cmath>
#include <fmt/format.h>

namespace warptune::cli {
namespace {

constexpr double kRounding = 1e-3; // relative rounding error of times in traces of other programs

double best_of(const SearchTrace& trace) {
  return trace.improvements.empty() ? INFINITY : trace.improvements.back().best_ms;
}

} // namespace

bool is_trace_file(const std::string& path) { return path.ends_with(".jsonl") || path.ends_with(".jsonl.gz"); }

bool holds_traces(const std::filesystem::path& file) {
  bool truncated = false;
  const auto text = read_plain_text(file, "file of traces", truncated);
  return text && !truncated && read_search_traces(*text);
}

Result<std::vector<SearchTrace>> TraceFiles::load(const std::string& path, std::vector<std::string>& notes) const {
  bool truncated = false;
  WT_TRY(auto text, read_plain_text(path, "file of traces", truncated));
  auto read = read_search_traces(text);
  if (!read || truncated)
    return fail(ErrorKind::bad_input,
                fmt::format("{}: {}", path, truncated ? "the compressed file is truncated" : read.error().message));
  const std::string file = path.substr(path.rfind('/') + 1), stem = file.substr(0, file.find('.'));
  std::vector<SearchTrace> traces;
  std::set<std::string> strangers;
  for (SearchTrace& trace : *read) {
    trace.space.erase(0, trace.space.rfind('/') + 1);
    const auto best = best_ms.find(trace.space);
    if (best == best_ms.end()) {
      strangers.insert(trace.space);
      continue;
    }
    if (best_of(trace) < best->second * (1 - kRounding))
      return fail(
          ErrorKind::bad_input,
          fmt::format(
              "{}: the trace of {} with seed {} reaches {} ms on {}, but the fastest configuration of this recording "
              "takes {} ms. The trace belongs to another recording: name that recording, or remove the trace",
              path, quote(trace.strategy), trace.seed, best_of(trace), trace.space, best->second));
    if (ours.contains(trace.strategy)) trace.strategy = stem + ": " + trace.strategy;
    traces.push_back(std::move(trace));
  }
  if (!strangers.empty())
    notes.push_back(fmt::format("{}: left out {} of {}, because {} not given; the first missing space is {}", path,
                                count_text(static_cast<std::int64_t>(read->size() - traces.size()), "trace"),
                                count_text(static_cast<std::int64_t>(strangers.size()), "space"),
                                strangers.size() == 1 ? "this recorded space was" : "these recorded spaces were",
                                *strangers.begin()));
  return traces;
}

} // namespace warptune::cli
