#include "cli/source_summary.h"

#include "cli/output.h"
#include "cli/table.h"
#include "cli/units.h"
#include "report/hot_lines.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warptune::cli {
namespace {

using nlohmann::json;
using report::HotInstruction;
using report::HotLine;
using report::HotSpots;
using report::StallShares;

constexpr std::size_t kShown = 10;
constexpr double kFewPlaced = 0.95; // of the samples; below it, a note says why lines may be missing

HotSpots spots_of(const SourceSummary& s) { return report::find_hot_spots(s.profile.samples, s.kernel.sources); }

std::string place_of(const std::string& file, std::int64_t line) {
  return file.empty() ? "-" : fmt::format("{}:{}", file, line);
}

// The three most frequent states.
std::string stalls_text(const StallShares& stalls) {
  std::string text;
  for (std::size_t i = 0; i < stalls.size() && i < 3; ++i)
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", stalls[i].first, 100 * stalls[i].second);
  return text;
}

std::string text_of(const SourceSummary& s, const HotInstruction& hot) {
  const auto found = s.profile.sass.find({hot.at->function, hot.at->offset});
  return found == s.profile.sass.end() ? "-" : found->second;
}

json stalls_json(const StallShares& stalls, std::int64_t samples) {
  json out = json::object();
  for (const auto& [reason, share] : stalls) out[reason] = std::llround(share * static_cast<double>(samples));
  return out;
}

json line_json(const HotLine& hot) {
  return {{"file", hot.file.empty() ? json(nullptr) : json(hot.file)},
          {"line", hot.line > 0 ? json(hot.line) : json(nullptr)},
          {"text", hot.text.empty() ? json(nullptr) : json(hot.text)},
          {"samples", hot.samples},
          {"not_issued", hot.not_issued},
          {"share", hot.share},
          {"stalls", stalls_json(hot.stalls, hot.samples)}};
}

} // namespace

std::string samples_fact(const SourceSummary& s) {
  const HotSpots spots = spots_of(s);
  std::string text =
      fmt::format("{} in {}, one in {} cycles of each multiprocessor", count_text(spots.samples, "sample"),
                  count_text(s.profile.samples.launches, "run"), s.profile.samples.period_cycles);
  if (s.profile.samples.dropped > 0) text += fmt::format("; {} were lost", s.profile.samples.dropped);
  return text;
}

void print_source_text(const SourceSummary& s, std::vector<std::string>& notes) {
  const HotSpots spots = spots_of(s);
  Table lines({right("samples"), left("line"), left("stalls"), text("source")});
  for (std::size_t i = 0; i < spots.lines.size() && i < kShown; ++i) {
    const HotLine& hot = spots.lines[i];
    lines.add({share_text(hot.share), place_of(hot.file, hot.line), stalls_text(hot.stalls), hot.text});
  }
  print("\n");
  print(std::string_view(lines.render(terminal_width(1))));
  std::set<std::string> functions;
  for (const HotInstruction& hot : spots.instructions) functions.insert(hot.at->function);
  std::vector<Column> columns = {right("samples"), right("offset"), left("instruction"), left("line"), text("stalls")};
  if (functions.size() > 1) columns.push_back(text("kernel"));
  Table instructions(std::move(columns));
  for (std::size_t i = 0; i < spots.instructions.size() && i < kShown; ++i) {
    const HotInstruction& hot = spots.instructions[i];
    std::vector<std::string> cells = {share_text(hot.share), fmt::format("{:04x}", hot.at->offset), text_of(s, hot),
                                      place_of(hot.file, hot.at->line), stalls_text(hot.stalls)};
    if (functions.size() > 1) cells.push_back(hot.at->function);
    instructions.add(std::move(cells));
  }
  print("\n");
  print(std::string_view(instructions.render(terminal_width(1))));
  if (!s.profile.no_sass.empty()) notes.push_back("instructions are shown without their text: " + s.profile.no_sass);
  if (spots.samples > 0 && spots.placed < kFewPlaced)
    notes.push_back(fmt::format("{} of the samples have no source line; a cubin that a command builds needs -lineinfo",
                                share_text(1 - spots.placed)));
  if (spots.samples == 0) notes.emplace_back("no instruction was sampled: the launches are too short");
}

json source_json(const SourceSummary& s) {
  const HotSpots spots = spots_of(s);
  json lines = json::array(), instructions = json::array();
  for (const HotLine& hot : spots.lines) lines.push_back(line_json(hot));
  for (const HotInstruction& hot : spots.instructions) {
    const std::string sass = text_of(s, hot);
    instructions.push_back({{"function", hot.at->function},
                            {"offset", hot.at->offset},
                            {"sass", sass == "-" ? json(nullptr) : json(sass)},
                            {"file", hot.file.empty() ? json(nullptr) : json(hot.file)},
                            {"line", hot.at->line > 0 ? json(hot.at->line) : json(nullptr)},
                            {"samples", hot.samples},
                            {"share", hot.share},
                            {"stalls", hot.at->stalls},
                            {"not_issued", hot.at->not_issued}});
  }
  return {{"source", s.profile.samples.source},
          {"samples", spots.samples},
          {"placed", spots.placed},
          {"launches", s.profile.samples.launches},
          {"period_cycles", s.profile.samples.period_cycles},
          {"dropped", s.profile.samples.dropped},
          {"lines", std::move(lines)},
          {"instructions", std::move(instructions)},
          {"no_sass", s.profile.no_sass.empty() ? json(nullptr) : json(s.profile.no_sass)}};
}

} // namespace warptune::cli
