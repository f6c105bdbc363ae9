#include "worker/trial_of.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

Compiled compiled(TrialStatus status, const char* evidence) {
  Compiled result;
  result.status = status;
  result.evidence = evidence;
  result.cubin_hash = "c0ffee";
  result.resources = {40, 8, 1024, 0.5};
  result.compile_ms = 12;
  return result;
}

void expect_compiled_part(const Trial& trial) {
  EXPECT_EQ(trial.config, (Config{4, 2}));
  EXPECT_EQ(trial.cubin_hash, "c0ffee");
  EXPECT_EQ(trial.compile_ms, 12);
}

TEST(TrialOf, AFailedCompilationEndsTheTrial) {
  const Trial trial = trial_of({4, 2}, compiled(TrialStatus::compile_failed, "error: no such type"));
  expect_compiled_part(trial);
  EXPECT_EQ(trial.status, TrialStatus::compile_failed);
  EXPECT_EQ(trial.evidence, "error: no such type");
  EXPECT_EQ(trial.resources.registers, 40);
  EXPECT_FALSE(trial.verdict || trial.timing || trial.profile || trial.power);
}

TEST(TrialOf, WhatHappenedToTheProcessStandsBesideWhatWasCompiled) {
  const Trial trial = trial_of({4, 2}, compiled(TrialStatus::ok, ""), TrialStatus::crashed, "while running: SIGSEGV");
  expect_compiled_part(trial);
  EXPECT_EQ(trial.status, TrialStatus::crashed);
  EXPECT_EQ(trial.evidence, "while running: SIGSEGV");
  EXPECT_EQ(trial.resources.spill_bytes, 8);
}

// Only the device gives the occupancy, and a recording has the registers of its own compiler.
TEST(TrialOf, AReturnedTrialKeepsItsResources) {
  Trial returned;
  returned.config = {2, 4};
  returned.status = TrialStatus::ok;
  returned.resources = {64, 0, 0, 0.75};
  put_compiled(returned, {4, 2}, compiled(TrialStatus::ok, ""));
  expect_compiled_part(returned);
  EXPECT_EQ(returned.status, TrialStatus::ok);
  EXPECT_EQ(returned.resources.registers, 64);
  EXPECT_EQ(returned.resources.occupancy, 0.75);
}

TEST(TrialOf, AReturnedTrialWithoutResourcesGetsThoseOfTheCompiler) {
  Trial returned;
  put_compiled(returned, {4, 2}, compiled(TrialStatus::ok, ""));
  EXPECT_EQ(returned.resources.registers, 40);
  EXPECT_EQ(returned.resources.static_shared_bytes, 1024);
}

} // namespace
} // namespace warptune
