// A recording has labels where a spec has ids, and may be older than a kernel's division into implementations.
#include "recording/recorded_params.h"
#include "support/implementations.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

Recording recording_of_configs(const KernelSpec& spec, const std::vector<std::string>& texts) {
  Recording r;
  r.kernel = spec.name;
  for (const std::string& text : texts) {
    auto config = parse_config(spec, text);
    EXPECT_TRUE(config) << config.error().message;
    r.trials.emplace_back().config = *config;
    r.trials.back().status = TrialStatus::wrong_result;
  }
  return r;
}

TEST(RecordedParams, LabelsSurviveTheFileAndAnotherOrderOfImplementations) {
  const KernelSpec spec = test::two_implementations();
  const std::vector<std::string> texts = {"implementation=fast,VEC=4,HINT=stream", "implementation=plain,VEC=1"};
  Recording sent = recording_of_configs(spec, texts);
  describe_params(spec, sent);
  const std::string file = write_recording(sent);
  EXPECT_NE(file.find(R"(["implementation",["plain","fast"]])"), std::string::npos) << file;
  auto got = parse_recording(file, "r.json");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->param_labels, sent.param_labels);
  const KernelSpec turned = test::two_implementations("fast");
  ASSERT_NE(turned.params.front().labels, spec.params.front().labels);
  ASSERT_TRUE(adopt_params(turned, *got));
  ASSERT_EQ(got->trials.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(config_text(turned, got->trials[i].config), texts[i]);
}

TEST(RecordedParams, WhatWasAParamIsAnImplementationNow) {
  const KernelSpec spec = test::two_implementations();
  Recording old;
  old.param_names = {"VEC", "MODE", "CHUNK"};
  old.trials.resize(3);
  old.trials[0].config = {1, 0, 1};
  old.trials[1].config = {2, 0, 1};
  old.trials[2].config = {64, 0, 1}; // a value that the spec no longer has
  ASSERT_TRUE(adopt_params(spec, old));
  ASSERT_EQ(old.trials.size(), 2U);
  EXPECT_EQ(config_text(spec, old.trials[1].config), "implementation=plain,VEC=2");
  Recording other;
  other.param_names = {"VEC", "OTHER"};
  other.trials.emplace_back().config = {4, 1};
  EXPECT_FALSE(adopt_params(spec, other));
}

} // namespace
} // namespace warptune
