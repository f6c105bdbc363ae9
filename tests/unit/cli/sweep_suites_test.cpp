// The shipped sweeps: each of their jobs can be tuned on an H200, and fits its memory with room to spare.
#include "cli/sweep_file.h"
#include "plan/plan.h"
#include "space/space.h"
#include "support/paths.h"

#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace warptune::cli {
namespace {

constexpr double kMaxBytes = 2.5e10;       // for one job: its buffers and the reference's
constexpr double kMaxFlops = 1.2e12;       // 20 ms of an H200's fp32 pipes
constexpr double kMaxTensorFlops = 1.2e13; // 16 ms of its tensor cores

double bytes_of(const LaunchPlan& plan) {
  double bytes = 0;
  for (const BufferPlan& buffer : plan.buffers) bytes += static_cast<double>(buffer.bytes());
  return bytes;
}

void expect_tunable(const SweepJob& job, const DeviceInfo& device) {
  const KernelSpec& spec = job.kernel->spec;
  SCOPED_TRACE(spec.name + " " + problem_key(spec, job.problem));
  const auto space = SearchSpace::build(spec, job.problem, device);
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_GE(space->size(), 12) << "a choice that is worth a search";
  const auto reference = make_reference_plan(spec, job.problem, device);
  ASSERT_TRUE(reference) << reference.error().message;
  for (const ConfigIndex index : {ConfigIndex{0}, space->size() / 2, space->size() - 1}) {
    const auto plan = make_plan(spec, job.problem, space->config(index), device);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_LT(bytes_of(*plan) + bytes_of(*reference), kMaxBytes);
  }
  const auto cost = estimate_cost(spec, job.problem, device);
  ASSERT_TRUE(cost) << cost.error().message;
  for (const auto& [pipe, flops] : cost->flops)
    EXPECT_LT(flops, pipe == "tensor" ? kMaxTensorFlops : kMaxFlops) << pipe;
}

TEST(ShippedSweeps, TheGuidesNameTheNumbersOfJobs) {
  const TemplateStore store({test::share_dir() / "kernel_templates"});
  const auto jobs = [&](const std::string& sweep) {
    const auto plan = load_sweep(sweep, {}, store);
    return plan ? plan->jobs.size() : 0;
  };
  const auto page = [](const std::string& name) {
    std::ifstream in(test::share_dir() / "docs" / name);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  using testing::HasSubstr;
  EXPECT_THAT(page("operators.md"), HasSubstr(fmt::format("# {} problems\n", jobs("rows"))));
  EXPECT_THAT(page("operators.md"),
              HasSubstr(fmt::format("contain {} problems",
                                    jobs("rows") + jobs("tensors") + jobs("images") + jobs("training"))));
  EXPECT_THAT(page("gemm.md"), HasSubstr(fmt::format("# {} products\n", jobs("recorded"))));
  EXPECT_THAT(page("gemm.md"),
              HasSubstr(fmt::format("# {} products; the sweep gemm_fp32 has {}\n", jobs("gemm"), jobs("gemm_fp32"))));
}

TEST(ShippedSweeps, EveryJobHasASpaceOnAnH200) {
  const TemplateStore store({test::share_dir() / "kernel_templates"});
  const auto sweeps = shipped_sweeps(store);
  ASSERT_EQ(sweeps.size(), 10U);
  EXPECT_EQ(sweeps[0].name, "cnn");
  EXPECT_EQ(sweeps[1].name, "gemm");
  EXPECT_EQ(sweeps[2].name, "gemm_fp32");
  EXPECT_EQ(sweeps[3].name, "images");
  EXPECT_EQ(sweeps[4].name, "llm");
  EXPECT_EQ(sweeps[5].name, "recorded");
  EXPECT_EQ(sweeps[6].name, "rows");
  EXPECT_EQ(sweeps[7].name, "small");
  EXPECT_EQ(sweeps[8].name, "tensors");
  EXPECT_EQ(sweeps[9].name, "training");
  for (const ShippedSweep& sweep : sweeps) {
    SCOPED_TRACE(sweep.name);
    const auto plan = load_sweep(sweep.name, {}, store);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_FALSE(plan->about.empty());
    EXPECT_TRUE(plan->notes.empty()) << plan->notes.front();
    EXPECT_GE(plan->jobs.size(), sweep.name == "recorded" ? 13U : 40U);
    EXPECT_LE(plan->jobs.size(), 160U);
    for (const SweepJob& job : plan->jobs) {
      expect_tunable(job, h200_device());
      // The sweep `recorded` replays whole spaces, unless the command line names a budget.
      EXPECT_EQ(job.options.strategy, sweep.name == "recorded" ? "exhaustive" : "portfolio");
    }
  }
}

} // namespace
} // namespace warptune::cli
