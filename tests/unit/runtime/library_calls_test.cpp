// An operator whose fastest configuration is a library call: from a database to a pack, and to an application that
// allows such calls or not. Over a stand-in for the driver.
#include "pack/inspect.h"
#include "pack/pack.h"
#include "predict/transfer.h"
#include "support/fake_cuda.h"
#include "support/toy.h"
#include "support/tuned_db.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/warptune.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cstdlib>
#include <gmock/gmock.h>

namespace warptune::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kCopy = "implementation=copy";
constexpr const char* kKernel = "implementation=plain,A=4,B=4";
constexpr const char* kDefaultKernel = "implementation=plain,A=1,B=1";

class LibraryCallRuntime : public ::testing::Test {
 protected:
  LibraryCallRuntime() : db_(dir_ / "t.db", toy_kernel("duplicate"), fake_device()) {
    setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    static std::uintptr_t contexts = 0xA000; // unique, because modules stay loaded in their context
    fake_set_context(reinterpret_cast<void*>(contexts += 0x100));
    session_ = db_.add("n=1048576",
                       {{kDefaultKernel, 20}, {kKernel, 10}, {kCopy, 6}, {"implementation=plain,A=8,B=3", 14}}, kCopy);
  }
  ~LibraryCallRuntime() override { unsetenv("WARPTUNE_DISABLE_LIBRARIES"); }

  std::string pack() {
    PackOptions options;
    options.version = "0.1";
    options.licence = "none";
    options.cubins.compile = false; // the database has every cubin
    options.extra_configs = 0;
    const auto report = make_pack(must(Reader::open(dir_ / "t.db")), dir_ / "ops.wtpack", options);
    if (!report) throw std::runtime_error(report.error().message);
    return (dir_ / "ops.wtpack").string();
  }
  static v0::Options allowed() {
    v0::Options options;
    options.jit = 0;
    options.allow_vendor = true;
    return options;
  }
  static v0::Options forbidden() {
    v0::Options options;
    options.jit = 0;
    return options;
  }

  TempDir dir_;
  TunedDb db_;
  RowId session_ = 0;
  void* const x_ = reinterpret_cast<void*>(0x10000);
  void* const y_ = reinterpret_cast<void*>(0x20000);
};

TEST_F(LibraryCallRuntime, APackServesBothKindsOfApplications) {
  const std::string path = pack();
  EXPECT_THAT(must(inspect_pack(must(Reader::open(path)))).problems, IsEmpty());

  const v0::Library without(path, forbidden());
  const v0::Operation kernel = without.kernel("duplicate").select({1048576});
  EXPECT_EQ(kernel.config(), kKernel) << kernel.explain();
  EXPECT_EQ(kernel.match(), WT_MATCH_EXACT);
  EXPECT_THAT(kernel.explain(), AllOf(HasSubstr("driver.copy"), HasSubstr("allow_vendor")));
  const int before = fake_launch().count;
  kernel.launch(nullptr, x_, y_);
  EXPECT_EQ(fake_launch().count, before + 1);

  const v0::Library with(path, allowed());
  const v0::Operation copy = with.kernel("duplicate").select({1048576});
  EXPECT_EQ(copy.config(), kCopy) << copy.explain();
  EXPECT_THAT(copy.explain(), AllOf(HasSubstr("calls driver.copy"), HasSubstr("driver 13.0")));
  copy.launch(nullptr, x_, y_);
  EXPECT_EQ(fake_launch().count, before + 1) << "no kernel was launched";
  EXPECT_EQ(fake_launch().copied_from, 0x10000U);
  EXPECT_EQ(fake_launch().copied_to, 0x20000U);
  EXPECT_EQ(fake_launch().copied_bytes, 4U * 1048576);
  const v0::Operation untuned = with.kernel("duplicate").select({2048});
  EXPECT_EQ(untuned.config(), kKernel);
  EXPECT_THAT(untuned.explain(), HasSubstr("passed over 1 nearer result that cannot be launched here (a library call "
                                           "serves only the shape that it was tuned for)"));
}

TEST_F(LibraryCallRuntime, APackHasNoProgramForTheCallAlone) {
  const std::string path = pack();
  const Reader reader = must(Reader::open(path));
  const auto rows = must(reader.best());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().config, kCopy);
  EXPECT_EQ(rows.front().cubin_hash, "");
}

TEST_F(LibraryCallRuntime, TheEnvironmentAllowsThemToo) {
  setenv("WARPTUNE_ALLOW_VENDOR", "1", 1);
  const v0::Library library(pack(), forbidden());
  unsetenv("WARPTUNE_ALLOW_VENDOR");
  EXPECT_EQ(library.kernel("duplicate").select({1048576}).config(), kCopy);
}

TEST_F(LibraryCallRuntime, TheEnvironmentAllowsThemBy1Alone) {
  const std::string path = pack();
  for (const char* text : {"0", "", "no"}) {
    setenv("WARPTUNE_ALLOW_VENDOR", text, 1);
    const v0::Library library(path, forbidden());
    unsetenv("WARPTUNE_ALLOW_VENDOR");
    EXPECT_EQ(library.kernel("duplicate").select({1048576}).config(), kKernel) << text;
  }
}

TEST_F(LibraryCallRuntime, AMissingLibraryFallsBackOnTheNextBest) {
  const v0::Library library(pack(), allowed());
  setenv("WARPTUNE_DISABLE_LIBRARIES", "driver", 1);
  const v0::Operation kernel = library.kernel("duplicate").select({1048576});
  EXPECT_EQ(kernel.config(), kKernel) << kernel.explain();
  EXPECT_THAT(kernel.explain(), HasSubstr("the library 'driver' is disabled"));
}

TEST_F(LibraryCallRuntime, ADatabaseServesTheSame) {
  const std::string path = (dir_ / "t.db").string();
  EXPECT_EQ(v0::Library(path, allowed()).kernel("duplicate").select({1048576}).config(), kCopy);
  const v0::Library library(path); // the library compiles cubins that a database lacks
  const auto explained = library.kernel("duplicate").explain({1048576}, "Fake H200");
  EXPECT_THAT(explained.text, AllOf(HasSubstr(kKernel), HasSubstr("exact")));
}

// The finals compare more exactly than the search, in which kKernel was faster.
TEST_F(LibraryCallRuntime, TheSecondChoiceIsThatOfTheFinals) {
  const auto choice = [&](const char* fastest) {
    BestRecord best = must(must(Reader::open(dir_ / "t.db")).best()).front();
    best.without_calls = fastest;
    best.without_calls_us = 11;
    must(db_.writer().put_best(best));
    const v0::Library library((dir_ / "t.db").string());
    const v0::Library packed(pack(), forbidden());
    const v0::Operation from_pack = packed.kernel("duplicate").select({1048576});
    EXPECT_EQ(from_pack.match(), WT_MATCH_EXACT) << from_pack.explain();
    return std::pair(library.kernel("duplicate").explain({1048576}, "Fake H200").text, from_pack.config());
  };
  EXPECT_THAT(choice("implementation=plain,A=8,B=3"), testing::Pair(HasSubstr("plain,A=8,B=3"), kKernel))
      << "the pack does not ship it";
  EXPECT_THAT(choice(kKernel), testing::Pair(HasSubstr(kKernel), kKernel));
}

// A search that tried no kernel but the default says nothing of the others.
TEST_F(LibraryCallRuntime, TheDefaultAloneIsNoSecondChoice) {
  BestRecord best;
  best.session = db_.add("n=2048", {{kDefaultKernel, 20}, {kCopy, 6}}, kCopy);
  for (const bool took_part : {false, true}) {
    if (took_part) { // in the finals
      for (const BestRecord& row : must(must(Reader::open(dir_ / "t.db")).best()))
        if (row.session == best.session) best = row;
      best.without_calls = best.default_config;
      best.without_calls_us = 20;
      must(db_.writer().put_best(best));
    }
    const v0::Library library((dir_ / "t.db").string());
    const auto explained = library.kernel("duplicate").explain({2048}, "Fake H200");
    EXPECT_THAT(explained.text, AllOf(HasSubstr(kKernel), Not(HasSubstr("exact"))));
  }
  db_.add("n=2048", {{kDefaultKernel, 20}, {"implementation=plain,A=8,B=3", 24}, {kCopy, 6}}, kCopy);
  EXPECT_THAT(v0::Library((dir_ / "t.db").string()).kernel("duplicate").explain({2048}, "Fake H200").text,
              AllOf(HasSubstr(kDefaultKernel), HasSubstr("exact")));
}

// The call is the fastest on two shapes and the slowest on the third one. The kernels rank alike on all three.
TEST_F(LibraryCallRuntime, UntunedShapesLearnNothingFromCalls) {
  const auto add = [&](const char* shape, double us, double copy_us) {
    db_.add(shape,
            {{kDefaultKernel, 2 * us}, {kKernel, us}, {kCopy, copy_us}, {"implementation=plain,A=8,B=3", 1.4 * us}},
            copy_us < us ? kCopy : kKernel);
  };
  add("n=524288", 5, 3);
  add("n=2097152", 20, 100);
  const auto explain = [&](v0::Options options) {
    return v0::Library((dir_ / "t.db").string(), options).kernel("duplicate").explain({1572864}, "Fake H200").text;
  };
  v0::Options with_calls;
  with_calls.allow_vendor = true;
  for (const v0::Options& options : {v0::Options(), with_calls})
    EXPECT_THAT(explain(options),
                AllOf(HasSubstr(kKernel), HasSubstr("at worst 0.0 % slower"), Not(HasSubstr("passed over"))));

  const Reader packed = must(Reader::open(pack()));
  const auto rules = must(packed.pack_rules("duplicate"));
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(must(parse_transfer(rules.front().rule)).leave_one_out.worst, 0);
}

// Applications that do not allow the call launch the kernel, so its cubin is missing too.
TEST_F(LibraryCallRuntime, AMissingCubinOfTheSecondChoiceIsCounted) {
  SQLite::Database((dir_ / "t.db").string(), SQLite::OPEN_READWRITE).exec("DELETE FROM cubins");
  PackOptions options;
  options.cubins.compile = false;
  const PackReport report = must(make_pack(must(Reader::open(dir_ / "t.db")), dir_ / "ops.wtpack", options));
  EXPECT_THAT(report.notes, Contains(HasSubstr("1 of 1 tuned shapes lack their cubin")));
}

TEST_F(LibraryCallRuntime, WhatWasGivenUpEarlyIsNoSecondChoice) {
  const char* const given_up = "implementation=plain,A=2,B=4";
  Trial trial;
  trial.config = must(parse_config(db_.kernel().spec, given_up));
  trial.index = 9;
  trial.status = TrialStatus::ok;
  trial.timing.emplace().median_us = 7;
  trial.timing->complete = false;
  must(db_.writer().record(session_, given_up, trial));
  const v0::Library library((dir_ / "t.db").string());
  EXPECT_THAT(library.kernel("duplicate").explain({1048576}, "Fake H200").text, HasSubstr(kKernel));
}

TEST_F(LibraryCallRuntime, ACallThatFailedACheckLeavesItsSecondChoice) {
  CheckRecord check;
  check.best = must(must(Reader::open(dir_ / "t.db")).best()).front().id;
  check.status = CheckStatus::wrong;
  check.evidence = "y[5] is 9";
  must(db_.writer().put_check(check));
  for (const bool is_allowed : {true, false}) {
    v0::Options options;
    options.allow_vendor = is_allowed;
    const v0::Library library((dir_ / "t.db").string(), options);
    const auto explained = library.kernel("duplicate").explain({1048576}, "Fake H200");
    EXPECT_THAT(explained.text, AllOf(HasSubstr(kKernel), HasSubstr("exact"), Not(HasSubstr("calls driver.copy"))));
  }
}

TEST_F(LibraryCallRuntime, AnOptionOfAnotherValueIsRefused) {
  wt_options options{};
  options.size = sizeof options;
  options.allow_vendor = 2;
  wt_library* library = nullptr;
  EXPECT_EQ(wt_open_with((dir_ / "t.db").c_str(), &options, &library), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("the option allow_vendor is 2; give 0 or 1"));
  options.size = offsetof(wt_options, allow_vendor); // the size in an application from before this member
  ASSERT_EQ(wt_open_with((dir_ / "t.db").c_str(), &options, &library), WT_OK) << wt_last_error();
  wt_close(library);
}

} // namespace
} // namespace warptune::test
