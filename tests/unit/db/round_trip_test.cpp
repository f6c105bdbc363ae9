#include "support/distinct.h"
#include "unit/db/fixture.h"

#include <cmath>
#include <limits>

namespace warptune {
namespace {

using namespace test;
using testing::ElementsAre;

struct DatabaseTest : testing::Test {
  TempDir dir;
  std::filesystem::path file = dir / "new/folder/w.db";
  Writer writer = must(Writer::open(file));
  RowId begin() { return must(writer.begin_session(sample_identity(), 100, "0.1.0")); }
  Reader reader() { return must(Reader::open(file)); }
};

TEST_F(DatabaseTest, AnEmptyOneAnswersWithNothingAndMakesNoFile) {
  const std::filesystem::path absent = dir / "absent.db";
  const Reader empty = must(Reader::open_empty(absent));
  EXPECT_TRUE(must(empty.kernel_names()).empty());
  EXPECT_TRUE(must(empty.best()).empty());
  EXPECT_TRUE(must(empty.devices()).empty());
  EXPECT_FALSE(must(empty.kernel("softmax")));
  EXPECT_FALSE(must(empty.cubin("hash")));
  EXPECT_FALSE(empty.pack());
  EXPECT_EQ(empty.schema_version(), reader().schema_version());
  EXPECT_FALSE(std::filesystem::exists(absent));
}

TEST_F(DatabaseTest, KeepsEveryFieldOfATrial) {
  const RowId session = begin();
  must(writer.record(session, sample_config(), sample_trial()));
  const std::vector<TrialRow> rows = must(reader().trials(session));
  ASSERT_EQ(rows.size(), 1U);
  const Trial want = sample_trial();
  const Trial& got = rows[0].trial;
  EXPECT_EQ(rows[0].config, sample_config());
  EXPECT_EQ(rows[0].session, session);
  EXPECT_EQ(got.config, want.config);
  EXPECT_EQ(got.index, want.index);
  EXPECT_EQ(got.status, want.status);
  EXPECT_EQ(got.cubin_hash, want.cubin_hash);
  EXPECT_EQ(got.resources.registers, 40);
  EXPECT_EQ(got.resources.spill_bytes, 8);
  EXPECT_EQ(got.resources.static_shared_bytes, 1024);
  EXPECT_EQ(got.resources.occupancy, 0.5);
  EXPECT_EQ(got.compile_ms, 100.5);
  EXPECT_EQ(got.verify_ms, 2);
  EXPECT_EQ(got.measure_ms, 30);
  ASSERT_TRUE(got.verdict);
  EXPECT_TRUE(got.verdict->correct);
  EXPECT_EQ(got.verdict->max_abs_error, 1e-3);
  EXPECT_EQ(got.verdict->max_rel_error, 1e-4);
  EXPECT_EQ(got.verdict->worst_ratio, 0.25);
  EXPECT_EQ(got.verdict->worst_index, 17);
  EXPECT_EQ(got.verdict->worst_buffer, "y");
  ASSERT_TRUE(got.timing);
  EXPECT_EQ(got.timing->median_us, 10.5);
  EXPECT_EQ(got.timing->ci_low_us, 10);
  EXPECT_EQ(got.timing->ci_high_us, 11);
  EXPECT_EQ(got.timing->min_us, 9.5);
  EXPECT_EQ(got.timing->rel_iqr, 0.01);
  EXPECT_THAT(got.timing->samples_us, ElementsAre(9.5F, 10.5F, 11.25F));
  EXPECT_FALSE(got.timing->cold_l2);
  EXPECT_FALSE(got.timing->complete);
  EXPECT_EQ(got.timing->sm_clock_mhz, 1980);
  EXPECT_EQ(got.timing->temperature_c, 40);
  EXPECT_EQ(got.timing->power_w, 300);
  ASSERT_EQ(got.profile.has_value(), want.profile.has_value());
  if (want.profile) {
    EXPECT_EQ(got.profile->counters, want.profile->counters);
    EXPECT_EQ(got.profile->source, want.profile->source);
    EXPECT_EQ(got.profile->passes, want.profile->passes);
    EXPECT_EQ(got.profile->cold_l2, want.profile->cold_l2);
  }
  ASSERT_EQ(got.power.has_value(), want.power.has_value());
  if (want.power) {
    EXPECT_EQ(got.power->energy_mj, want.power->energy_mj);
    EXPECT_EQ(got.power->throttle_reasons, want.power->throttle_reasons);
    EXPECT_EQ(got.power->window_ms, want.power->window_ms);
  }
}

TEST_F(DatabaseTest, KeepsEveryMemberOfATrialAndADevice) {
  const auto trial = Distinct().make<Trial>();
  const RowId session = begin();
  must(writer.record(session, "A=" + std::to_string(trial.config[0]) + ",B=" + std::to_string(trial.config[1]), trial));
  expect_same(must(reader().trials(session)).at(0).trial, trial);
  const auto device = Distinct().make<DeviceInfo>();
  must(writer.put_device(device));
  const std::vector<DeviceInfo> devices = must(reader().devices());
  ASSERT_EQ(devices.size(), 2U) << "the session's device and this one";
  expect_same(devices.back(), device, {"roofs"});
}

TEST_F(DatabaseTest, KeepsEveryStatusAndItsEvidence) {
  const RowId session = begin();
  for (int s = 0; s <= static_cast<int>(TrialStatus::unstable); ++s) {
    Trial trial = sample_trial(s);
    trial.status = static_cast<TrialStatus>(s);
    trial.evidence = "line 1\nline " + std::to_string(s);
    must(writer.record(session, sample_config(s), trial));
  }
  const std::vector<TrialRow> trials = must(writer.session_trials(session));
  ASSERT_EQ(trials.size(), 8U);
  for (std::size_t s = 0; s < trials.size(); ++s) {
    EXPECT_EQ(trials[s].trial.status, static_cast<TrialStatus>(s));
    EXPECT_EQ(trials[s].trial.evidence, "line 1\nline " + std::to_string(s));
  }
}

TEST_F(DatabaseTest, AFailureHasNoTimingAndItsErrorMayBeNoNumber) {
  const RowId session = begin();
  Trial trial;
  trial.config = {4, -2};
  trial.status = TrialStatus::wrong_result;
  trial.verdict = Verdict{};
  trial.verdict->max_abs_error = std::numeric_limits<double>::quiet_NaN();
  trial.verdict->max_rel_error = std::numeric_limits<double>::infinity();
  must(writer.record(session, sample_config(), trial));
  const Trial got = must(writer.session_trials(session)).at(0).trial;
  EXPECT_FALSE(got.timing);
  ASSERT_TRUE(got.verdict);
  EXPECT_TRUE(std::isnan(got.verdict->max_abs_error));
  EXPECT_TRUE(std::isinf(got.verdict->max_rel_error));
}

TEST_F(DatabaseTest, RecordsAConfigurationOfASessionOnce) {
  const RowId session = begin();
  must(writer.record(session, sample_config(), sample_trial()));
  Trial again = sample_trial();
  again.status = TrialStatus::crashed;
  must(writer.record(session, sample_config(), again));
  must(writer.record(begin(), sample_config(), again));
  const std::vector<TrialRow> trials = must(writer.session_trials(session));
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].trial.status, TrialStatus::ok);
}

TEST_F(DatabaseTest, RecordingIntoAnUnknownSessionIsAnError) {
  const Result<void> result = writer.record(77, sample_config(), sample_trial());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::database);
  EXPECT_THAT(result.error().message, testing::HasSubstr("no session 77"));
}

TEST_F(DatabaseTest, FindsTheUnfinishedSessionOfTheSameIdentity) {
  const SessionIdentity identity = sample_identity();
  EXPECT_FALSE(must(writer.find_unfinished(identity)));
  const RowId first = begin();
  EXPECT_EQ(must(writer.find_unfinished(identity)), first);
  must(writer.end_session(first, SessionState::interrupted));
  EXPECT_EQ(must(writer.find_unfinished(identity)), first);
  must(writer.reopen_session(first));
  EXPECT_EQ(must(reader().sessions()).at(0).state, SessionState::running);
  must(writer.end_session(first, SessionState::finished));
  EXPECT_FALSE(must(writer.find_unfinished(identity)));
}

TEST_F(DatabaseTest, AnyDifferenceMakesAnotherIdentity) {
  begin();
  std::vector<SessionIdentity> others(12, sample_identity());
  int i = 0;
  for (auto member :
       {&SessionIdentity::kernel, &SessionIdentity::source_hash, &SessionIdentity::problem,
        &SessionIdentity::device_backend, &SessionIdentity::device_name, &SessionIdentity::device_uuid,
        &SessionIdentity::arch, &SessionIdentity::driver, &SessionIdentity::compiler, &SessionIdentity::strategy})
    others[static_cast<std::size_t>(i++)].*member += "x";
  others[10].seed = 1;
  others[11].cold_l2 = false;
  for (const SessionIdentity& other : others) EXPECT_FALSE(must(writer.find_unfinished(other)));
}

TEST_F(DatabaseTest, ListsSessionsNewestFirstWithCounts) {
  const RowId first = begin();
  must(writer.record(first, sample_config(), sample_trial()));
  Trial failed = sample_trial(5);
  failed.status = TrialStatus::compile_failed;
  must(writer.record(first, sample_config(5), failed));
  must(writer.end_session(first, SessionState::finished));
  const RowId second = begin();
  const std::vector<SessionRecord> sessions = must(reader().sessions("softmax"));
  ASSERT_EQ(sessions.size(), 2U);
  EXPECT_EQ(sessions[0].id, second);
  EXPECT_EQ(sessions[1].identity, sample_identity());
  EXPECT_EQ(sessions[1].state, SessionState::finished);
  EXPECT_TRUE(sessions[1].has_trials);
  EXPECT_FALSE(sessions[0].has_trials);
  EXPECT_EQ(must(reader().count_trials(first)).all, 2);
  EXPECT_EQ(must(reader().count_trials(first)).ok, 1);
  EXPECT_EQ(sessions[1].space_size, 100);
  EXPECT_EQ(sessions[1].version, "0.1.0");
  EXPECT_FALSE(sessions[1].started_at.empty());
  EXPECT_FALSE(sessions[1].ended_at.empty());
  EXPECT_TRUE(must(reader().sessions("axpy")).empty());
}

TEST_F(DatabaseTest, ASessionThatIsTakenUpAgainHasNotEnded) {
  const RowId session = begin();
  must(writer.end_session(session, SessionState::interrupted));
  EXPECT_FALSE(must(reader().sessions()).at(0).ended_at.empty());
  must(writer.reopen_session(session, [](const std::string&) { return true; }));
  const SessionRecord again = must(reader().sessions()).at(0);
  EXPECT_EQ(again.state, SessionState::running);
  EXPECT_EQ(again.ended_at, "");
}

TEST_F(DatabaseTest, ABestForEachObjectiveAndItsParetoSet) {
  BestRecord fast;
  fast.session = begin();
  fast.config = sample_config(1);
  fast.median_us = 10;
  must(writer.put_best(fast));
  SessionIdentity identity = sample_identity();
  identity.objective = Objective::energy;
  BestRecord frugal;
  frugal.session = must(writer.begin_session(identity, 100, "0.1.0"));
  frugal.config = sample_config(2);
  frugal.median_us = 12;
  frugal.energy_mj = 80;
  frugal.pareto = {{sample_config(1), 10, 100}, {sample_config(2), 12, 80}};
  must(writer.put_best(frugal));
  const std::vector<BestRecord> bests = must(reader().best());
  ASSERT_EQ(bests.size(), 2U);
  EXPECT_EQ(bests[0].objective, Objective::energy);
  EXPECT_EQ(bests[0].energy_mj, 80);
  ASSERT_EQ(bests[0].pareto.size(), 2U);
  EXPECT_EQ(bests[0].pareto[1].config, sample_config(2));
  EXPECT_EQ(bests[0].pareto[0].energy_mj, 100);
  EXPECT_EQ(bests[1].objective, Objective::time);
  EXPECT_EQ(bests[1].config, sample_config(1));
  EXPECT_FALSE(must(writer.find_unfinished(identity)) == std::optional(fast.session));
  EXPECT_EQ(must(reader().find_session(identity))->id, frugal.session);
}

TEST_F(DatabaseTest, KeepsTheFinalsAndTheBaseline) {
  BestRecord best;
  best.session = begin();
  best.config = sample_config(1);
  best.median_us = 10;
  best.baseline = sample_config(2);
  best.baseline_us = 10.5;
  best.without_calls = sample_config(3);
  best.without_calls_us = 10.25;
  best.finalists = {{sample_config(1), 10}, {sample_config(3), 10.25}, {sample_config(2), 10.5}};
  best.rounds = {{10, 12, 10.5, {1980, 50, 640, 0}}, {11, 0, 11.5, {1755, 0, 695, 0x4}}};
  must(writer.put_best(best));
  const BestRecord got = must(reader().best()).at(0);
  EXPECT_EQ(got.baseline, best.baseline);
  EXPECT_EQ(got.baseline_us, 10.5);
  EXPECT_EQ(got.without_calls, best.without_calls);
  EXPECT_EQ(got.without_calls_us, 10.25);
  ASSERT_EQ(got.finalists.size(), 3U);
  EXPECT_EQ(got.finalists[1].config, sample_config(3));
  EXPECT_EQ(got.finalists[1].median_us, 10.25);
  ASSERT_EQ(got.rounds.size(), 2U);
  EXPECT_EQ(got.rounds[0].default_us, 12);
  EXPECT_EQ(got.rounds[0].device.temperature_c, 50);
  EXPECT_EQ(got.rounds[1].winner_us, 11);
  EXPECT_EQ(got.rounds[1].default_us, 0) << "it had left";
  EXPECT_EQ(got.rounds[1].baseline_us, 11.5);
  EXPECT_EQ(got.rounds[1].device.sm_clock_mhz, 1755);
  EXPECT_EQ(got.rounds[1].device.temperature_c, 0);
  EXPECT_EQ(got.rounds[1].device.throttle_reasons, 4U);
  EXPECT_EQ(clock_text(clocks_of(got.rounds)), "1755 to 1980 MHz");
  best.rounds.clear();
  must(writer.put_best(best)); // replaces the previous result
  EXPECT_TRUE(must(reader().best()).at(0).rounds.empty());
  EXPECT_EQ(must(reader().best()).at(0).finalists.size(), 3U);
}

TEST_F(DatabaseTest, KeepsDevicesWithTheirNewestRoofs) {
  const DeviceInfo device = sample_device();
  must(writer.put_device(device));
  Roofs roofs = sample_roofs();
  must(writer.put_roofs(device, roofs));
  roofs.dram_read_gbs = 4200;
  must(writer.put_roofs(device, roofs));
  must(writer.put_device(device));
  const std::vector<DeviceInfo> devices = must(reader().devices());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].name, device.name);
  EXPECT_EQ(devices[0].uuid, device.uuid);
  EXPECT_EQ(devices[0].driver, "580.1");
  EXPECT_EQ(devices[0].compiler, "NVRTC 13.0.88");
  EXPECT_EQ(devices[0].memory_bytes, device.memory_bytes);
  EXPECT_EQ(devices[0].limits.max_shared_per_block, 232448);
  EXPECT_EQ(devices[0].limits.l2_bytes, 60'000'000);
  EXPECT_EQ(devices[0].roofs.dram_read_gbs, 4200);
  for (const RoofName& roof : roof_names()) EXPECT_EQ(devices[0].roofs.*roof.member, roofs.*roof.member) << roof.name;
  EXPECT_EQ(devices[0].roofs.clocks, roofs.clocks);
  EXPECT_EQ(devices[0].roofs.driver, "580.1");
  EXPECT_EQ(devices[0].max_sm_clock_mhz, 1980);
  EXPECT_EQ(devices[0].memory_bus_bits, 6016);
  EXPECT_TRUE(devices[0].roofs.measured);
  EXPECT_EQ(must(reader().roofs("GPU-1234"))->fp64_tflops, roofs.fp64_tflops);
  EXPECT_FALSE(must(reader().roofs("GPU-none")));
  EXPECT_FALSE(must(reader().roofs("")));
}

TEST_F(DatabaseTest, KeepsKernelsWithTheirFiles) {
  must(writer.put_kernel({0, "softmax", "old", {{"kernel.cu", "// old"}}}));
  must(writer.put_kernel({0, "softmax", "abc", {{"kernel.cu", "// text\n"}, {"spec.json", "{}"}}}));
  must(writer.put_kernel({0, "softmax", "abc", {{"kernel.cu", "ignored"}}}));
  begin();
  must(writer.put_kernel({0, "softmax", "later", {}}));
  const KernelRecord tuned = *must(reader().kernel("softmax"));
  EXPECT_EQ(tuned.source_hash, "abc");
  EXPECT_THAT(tuned.files, ElementsAre(testing::Pair("kernel.cu", "// text\n"), testing::Pair("spec.json", "{}")));
  EXPECT_EQ(must(reader().kernel("softmax", "old"))->files.at(0).second, "// old");
  EXPECT_FALSE(must(reader().kernel("axpy")));
  EXPECT_THAT(must(reader().kernel_names()), ElementsAre("softmax"));
}

TEST_F(DatabaseTest, ASessionThatHasFoundNothingTakesNothingFromOtherSources) {
  BestRecord best;
  best.session = begin();
  best.median_us = 5;
  must(writer.put_best(best));
  must(writer.put_kernel({0, "softmax", "edited", {}}));
  SessionIdentity identity = sample_identity();
  identity.source_hash = "edited";
  const RowId session = must(writer.begin_session(identity, 10, "0.1.0"));
  EXPECT_EQ(must(reader().kernel("softmax"))->source_hash, "abc") << "it has only begun";
  best.session = session;
  must(writer.put_best(best));
  EXPECT_EQ(must(reader().kernel("softmax"))->source_hash, "edited");
}

TEST_F(DatabaseTest, KeepsCubinsByteByByte) {
  const CubinRecord cubin{"h1",
                          "sm_90a",
                          std::string("\x7f"
                                      "ELF\0\n\xff",
                                      7),
                          {"_Z1av", "_Z1bv"}};
  must(writer.put_cubin(cubin));
  must(writer.put_cubin(cubin));
  const CubinRecord got = *must(reader().cubin("h1"));
  EXPECT_EQ(got.image, cubin.image);
  EXPECT_EQ(got.arch, "sm_90a");
  EXPECT_THAT(got.lowered_names, ElementsAre("_Z1av", "_Z1bv"));
  EXPECT_FALSE(must(reader().cubin("h2")));
}

TEST_F(DatabaseTest, ALaterWorseSearchDoesNotHideABetterBest) {
  BestRecord best;
  best.config = sample_config();
  best.certified = true;
  best.session = begin();
  best.median_us = 10;
  must(writer.put_best(best));
  best.session = begin();
  best.median_us = 12;
  must(writer.put_best(best));
  best.session = begin();
  best.median_us = 9;
  best.certified = false;
  must(writer.put_best(best));
  ASSERT_EQ(must(reader().best()).size(), 1U);
  EXPECT_EQ(must(reader().best())[0].median_us, 10);
}

// A time with a warm L2 does not apply to an application that runs other kernels between two launches.
TEST_F(DatabaseTest, AFasterTimeWithAWarmL2DoesNotHideOneWithACold) {
  BestRecord best;
  best.config = sample_config();
  best.certified = true;
  best.session = begin();
  best.median_us = 10;
  must(writer.put_best(best));
  SessionIdentity warm = sample_identity();
  warm.cold_l2 = false;
  best.session = must(writer.begin_session(warm, 100, "0.1.0"));
  best.median_us = 6;
  must(writer.put_best(best));
  ASSERT_EQ(must(reader().best()).size(), 1U);
  EXPECT_EQ(must(reader().best())[0].median_us, 10);
  EXPECT_TRUE(must(reader().best())[0].cold_l2);
}

// A time with an older driver does not apply to today's.
TEST_F(DatabaseTest, AFasterTimeOfAnOlderDriverDoesNotHideTodays) {
  SessionIdentity older = sample_identity();
  older.driver += " before";
  BestRecord best;
  best.config = sample_config();
  best.certified = true;
  best.session = must(writer.begin_session(older, 100, "0.1.0"));
  best.median_us = 10;
  must(writer.put_best(best));
  best.session = begin();
  best.median_us = 12;
  must(writer.put_best(best));
  ASSERT_EQ(must(reader().best()).size(), 1U);
  EXPECT_EQ(must(reader().best())[0].median_us, 12);
}

TEST_F(DatabaseTest, CountersOfTheOtherCacheAreReplaced) {
  for (const bool was_cold : {true, false}) {
    const RowId session = begin();
    Trial trial = sample_trial();
    trial.profile = Profile{{{"dram__bytes_read.sum", 1}}, "CUPTI 13.0", 1, was_cold};
    must(writer.record(session, sample_config(), trial));
    must(writer.add(session, sample_config(),
                    {Profile{{{"dram__bytes_write.sum", 2}}, "CUPTI 13.0", 1, !was_cold}, {}}));
    const std::optional<Profile> got = must(reader().trials(session)).at(0).trial.profile;
    ASSERT_TRUE(got);
    EXPECT_EQ(got->counters, (std::map<std::string, double>{{"dram__bytes_write.sum", 2}})) << was_cold;
  }
}

TEST_F(DatabaseTest, KeepsTheNewestSamplesOfAConfiguration) {
  const RowId session = begin();
  must(writer.record(session, sample_config(), sample_trial()));
  must(writer.record(session, sample_config(1), sample_trial()));
  EXPECT_TRUE(must(reader().source_samples(session)).empty());
  must(writer.add(session, sample_config(1), {{}, {}, "first"}));
  must(writer.add(session, sample_config(1), {{}, {}, "second"}));
  EXPECT_EQ(must(reader().source_samples(session)), (std::map<std::string, std::string>{{sample_config(1), "second"}}));
  EXPECT_TRUE(must(reader().source_samples(begin())).empty()) << "of another session";
}

TEST_F(DatabaseTest, KeepsTheBestWithItsTies) {
  BestRecord best;
  best.session = begin();
  best.config = sample_config();
  best.median_us = 12;
  must(writer.put_best(best));
  best.median_us = 10.5;
  best.ci_low_us = 10;
  best.ci_high_us = 11;
  best.default_config = sample_config(1);
  best.default_us = 20;
  best.roofline_share = 0.9;
  best.bound = "DRAM";
  best.certified = true;
  best.p_value = 0.001;
  best.outcome = "faster than the default";
  best.checks = "2 seeds";
  best.cubin_hash = "c0ffee";
  best.tie_set = {sample_config(), sample_config(8)};
  must(writer.put_best(best));
  const std::vector<BestRecord> all = must(reader().best("softmax"));
  ASSERT_EQ(all.size(), 1U);
  const BestRecord& got = all[0];
  EXPECT_EQ(got.kernel, "softmax");
  EXPECT_EQ(got.source_hash, "abc");
  EXPECT_EQ(got.problem, "rows=8,cols=4;bf16");
  EXPECT_EQ(got.device_name, "NVIDIA Test");
  EXPECT_EQ(got.device_uuid, "GPU-1234");
  EXPECT_EQ(got.arch, "sm_90a");
  EXPECT_EQ(got.config, best.config);
  EXPECT_EQ(got.default_config, best.default_config);
  EXPECT_EQ(got.median_us, 10.5);
  EXPECT_EQ(got.ci_low_us, 10);
  EXPECT_EQ(got.ci_high_us, 11);
  EXPECT_EQ(got.default_us, 20);
  EXPECT_EQ(got.roofline_share, 0.9);
  EXPECT_EQ(got.bound, "DRAM");
  EXPECT_TRUE(got.certified);
  EXPECT_TRUE(got.cold_l2);
  EXPECT_EQ(got.p_value, 0.001);
  EXPECT_EQ(got.outcome, best.outcome);
  EXPECT_EQ(got.checks, best.checks);
  EXPECT_EQ(got.cubin_hash, best.cubin_hash);
  EXPECT_EQ(got.tie_set, best.tie_set);
  EXPECT_FALSE(got.created_at.empty());
  EXPECT_TRUE(must(reader().best("axpy")).empty());
}

TEST_F(DatabaseTest, AReaderSeesWhatAWriterAddsMeanwhile) {
  const RowId session = begin();
  Reader open = reader();
  EXPECT_TRUE(must(open.trials(session)).empty());
  must(writer.record(session, sample_config(), sample_trial()));
  EXPECT_EQ(must(open.trials(session)).size(), 1U);
}

} // namespace
} // namespace warptune
