// Worker processes that crash, hang, write garbage or disappear: each ends in an error message, and the next request
// gets a fresh process.
#include "support/temp_dir.h"
#include "support/toy.h"
#include "worker/compile_pool.h"
#include "worker/device_worker.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;

class Worker : public ::testing::Test {
 protected:
  WorkerCommand command(const std::string& faults) const {
    return {test::program_dir() / "test_worker", "toy:" + faults, dir_.path().string()};
  }
  ProblemSetup setup() const { return {kernel_, test::toy_problem(kernel_), 0}; }
  // The failure of a worker with these faults when it evaluates A=1,B=1,C=0.
  WorkerFailure failure(const std::string& faults, double timeout_s = 60) const {
    WorkerProcess worker(command(faults));
    EXPECT_TRUE(worker.call(OpenTask{setup()}, 60));
    const auto outcome = worker.call(EvaluateTask{{1, 1, 0}, {}, {}}, timeout_s);
    EXPECT_FALSE(outcome);
    EXPECT_FALSE(worker.running());
    return outcome ? WorkerFailure{} : outcome.error();
  }
  const Kernel kernel_ = test::toy_kernel();
  test::TempDir dir_;
};

TEST_F(Worker, Answers) {
  WorkerProcess worker(command(""));
  const auto device = worker.call(DeviceQuery{}, 60);
  ASSERT_TRUE(device) << device.error().evidence;
  EXPECT_EQ(std::get<DeviceInfo>(*device).backend, "toy");
  ASSERT_TRUE(worker.call(OpenTask{setup()}, 60));
  const auto trial = worker.call(EvaluateTask{{4, 4, 0}, {}, {}}, 60);
  ASSERT_TRUE(trial);
  EXPECT_EQ(std::get<Evaluation>(*trial).trial.status, TrialStatus::ok);
}

TEST_F(Worker, DeathsAreDescribed) {
  EXPECT_THAT(failure("evaluate/segv").evidence, HasSubstr("killed by signal 11"));
  EXPECT_THAT(failure("evaluate/exit").evidence, HasSubstr("exited with code 42"));
  EXPECT_FALSE(failure("evaluate/segv").killed_from_outside);
  EXPECT_TRUE(failure("evaluate/sigkill").killed_from_outside);
}

TEST_F(Worker, ARequestThatIsTooLongFailsAndTheNextOneGetsANewProcess) {
  WorkerProcess worker(command(""));
  ProfileTask task;
  task.metrics.assign(kMaxMessageBytes / 2, '\n'); // two characters in JSON
  const auto outcome = worker.call(task, 60);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, WorkerFailure::Kind::not_started);
  EXPECT_THAT(outcome.error().evidence, HasSubstr("at most 268435456 are allowed"));
  EXPECT_TRUE(worker.call(DeviceQuery{}, 60));
}

// The toy repeats the names of the metrics in the profile of each configuration.
TEST_F(Worker, AReplyThatIsTooLongIsAnError) {
  WorkerProcess worker(command(""));
  ASSERT_TRUE(worker.call(OpenTask{setup()}, 60));
  ProfileTask task;
  task.configs.assign(17, {1, 1, 0});
  task.metrics.assign(kMaxMessageBytes / 16, 'x');
  const auto outcome = worker.call(task, 60);
  ASSERT_TRUE(outcome) << outcome.error().evidence;
  const auto* error = std::get_if<Error>(&*outcome);
  ASSERT_NE(error, nullptr);
  EXPECT_THAT(error->message, HasSubstr("at most 268435456 are allowed"));
  EXPECT_TRUE(worker.call(DeviceQuery{}, 60)) << "the process still answers";
}

// A program that prints its arguments and environment.
TEST_F(Worker, TheNextProcessSeesOnlyTheDeviceThatItIsTold) {
  const auto program = dir_.path() / "program";
  std::ofstream(program) << "#!/bin/sh\necho $CUDA_VISIBLE_DEVICES as $3, by $CUDA_DEVICE_MAX_CONNECTIONS\nexit 3\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  WorkerProcess worker({program, "cuda:5", dir_.path().string()});
  worker.see_only("GPU-77");
  const auto outcome = worker.call(DeviceQuery{}, 60);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().evidence, HasSubstr("GPU-77 as cuda:0, by 1"));
}

// The toy is not a GPU, so a process that sees only the device with this UUID finds none.
TEST_F(Worker, AfterADescriptionProcessesSeeOnlyThatDevice) {
  DeviceWorker device(command("device/cuda NVIDIA H100"), setup(), 60);
  ASSERT_TRUE(device.describe());
  ASSERT_TRUE(device.describe()) << "the same process";
  device.renew();
  const auto fresh = device.describe();
  ASSERT_FALSE(fresh);
  EXPECT_THAT(fresh.error().message, HasSubstr("NVIDIA driver"));
}

TEST_F(Worker, AnInstanceOfADividedDeviceHasNoNameToSeeItBy) {
  for (const char* description : {"device/cuda NVIDIA H100 MIG 1g.10gb", "device/uuid GPU-77"}) {
    DeviceWorker device(command(description), setup(), 60);
    ASSERT_TRUE(device.describe());
    device.renew();
    EXPECT_TRUE(device.describe()) << description;
  }
}

TEST_F(Worker, LastWordsAreEvidence) {
  const WorkerFailure f = failure("evaluate/talk");
  EXPECT_THAT(f.evidence, HasSubstr("killed by signal 6"));
  EXPECT_THAT(f.evidence, HasSubstr("the last words"));
  EXPECT_LT(f.evidence.size(), 1000u);
}

TEST_F(Worker, HangsEndAtTheDeadline) {
  const WorkerFailure f = failure("evaluate/hang", 0.2);
  EXPECT_EQ(f.kind, WorkerFailure::Kind::timed_out);
  EXPECT_THAT(f.evidence, HasSubstr("no answer within 0.2 s"));
}

TEST_F(Worker, GarbageIsNoAnswer) {
  EXPECT_THAT(failure("evaluate/garbage").evidence, HasSubstr("malformed message"));
  EXPECT_THAT(failure("evaluate/flood").evidence, HasSubstr("malformed message"));
}

TEST_F(Worker, ExceptionsAreErrorsOfALivingWorker) {
  WorkerProcess worker(command("evaluate/throw/A=1,B=1,C=0"));
  ASSERT_TRUE(worker.call(OpenTask{setup()}, 60));
  const auto outcome = worker.call(EvaluateTask{{1, 1, 0}, {}, {}}, 60);
  ASSERT_TRUE(outcome);
  EXPECT_THAT(std::get<Error>(*outcome).message, HasSubstr("the backend threw"));
  EXPECT_TRUE(worker.call(EvaluateTask{{2, 1, 0}, {}, {}}, 60));
}

TEST_F(Worker, AFreshProcessFollowsADeadOne) {
  WorkerProcess worker(command("evaluate/segv"));
  ASSERT_TRUE(worker.call(OpenTask{setup()}, 60));
  EXPECT_FALSE(worker.call(EvaluateTask{{1, 1, 0}, {}, {}}, 60));
  EXPECT_TRUE(worker.call(OpenTask{setup()}, 60));
  ::kill(worker.pid(), SIGKILL);
  EXPECT_FALSE(worker.call(DeviceQuery{}, 60));
  EXPECT_TRUE(worker.call(DeviceQuery{}, 60));
}

// Each process sends the notes twice: when it loads the kernel, and when it opens the problem.
TEST_F(Worker, NotesOfADeviceAreSaidOnce) {
  DeviceWorker device(command("note/times are those of a toy;verify/once segv"), setup(), 60);
  const auto first = device.ask(VerifyTask{{1, 1, 0}, {}});
  ASSERT_TRUE(first);
  EXPECT_FALSE(*first) << "it crashed";
  const auto second = device.ask(VerifyTask{{1, 1, 0}, {}});
  ASSERT_TRUE(second && *second);
  EXPECT_EQ(device.notes(), std::vector<std::string>{"times are those of a toy"});
}

TEST_F(Worker, AProgramThatIsNoWorker) {
  WorkerCommand wrong = command("");
  wrong.executable = "/bin/true";
  EXPECT_THAT(WorkerProcess(wrong).call(DeviceQuery{}, 60).error().evidence, HasSubstr("exited with code 0"));
  wrong.executable = "/no/such/program";
  EXPECT_THAT(WorkerProcess(wrong).call(DeviceQuery{}, 60).error().evidence, HasSubstr("cannot execute"));
}

// Waits until `count` are finished or the pool gives up.
Result<std::map<std::int64_t, Compiled>> collect(CompileQueue& queue, std::size_t count) {
  std::map<std::int64_t, Compiled> done;
  while (done.size() < count) {
    auto finished = queue.take();
    if (!finished) return tl::make_unexpected(finished.error());
    for (auto& [ticket, compiled] : *finished) done[ticket] = compiled;
    const int descriptor = queue.descriptor();
    if (finished->empty()) wait_for_workers({}, 100, {&descriptor, 1});
  }
  return done;
}

TEST_F(Worker, CompilePoolLosesCandidatesNotItself) {
  CompilePool pool(2);
  auto queue = pool.open(
      command("compile/segv/A=1,B=2,C=0;compile/hang/A=1,B=3,C=0;compile/fail/A=1,B=4,C=0;compile/throw/A=1,B=5,C=0;"
              "compile/once sigkill/A=1,B=6,C=0"),
      setup(), 0.2);
  queue->prepare();
  queue->set_device(test::toy_device());
  for (std::int64_t b = 1; b <= 6; ++b) queue->submit({b, {1, b, 0}});
  auto finished = collect(*queue, 6);
  ASSERT_TRUE(finished) << finished.error().message;
  auto& done = *finished;
  EXPECT_EQ(done[1].status, TrialStatus::ok);
  EXPECT_EQ(done[2].status, TrialStatus::crashed);
  EXPECT_THAT(done[2].evidence, HasSubstr("signal 11"));
  EXPECT_EQ(done[3].status, TrialStatus::timed_out);
  EXPECT_EQ(done[4].status, TrialStatus::compile_failed);
  EXPECT_EQ(done[5].status, TrialStatus::crashed);
  EXPECT_EQ(done[6].status, TrialStatus::ok) << "killed from outside once: compiled again";
}

TEST_F(Worker, CompilePoolThatCannotStartIsAnErrorOfItsCustomerAlone) {
  CompilePool pool(2);
  auto bad = pool.open(command("set_kernel/exit"), setup(), 1);
  auto good = pool.open(command(""), setup(), 60);
  bad->set_device(test::toy_device());
  good->set_device(test::toy_device());
  for (std::int64_t b = 1; b <= 4; ++b) {
    bad->submit({b, {1, b, 0}});
    good->submit({b, {1, b, 0}});
  }
  auto failed = collect(*bad, 4);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("exited with code 42"));
  EXPECT_TRUE(collect(*good, 4));
}

TEST_F(Worker, WhatMayBeWantedLaterWaitsForWhatIsWantedNow) {
  CompilePool pool(1);
  auto first = pool.open(command("compile/hang"), setup(), 0.3);
  auto later = pool.open(command("compile/hang"), setup(), 20, CompileUrgency::background);
  auto now = pool.open(command(""), setup(), 60);
  for (CompileQueue* queue : {first.get(), later.get(), now.get()}) queue->set_device(test::toy_device());
  first->submit({0, {1, 1, 0}}); // occupies the only worker until the others have submitted
  later->submit({0, {1, 1, 0}});
  for (std::int64_t b = 1; b <= 3; ++b) now->submit({b, {1, b, 0}});
  ASSERT_TRUE(collect(*now, 3));
  EXPECT_TRUE(later->take()->empty()) << "else its deadline passed before the others had their turn";
}

TEST_F(Worker, AQueueThatIsClosedLeavesItsWorkerToTheOthers) {
  CompilePool pool(1);
  auto hanging = pool.open(command("compile/hang"), setup(), 0.3);
  hanging->set_device(test::toy_device());
  hanging->submit({0, {1, 1, 0}});
  hanging.reset();
  auto other = pool.open(command(""), setup(), 60);
  other->set_device(test::toy_device());
  other->submit({7, {1, 1, 0}});
  auto done = collect(*other, 1);
  ASSERT_TRUE(done);
  EXPECT_EQ((*done)[7].status, TrialStatus::ok);
}

} // namespace
} // namespace warptune
