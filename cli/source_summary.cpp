#include "cli/source_summary.h"

#include "cli/json_output.h"
#include "cli/output.h"
#include "cli/table.h"
#include "cli/units.h"
#include "report/hot_lines.h"
#include "report/source_profile.h"
#include "report/wasted_accesses.h"

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
using report::WastedAccess;

constexpr std::size_t kShown = 10;
constexpr double kFewPlaced = 0.95; // share of the samples; below it, a note says why lines may be missing

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

// Number of executions by warps: "71.6 M"; "-" if there were none.
std::string executed_text(const InstructionCounts& counts) {
  return counts.executed > 0 ? amount_text(static_cast<double>(counts.executed), "") : "-";
}

json counts_json(const InstructionCounts& counts) {
  return counts == InstructionCounts() ? json(nullptr) : report::counts_json(counts);
}

json wasted_json(const WastedAccess& access) {
  const HotInstruction& hot = *access.at;
  return {{"function", hot.at->function},
          {"offset", hot.at->offset},
          {"file", or_null(hot.file)},
          {"line", or_null(hot.at->line)},
          {"memory", access.is_shared ? "shared" : "global"},
          {"count", access.count},
          {"ideal", access.ideal},
          {"wasted_bytes", access.bytes}};
}

void print_lines(const HotSpots& spots) {
  std::vector<Column> columns = {right("samples"), left("line"), left("stalls"), text("source")};
  if (spots.counted) columns.insert(columns.begin() + 1, right("executed"));
  Table table(std::move(columns));
  for (std::size_t i = 0; i < spots.lines.size() && i < kShown; ++i) {
    const HotLine& hot = spots.lines[i];
    if (hot.samples == 0) break;
    std::vector<std::string> cells = {share_text(hot.share), place_of(hot.file, hot.line), stalls_text(hot.stalls),
                                      hot.text};
    if (spots.counted) cells.insert(cells.begin() + 1, executed_text(hot.counts));
    table.add(std::move(cells));
  }
  print("\n");
  print(std::string_view(table.render(terminal_width(1))));
}

void print_instructions(const SourceSummary& s, const HotSpots& spots) {
  std::set<std::string> functions;
  for (const HotInstruction& hot : spots.instructions) functions.insert(hot.at->function);
  std::vector<Column> columns = {right("samples"), right("offset"), left("instruction"), left("line"), text("stalls")};
  if (spots.counted) columns.insert(columns.begin() + 1, right("executed"));
  if (functions.size() > 1) columns.push_back(text("kernel"));
  Table table(std::move(columns));
  for (std::size_t i = 0; i < spots.instructions.size() && i < kShown; ++i) {
    const HotInstruction& hot = spots.instructions[i];
    if (hot.samples == 0) break;
    std::vector<std::string> cells = {share_text(hot.share), fmt::format("{:04x}", hot.at->offset), text_of(s, hot),
                                      place_of(hot.file, hot.at->line), stalls_text(hot.stalls)};
    if (spots.counted) cells.insert(cells.begin() + 1, executed_text(hot.at->counts));
    if (functions.size() > 1) cells.push_back(hot.at->function);
    table.add(std::move(cells));
  }
  print("\n");
  print(std::string_view(table.render(terminal_width(1))));
}

void print_wasted(const SourceSummary& s, const HotSpots& spots) {
  const auto wasted = report::find_wasted_accesses(spots);
  if (wasted.empty()) return;
  Table table({right("wasted"), right("offset"), left("instruction"), left("line"), text("access")});
  for (std::size_t i = 0; i < wasted.size() && i < kShown; ++i) {
    const HotInstruction& hot = *wasted[i].at;
    table.add({amount_text(static_cast<double>(wasted[i].bytes), "B"), fmt::format("{:04x}", hot.at->offset),
               text_of(s, hot), place_of(hot.file, hot.at->line), access_text(wasted[i])});
  }
  print("\n");
  print(std::string_view(table.render(terminal_width(1))));
}

json line_json(const HotLine& hot) {
  return {{"file", or_null(hot.file)},
          {"line", or_null(hot.line)},
          {"text", or_null(hot.text)},
          {"samples", hot.samples},
          {"not_issued", hot.not_issued},
          {"share", hot.share},
          {"stalls", stalls_json(hot.stalls, hot.samples)},
          {"counts", counts_json(hot.counts)}};
}

} // namespace

std::string samples_fact(const SourceSummary& s) {
  const HotSpots spots = spots_of(s);
  std::string text =
      fmt::format("{} in {}, one sample every {} cycles on each multiprocessor", count_text(spots.samples, "sample"),
                  count_text(s.profile.samples.launches, "run"), s.profile.samples.period_cycles);
  if (spots.counted) text += "; instructions counted in one more run";
  if (s.profile.samples.dropped > 0)
    text += fmt::format("; {} {} lost", count_text(s.profile.samples.dropped, "sample"),
                        s.profile.samples.dropped == 1 ? "was" : "were");
  return text;
}

void print_source_text(const SourceSummary& s, std::vector<std::string>& notes) {
  const HotSpots spots = spots_of(s);
  print_lines(spots);
  print_instructions(s, spots);
  print_wasted(s, spots);
  if (!s.profile.no_sass.empty()) notes.push_back("instructions are shown without their text: " + s.profile.no_sass);
  if (!s.profile.samples.no_counts.empty())
    notes.push_back("instruction counts are missing: " + s.profile.samples.no_counts);
  if (spots.samples > 0 && spots.placed < kFewPlaced)
    notes.push_back(fmt::format(
        "{} of the samples have no source line; if a build command makes the cubin, add -lineinfo to that command",
        share_text(1 - spots.placed)));
  if (spots.samples == 0) notes.emplace_back("no instruction was sampled: the launches are too short");
}

json source_json(const SourceSummary& s) {
  const HotSpots spots = spots_of(s);
  json lines = json::array(), instructions = json::array(), wasted = json::array();
  for (const HotLine& hot : spots.lines) lines.push_back(line_json(hot));
  for (const HotInstruction& hot : spots.instructions) {
    const std::string sass = text_of(s, hot);
    instructions.push_back({{"function", hot.at->function},
                            {"offset", hot.at->offset},
                            {"sass", sass == "-" ? json(nullptr) : json(sass)},
                            {"file", or_null(hot.file)},
                            {"line", or_null(hot.at->line)},
                            {"samples", hot.samples},
                            {"share", hot.share},
                            {"stalls", hot.at->stalls},
                            {"not_issued", hot.at->not_issued},
                            {"counts", counts_json(hot.at->counts)}});
  }
  for (const WastedAccess& access : report::find_wasted_accesses(spots)) wasted.push_back(wasted_json(access));
  return {{"source", s.profile.samples.source},
          {"samples", spots.samples},
          {"placed", spots.placed},
          {"launches", s.profile.samples.launches},
          {"period_cycles", s.profile.samples.period_cycles},
          {"dropped", s.profile.samples.dropped},
          {"lines", std::move(lines)},
          {"instructions", std::move(instructions)},
          {"wasted", std::move(wasted)},
          {"no_counts", or_null(s.profile.samples.no_counts)},
          {"no_sass", or_null(s.profile.no_sass)}};
}

} // namespace warptune::cli
