#include "spec/problem.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

std::string shape_error(const std::string& text) {
  const auto shape = parse_shape(SpecText().parse(), text);
  EXPECT_FALSE(shape.has_value()) << text;
  if (shape) return {};
  EXPECT_EQ(shape.error().kind, ErrorKind::bad_input);
  return shape.error().message;
}

TEST(Shape, InAnyOrderWithBlanks) {
  EXPECT_EQ(parse_shape(SpecText().parse(), "rows=3,cols=5").value(), (Shape{3, 5}));
  EXPECT_EQ(parse_shape(SpecText().parse(), " cols = 5 , rows=+3 ").value(), (Shape{3, 5}));
}

TEST(Shape, Errors) {
  EXPECT_EQ(shape_error("rows=3"), "shape 'rows=3' of demo: the dim 'cols' is missing; add cols=N");
  EXPECT_EQ(shape_error("rows=3,colz=5"), "shape 'rows=3,colz=5' of demo: unknown dim 'colz'; did you mean 'cols'?");
  EXPECT_THAT(shape_error("rows=3,cols=5,depth=1"), HasSubstr("unknown dim 'depth'; known: rows, cols"));
  EXPECT_THAT(shape_error("rows=3,rows=4,cols=5"), HasSubstr("the dim 'rows' is given twice"));
  EXPECT_THAT(shape_error("rows=3,cols=x"), HasSubstr("the size 'x' of 'cols' is not a whole number"));
  EXPECT_THAT(shape_error("rows=3,cols="), HasSubstr("the size '' of 'cols' is not a whole number"));
  EXPECT_THAT(shape_error("rows=3,cols=1e3"), HasSubstr("not a whole number"));
  EXPECT_THAT(shape_error("rows=3,cols=1.5"), HasSubstr("not a whole number"));
  EXPECT_THAT(shape_error("rows=3,cols=+-4"), HasSubstr("not a whole number"));
  EXPECT_THAT(shape_error("rows=3,cols=0"), HasSubstr("'cols=0' is zero; give a size from 1 to 1048576"));
  EXPECT_THAT(shape_error("rows=3,cols=-5"), HasSubstr("'cols=-5' is negative"));
  EXPECT_THAT(shape_error("rows=3,cols=1048577"),
              HasSubstr("'cols=1048577' is too large; give a size from 1 to 1048576"));
  EXPECT_THAT(shape_error("rows=99999999999999999999,cols=5"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(shape_error("rows=-99999999999999999999,cols=5"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(shape_error("rows=9223372036854775807,cols=5"),
              HasSubstr("too large; give a size from 1 to 1099511627776"));
  EXPECT_THAT(shape_error(""), HasSubstr("it is empty; write rows=N,cols=N"));
  EXPECT_THAT(shape_error("rows=3,,cols=5"), HasSubstr("'' is not NAME=SIZE"));
  EXPECT_THAT(shape_error("3x5"), HasSubstr("'3x5' is not NAME=SIZE; write rows=N,cols=N"));
}

TEST(Shape, MinimumOfTheDim) {
  const KernelSpec spec = SpecText()
                              .set("problem", R"({"dims": {"rows": {"min": 16}, "cols": {}}, "dtypes": ["fp32"]})")
                              .set("suites", "{}")
                              .parse();
  EXPECT_THAT(parse_shape(spec, "rows=8,cols=1").error().message,
              HasSubstr("'rows=8' is too small; give a size from 16"));
}

TEST(Problem, DefaultsAndSettings) {
  const KernelSpec spec = SpecText().parse();
  const Problem standard = problem_of(spec, "rows=1,cols=2");
  EXPECT_EQ(standard.dtype, DType::bf16);
  EXPECT_EQ(problem_key(spec, standard), "rows=1,cols=2;bf16;log=0,layout=nt");
  const Problem set = problem_of(spec, "rows=1,cols=2", "fp32", {"log=1", "layout = nn"});
  EXPECT_EQ(problem_key(spec, set), "rows=1,cols=2;fp32;log=1,layout=nn");
  EXPECT_EQ(problem_of(spec, "rows=1,cols=2", "fp32", {"log=1, layout=nn"}), set) << "as in a problem's key";
}

TEST(Problem, Errors) {
  const KernelSpec spec = SpecText().parse();
  const auto error = [&](const std::string& dtype, const std::vector<std::string>& sets) {
    return make_problem(spec, "rows=1,cols=2", dtype, sets).error().message;
  };
  EXPECT_EQ(error("fp16", {}), "demo has no dtype 'fp16'; choose bf16 or fp32");
  EXPECT_EQ(error("", {"lgo=1"}), "demo has no flag 'lgo'; did you mean 'log'?");
  EXPECT_EQ(error("", {"log=2"}), "the flag 'log' of demo has no value '2'; choose 0 or 1");
  EXPECT_THAT(error("", {"layout"}), HasSubstr("gives no value for the flag; write layout=nt or nn"));
  EXPECT_THAT(error("", {"log=1", "log=0"}), HasSubstr("given twice"));
  EXPECT_THAT(error("", {"log=1,log=0"}), HasSubstr("given twice"));
  EXPECT_EQ(error("", {"log=1,layout=tt"}), "the flag 'layout' of demo has no value 'tt'; choose nt or nn");
  EXPECT_THAT(error("", {"log=1,"}), HasSubstr("demo has no flag ''"));
  EXPECT_THAT(make_problem(spec, Shape{1}, DType::fp32, {}).error().message,
              HasSubstr("got 1 dim, but the kernel has 2"));
  EXPECT_THAT(make_problem(spec, Shape{1, 0}, DType::fp32, {}).error().message, HasSubstr("'cols=0' is zero"));
  EXPECT_THAT(make_problem(spec, Shape{1, 1}, DType::int8, {}).error().message, HasSubstr("no dtype 'int8'"));
  EXPECT_THAT(make_problem(spec, Shape{1, 1}, DType::fp32, {}).error().message,
              HasSubstr("got 0 flags, but the kernel has 2"));
  EXPECT_THAT(make_problem(spec, Shape{1, 1}, DType::fp32, {7, 7}).error().message, HasSubstr("has no value 7"));
  EXPECT_TRUE(make_problem(spec, Shape{1, 1}, DType::fp32, {1, spec.flags[1].values[1]}).has_value());
}

TEST(Problem, KeyRoundTrip) {
  const KernelSpec spec = SpecText().parse();
  for (const char* shape : {"rows=1,cols=1", "rows=1099511627776,cols=1048576"})
    for (const char* dtype : {"bf16", "fp32"})
      for (const char* layout : {"layout=nt", "layout=nn"}) {
        const Problem problem = problem_of(spec, shape, dtype, {layout});
        EXPECT_EQ(parse_problem_key(spec, problem_key(spec, problem)).value(), problem);
      }
  for (const char* bad : {"", "rows=1,cols=1", "rows=1,cols=1;fp99", "rows=1,cols=1;fp32;log=0;x", "rows=1;fp32"})
    EXPECT_FALSE(parse_problem_key(spec, bad).has_value()) << bad;
}

TEST(Problem, KeyWithoutFlags) {
  const KernelSpec spec =
      SpecText().set("problem", R"({"dims": {"rows": {}, "cols": {}}, "dtypes": ["fp32"]})").parse();
  const Problem problem = problem_of(spec, "rows=1,cols=2");
  EXPECT_EQ(problem_key(spec, problem), "rows=1,cols=2;fp32");
  EXPECT_EQ(parse_problem_key(spec, "rows=1,cols=2;fp32").value(), problem);
  EXPECT_THAT(make_problem(spec, "rows=1,cols=2", "", {"x=1"}).error().message, HasSubstr("this kernel has no flags"));
}

TEST(Problem, SlotsFollowTheScope) {
  const KernelSpec spec = SpecText().parse();
  const Problem problem = problem_of(spec, "rows=3,cols=5", "bf16", {"log=1"});
  const DeviceInfo device = h200_device();
  const auto slots = make_slots(spec, problem, device.limits);
  ASSERT_EQ(slots.size(), static_cast<std::size_t>(spec.scope.slot_count()));
  const auto at = [&](const char* name) {
    return slots.at(static_cast<std::size_t>(spec.implementations[0].scope.find_slot(name)));
  };
  EXPECT_EQ(at("sm_count"), 132);
  EXPECT_EQ(at("l2_bytes"), device.limits.l2_bytes);
  EXPECT_EQ(at("rows"), 3);
  EXPECT_EQ(at("cols"), 5);
  EXPECT_EQ(at("dtype"), static_cast<std::int64_t>(DType::bf16));
  EXPECT_EQ(at("dtype_bytes"), 2);
  EXPECT_EQ(at("log"), 1);
  EXPECT_EQ(at("WARPS"), 4);
  EXPECT_EQ(at("VEC"), 2);
}

} // namespace
} // namespace warptune
