#include "report/hot_lines.h"

#include "core/text.h"

#include <algorithm>
#include <map>

namespace warptune::report {
namespace {

using File = std::pair<std::string, std::string>; // name, text

// The source whose name is the longest end of the path: "/tmp/softmax/online/kernel.cu" -> "online/kernel.cu".
const File* source_of(const std::string& path, const SourceFiles& sources) {
  const File* best = nullptr;
  for (const File& file : sources.files) {
    const std::string& name = file.first;
    const bool is_end =
        path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
    if (is_end && (best == nullptr || name.size() > best->first.size())) best = &file;
  }
  return best;
}

std::string line_of(const std::string& text, std::int64_t number) {
  std::int64_t at = 0;
  for (const std::string_view line : split(text, '\n'))
    if (++at == number) return std::string(line);
  return {};
}

std::int64_t sum(const StallCounts& counts) {
  std::int64_t total = 0;
  for (const auto& [reason, count] : counts) total += count;
  return total;
}

StallShares shares_of(const StallCounts& counts) {
  StallShares shares;
  const double total = static_cast<double>(std::max<std::int64_t>(1, sum(counts)));
  for (const auto& [reason, count] : counts)
    if (count > 0) shares.emplace_back(reason, static_cast<double>(count) / total);
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return shares;
}

template <class T> void sort_by_samples(std::vector<T>& all) {
  std::stable_sort(all.begin(), all.end(), [](const T& a, const T& b) { return a.samples > b.samples; });
}

} // namespace

HotSpots find_hot_spots(const PcSamples& samples, const SourceFiles& sources) {
  HotSpots spots;
  for (const InstructionSamples& at : samples.instructions) spots.samples += sum(at.stalls);
  const double all = static_cast<double>(std::max<std::int64_t>(1, spots.samples));
  struct LineCounts {
    StallCounts stalls;
    std::int64_t not_issued = 0;
    InstructionCounts counts;
  };
  std::map<std::pair<std::string, std::int64_t>, LineCounts> lines;
  std::int64_t placed = 0;
  for (const InstructionSamples& at : samples.instructions) {
    const File* source = source_of(at.file, sources);
    HotInstruction& hot = spots.instructions.emplace_back();
    hot.at = &at;
    hot.file = source != nullptr ? source->first : at.file;
    hot.samples = sum(at.stalls);
    hot.not_issued = sum(at.not_issued);
    hot.share = static_cast<double>(hot.samples) / all;
    hot.stalls = shares_of(at.stalls);
    if (at.line > 0) placed += hot.samples;
    LineCounts& line = lines[{hot.file, at.line}];
    line.not_issued += hot.not_issued;
    line.counts += at.counts;
    spots.counted |= at.counts.executed > 0;
    for (const auto& [reason, count] : at.stalls) line.stalls[reason] += count;
  }
  for (const auto& [place, counts] : lines) {
    HotLine& hot = spots.lines.emplace_back();
    std::tie(hot.file, hot.line) = place;
    hot.samples = sum(counts.stalls);
    hot.not_issued = counts.not_issued;
    hot.counts = counts.counts;
    hot.share = static_cast<double>(hot.samples) / all;
    hot.stalls = shares_of(counts.stalls);
    if (const File* source = source_of(hot.file, sources)) hot.text = line_of(source->second, hot.line);
  }
  spots.placed = static_cast<double>(placed) / all;
  sort_by_samples(spots.lines);
  sort_by_samples(spots.instructions);
  return spots;
}

} // namespace warptune::report
