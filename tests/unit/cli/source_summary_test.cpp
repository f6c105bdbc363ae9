// What `warptune profile --source` prints of given samples.
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
  EXPECT_EQ(samples_fact(summary), "125 samples in 12 runs, one in 512 cycles of each multiprocessor");
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
  EXPECT_THAT(samples_fact(summary), HasSubstr("; 7 were lost"));
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
