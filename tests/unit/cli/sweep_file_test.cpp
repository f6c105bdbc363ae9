// A sweep file: the jobs that it expands to, and the error messages about wrong ones.
#include "cli/sweep_file.h"
#include "search/strategy.h"
#include "support/paths.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const TemplateStore& shipped() {
  static const TemplateStore store({test::share_dir() / "kernel_templates"});
  return store;
}

Result<SweepPlan> expand(const std::string& json, const SweepOverrides& overrides = {}) {
  return expand_sweep(json, "s.json", overrides, [](const std::string& name, const std::vector<std::string>& also) {
    return shipped().load(name, also);
  });
}
Result<SweepPlan> expand_jobs(const std::string& jobs, const SweepOverrides& overrides = {}) {
  return expand(R"({"warptune_sweep": 1, "jobs": [)" + jobs + "]}", overrides);
}
std::string error_of(const Result<SweepPlan>& plan) {
  if (plan) return "no error";
  EXPECT_EQ(plan.error().kind, ErrorKind::bad_input);
  return plan.error().message;
}
std::string job_error(const std::string& job) { return error_of(expand_jobs(job)); }

std::vector<std::string> keys(const Result<SweepPlan>& plan) {
  std::vector<std::string> out;
  if (!plan) ADD_FAILURE() << plan.error().message;
  if (plan)
    for (const SweepJob& job : plan->jobs)
      out.push_back(job.kernel->spec.name + " " + problem_key(job.kernel->spec, job.problem));
  return out;
}

TEST(SweepFile, ExpandsToTheProductInOrder) {
  const auto plan = expand_jobs(R"({"kernel": "softmax", "shapes": ["rows=2,cols=8", "cols=4,rows=3"],
                                    "dtypes": ["fp32", "bf16"], "flags": {"log": [1, "0"]}})");
  EXPECT_THAT(keys(plan), ElementsAre("softmax rows=2,cols=8;fp32;log=1", "softmax rows=2,cols=8;fp32;log=0",
                                      "softmax rows=2,cols=8;bf16;log=1", "softmax rows=2,cols=8;bf16;log=0",
                                      "softmax rows=3,cols=4;fp32;log=1", "softmax rows=3,cols=4;fp32;log=0",
                                      "softmax rows=3,cols=4;bf16;log=1", "softmax rows=3,cols=4;bf16;log=0"));
  EXPECT_EQ(plan->jobs.front().kernel, plan->jobs.back().kernel) << "loaded once";
  EXPECT_TRUE(plan->notes.empty());
}

TEST(SweepFile, WhatIsNotSaidIsTheKernelsDefault) {
  EXPECT_THAT(keys(expand_jobs(R"({"kernel": "sgemm", "shapes": "m=1,n=2,k=3"})")),
              ElementsAre("sgemm m=1,n=2,k=3;fp32;layout=nn"));
  EXPECT_THAT(keys(expand_jobs(R"({"kernel": "softmax", "shapes": ["rows=1,cols=1"], "dtypes": "fp16"})")),
              ElementsAre("softmax rows=1,cols=1;fp16;log=0"));
}

TEST(SweepFile, SuitesOfTheKernelComeAfterShapes) {
  EXPECT_THAT(keys(expand_jobs(R"({"kernel": "reduce_sum", "shapes": ["n=5"], "suite": ["default", "ragged"]})")),
              ElementsAre("reduce_sum n=5;fp32", "reduce_sum n=268435456;fp32", "reduce_sum n=33554432;fp32",
                          "reduce_sum n=1048576;fp32", "reduce_sum n=1;fp32", "reduce_sum n=77;fp32",
                          "reduce_sum n=1000003;fp32", "reduce_sum n=33554467;fp32"));
}

TEST(SweepFile, AJobsOptionsStandAboveTheDefaults) {
  const auto plan = expand(R"({"warptune_sweep": 1, "about": "two",
    "defaults": {"budget": "30s", "seed": 3, "finalists": 4, "rounds": 5, "warm_l2": true, "racing": false,
                 "compile_timeout_s": 1.5, "evaluate_timeout_s": 2},
    "jobs": [{"kernel": "axpy", "shapes": ["n=1"]},
             {"kernel": "axpy", "shapes": ["n=2"], "budget": 12, "strategy": "exhaustive", "seed": 0, "warm_l2": false},
             {"kernel": "axpy", "shapes": ["n=3"], "budget": "all"}]})");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->jobs.size(), 3U);
  EXPECT_EQ(plan->about, "two");
  const SessionOptions &first = plan->jobs[0].options, &second = plan->jobs[1].options;
  EXPECT_GT(first.budget.seconds, 0);
  EXPECT_EQ(first.strategy, kDefaultStrategy) << "with a budget";
  EXPECT_EQ(first.seed, 3U);
  EXPECT_EQ(first.finalists, 4);
  EXPECT_EQ(first.rounds, 5);
  EXPECT_FALSE(first.measure.cold_l2);
  EXPECT_FALSE(first.racing);
  EXPECT_EQ(first.compile_timeout_s, 1.5);
  EXPECT_EQ(first.evaluate_timeout_s, 2);
  EXPECT_EQ(second.budget.text, "12");
  EXPECT_EQ(second.strategy, "exhaustive");
  EXPECT_EQ(second.seed, 0U);
  EXPECT_TRUE(second.measure.cold_l2);
  EXPECT_EQ(second.rounds, 5);
  EXPECT_EQ(plan->jobs[2].options.strategy, "exhaustive") << "without a budget";
}

TEST(SweepFile, HowAJobIsSearched) {
  const auto plan = expand_jobs(R"({"kernel": "axpy", "shapes": ["n=1"], "target": "120us", "stop_below": "1%"},
                                   {"kernel": "axpy", "shapes": ["n=1"], "target": "95%", "budget": "200,30s",
                                    "knowledge": "prior", "strategy": " random "})");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->jobs.size(), 2U) << "another target is another job";
  const SessionOptions &first = plan->jobs[0].options, &second = plan->jobs[1].options;
  EXPECT_EQ(first.stop_rules.target_us, 120);
  EXPECT_DOUBLE_EQ(first.stop_rules.stop_below, 0.01);
  EXPECT_EQ(first.strategy, kDefaultStrategy) << "whoever may end early does not go in order";
  EXPECT_EQ(second.strategy, "random");
  EXPECT_DOUBLE_EQ(second.stop_rules.target_share, 0.95);
  EXPECT_EQ(second.budget.seconds, 30);
  EXPECT_EQ(second.knowledge, (KnowledgeParts{true, false}));
  const std::string message = error_of(expand_jobs(R"({"kernel": "axpy", "shapes": ["n=1"], "target": "fast",
    "stop_below": 1, "knowledge": "hint", "strategy": "random:a=1", "budget": "1,2"})"));
  for (const char* part : {"/target: 'fast' is not a target", "/stop_below: ", "/knowledge: unknown knowledge 'hint'",
                           "/strategy: strategy random: it has no options", "/budget: '2' is not a budget"})
    EXPECT_THAT(message, HasSubstr(part));
  EXPECT_THAT(job_error(R"({"kernel": "axpy", "shapes": ["n=1"], "budget": ""})"), HasSubstr("/budget: expected"));
}

TEST(SweepFile, FormerWordsOfKnowledgeAreIgnoredWithOneNote) {
  const auto plan = expand_jobs(R"({"kernel": "axpy", "shapes": ["n=1"], "knowledge": "features,prior,hints,counters"},
                                   {"kernel": "axpy", "shapes": ["n=2"], "knowledge": "counters"})");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->jobs[0].options.knowledge, KnowledgeParts{});
  EXPECT_EQ(plan->jobs[1].options.knowledge, kNothingKnown);
  EXPECT_THAT(plan->notes, ElementsAre(HasSubstr("`features` and `counters` of knowledge no longer exist")));
}

TEST(SweepFile, TheCommandLineStandsAboveAll) {
  const std::string jobs = R"({"kernel": "axpy", "shapes": ["n=1"], "budget": "1s", "seed": 9},
                              {"kernel": "softmax", "shapes": ["rows=1,cols=1"], "strategy": "exhaustive"})";
  const auto plan = expand_jobs(jobs, {"", parse_budget("12").value(), 1, ""});
  ASSERT_TRUE(plan) << plan.error().message;
  for (const SweepJob& job : plan->jobs) {
    EXPECT_EQ(job.options.budget.text, "12");
    EXPECT_EQ(job.options.seed, 1U);
  }
  EXPECT_EQ(plan->jobs[0].options.strategy, kDefaultStrategy);
  EXPECT_EQ(plan->jobs[1].options.strategy, "exhaustive") << "only the budget was changed";
  EXPECT_EQ(expand_jobs(jobs, {"random", {}, {}, ""})->jobs[1].options.strategy, "random");
  EXPECT_THAT(keys(expand_jobs(jobs, {"", {}, {}, "softmax"})), ElementsAre("softmax rows=1,cols=1;bf16;log=0"));
  EXPECT_THAT(error_of(expand_jobs(jobs, {"", {}, {}, "sfotmax"})), HasSubstr("did you mean 'softmax'?"));
  EXPECT_THAT(error_of(expand_jobs(jobs, {"randon", {}, {}, ""})), HasSubstr("did you mean 'random'?"));
}

TEST(SweepFile, RulesOfTheCommandLineStandEachAboveTheFilesOwn) {
  SweepOverrides overrides;
  ASSERT_TRUE(parse_target("90%", overrides.stop_rules));
  overrides.knowledge = kNothingKnown;
  const auto plan = expand_jobs(R"({"kernel": "axpy", "shapes": ["n=1"], "target": "120us", "stop_below": "1%"},
                                   {"kernel": "axpy", "shapes": ["n=2"], "knowledge": "prior"})",
                                overrides);
  ASSERT_TRUE(plan) << plan.error().message;
  const SessionOptions &first = plan->jobs[0].options, &second = plan->jobs[1].options;
  for (const SessionOptions* o : {&first, &second}) {
    EXPECT_EQ(o->stop_rules.target_us, 0);
    EXPECT_DOUBLE_EQ(o->stop_rules.target_share, 0.9);
    EXPECT_EQ(o->knowledge, *overrides.knowledge);
    EXPECT_EQ(o->strategy, kDefaultStrategy) << "whoever may end early does not go in order";
  }
  EXPECT_DOUBLE_EQ(first.stop_rules.stop_below, 0.01) << "only the target was changed";
  EXPECT_EQ(second.stop_rules.stop_below, 0);
}

TEST(SweepFile, WhatIsMinimised) {
  const std::string jobs = R"({"kernel": "axpy", "shapes": ["n=1"], "objective": "energy"},
                              {"kernel": "axpy", "shapes": ["n=1"], "objective": "time", "energy": true},
                              {"kernel": "axpy", "shapes": ["n=2"]})";
  const auto plan = expand_jobs(jobs);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->jobs.size(), 3U) << "another objective is another job";
  EXPECT_EQ(plan->jobs[0].options.objective, Objective::energy);
  EXPECT_EQ(plan->jobs[1].options.objective, Objective::time);
  EXPECT_TRUE(plan->jobs[1].options.energy);
  EXPECT_FALSE(plan->jobs[2].options.energy);
  const auto all = expand_jobs(jobs, {"", {}, {}, "", Objective::edp, true});
  ASSERT_EQ(all->jobs.size(), 2U) << "now the first two are the same";
  for (const SweepJob& job : all->jobs) {
    EXPECT_EQ(job.options.objective, Objective::edp);
    EXPECT_TRUE(job.options.energy);
  }
  EXPECT_THAT(job_error(R"({"kernel": "axpy", "shapes": ["n=1"], "objective": "enrgy"})"),
              HasSubstr("at /jobs/0/objective: unknown objective 'enrgy'; did you mean 'energy'?"));
  EXPECT_THAT(job_error(R"({"kernel": "axpy", "shapes": ["n=1"], "objective": ""})"),
              HasSubstr("/objective: expected time, energy or edp"));
  EXPECT_THAT(job_error(R"({"kernel": "axpy", "shapes": ["n=1"], "objective": 1, "energy": 1})"),
              AllOf(HasSubstr("/objective: expected"), HasSubstr("/energy: expected true or false")));
}

TEST(SweepFile, AJobOrTheCommandLineLetsCommandsRun) {
  const std::string jobs = R"({"kernel": "axpy", "shapes": ["n=1"], "allow_build": true},
                              {"kernel": "axpy", "shapes": ["n=2"]})";
  const auto plan = expand_jobs(jobs);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->jobs[0].options.allow_build);
  EXPECT_FALSE(plan->jobs[1].options.allow_build);
  SweepOverrides overrides;
  overrides.allow_build = true;
  EXPECT_TRUE(expand_jobs(jobs, overrides)->jobs[1].options.allow_build);
}

TEST(SweepFile, AJobOrTheCommandLineAsksForTheBaseline) {
  const std::string jobs = R"({"kernel": "axpy", "shapes": ["n=1"], "baseline": true},
                              {"kernel": "axpy", "shapes": ["n=2"]})";
  const auto plan = expand_jobs(jobs);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->jobs[0].options.baseline);
  EXPECT_FALSE(plan->jobs[1].options.baseline);
  SweepOverrides overrides;
  overrides.baseline = true;
  EXPECT_TRUE(expand_jobs(jobs, overrides)->jobs[1].options.baseline);
}

TEST(SweepFile, RepeatedJobsAreDoneOnce) {
  const auto plan = expand_jobs(R"({"kernel": "axpy", "shapes": ["n=1", "n=2", "n=01"], "dtypes": ["fp32", "fp32"]},
                                   {"kernel": "axpy", "shapes": ["n=2"], "rounds": 3},
                                   {"kernel": "axpy", "shapes": ["n=2"], "seed": 1})");
  EXPECT_THAT(keys(plan), ElementsAre("axpy n=1;fp32", "axpy n=2;fp32", "axpy n=2;fp32"))
      << "another seed is another job";
  ASSERT_EQ(plan->notes.size(), 1U);
  EXPECT_EQ(plan->notes[0],
            "left out 5 jobs of s.json, because an earlier job is the same; the first job left out is axpy n=1;fp32");
}

TEST(SweepFile, TheStateOfTheL2MakesAnotherJob) {
  const auto plan = expand_jobs(R"({"kernel": "axpy", "shapes": ["n=2"]},
                                   {"kernel": "axpy", "shapes": ["n=2"], "warm_l2": true})");
  EXPECT_THAT(keys(plan), ElementsAre("axpy n=2;fp32", "axpy n=2;fp32"));
}

TEST(SweepFile, EveryProblemIsReportedAtItsPlace) {
  const std::string message = error_of(expand(R"({"warptune_sweep": 1, "default": {}, "jobs": [
    {"kernel": "sofmax", "shapes": ["rows=1,cols=1"]},
    {"kernel": "softmax", "shapes": ["rows=0,cols=1", "rows=1", 7], "dtypes": ["fp8"], "flags": {"lgo": 1, "log": [2]}},
    {"kernel": "axpy", "suite": "defualt", "bugdet": 3, "budget": "lots", "seed": -1, "rounds": 0, "strategy": "randm"},
    {"shapes": []}, 5]})"));
  for (const char* expected : {
           "s.json: at /: unknown key 'default'; did you mean 'defaults'?",
           "s.json: at /jobs/0/kernel: unknown kernel 'sofmax'; did you mean 'softmax'?",
           "s.json: at /jobs/1/shapes/0: shape 'rows=0,cols=1' of softmax: 'rows=0' is zero; give a size from 1",
           "s.json: at /jobs/1/shapes/1: shape 'rows=1' of softmax: the dim 'cols' is missing; add cols=N",
           "s.json: at /jobs/1/shapes/2: expected a shape such as \"rows=1,cols=1\", got the number 7",
           "s.json: at /jobs/1/dtypes/0: softmax has no dtype 'fp8'; choose bf16, fp16 or fp32",
           "s.json: at /jobs/1/flags/lgo: softmax has no flag 'lgo'; did you mean 'log'?",
           "s.json: at /jobs/1/flags/log/0: expected a value of the flag 'log' (0 or 1), got the number 2",
           "s.json: at /jobs/2: unknown key 'bugdet'; did you mean 'budget'?",
           "s.json: at /jobs/2/suite: axpy has no suite 'defualt'; did you mean 'default'?",
           "s.json: at /jobs/2/budget: 'lots' is not a budget",
           "s.json: at /jobs/2/seed: expected a whole number of at least 0, got the number -1",
           "s.json: at /jobs/2/rounds: expected a whole number from 1 to 1000, got the number 0",
           "s.json: at /jobs/2/strategy: unknown strategy 'randm'; did you mean 'random'?",
           "s.json: at /jobs/3: the key 'kernel' is missing",
           "s.json: at /jobs/4: expected an object, got the number 5",
       })
    EXPECT_THAT(message, HasSubstr(expected));
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 15) << message;
}

TEST(SweepFile, ALongListOfProblemsIsCut) {
  std::string shapes = "\"n=0\"";
  for (int i = 1; i < 50; ++i) shapes += ", \"n=0\"";
  const std::string message = job_error(R"({"kernel": "axpy", "shapes": [)" + shapes + "]}");
  EXPECT_THAT(message, AllOf(HasSubstr("/shapes/19:"), Not(HasSubstr("/shapes/20:")), HasSubstr("and 30 more errors")));
}

TEST(SweepFile, NotASweepAtAll) {
  EXPECT_THAT(error_of(expand("")), HasSubstr("s.json: "));
  EXPECT_THAT(error_of(expand("[]")), HasSubstr("at /: expected an object, got an empty list"));
  for (const char* other : {"{}", R"({"name": "app", "version": "1", "scripts": {}})"})
    EXPECT_THAT(error_of(expand(other)), AllOf(HasSubstr("this is not a sweep file"), Not(HasSubstr("\n"))));
  EXPECT_THAT(error_of(expand(R"({"about": "x", "jobs": []})")), HasSubstr("'warptune_sweep' is missing"));
  EXPECT_THAT(error_of(expand(R"({"warptune_sweep": 1})")), HasSubstr("'jobs' is missing"));
  EXPECT_THAT(error_of(expand(R"({"warptune_sweep": 2, "jobs": []})")),
              AllOf(HasSubstr("reads version 1 of the format, not 2"), HasSubstr("/jobs: expected a list of jobs")));
  EXPECT_THAT(error_of(expand(R"({"warptune_sweep": "1", "jobs": {}})")), HasSubstr("/jobs: expected a list"));
  EXPECT_THAT(error_of(expand(R"({"warptune_sweep": 1, "warptune_sweep": 1, "jobs": []})")),
              HasSubstr("appears twice"));
  EXPECT_THAT(error_of(expand("{\"warptune_sweep\": 1, // no\n \"jobs\": []}")), HasSubstr("invalid JSON"));
  EXPECT_THAT(error_of(expand("\xff")), HasSubstr("UTF-8"));
}

TEST(SweepFile, EmptyListsAndWrongTypes) {
  const auto with = [](const std::string& more) {
    return job_error(R"({"kernel": "softmax", "shapes": ["rows=1,cols=1"], )" + more + "}");
  };
  EXPECT_THAT(job_error(R"({"kernel": "axpy"})"), HasSubstr("'shapes' and 'suite' are both missing"));
  EXPECT_THAT(job_error(R"({"kernel": "axpy", "shapes": []})"),
              HasSubstr("/shapes: expected a list of shapes with at least one entry"));
  EXPECT_THAT(job_error(R"({"kernel": 5, "shapes": "n=1"})"), HasSubstr("/kernel: expected a kernel's name"));
  EXPECT_THAT(with(R"("dtypes": [])"), HasSubstr("/dtypes: expected"));
  EXPECT_THAT(with(R"("dtypes": [""])"), HasSubstr("/dtypes/0: expected"));
  EXPECT_THAT(with(R"("flags": [])"), HasSubstr("/flags: expected an object"));
  EXPECT_THAT(with(R"("flags": {"log": []})"), HasSubstr("/flags/log: expected"));
  EXPECT_THAT(with(R"("flags": {"log": [true]})"), HasSubstr("/flags/log/0: expected"));
  EXPECT_THAT(with(R"("warm_l2": 1)"), HasSubstr("/warm_l2: expected true or false"));
  EXPECT_THAT(with(R"("budget": 1.5)"), HasSubstr("/budget: expected"));
  EXPECT_THAT(with(R"("budget": 0)"), HasSubstr("/budget: "));
  EXPECT_THAT(with(R"("compile_timeout_s": 0)"), HasSubstr("/compile_timeout_s: expected seconds above 0"));
  EXPECT_THAT(with(R"("evaluate_timeout_s": 1e300)"), HasSubstr("/evaluate_timeout_s: expected seconds"));
  EXPECT_THAT(with(R"("about": 3)"), HasSubstr("/about: expected a string"));
}

TEST(SweepFile, TooManyJobsAreRefusedBeforeTheyAreMade) {
  std::string shapes = "\"n=1\"";
  for (int i = 2; i <= 5001; ++i) shapes += ",\"n=" + std::to_string(i) + "\"";
  EXPECT_THAT(job_error(R"({"kernel": "axpy", "dtypes": ["fp32", "bf16"], "shapes": [)" + shapes + "]}"),
              HasSubstr("more than 10000 jobs; split the file"));
}

TEST(SweepFile, NamesOfShippedSweepsAndFiles) {
  EXPECT_THAT(error_of(load_sweep("lmm", {}, shipped())), HasSubstr("did you mean 'llm'?"));
  EXPECT_THAT(error_of(load_sweep("./none.json", {}, shipped())), AllOf(HasSubstr("no such file"), HasSubstr("cnn")));
  EXPECT_THAT(error_of(load_sweep("/dev/null", {}, shipped())), HasSubstr("/dev/null"));
  EXPECT_FALSE(load_sweep("..", {}, shipped()));
  EXPECT_THAT(shipped().names(), Not(testing::Contains("suites"))) << "no kernel";
}

} // namespace
} // namespace warptune::cli
