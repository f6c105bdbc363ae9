#include "report/source_profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warptune::report {
namespace {

constexpr int kProfileFormat = 1;
constexpr std::int64_t kMaxCount = 1'000'000'000'000'000; // limit for numbers of samples, cycles, bytes and lines

std::int64_t count_of(const nlohmann::json& object, const char* name) {
  const std::int64_t count = object.at(name).get<std::int64_t>();
  if (!object.at(name).is_number_integer() || count < 0 || count > kMaxCount)
    throw std::invalid_argument(fmt::format("{} is not a valid count", name));
  return count;
}

InstructionCounts counts_of(const nlohmann::json& instruction) {
  InstructionCounts counts;
  if (const auto found = instruction.find("counts"); found != instruction.end())
    for_each_member<InstructionCounts>([&](const auto& m) { counts.*m.at = count_of(*found, m.name); });
  return counts;
}

StallCounts stalls_of(const nlohmann::json& object, const char* name) {
  StallCounts stalls;
  for (const auto& [reason, count] : object.at(name).items())
    stalls[reason] = count_of(object.at(name), reason.c_str());
  return stalls;
}

} // namespace

nlohmann::json counts_json(const InstructionCounts& counts) {
  nlohmann::json out;
  for_each_member<InstructionCounts>([&](const auto& m) { out[m.name] = counts.*m.at; });
  return out;
}

std::string source_profile_text(const SourceProfile& profile) {
  const PcSamples& samples = profile.samples;
  nlohmann::json instructions = nlohmann::json::array(), sass = nlohmann::json::object();
  for (const InstructionSamples& at : samples.instructions) {
    instructions.push_back({{"function", at.function},
                            {"offset", at.offset},
                            {"file", at.file},
                            {"line", at.line},
                            {"stalls", at.stalls},
                            {"not_issued", at.not_issued}});
    if (at.counts.executed > 0) instructions.back()["counts"] = counts_json(at.counts);
  }
  for (const auto& [place, text] : profile.sass) sass[place.first].push_back({place.second, text});
  nlohmann::json out = {{"format", kProfileFormat},     {"source", samples.source},
                        {"launches", samples.launches}, {"period_cycles", samples.period_cycles},
                        {"dropped", samples.dropped},   {"instructions", std::move(instructions)},
                        {"sass", std::move(sass)},      {"no_sass", profile.no_sass}};
  if (!samples.no_counts.empty()) out["no_counts"] = samples.no_counts;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<SourceProfile> parse_source_profile(std::string_view text) {
  try {
    const nlohmann::json in = nlohmann::json::parse(text);
    if (in.at("format") != kProfileFormat) throw std::invalid_argument("another format");
    SourceProfile profile;
    PcSamples& samples = profile.samples;
    samples.source = in.at("source").get<std::string>();
    samples.launches = count_of(in, "launches");
    samples.period_cycles = count_of(in, "period_cycles");
    samples.dropped = count_of(in, "dropped");
    for (const nlohmann::json& one : in.at("instructions"))
      samples.instructions.push_back({one.at("function").get<std::string>(), count_of(one, "offset"),
                                      one.at("file").get<std::string>(), count_of(one, "line"),
                                      stalls_of(one, "stalls"), stalls_of(one, "not_issued"), counts_of(one)});
    for (const auto& [function, lines] : in.at("sass").items())
      for (const nlohmann::json& line : lines)
        profile.sass[{function, line.at(0).get<std::int64_t>()}] = line.at(1).get<std::string>();
    profile.no_sass = in.at("no_sass").get<std::string>();
    samples.no_counts = in.value("no_counts", "");
    return profile;
  } catch (const std::exception& error) { // the text comes from a file
    return fail(ErrorKind::database, fmt::format("the stored samples are damaged: {}", error.what()));
  }
}

} // namespace warptune::report
