// What a strategy is told of the trials of its candidates, whatever became of them.
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/pipeline.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

// Proposes every configuration once, and keeps what it is told.
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

} // namespace
} // namespace warptune
