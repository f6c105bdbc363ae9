// The configuration that the library would select, and why, without a device.
#include "unit/runtime/fixture.h"

#include <cstdlib>
#include <fstream>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Explained {
  wt_status status = WT_INTERNAL;
  wt_match match = WT_MATCH_DEFAULT;
  std::string text;
};

class RuntimeExplain : public testing::Test {
 protected:
  RuntimeExplain() {
    add_tuned(dir_ / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1"},
                              {"n=65536;fp32;mode=plain", "WIDTH=8,SPLIT=2"},
                              {"n=1024;fp32;mode=clamped", "WIDTH=2,SPLIT=1"},
                              {"n=4096;fp32;mode=plain", "WIDTH=2,SPLIT=2", "Fake H100"}});
    library_ = open_library(dir_ / "t.db");
  }
  Explained explain(const char* shape, const char* dtype, const char* flags, const char* device) {
    Explained found;
    const char* text = nullptr;
    found.status = wt_explain(library_.get(), "blend", shape, dtype, flags, device, &found.match, &text);
    found.text = found.status == WT_OK ? text : wt_last_error();
    return found;
  }

  TempDir dir_;
  LibraryHandle library_;
};

TEST_F(RuntimeExplain, Exact) {
  const Explained found = explain("n=1024", "fp32", nullptr, "Fake H200");
  EXPECT_EQ(found.match, WT_MATCH_EXACT);
  EXPECT_THAT(found.text, AllOf(HasSubstr("blend n=1024;fp32;mode=plain on Fake H200 (sm_90a): WIDTH=4,SPLIT=1"),
                                HasSubstr("exactly this problem"), HasSubstr("10 us when tuned"),
                                HasSubstr("2.50x the speed of the default")));
}

TEST_F(RuntimeExplain, WhereTheDefaultStaysItsTimeIsTold) {
  add_tuned(dir_ / "t.db",
            {{"n=512;fp32;mode=plain", "WIDTH=2,SPLIT=2", "Fake H200", "", "sm_90a", "first", 8, false}});
  library_ = open_library(dir_ / "t.db");
  const Explained found = explain("n=512", "fp32", nullptr, "Fake H200");
  EXPECT_THAT(found.text, AllOf(HasSubstr("WIDTH=1,SPLIT=1 (exact"), HasSubstr("so the default is used"),
                                HasSubstr("; 8 us when tuned)"), Not(HasSubstr("the speed of"))));
}

TEST_F(RuntimeExplain, FlagsTellProblemsApart) {
  const Explained found = explain("n=1024", nullptr, "mode=clamped", "GPU-Fake H200");
  EXPECT_EQ(found.match, WT_MATCH_EXACT);
  EXPECT_THAT(found.text, HasSubstr("WIDTH=2,SPLIT=1"));
}

TEST_F(RuntimeExplain, NearestShapeThatIsValidHere) {
  const Explained near = explain("n=2048", "fp32", nullptr, "Fake H200");
  EXPECT_EQ(near.match, WT_MATCH_NEAREST_SHAPE);
  EXPECT_THAT(near.text, AllOf(HasSubstr("WIDTH=4,SPLIT=1"), HasSubstr("n=1024"), HasSubstr("10 us there")));
  // WIDTH=8 of the nearest shape does not divide 60012; WIDTH=4 of the next one does.
  const Explained skipped = explain("n=60012", "fp32", nullptr, "Fake H200");
  EXPECT_EQ(skipped.match, WT_MATCH_NEAREST_SHAPE);
  EXPECT_THAT(skipped.text, AllOf(HasSubstr("WIDTH=4,SPLIT=1"), HasSubstr("a thread has whole vectors")));
}

TEST_F(RuntimeExplain, OtherDeviceOfTheArchitecture) {
  const Explained found = explain("n=4096", "fp32", nullptr, "sm_90");
  EXPECT_EQ(found.match, WT_MATCH_OTHER_DEVICE);
  EXPECT_THAT(found.text, AllOf(HasSubstr("WIDTH=2,SPLIT=2"), HasSubstr("Fake H100")));
}

TEST_F(RuntimeExplain, DefaultWhereNothingFits) {
  const Explained other_arch = explain("n=1024", "fp32", nullptr, "sm_80");
  EXPECT_EQ(other_arch.match, WT_MATCH_DEFAULT);
  EXPECT_THAT(other_arch.text, HasSubstr("WIDTH=1,SPLIT=1"));
  const Explained other_dtype = explain("n=1024", "bf16", nullptr, "Fake H200");
  EXPECT_EQ(other_dtype.match, WT_MATCH_DEFAULT);
  EXPECT_THAT(other_dtype.text, Not(HasSubstr("us when tuned")));
}

TEST_F(RuntimeExplain, AKernelNeverTunedComesFromTheTemplates) {
  TempDir templates;
  std::filesystem::create_directories(templates / "smooth");
  std::string spec = kBlendSpec;
  spec.replace(spec.find("\"name\": \"blend\""), 15, "\"name\": \"smooth\"");
  for (const char* name : {"kernel.cu", "reference.cu"}) std::ofstream(templates / "smooth" / name) << "//\n";
  std::ofstream(templates / "smooth" / "spec.json") << spec;
  setenv("WARPTUNE_TEMPLATES", templates.path().c_str(), 1);
  const char* text = nullptr;
  wt_match match = WT_MATCH_EXACT;
  EXPECT_EQ(wt_explain(library_.get(), "smooth", "n=7", nullptr, nullptr, "sm_90", &match, &text), WT_OK)
      << wt_last_error();
  EXPECT_EQ(match, WT_MATCH_DEFAULT);
  EXPECT_THAT(text, HasSubstr("nothing was tuned for these sources of the kernel yet"));
  unsetenv("WARPTUNE_TEMPLATES");
}

TEST_F(RuntimeExplain, ResultsOfAnOlderSourceAreNamed) {
  add_tuned(dir_ / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=2,SPLIT=2", "Fake H200", "", "sm_90a", "newer"}});
  library_ = open_library(dir_ / "t.db");
  const Explained found = explain("n=1024", "fp32", nullptr, "Fake H200");
  EXPECT_THAT(found.text, AllOf(HasSubstr("WIDTH=2,SPLIT=2"), HasSubstr("other versions of its sources")));
}

TEST_F(RuntimeExplain, WhatACheckFoundWrongIsNotTaken) {
  {
    Writer writer = must(Writer::open(dir_ / "t.db"));
    CheckRecord check;
    check.best = 1;
    check.status = CheckStatus::wrong;
    check.evidence = "y[7] is 3";
    must(writer.put_check(check));
  }
  library_ = open_library(dir_ / "t.db");
  const Explained found = explain("n=1024", "fp32", nullptr, "Fake H200");
  EXPECT_NE(found.match, WT_MATCH_EXACT);
  EXPECT_THAT(found.text, AllOf(Not(HasSubstr("WIDTH=4,SPLIT=1 (")), HasSubstr("passed over 1 disqualified result"),
                                HasSubstr("y[7] is 3")));
}

} // namespace
} // namespace warptune::test
