// An operator with one implementation built by a command, through whole sessions, packs and later uses.
#include "jit/cubin_cache.h"
#include "pack/inspect.h"
#include "pack/pack.h"
#include "spec/source_hash.h"
#include "spec/spec_json.h"
#include "support/built_kernel.h"
#include "support/session_fixture.h"
#include "tuner/built_candidates.h"
#include "tuner/recheck_rows.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kPlain = 21, kWide = 12, kBuilt = 8;

class BuiltSession : public test::SessionFixture {
 protected:
  BuiltSession() {
    kernel_ = folder_.load();
    ::setenv("XDG_CACHE_HOME", dir_.path().c_str(), 1);
    options_.cache_directory = dir_ / "warptune"; // the standard cache folder
    options_.compile_workers = 4;                 // the workers build equal commands only once
    std::filesystem::create_directories(options_.cache_directory);
  }
  // The built implementation must win, so no other configuration is a candidate.
  void leave_only_built() {
    std::erase_if(kernel_.sources.files, [](const auto& file) {
      return file.first == "plain/implementation.json" || file.first == "wide/implementation.json";
    });
    for (auto& [name, text] : kernel_.sources.files) {
      const std::size_t at = name == "spec.json" ? text.find("\"default_implementation\"") : std::string::npos;
      if (at != std::string::npos) text.erase(at, text.find('\n', at) - at);
    }
    kernel_.spec = parse_spec(kernel_.sources, "choice/spec.json").value();
    kernel_.source_hash = source_hash(kernel_.spec, kernel_.sources);
  }
  void break_version_command() {
    for (auto& [name, text] : kernel_.sources.files)
      if (const std::size_t at = text.find("$WT_BUILD_CANNED/version"); at != std::string::npos)
        text.replace(at, 24, "$WT_BUILD_CANNED/nothing");
    kernel_.spec = parse_spec(kernel_.sources, "choice/spec.json").value();
  }
  PackReport pack(bool allow_build) {
    PackOptions pack;
    pack.version = "0.1";
    pack.licence = "none";
    pack.extra_configs = 0;
    pack.cubins.allow_build = allow_build;
    const auto report = make_pack(Reader::open(options_.database).value(), dir_ / "ops.wtpack", pack);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(PackReport{});
  }
  test::BuiltKernel folder_;
};

TEST_F(BuiltSession, LeavesThemOutUnlessTheyAreAllowed) {
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, kPlain + kWide);
  EXPECT_THAT(r.notes, Contains(StartsWith("8 of 41 configurations were left out, because commands")));
  EXPECT_EQ(folder_.runs(), 0u);
}

TEST_F(BuiltSession, TunesThemBesideTheOthers) {
  options_.allow_build = true;
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, kPlain + kWide + kBuilt);
  EXPECT_EQ(r.measured, r.space_size);
  EXPECT_EQ(folder_.runs(), 2u); // only A is in the command
  int built = 0;
  for (const auto& [config, trial] : trials(r.session)) {
    if (!config.starts_with("implementation=elsewhere")) continue;
    ++built;
    EXPECT_EQ(trial.status, TrialStatus::ok) << trial.evidence;
    EXPECT_FALSE(trial.cubin_hash.empty());
  }
  EXPECT_EQ(built, kBuilt);
  const auto sessions = Reader::open(options_.database)->sessions();
  EXPECT_THAT(sessions->front().identity.compiler, EndsWith("; elsewhere: made by 1.0"));
}

TEST_F(BuiltSession, WhatFailsIsATrial) {
  folder_.can(test::SmallCubin{80, {"toy_0d1d"}, {}, 40}.image(), test::kBuildJson);
  options_.allow_build = true;
  const SessionResult r = tuned();
  EXPECT_EQ(r.by_status.at(TrialStatus::compile_failed), kBuilt);
  for (const auto& [config, trial] : trials(r.session))
    if (trial.status == TrialStatus::compile_failed) {
      EXPECT_THAT(trial.evidence, HasSubstr("is for sm_80"));
    }
}

TEST_F(BuiltSession, SharedMemoryThatTheDeviceLacksIsInvalid) {
  folder_.can(test::SmallCubin{90, {"toy_0d1d"}, {}, 40}.image(),
              R"({"kernels": {"toy": {"symbol": "toy_0d1d", "shared_bytes": 900000}}})");
  options_.allow_build = true;
  const SessionResult r = tuned();
  EXPECT_EQ(r.by_status.at(TrialStatus::invalid), kBuilt);
  for (const auto& [config, trial] : trials(r.session)) {
    if (!config.starts_with("implementation=elsewhere")) continue;
    EXPECT_EQ(trial.status, TrialStatus::invalid);
    EXPECT_THAT(trial.evidence, HasSubstr("900000 bytes of shared memory"));
  }
}

TEST_F(BuiltSession, AHangingCommandIsATimeout) {
  for (auto& [name, text] : kernel_.sources.files)
    if (name == "elsewhere/build.sh") text = "#!/bin/sh\nprintf . >> \"$WT_BUILD_COUNT\"\nsleep 1000 & sleep 1000\n";
  kernel_.source_hash = source_hash(kernel_.spec, kernel_.sources);
  options_.allow_build = true;
  options_.compile_timeout_s = 1;
  const SessionResult r = tuned();
  EXPECT_EQ(r.by_status.at(TrialStatus::timed_out), kBuilt);
}

TEST_F(BuiltSession, IsResumedWithTheSameLeave) {
  const SessionResult without = tuned();
  options_.resume = true;
  EXPECT_TRUE(tuned().known);
  options_.allow_build = true;
  const SessionResult with = tuned();
  EXPECT_FALSE(with.known);
  EXPECT_NE(with.session, without.session);
  EXPECT_TRUE(tuned().known);
  EXPECT_EQ(folder_.runs(), 2u);
}

TEST_F(BuiltSession, AnOperatorWithoutOthersNeedsLeave) {
  leave_only_built();
  const auto refused = tune();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("commands run only with --allow-build"));
  options_.allow_build = true;
  EXPECT_EQ(tuned().space_size, kBuilt);
}

TEST_F(BuiltSession, ARecordingNeedsNoLeave) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, kPlain + kWide + kBuilt);
  EXPECT_EQ(folder_.runs(), 0u);
}

TEST_F(BuiltSession, ARecordingRunsNothingEvenWhereItMay) {
  break_version_command();
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  options_.allow_build = true;
  EXPECT_EQ(tuned().space_size, kPlain + kWide + kBuilt);
  EXPECT_EQ(folder_.runs(), 0u);
}

TEST_F(BuiltSession, AVersionCommandThatFailsEndsIt) {
  break_version_command();
  options_.allow_build = true;
  const auto refused = tune();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the 'version' command 'sh' exited with code 1"));
}

TEST_F(BuiltSession, AMachineThatCannotBuildIsNoVerdict) {
  leave_only_built();
  options_.allow_build = true;
  ASSERT_TRUE(find_builders(kernel_)); // its version is known from here on
  const char* old = std::getenv("TMPDIR");
  const std::string kept = old ? old : "";
  ::setenv("TMPDIR", "/proc", 1);
  const auto refused = tune();
  old ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot write /proc/"));
  options_.resume = true;
  const SessionResult r = tuned();
  EXPECT_EQ(r.reused, 0);
  EXPECT_EQ(r.by_status.count(TrialStatus::compile_failed), 0u);
}

TEST_F(BuiltSession, AVersionCommandThatHangsIsStopped) {
  for (auto& [name, text] : kernel_.sources.files)
    if (const std::size_t at = text.find("cat \\\"$WT_BUILD_CANNED/version\\\""); at != std::string::npos)
      text.replace(at, 32, "sleep 1000");
  kernel_.spec = parse_spec(kernel_.sources, "choice/spec.json").value();
  options_.allow_build = true;
  stop_ = true;
  const auto stopped = tune();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::interrupted);
}

TEST_F(BuiltSession, APackHoldsWhatWasTuned) {
  leave_only_built();
  options_.allow_build = true;
  const SessionResult r = tuned();
  const std::size_t before = folder_.runs();
  std::filesystem::remove_all(options_.cache_directory); // only the database is left
  const PackReport stored = pack(false);
  EXPECT_EQ(folder_.runs(), before);
  EXPECT_THAT(stored.notes, Contains(HasSubstr("runs only with --allow-build")));
  EXPECT_GE(stored.stored, 1u);
  const PackReport whole = pack(true);
  EXPECT_GT(folder_.runs(), before);
  EXPECT_THAT(whole.notes, Each(Not(HasSubstr("--allow-build"))));
  EXPECT_THAT(inspect_pack(Reader::open(dir_ / "ops.wtpack").value())->problems, IsEmpty());
}

TEST_F(BuiltSession, AStoredResultIsCheckedWithoutBuilding) {
  leave_only_built();
  options_.allow_build = true;
  (void)tuned();
  const std::size_t before = folder_.runs();
  std::filesystem::remove_all(options_.cache_directory);
  RecheckOptions recheck;
  recheck.device = options_.device;
  recheck.cache_directory = options_.cache_directory;
  recheck.worker_executable = options_.worker_executable;
  const auto checked = [&] {
    const auto run = recheck_rows(
        best(), options_.database, [](const BestRecord&) { return std::string(); }, recheck, [](const RowReport&) {},
        stop_);
    EXPECT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->rows.size(), 1u);
    EXPECT_TRUE(run->rows.front().is_fine()) << run->rows.front().check.evidence;
    EXPECT_EQ(run->rows.front().check.stale, "");
    return run->rows.front().check.compiler;
  };
  const std::string compiler = checked();
  EXPECT_EQ(without_builders(compiler), compiler) << "what it is built with now is not known";
  EXPECT_EQ(folder_.runs(), before);
  recheck.allow_build = true;
  EXPECT_EQ(checked(), compiler + "; elsewhere: made by 1.0");
  // And run without a database.
  std::filesystem::remove_all(options_.cache_directory);
  const Reader reader = Reader::open(options_.database).value();
  const Config config = parse_config(kernel_.spec, best().front().config).value();
  Kernel changed = kernel_;
  changed.source_hash = "of other sources";
  EXPECT_TRUE(builders_for_run(changed, config, false, &reader)->versions.empty());
  EXPECT_FALSE(CubinCache(options_.cache_directory).find(best().front().cubin_hash)) << "not what was tuned";
  const auto builders = builders_for_run(kernel_, config, false, &reader);
  ASSERT_TRUE(builders);
  EXPECT_FALSE(builders->is_allowed);
  EXPECT_TRUE(CubinCache(options_.cache_directory).find(best().front().cubin_hash));
}

} // namespace
} // namespace warptune
