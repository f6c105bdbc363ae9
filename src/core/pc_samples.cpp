#include "core/pc_samples.h"

#include <set>

namespace warptune {

InstructionCounts& InstructionCounts::operator+=(const InstructionCounts& other) {
  for_each_member<InstructionCounts>([&](const auto& m) { this->*m.at += other.*m.at; });
  return *this;
}

void add_counts(PcSamples& samples, PcSamples counted) {
  using Place = std::pair<std::string, std::int64_t>;
  std::map<Place, InstructionSamples> all;
  std::set<std::string> uncounted;
  for (InstructionSamples& at : samples.instructions) {
    uncounted.insert(at.function);
    Place place{at.function, at.offset};
    all.emplace(std::move(place), std::move(at));
  }
  for (InstructionSamples& at : counted.instructions) {
    uncounted.erase(at.function);
    const InstructionCounts counts = at.counts;
    Place place{at.function, at.offset};
    all.try_emplace(std::move(place), std::move(at)).first->second.counts = counts;
  }
  samples.instructions.clear();
  for (auto& [place, at] : all) samples.instructions.push_back(std::move(at));
  samples.no_counts = std::move(counted.no_counts);
  std::string names;
  for (const std::string& name : uncounted) names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) return;
  samples.no_counts += (samples.no_counts.empty() ? "" : "; ") +
                       ("CUPTI counted no instruction of " + names + ", although samples were taken there");
}

} // namespace warptune
