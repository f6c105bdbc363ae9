// Kernel folders with mistakes of users (tests/data/specs), through the library: where the error is found, and its
// message. cli_bad_input_test.cpp tests the same folders through the command line.
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "space/space.h"
#include "support/paths.h"
#include "support/request_of.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;

std::string folder(const std::string& name) { return (test::data_dir() / "specs" / name).string(); }
Result<Kernel> load(const std::string& name) { return TemplateStore({}).load(folder(name)); }

struct Case {
  const char* name;
  std::vector<const char*> parts;
};

class BrokenSpec : public testing::TestWithParam<Case> {};

TEST_P(BrokenSpec, IsRefusedWithTheFolderAndTheCause) {
  const Result<Kernel> kernel = load(GetParam().name);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(kernel.error().message, HasSubstr(folder(GetParam().name)));
  EXPECT_THAT(kernel.error().message, testing::Not(HasSubstr("\n")));
  for (const char* part : GetParam().parts) EXPECT_THAT(kernel.error().message, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Folders, BrokenSpec,
    testing::Values(Case{"no_spec", {"spec.json"}}, Case{"not_json", {"line"}},
                    Case{"wrong_type", {"/params/VEC/values"}}, Case{"unknown_key", {"constrants", "constraints"}},
                    Case{"cyclic_derived", {"tile", "step"}}, Case{"empty_values", {"/params/VEC/values"}},
                    Case{"unknown_name", {"THREDS", "THREADS"}}, Case{"missing_source", {"lost.cu"}}),
    [](const auto& shown) { return std::string(shown.param.name); });

Result<SearchSpace> space_of(const std::string& name) {
  const Kernel kernel = load(name).value();
  return SearchSpace::build(kernel.spec, make_problem(kernel.spec, "rows=64,cols=64", "", {}).value(), h200_device());
}

TEST(BrokenConstraints, DivisionByZeroQuotesTheFormula) {
  const Result<SearchSpace> space = space_of("division_by_zero");
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(space.error().message, testing::AllOf(HasSubstr("256 / (cols - 64)"), HasSubstr("zero")));
}

TEST(BrokenConstraints, NothingLeftNamesTheConstraint) {
  const Result<SearchSpace> space = space_of("nothing_left");
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(space.error().message,
              testing::AllOf(HasSubstr("VEC > cols"), HasSubstr("a thread has more than a row")));
}

CompileResult compile_default(const std::string& name) {
  const Kernel kernel = load(name).value();
  const Problem problem = make_problem(kernel.spec, "rows=64,cols=64", "", {}).value();
  const auto request =
      test::request_of(kernel.spec, kernel.sources, problem, default_config(kernel.spec), h200_device());
  return compile(request.value(), 0).value();
}

TEST(BrokenSource, TheLogHasTheLinesOfTheUsersFile) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  EXPECT_TRUE(compile_default("scale"));
  const CompileResult result = compile_default("does_not_compile");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().log, testing::AllOf(HasSubstr("kernel.cu(6)"), HasSubstr("twice")));
}

} // namespace
} // namespace warptune
