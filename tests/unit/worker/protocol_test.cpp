#include "support/distinct.h"
#include "support/toy.h"
#include "worker/protocol.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace warptune {
namespace {

template <class T> T through(const T& request) {
  auto back = decode_request(encode(Request(request)));
  EXPECT_TRUE(back) << (back ? "" : back.error().message);
  return std::get<T>(*back);
}

template <class T> T answered(const T& reply) {
  auto back = decode_reply(encode(Reply(reply)));
  EXPECT_TRUE(back) << (back ? "" : back.error().message);
  return std::get<T>(*back);
}

TEST(Protocol, SetupCarriesTheWholeKernel) {
  const Kernel kernel = test::toy_kernel();
  ProblemSetup sent{kernel, test::toy_problem(kernel), ~std::uint64_t{0}, {true, {{"", "nvcc 13.0"}, {"triton", ""}}}};
  sent.problem.lists = {"[1,2]", "zipf(3,4,5)"};
  const ProblemSetup got = through(OpenTask{sent}).setup;
  EXPECT_EQ(got.kernel.sources.files, kernel.sources.files);
  EXPECT_EQ(got.kernel.source_hash, kernel.source_hash);
  EXPECT_EQ(got.kernel.spec.name, "toy");
  EXPECT_EQ(got.kernel.spec.params.size(), 3u);
  EXPECT_EQ(got.problem, sent.problem);
  EXPECT_EQ(got.seed, sent.seed);
  EXPECT_TRUE(got.builders.is_allowed);
  EXPECT_EQ(got.builders.versions, sent.builders.versions);
}

TEST(Protocol, SamplesKeepTheirValues) {
  const auto task = through(SampleTask{{4}, {TrialStatus::ok, "", "abc", {}, 3}, 12.5, false});
  EXPECT_EQ(task.config, Config{4});
  EXPECT_EQ(task.compiled.cubin_hash, "abc");
  EXPECT_EQ(task.us, 12.5);
  EXPECT_FALSE(task.cold_l2);
  Samples sent;
  sent.samples.emplace();
  sent.samples->instructions = {
      {"scale", 16, "kernel.cu", 3, {{"wait", 5}, {"selected", 7}}, {{"wait", 2}}, {10, 320, 80, 40, 9, 3}}};
  sent.samples->no_counts = "no ideal sectors";
  sent.samples->source = "CUPTI 13.0";
  sent.samples->launches = 12;
  sent.samples->period_cycles = 512;
  sent.samples->dropped = 1;
  const Samples got = answered(sent);
  ASSERT_TRUE(got.samples);
  const InstructionSamples& at = got.samples->instructions.at(0);
  EXPECT_EQ(at.function, "scale");
  EXPECT_EQ(at.offset, 16);
  EXPECT_EQ(at.file, "kernel.cu");
  EXPECT_EQ(at.line, 3);
  EXPECT_EQ(at.stalls, (StallCounts{{"wait", 5}, {"selected", 7}}));
  EXPECT_EQ(at.not_issued, (StallCounts{{"wait", 2}}));
  EXPECT_EQ(got.samples->source, "CUPTI 13.0");
  EXPECT_EQ(got.samples->launches, 12);
  EXPECT_EQ(got.samples->period_cycles, 512);
  EXPECT_EQ(got.samples->dropped, 1);
  EXPECT_EQ(at.counts, (InstructionCounts{10, 320, 80, 40, 9, 3}));
  EXPECT_EQ(got.samples->no_counts, "no ideal sectors");
  EXPECT_EQ(through(CountTask{{4}, {TrialStatus::ok, "", "abc", {}, 3}}).compiled.cubin_hash, "abc");
  EXPECT_EQ(answered(Samples{{}, "no CUPTI"}).unavailable, "no CUPTI");
}

TEST(Protocol, TasksKeepTheirValues) {
  const auto compile = through(CompileTask{{4, -1}, test::toy_device(), 2.5});
  EXPECT_EQ(compile.config, (Config{4, -1}));
  EXPECT_EQ(compile.device.name, test::toy_device().name);
  EXPECT_EQ(compile.device.limits.registers_per_sm, 65536);
  EXPECT_DOUBLE_EQ(compile.device.roofs.dram_copy_gbs, 4000);
  EXPECT_DOUBLE_EQ(compile.timeout_s, 2.5);

  EvaluateTask task{{1}, {TrialStatus::ok, "", "abc", {40, 8, 16, 0.5}, 3}, {}};
  task.options.drop_above_us = 12;
  task.options.cold_l2 = false;
  task.options.settle_ms = 40;
  const auto evaluate = through(task);
  EXPECT_EQ(evaluate.compiled.cubin_hash, "abc");
  EXPECT_EQ(evaluate.compiled.resources.spill_bytes, 8);
  EXPECT_DOUBLE_EQ(evaluate.options.drop_above_us, 12);
  EXPECT_FALSE(evaluate.options.cold_l2);
  EXPECT_DOUBLE_EQ(evaluate.options.settle_ms, 40);

  const auto round = through(RoundTask{{{1}, {2}}, {{}, {}}, false});
  EXPECT_EQ(round.configs.size(), 2u);
  EXPECT_FALSE(round.cold_l2);
  EXPECT_TRUE(through(RoundTask{}).cold_l2);
  EXPECT_EQ(through(RoundTask{{{1}}, {{}}, true, {2.5f}}).idle_us, (std::vector<float>{2.5f}));
  EXPECT_EQ(through(CheckTask{{1}, {{5}, DType::bf16, {1}}, 7}).problem.dtype, DType::bf16);
  const auto verify = through(VerifyTask{{3, 1}, {TrialStatus::ok, "", "abc", {}, 3}});
  EXPECT_EQ(verify.config, (Config{3, 1}));
  EXPECT_EQ(verify.compiled.cubin_hash, "abc");
  through(DeviceQuery{});
  through(RoofsQuery{});
}

TEST(Protocol, EvaluationKeepsEverything) {
  Trial trial = test::toy_trial({4, 4, 0});
  trial.verdict->max_abs_error = std::numeric_limits<double>::infinity();
  trial.verdict->max_rel_error = std::numeric_limits<double>::quiet_NaN();
  trial.profile = Profile{{{"dram__bytes.sum", 1.5e9}}, "CUPTI 13.0", 1, true};
  trial.power = PowerReading{12.5, 600, 1755, 61, 4, 1000, 250.5};
  trial.evidence = "bytes that are no UTF-8: \xff\xfe";
  const Evaluation got = answered(Evaluation{trial, true});
  EXPECT_TRUE(got.fatal);
  EXPECT_EQ(got.trial.config, trial.config);
  EXPECT_EQ(got.trial.status, TrialStatus::ok);
  EXPECT_EQ(got.trial.timing->samples_us, trial.timing->samples_us);
  EXPECT_DOUBLE_EQ(got.trial.timing->median_us, trial.timing->median_us);
  EXPECT_TRUE(std::isinf(got.trial.verdict->max_abs_error));
  EXPECT_TRUE(std::isnan(got.trial.verdict->max_rel_error));
  EXPECT_EQ(got.trial.profile->counters, trial.profile->counters);
  EXPECT_EQ(got.trial.power->energy_mj, trial.power->energy_mj);
  EXPECT_EQ(got.trial.evidence.rfind("bytes that are no UTF-8", 0), 0u);
  Trial bare;
  EXPECT_FALSE(answered(Evaluation{bare, false}).trial.timing);
}

TEST(Protocol, OtherRepliesKeepTheirValues) {
  EXPECT_EQ(answered(Error{ErrorKind::no_device, "gone"}).kind, ErrorKind::no_device);
  EXPECT_EQ(answered(Done{{"a", "b"}}).notes.size(), 2u);
  EXPECT_EQ(answered(test::toy_device()).arch, test::toy_device().arch);
  EXPECT_TRUE(answered(test::toy_device().roofs).measured);
  EXPECT_EQ(answered(Compiled{TrialStatus::compile_failed, "log", "", {}, 1}).status, TrialStatus::compile_failed);
  EXPECT_EQ(answered(Round{{}, {}, {"", "wrong"}}).wrong, (std::vector<std::string>{"", "wrong"}));
  const Round round = answered(Round{{1.5f, 2.5f}, {1980, 60, 695, 4}});
  EXPECT_EQ(round.samples_us, (std::vector<float>{1.5f, 2.5f}));
  EXPECT_EQ(round.device.sm_clock_mhz, 1980);
  EXPECT_EQ(round.device.power_w, 695);
  EXPECT_EQ(round.device.throttle_reasons, 4U);
  EXPECT_TRUE(answered(Verdict{true, 0, 0, 0, 0, -1, "", "fine"}).correct);
}

TEST(Protocol, KeepsEveryMemberOfATrialAndADevice) {
  const auto trial = test::Distinct().make<Trial>();
  test::expect_same(answered(Evaluation{trial, false}).trial, trial);
  const auto device = test::Distinct().make<DeviceInfo>();
  test::expect_same(answered(device), device);
}

TEST(Protocol, WhatIsNoMessageIsAnError) {
  for (const char* text : {"", "{", "[]", "{\"kind\":\"device\"}", "{\"kind\":\"dance\",\"value\":{}}", "\xff\xff",
                           "{\"kind\":\"compile\",\"value\":{\"config\":\"x\"}}", "{\"kind\":\"open\",\"value\":{}}"})
    EXPECT_FALSE(decode_request(text)) << text;
  for (const char* text : {"", "null", "{\"kind\":\"evaluation\",\"value\":{}}", "{\"kind\":\"error\",\"value\":[]}",
                           "{\"kind\":\"compiled\",\"value\":{\"status\":99}}"})
    EXPECT_FALSE(decode_reply(text)) << text;
}

TEST(Protocol, FramesSurviveAnyCutting) {
  const std::string stream = frame("first").value() + frame("").value() + frame(std::string(70000, 'x')).value();
  FrameReader reader;
  std::vector<std::string> bodies;
  for (std::size_t at = 0; at < stream.size(); at += 3) {
    reader.feed(std::string_view(stream).substr(at, 3));
    while (true) {
      auto next = reader.next();
      ASSERT_TRUE(next);
      if (!*next) break;
      bodies.push_back(**next);
    }
  }
  ASSERT_EQ(bodies.size(), 3u);
  EXPECT_EQ(bodies[0], "first");
  EXPECT_EQ(bodies[1], "");
  EXPECT_EQ(bodies[2].size(), 70000u);
  EXPECT_TRUE(reader.empty());
}

TEST(Protocol, AMessageThatIsTooLongIsNotSent) {
  for (const std::size_t more : {std::size_t{1}, std::size_t{1} << 32}) { // the second one would lose its high bits
    const auto framed = frame({"", kMaxMessageBytes + more});             // the bytes are not read
    ASSERT_FALSE(framed);
    EXPECT_THAT(framed.error().message, testing::HasSubstr("at most 268435456 are allowed; use smaller source files"));
  }
}

TEST(Protocol, AMessageOfTheLargestSizeIsSent) {
  const std::string framed = frame(std::string(kMaxMessageBytes, 'x')).value();
  FrameReader reader;
  reader.feed({framed.data(), 4}); // the size is accepted; the bytes are missing
  const auto body = reader.next();
  ASSERT_TRUE(body);
  EXPECT_FALSE(*body);
}

TEST(Protocol, AnAbsurdLengthIsRefused) {
  FrameReader reader;
  reader.feed("\xff\xff\xff\xffjunk");
  EXPECT_FALSE(reader.next());
}

} // namespace
} // namespace warptune
