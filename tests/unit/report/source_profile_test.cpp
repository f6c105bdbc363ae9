// Samples of instructions as a stored text and as the panes of a report. The samples are invented.
#include "report/samples_json.h"
#include "report/source_profile.h"
#include "support/paths.h"

#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace warptune::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string text_of(const std::string& name) {
  std::ifstream in(test::data_dir() / "report" / name);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SourceProfile, TextsAreReadBack) {
  const auto profile = parse_source_profile(text_of("samples_best.json"));
  ASSERT_TRUE(profile) << profile.error().message;
  ASSERT_EQ(profile->samples.instructions.size(), 3U);
  const InstructionSamples& at = profile->samples.instructions[1];
  EXPECT_EQ(at.function, "scale");
  EXPECT_EQ(at.offset, 48);
  EXPECT_EQ(at.file, "/w/scale/kernel.cu");
  EXPECT_EQ(at.line, 6);
  EXPECT_EQ(at.stalls, (StallCounts{{"long_scoreboard", 60}, {"selected", 15}, {"wait", 5}}));
  EXPECT_EQ(at.not_issued, (StallCounts{{"long_scoreboard", 50}}));
  EXPECT_EQ(profile->samples.launches, 3);
  EXPECT_EQ(profile->samples.period_cycles, 512);
  EXPECT_EQ(profile->sass.at({"scale", 32}), "LDG.E R4, [R2.64]");
  const auto again = parse_source_profile(source_profile_text(*profile));
  ASSERT_TRUE(again);
  EXPECT_EQ(source_profile_text(*again), source_profile_text(*profile));
  EXPECT_EQ(json::parse(source_profile_text(*again)), json::parse(text_of("samples_best.json")));
}

TEST(SourceProfile, CountsAreReadBack) {
  auto profile = *parse_source_profile(text_of("samples_best.json"));
  EXPECT_EQ(profile.samples.instructions[1].counts, InstructionCounts()) << "a text of an older version";
  profile.samples.instructions[1].counts = {10, 320, 80, 40, 9, 3};
  profile.samples.no_counts = "no ideal sectors";
  const auto read = parse_source_profile(source_profile_text(profile));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->samples.instructions[1].counts, (InstructionCounts{10, 320, 80, 40, 9, 3}));
  EXPECT_EQ(read->samples.instructions[0].counts, InstructionCounts());
  EXPECT_EQ(read->samples.no_counts, "no ideal sectors");
}

TEST(SourceProfile, DamagedTextsAreRefused) {
  const json good = json::parse(text_of("samples_best.json"));
  const auto refused = [&](const char* pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    const auto read = parse_source_profile(bad.dump());
    EXPECT_THAT(read ? "" : read.error().message, HasSubstr("the stored samples are damaged")) << pointer;
  };
  refused("/format", 2);
  refused("/launches", -1);
  refused("/instructions/0/offset", -16);
  refused("/instructions/0/line", 1.5);
  refused("/instructions/0/stalls/wait", -1);
  refused("/instructions/0/stalls/wait", 1e300);
  refused("/instructions/0/function", 3);
  refused("/instructions/0/counts", {{"executed", 3}});
  refused("/instructions/0/counts", 3);
  refused("/no_counts", 3);
  refused("/sass/scale/0", "no pair");
  EXPECT_FALSE(parse_source_profile(""));
  EXPECT_FALSE(parse_source_profile("[]"));
}

View view() {
  View v;
  v.sources.files = {{"kernel.cu", "1\n2\n3\n4\nfirst\n\tsecond\x1b[2J\r\n"}, {"other.cuh", "not sampled"}};
  v.sampled.push_back({4, *parse_source_profile(text_of("samples_best.json"))});
  return v;
}

TEST(SamplesJson, HoldsWholeFilesAndFunctions) {
  const json out = json::parse(samples_json(view()).dump());
  ASSERT_EQ(out.size(), 1U);
  const json& one = out[0];
  EXPECT_EQ(one["trial"], 4);
  EXPECT_EQ(one["samples"], 100);
  EXPECT_EQ(one["placed"], 0.9);
  EXPECT_TRUE(one["no_sass"].is_null());
  ASSERT_EQ(one["files"].size(), 1U);
  const json& file = one["files"][0];
  EXPECT_EQ(file["name"], "kernel.cu");
  EXPECT_EQ(file["text"][5], "    second\\x1b[2J"); // a tab becomes spaces; no control sequence remains
  ASSERT_EQ(file["lines"].size(), 2U);
  EXPECT_EQ(file["lines"][0], json::parse(R"({"line": 6, "samples": 80, "not_issued": 50,
    "stalls": {"long_scoreboard": 0.75, "selected": 0.1875, "wait": 0.0625}, "executed": 0})"));
  EXPECT_EQ(one["counted"], false);
  EXPECT_TRUE(one["no_counts"].is_null());
  ASSERT_EQ(one["functions"].size(), 1U); // without a sample of the other kernel
  const json& instructions = one["functions"][0]["instructions"];
  ASSERT_EQ(instructions.size(), 5U);
  EXPECT_EQ(instructions[2], json::parse(R"({"offset": 32, "sass": "LDG.E R4, [R2.64]"})"));
  EXPECT_EQ(instructions[3]["samples"], 80);
  EXPECT_EQ(instructions[3]["file"], "kernel.cu");
  EXPECT_EQ(instructions[3]["line"], 6);
  EXPECT_FALSE(instructions[4].contains("line"));
}

TEST(SamplesJson, HoldsCountsAndWaste) {
  View v = view();
  PcSamples& samples = v.sampled[0].profile.samples;
  samples.instructions[1].counts = {10, 320, 320, 40, 0, 0};
  samples.instructions.push_back({"scale", 32, "/w/scale/kernel.cu", 6, {}, {}, {10, 320, 0, 0, 0, 0}});
  samples.no_counts = "no ideal wavefronts\x1b";
  const json out = json::parse(samples_json(v).dump())[0];
  EXPECT_EQ(out["counted"], true);
  EXPECT_EQ(out["no_counts"], "no ideal wavefronts\\x1b");
  const json& instructions = out["functions"][0]["instructions"];
  EXPECT_EQ(instructions[3]["counts"]["sectors"], 320);
  EXPECT_EQ(instructions[2]["counts"]["executed"], 10);
  EXPECT_EQ(instructions[2]["samples"], 0);
  EXPECT_FALSE(instructions[1].contains("counts"));
  EXPECT_EQ(out["files"][0]["lines"][0]["executed"], 20);
  EXPECT_EQ(out["wasted"], json::parse(R"j([{"function": "scale", "offset": 48, "bytes": 8960,
    "access": "32.0 instead of 4.0 sectors each time (uncoalesced)"}])j"));
}

TEST(SamplesJson, WithoutTextOnlyWhatWasSampled) {
  View v = view();
  v.sampled[0].profile.sass.clear();
  v.sampled[0].profile.no_sass = "nvdisasm was not found";
  v.sources.files.clear();
  const json out = json::parse(samples_json(v).dump());
  EXPECT_EQ(out[0]["no_sass"], "nvdisasm was not found");
  EXPECT_EQ(out[0]["functions"][0]["instructions"].size(), 3U);
  EXPECT_TRUE(out[0]["functions"][0]["instructions"][0]["sass"].is_null());
  EXPECT_EQ(out[0]["files"][0]["name"], "/w/scale/kernel.cu");
  EXPECT_TRUE(out[0]["files"][0]["text"].is_null());
}

} // namespace
} // namespace warptune::report
