// The output of `warptune profile --source` for given samples.
#include "cli/source_summary.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace warptune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Kernel kernel() {
  Kernel k;
  k.sources.files = {{"kernel.cu", "one\ntwo\nsum += x[i]; // hot\n"}};
  return k;
}

PcSamples samples() {
  PcSamples all;
  all.source = "CUPTI 13.0";
  all.launches = 12;
  all.period_cycles = 512;
  all.instructions = {
      {"scale", 0x10, "/w/kernel.cu", 3, {{"long_scoreboard", 60}, {"wait", 20}, {"selected", 15}, {"drain", 5}}, {}},
      {"scale", 0x20, "/w/kernel.cu", 2, {{"wait", 25}}, {{"wait", 20}}}};
  return all;
}

std::string printed(const SourceSummary& summary, std::vector<std::string>& notes) {
  testing::internal::CaptureStdout();
  print_source_text(summary, notes);
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(SourceSummary, ShowsLinesAndInstructions) {
  const Kernel k = kernel();
  const PcSamples s = samples();
  std::vector<std::string> notes;
  const SourceSummary summary{k, {s, {{{"scale", 0x10}, "LDG.E R2, [R2]"}}, {}}};
  EXPECT_EQ(samples_fact(summary), "125 samples in 12 runs, one sample every 512 cycles on each multiprocessor");
  const std::string text = printed(summary, notes);
  EXPECT_THAT(text, AllOf(HasSubstr("80.0 %  kernel.cu:3  long_scoreboard 60 %, wait 20 %, selected 15 %"),
                          HasSubstr("sum += x[i]; // hot"), HasSubstr("0010  LDG.E R2, [R2]"), HasSubstr("0020  -"),
                          Not(HasSubstr("drain")), Not(HasSubstr("kernel\n"))));
  EXPECT_LT(text.find("kernel.cu:3"), text.find("kernel.cu:2"));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(SourceSummary, SaysWhatIsMissing) {
  const Kernel k = kernel();
  PcSamples s = samples();
  s.instructions[1].line = 0;
  s.instructions[1].file.clear();
  s.instructions[1].function = "sum"; // of another kernel
  s.dropped = 7;
  std::vector<std::string> notes;
  const SourceSummary summary{k, {s, {}, "nvdisasm was not found"}};
  EXPECT_THAT(samples_fact(summary), HasSubstr("; 7 samples were lost"));
  const std::string text = printed(summary, notes);
  EXPECT_THAT(text, AllOf(HasSubstr("kernel\n"), HasSubstr("sum\n")));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "instructions are shown without their text: nvdisasm was not found");
  EXPECT_THAT(notes[1], HasSubstr("20.0 % of the samples have no source line"));
  s.instructions.clear();
  notes.clear();
  printed({k, {s, {}, {}}}, notes);
  EXPECT_THAT(notes.back(), HasSubstr("no instruction was sampled"));
}

// A load of shared memory with 32-fold conflicts, an uncoalesced load, and one that is only counted.
PcSamples counted() {
  PcSamples all = samples();
  all.instructions[0].counts = {1000, 32000, 32000, 4000, 0, 0};
  all.instructions[1].counts = {2'000'000, 64'000'000, 0, 0, 64'000'000, 2'000'000};
  all.instructions.push_back({"scale", 0x30, "/w/kernel.cu", 2, {}, {}, {500, 16000, 0, 0, 520, 500}});
  return all;
}

TEST(SourceSummary, ShowsExecutionsAndWastedAccesses) {
  const Kernel k = kernel();
  const PcSamples s = counted();
  std::vector<std::string> notes;
  const SourceSummary summary{k, {s, {{{"scale", 0x20}, "LDS R5, [R3]"}}, {}}};
  EXPECT_THAT(samples_fact(summary), HasSubstr("; instructions counted in one more run"));
  const std::string text = printed(summary, notes);
  EXPECT_THAT(text,
              AllOf(HasSubstr("20.0 %       2 M  kernel.cu:2"), HasSubstr("80.0 %       1 k    0010"),
                    Not(HasSubstr("0030")), HasSubstr("7.94 GB    0020  LDS R5, [R3]  kernel.cu:2"),
                    HasSubstr("32.0 instead of 1.0 wavefronts each time (bank conflicts)"), HasSubstr("896 kB    0010"),
                    HasSubstr("32.0 instead of 4.0 sectors each time (uncoalesced)")));
  EXPECT_LT(text.find("7.94 GB"), text.find("896 kB"));
  EXPECT_EQ(text.find("wavefronts"), text.rfind("wavefronts")) << "4 % more is no waste";
  EXPECT_THAT(notes, IsEmpty());
}

TEST(SourceSummary, SaysWhyCountsAreMissing) {
  const Kernel k = kernel();
  PcSamples s = samples();
  s.no_counts = "CUPTI 12.6 has no SASS metrics";
  std::vector<std::string> notes;
  EXPECT_THAT(printed({k, {s, {}, {}}}, notes), AllOf(Not(HasSubstr("executed")), Not(HasSubstr("wasted"))));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "instruction counts are missing: CUPTI 12.6 has no SASS metrics");
}

TEST(SourceSummary, AsJsonHasTheCounts) {
  const Kernel k = kernel();
  const nlohmann::json out = source_json({k, {counted(), {}, {}}});
  EXPECT_EQ(out["instructions"][0]["counts"],
            nlohmann::json::parse(R"({"executed": 1000, "threads": 32000, "sectors": 32000, "ideal_sectors": 4000,
              "wavefronts": 0, "ideal_wavefronts": 0})"));
  EXPECT_EQ(out["lines"][1]["counts"]["executed"], 2'000'500);
  ASSERT_EQ(out["wasted"].size(), 2U);
  EXPECT_EQ(out["wasted"][0], nlohmann::json::parse(R"({"function": "scale", "offset": 32, "file": "kernel.cu",
              "line": 2, "memory": "shared", "count": 64000000, "ideal": 2000000, "wasted_bytes": 7936000000})"));
  EXPECT_EQ(out["wasted"][1]["memory"], "global");
  EXPECT_TRUE(source_json({k, {samples(), {}, {}}})["instructions"][0]["counts"].is_null());
  EXPECT_TRUE(out["no_counts"].is_null());
}

TEST(SourceSummary, AsJsonHasAllOfThem) {
  const Kernel k = kernel();
  const PcSamples s = samples();
  const nlohmann::json out = source_json({k, {s, {{{"scale", 0x10}, "LDG.E R2, [R2]"}}, {}}});
  EXPECT_EQ(out["samples"], 125);
  EXPECT_EQ(out["placed"], 1);
  EXPECT_EQ(out["lines"][0]["line"], 3);
  EXPECT_EQ(out["lines"][0]["text"], "sum += x[i]; // hot");
  EXPECT_EQ(out["lines"][0]["stalls"],
            nlohmann::json({{"long_scoreboard", 60}, {"wait", 20}, {"selected", 15}, {"drain", 5}}));
  EXPECT_EQ(out["lines"][1]["not_issued"], 20);
  EXPECT_EQ(out["instructions"][0]["sass"], "LDG.E R2, [R2]");
  EXPECT_TRUE(out["instructions"][1]["sass"].is_null());
  EXPECT_EQ(out["instructions"][1]["not_issued"], nlohmann::json({{"wait", 20}}));
  EXPECT_TRUE(out["no_sass"].is_null());
}

} // namespace
} // namespace warptune::cli
