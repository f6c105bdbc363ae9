#include "report/samples_json.h"

#include "core/sanitize.h"
#include "report/hot_lines.h"
#include "report/markup.h"
#include "report/wasted_accesses.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune::report {
namespace {

using json = nlohmann::ordered_json;

json stalls_json(const StallShares& stalls) {
  json out = json::object();
  for (const auto& [reason, share] : stalls) out[sanitize(reason)] = rounded(share);
  return out;
}

// Expands tabs to spaces, so that columns stay aligned.
std::string source_line(std::string_view line) {
  std::string out;
  for (const char c : line) {
    if (c == '\t')
      out.append(4 - out.size() % 4, ' ');
    else if (c != '\r')
      out += c;
  }
  return sanitize(out);
}

json instruction_json(std::int64_t offset, const std::string& sass, const HotInstruction* hot) {
  json out = {{"offset", offset}, {"sass", sass.empty() ? json(nullptr) : json(sanitize(sass))}};
  if (hot == nullptr) return out;
  out.update({{"samples", hot->samples}, {"not_issued", hot->not_issued}, {"stalls", stalls_json(hot->stalls)}});
  if (hot->at->counts.executed > 0)
    for_each_member<InstructionCounts>([&](const auto& m) { out["counts"][m.name] = hot->at->counts.*m.at; });
  if (hot->at->line > 0) out.update({{"file", sanitize(hot->file)}, {"line", hot->at->line}});
  return out;
}

json functions_json(const HotSpots& spots, const SourceProfile& profile) {
  std::map<std::string, std::map<std::int64_t, const HotInstruction*>> functions;
  for (const HotInstruction& hot : spots.instructions) functions[hot.at->function][hot.at->offset] = &hot;
  for (const auto& [place, text] : profile.sass)
    if (const auto found = functions.find(place.first); found != functions.end())
      found->second.try_emplace(place.second, nullptr);
  json out = json::array();
  for (const auto& [name, instructions] : functions) {
    json list = json::array();
    for (const auto& [offset, hot] : instructions) {
      const auto text = profile.sass.find({name, offset});
      list.push_back(instruction_json(offset, text == profile.sass.end() ? "" : text->second, hot));
    }
    out.push_back({{"name", sanitize(name)}, {"instructions", std::move(list)}});
  }
  return out;
}

json files_json(const HotSpots& spots, const SourceFiles& sources) {
  std::map<std::string, json> by_file;
  for (const HotLine& hot : spots.lines)
    if (hot.line > 0)
      by_file[hot.file].push_back({{"line", hot.line},
                                   {"samples", hot.samples},
                                   {"not_issued", hot.not_issued},
                                   {"stalls", stalls_json(hot.stalls)},
                                   {"executed", hot.counts.executed}});
  json out = json::array();
  for (auto& [name, lines] : by_file) {
    json text = nullptr; // a header of the toolkit is not stored
    for (const auto& [file, content] : sources.files) {
      if (file != name) continue;
      text = json::array();
      for (std::size_t at = 0; at < content.size();) { // adds each line with its indentation
        const std::size_t end = std::min(content.find('\n', at), content.size());
        text.push_back(source_line(std::string_view(content).substr(at, end - at)));
        at = end + 1;
      }
    }
    out.push_back({{"name", sanitize(name)}, {"text", std::move(text)}, {"lines", std::move(lines)}});
  }
  return out;
}

json wasted_json(const HotSpots& spots) {
  json out = json::array();
  for (const WastedAccess& access : find_wasted_accesses(spots))
    out.push_back({{"function", sanitize(access.at->at->function)},
                   {"offset", access.at->at->offset},
                   {"bytes", access.bytes},
                   {"access", access_text(access)}});
  return out;
}

} // namespace

json samples_json(const View& view) {
  json out = json::array();
  for (const Sampled& sampled : view.sampled) {
    const SourceProfile& profile = sampled.profile;
    const HotSpots spots = find_hot_spots(profile.samples, view.sources);
    out.push_back(
        {{"trial", sampled.point},
         {"source", sanitize(profile.samples.source)},
         {"samples", spots.samples},
         {"launches", profile.samples.launches},
         {"period_cycles", profile.samples.period_cycles},
         {"dropped", profile.samples.dropped},
         {"placed", rounded(spots.placed)},
         {"no_sass", profile.no_sass.empty() ? json(nullptr) : json(sanitize(profile.no_sass))},
         {"counted", spots.counted},
         {"no_counts", profile.samples.no_counts.empty() ? json(nullptr) : json(sanitize(profile.samples.no_counts))},
         {"wasted", wasted_json(spots)},
         {"functions", functions_json(spots, profile)},
         {"files", files_json(spots, view.sources)}});
  }
  return out;
}

} // namespace warptune::report
