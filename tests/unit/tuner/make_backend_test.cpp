#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/make_backend.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;

TEST(MakeBackend, UnknownWordsAndPlacesAreSentences) {
  const auto message = [](const std::string& device) {
    const auto backend = make_backend(device, "");
    EXPECT_FALSE(backend) << device;
    return backend ? "" : backend.error().message;
  };
  EXPECT_THAT(message("abacus:3"), HasSubstr("use auto, cuda:N, recorded or recorded:PATH"));
  EXPECT_THAT(message("recored"), HasSubstr("'recored' is not a device; did you mean 'recorded'? Use auto"));
  EXPECT_THAT(message("cuda:two"), HasSubstr("write cuda:0"));
  EXPECT_THAT(message("cuda:-1"), HasSubstr("write cuda:0"));
  EXPECT_THAT(message("replay:/nowhere/at/all.json"), HasSubstr("does not exist"));
}

class Replay : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(save_recording(test::toy_recording(kernel_, problem_), dir_ / "toy.json")); }
  std::unique_ptr<Backend> backend() {
    auto made = make_backend("replay:" + dir_.path().string(), "");
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  std::unique_ptr<Backend> replaying(const Recording& recording) {
    const auto file = dir_ / "one.json";
    EXPECT_TRUE(save_recording(recording, file));
    auto made = make_backend("replay:" + file.string(), "");
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  const Kernel kernel_ = test::toy_kernel();
  const Problem problem_ = test::toy_problem(kernel_);
  test::TempDir dir_;
};

TEST_F(Replay, AnswersFromTheRecording) {
  auto b = backend();
  ASSERT_TRUE(b->set_kernel({kernel_, problem_, 0}));
  const auto device = b->device();
  ASSERT_TRUE(device);
  EXPECT_EQ(device->backend, "replay");
  EXPECT_EQ(device->name, test::toy_device().name);
  ASSERT_TRUE(b->open({kernel_, problem_, 0}));
  EXPECT_EQ(b->compile({4, 4, 0}, *device, 0).status, TrialStatus::ok);
  EXPECT_EQ(b->compile({2, 3, 1}, *device, 0).status, TrialStatus::compile_failed);
  EXPECT_EQ(b->compile({2, 3, 1}, *device, 0).evidence, "kernel.cu(2): error: no such luck");
  EXPECT_EQ(b->compile({99, 3, 1}, *device, 0).evidence, "not in the recording");
  EXPECT_EQ(b->evaluate({4, 4, 1}, {}, {}).trial.status, TrialStatus::wrong_result);
  EXPECT_EQ(b->evaluate({4, 4, 0}, {}, {}).trial.status, TrialStatus::ok);
  EXPECT_TRUE(b->check({4, 4, 0}, problem_, 1)->correct);
  EXPECT_FALSE(b->check({4, 4, 0}, test::toy_problem(kernel_, "n=34"), 1));
}

TEST_F(Replay, RoundsAreTheSameForASeedAndDifferFromEachOther) {
  const auto rounds = [&](std::uint64_t seed) {
    auto b = backend();
    EXPECT_TRUE(b->open({kernel_, problem_, seed}));
    std::vector<float> all;
    for (int i = 0; i < 6; ++i) all.push_back(b->round({{4, 4, 0}}, {{}}, {}, true)->samples_us.at(0));
    return all;
  };
  EXPECT_EQ(rounds(1), rounds(1));
  EXPECT_NE(rounds(1), rounds(2));
  const auto one = rounds(1);
  EXPECT_NE(std::adjacent_find(one.begin(), one.end(), std::not_equal_to<>()), one.end());
}

TEST_F(Replay, TheOtherStateOfTheL2IsNotAnswered) {
  Recording recording = test::toy_recording(kernel_, problem_);
  const auto answer = [&](bool cold) {
    auto b = replaying(recording);
    EXPECT_TRUE(b->open({kernel_, problem_, 0}));
    MeasureOptions options;
    options.cold_l2 = cold;
    return b->evaluate({4, 4, 0}, {}, options).trial;
  };
  EXPECT_EQ(answer(recording.cold_l2).status, TrialStatus::ok);
  EXPECT_EQ(answer(!recording.cold_l2).status, TrialStatus::invalid);
  EXPECT_THAT(answer(!recording.cold_l2).evidence, HasSubstr("--warm-l2"));
  recording.source_hash.clear(); // imported: the cache state of its times is not known
  EXPECT_EQ(answer(!recording.cold_l2).status, TrialStatus::ok);
}

TEST_F(Replay, OtherSourcesAreNoted) {
  Kernel changed = kernel_;
  changed.source_hash = "another";
  auto b = backend();
  ASSERT_TRUE(b->open({changed, problem_, 0}));
  EXPECT_THAT(b->notes(), ::testing::Contains(HasSubstr("from other sources of toy")));
}

TEST_F(Replay, OtherParametersAreRefused) {
  Kernel changed = kernel_;
  changed.spec.params.pop_back();
  const auto opened = backend()->open({changed, problem_, 0});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("differ from those that the kernel has now"));
}

TEST_F(Replay, ParametersInAnotherOrderAreTheSame) {
  Recording turned = test::toy_recording(kernel_, problem_);
  std::reverse(turned.param_names.begin(), turned.param_names.end());
  for (Trial& t : turned.trials) std::reverse(t.config.begin(), t.config.end());
  auto b = replaying(turned);
  ASSERT_TRUE(b->open({kernel_, problem_, 0}));
  EXPECT_EQ(b->compile({2, 3, 1}, *b->device(), 0).status, TrialStatus::compile_failed);
}

TEST_F(Replay, ParametersInACycledOrderAreTheSame) { // unlike a reversed order, it is not its own inverse
  Recording turned = test::toy_recording(kernel_, problem_);
  std::rotate(turned.param_names.begin(), turned.param_names.begin() + 1, turned.param_names.end());
  for (Trial& t : turned.trials) std::rotate(t.config.begin(), t.config.begin() + 1, t.config.end());
  auto b = replaying(turned);
  ASSERT_TRUE(b->open({kernel_, problem_, 0}));
  EXPECT_EQ(b->compile({2, 3, 1}, *b->device(), 0).status, TrialStatus::compile_failed);
  EXPECT_EQ(b->compile({4, 4, 0}, *b->device(), 0).status, TrialStatus::ok);
}

TEST_F(Replay, AnImportedRecordingSaysWhatIsNotKnown) {
  Recording imported = test::toy_recording(kernel_, problem_);
  imported.source_hash.clear();
  auto b = replaying(imported);
  ASSERT_TRUE(b->open({kernel_, problem_, 0}));
  EXPECT_THAT(b->notes(), ::testing::Contains(HasSubstr("does not name the sources")));
  Kernel changed = kernel_;
  changed.spec.params.pop_back();
  EXPECT_THAT(b->open({changed, problem_, 0}).error().message, ::testing::Not(HasSubstr("make a new recording")));
}

TEST_F(Replay, ARecordingWithoutTheLimitsOfItsDeviceIsRefused) {
  Recording imported = test::toy_recording(kernel_, problem_);
  imported.device.limits.sm_count = 0;
  const auto opened = replaying(imported)->open({kernel_, problem_, 0});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("--arch"));
}

TEST_F(Replay, AutoWithoutAGpuTellsOfRecordings) {
  ::setenv("WARPTUNE_RECORDINGS", dir_.path().c_str(), 1);
  const auto made = make_backend("auto", "");
  ::unsetenv("WARPTUNE_RECORDINGS");
  if (made) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(made.error().kind, ErrorKind::no_device);
  EXPECT_THAT(made.error().message,
              HasSubstr("use --device recorded (in a sweep: --devices recorded) to replay recordings of toy"));
}

} // namespace
} // namespace warptune
