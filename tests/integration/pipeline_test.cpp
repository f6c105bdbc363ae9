// A strategy is told each candidate's result, whatever it is.
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/pipeline.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

// Proposes every configuration once, and stores the results that it is told.
class Listener : public Strategy {
 public:
  explicit Listener(std::int64_t size) : size_(size) {}
  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> indices;
    while (next_ < size_ && indices.size() < count) indices.push_back(next_++);
    return indices;
  }
  void observe(const Observation& observation) override { told_.emplace(observation.index, observation); }
  const std::map<ConfigIndex, Observation>& told() const { return told_; }

 private:
  std::int64_t size_, next_ = 0;
  std::map<ConfigIndex, Observation> told_;
};

TEST(Pipeline, FailedTrialsAreToldAsFailed) {
  const test::TempDir dir;
  const Kernel kernel = test::toy_kernel();
  const Problem problem = test::toy_problem(kernel);
  const SearchSpace space = SearchSpace::build(kernel.spec, problem, test::toy_device()).value();
  const WorkerCommand command{test::program_dir() / "test_worker",
                              "toy:evaluate/wrong/A=1,B=1,C=0;compile/fail/A=2,B=1,C=0;evaluate/segv/A=4,B=1,C=0",
                              dir.path().string()};
  const ProblemSetup setup{kernel, problem, 0};
  CompilePool pool(1);
  const auto queue = pool.open(command, setup, 60);
  queue->set_device(test::toy_device());
  DeviceWorker device(command, setup, 60);
  Listener strategy(space.size());
  BudgetMeter budget({}, {}, space.size(), 0);
  PipelineOptions options;
  options.record = [](const Trial&) -> Result<void> { return {}; };
  options.progress = [](const Trial*) {};
  TrialBook book;
  Pipeline pipeline(space, strategy, *queue, {&device}, budget, std::move(options), book);
  pipeline.begin();
  const std::atomic<bool> stop{false};
  ASSERT_TRUE(pipeline.run(stop));
  ASSERT_EQ(static_cast<std::int64_t>(strategy.told().size()), space.size());
  int failed = 0;
  for (const auto& [index, told] : strategy.told()) {
    const Trial& trial = book.at(index);
    EXPECT_EQ(told.ok, trial.status == TrialStatus::ok) << config_text(kernel.spec, trial.config);
    if (told.ok)
      EXPECT_EQ(told.time_us, trial.timing->median_us);
    else
      ++failed;
  }
  EXPECT_EQ(failed, 3);
}

// Several devices share the candidates; the strategy is told the same.
struct PipelineDevices : testing::Test {
  const test::TempDir dir;
  const Kernel kernel = test::toy_kernel();
  const Problem problem = test::toy_problem(kernel);
  const SearchSpace space = SearchSpace::build(kernel.spec, problem, test::toy_device()).value();
  const ProblemSetup setup{kernel, problem, 0};
  TrialBook book;
  std::vector<std::string> notes;

  WorkerCommand command(const char* device) const {
    return {test::program_dir() / "test_worker", device, dir.path().string()};
  }
  Result<void> run(Strategy& strategy, const char* second_device) {
    CompilePool pool(1);
    const auto queue = pool.open(command("toy:"), setup, 60);
    queue->set_device(test::toy_device());
    DeviceWorker first(command("toy:"), setup, 60), second(command(second_device), setup, 60);
    BudgetMeter budget({}, {}, space.size(), 0);
    PipelineOptions options;
    options.record = [](const Trial&) -> Result<void> { return {}; };
    options.progress = [](const Trial*) {};
    options.devices = 2;
    Pipeline pipeline(space, strategy, *queue, {&first, &second}, budget, std::move(options), book);
    pipeline.begin();
    const std::atomic<bool> stop{false};
    auto done = pipeline.run(stop);
    notes = pipeline.notes();
    EXPECT_EQ(pipeline.measured(), done ? space.size() : pipeline.measured());
    return done;
  }
};

TEST_F(PipelineDevices, ShareTheCandidates) {
  Listener strategy(space.size());
  // All measurements of the second device fail, so failures show which device measured.
  ASSERT_TRUE(run(strategy, "toy:evaluate/wrong/"));
  ASSERT_EQ(static_cast<std::int64_t>(strategy.told().size()), space.size());
  std::int64_t by_second = 0;
  for (const auto& [index, told] : strategy.told()) by_second += told.ok ? 0 : 1;
  EXPECT_GT(by_second, 0);
  EXPECT_LT(by_second, space.size());
  EXPECT_TRUE(notes.empty());
}

TEST_F(PipelineDevices, TheOthersMeasureWhatALostDeviceHad) {
  Listener strategy(space.size());
  ASSERT_TRUE(run(strategy, "toy:open/error/"));
  ASSERT_EQ(static_cast<std::int64_t>(strategy.told().size()), space.size());
  for (const auto& [index, told] : strategy.told()) EXPECT_TRUE(told.ok);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes.front().find("a device failed, and the other devices measured its candidates"), std::string::npos);
}

} // namespace
} // namespace warptune
