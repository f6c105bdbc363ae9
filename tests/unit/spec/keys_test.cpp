// Keys leave out defaults, so that older keys of an operator stay valid when it gets a new dim or flag.
#include "spec/problem.h"
#include "support/implementations.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::problem_of;

KernelSpec spec_with(const std::string& problem) {
  SourceFiles files = test::two_implementation_files();
  const std::string before = R"({"dims": {"n": {"meaning": "elements"}}, "dtypes": ["fp32"]})";
  std::string& text = files.files.front().second;
  text.replace(text.find(before), before.size(), problem);
  auto spec = parse_spec(files, "op/spec.json");
  EXPECT_TRUE(spec.has_value()) << spec.error().message;
  return spec ? std::move(*spec) : KernelSpec();
}

void expect_key(const KernelSpec& spec, const Problem& problem, const std::string& key) {
  EXPECT_EQ(problem_key(spec, problem), key);
  const auto parsed = parse_problem_key(spec, key);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(problem_key(spec, *parsed), key);
  EXPECT_EQ(parsed->dims, problem.dims);
  EXPECT_EQ(parsed->flags, problem.flags);
}

TEST(Keys, LeaveOutFlagsThatHaveTheirDefault) {
  const KernelSpec spec = spec_with(R"({"dims": {"n": {}}, "dtypes": ["fp32"],
      "flags": {"bias": {"values": [0, 1], "default": 0}, "layout": {"values": ["nn", "nt"]},
                "out": {"values": ["same", "wide"], "default": "same"}}})");
  expect_key(spec, problem_of(spec, "n=8"), "n=8;fp32;layout=nn");
  expect_key(spec, problem_of(spec, "n=8", "", {"out=wide"}), "n=8;fp32;layout=nn,out=wide");
  expect_key(spec, problem_of(spec, "n=8", "", {"bias=1", "layout=nt"}), "n=8;fp32;bias=1,layout=nt");
  const auto whole = parse_problem_key(spec, "n=8;fp32;bias=0,layout=nn,out=same");
  ASSERT_TRUE(whole.has_value()) << whole.error().message;
  EXPECT_EQ(problem_key(spec, *whole), "n=8;fp32;layout=nn") << "one problem has one key";
}

TEST(Keys, LeaveOutDimsThatHaveTheirDefaultButNeverTheFirst) {
  const KernelSpec spec = spec_with(R"({"dims": {"n": {"default": 4}, "batch": {"default": 1},
      "pad": {"min": 0, "default": 0}}, "dtypes": ["fp32"]})");
  expect_key(spec, problem_of(spec, "n=8"), "n=8;fp32");
  expect_key(spec, problem_of(spec, "n=8,pad=1"), "n=8,pad=1;fp32");
  expect_key(spec, problem_of(spec, "pad=1,batch=2"), "n=4,batch=2,pad=1;fp32");
  expect_key(spec, problem_of(spec, "batch=1"), "n=4;fp32");
}

} // namespace
} // namespace warptune
