#include "cluster/shard_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace warptune {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<ShardNumber> number(const std::string& option, std::int64_t count, const Variables& set = {}) {
  return shard_number(option, count, [&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  });
}

TEST(ShardNumbers, TheOptionWins) {
  EXPECT_EQ(number("0/1", 0).value(), (ShardNumber{0, 1}));
  EXPECT_EQ(number("7/8", 0, {{"SLURM_ARRAY_TASK_ID", "3"}}).value(), (ShardNumber{7, 8}));
  EXPECT_EQ(number("", 0).value(), (ShardNumber{0, 1}));
}

TEST(ShardNumbers, SlurmSaysItInTwoWays) {
  EXPECT_EQ(number("", 0, {{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}).value(),
            (ShardNumber{3, 8}));
  EXPECT_EQ(number("", 0,
                   {{"SLURM_ARRAY_TASK_ID", "7"},
                    {"SLURM_ARRAY_TASK_MIN", "1"},
                    {"SLURM_ARRAY_TASK_STEP", "2"},
                    {"SLURM_ARRAY_TASK_COUNT", "8"}})
                .value(),
            (ShardNumber{3, 8}));
  EXPECT_EQ(number("", 0, {{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}}).value(), (ShardNumber{2, 4}));
  EXPECT_EQ(number("", 0,
                   {{"SLURM_ARRAY_TASK_ID", "3"},
                    {"SLURM_ARRAY_TASK_COUNT", "8"},
                    {"SLURM_PROCID", "1"},
                    {"SLURM_NTASKS", "4"},
                    {"JOB_COMPLETION_INDEX", "5"}})
                .value(),
            (ShardNumber{13, 32}))
      << "several processes for each task of an array";
  EXPECT_EQ(
      number("", 0, {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_MIN", "3"}, {"SLURM_ARRAY_TASK_COUNT", "2"}})
          .value(),
      (ShardNumber{6, 7}))
      << "an array with gaps";
}

TEST(ShardNumbers, TheLargestArrayOfSlurmFits) {
  EXPECT_EQ(number("", 0, {{"SLURM_ARRAY_TASK_ID", "4000000"}}).value(), (ShardNumber{4'000'000, 4'000'001}));
}

TEST(ShardNumbers, KubernetesNeedsTheCount) {
  EXPECT_EQ(number("", 6, {{"JOB_COMPLETION_INDEX", "5"}}).value(), (ShardNumber{5, 6}));
  EXPECT_THAT(number("", 0, {{"JOB_COMPLETION_INDEX", "5"}}).error().message, HasSubstr("add --shards N"));
  EXPECT_THAT(number("", 5, {{"JOB_COMPLETION_INDEX", "5"}}).error().message,
              HasSubstr("with --shards 5 it must be below 5"));
}

TEST(ShardNumbers, WhatIsNoNumberIsRefused) {
  for (const char* wrong :
       {"/", "1", "1/", "/2", "a/2", "1/a", "-1/2", "1/0", "2/2", "1/2/3", "0/4000002", " ", "1.0/2"}) {
    const auto refused = number(wrong, 0);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
  }
  for (const Variables& wrong :
       {Variables{{"SLURM_ARRAY_TASK_ID", "x"}}, Variables{{"SLURM_PROCID", "-1"}},
        Variables{{"SLURM_ARRAY_TASK_ID", ""}}, Variables{{"SLURM_PROCID", "4"}, {"SLURM_NTASKS", "4"}},
        Variables{{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_STEP", "0"}}}) {
    const auto refused = number("", 0, wrong);
    ASSERT_FALSE(refused) << wrong.begin()->first;
    EXPECT_THAT(refused.error().message, HasSubstr("use --shard I/N instead"));
  }
}

} // namespace
} // namespace warptune
