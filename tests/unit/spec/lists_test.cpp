// Dims that are lists and dims of a fixed size: the spec, the shape's text, the problem's key, and the inputs that hold
// a list.
#include "plan/list_fill.h"
#include "spec/size_list.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDims = R"({"rows": {"list": true, "min": 0, "max": 1000, "max_count": 100, "meaning": "rows"},
                                  "cols": {"max": 4096}, "taps": {"value": 5, "meaning": "fixed"}})";

SpecText grouped(const std::string& dims = kDims) {
  SpecText text;
  text.set("format", "2").set("problem", R"({"dtypes": ["fp32"], "dims": )" + dims + "}");
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows_sum * cols", "role": "input"},
      "sizes": {"buffer": "int32", "count": "rows_count", "role": "input", "fill": {"list": "rows"}},
      "offsets": {"buffer": "int64", "count": "rows_count + 1", "role": "input", "fill": {"offsets": "rows"}},
      "y": {"buffer": "dtype", "count": "rows_sum * cols", "role": "output"},
      "cols": {"scalar": "int32", "value": "cols"}})");
  text.set("launches",
           R"json([{"kernel": "demo_kernel", "grid": ["max(1, rows_max)", "rows_count"], "block": ["threads"],
                            "args": ["x", "sizes", "offsets", "y", "cols"]}])json");
  text.set("reference", R"({"launches": [{"kernel": "demo_reference", "grid": ["rows_count"], "block": [256],
                                          "args": ["x", "sizes", "offsets", "y", "cols"]}]})");
  text.set("cost", R"({"bytes_read": "rows_sum * cols", "bytes_written": "rows_min * cols * taps"})");
  text.set("suites", R"json({"default": [{"rows": [128, 64, 0], "cols": 64},
                                     {"rows": "zipf( 8,512,1 )", "cols": 8, "taps": 5}]})json");
  return text;
}

std::string refused(const KernelSpec& spec, const std::string& shape) {
  const auto sizes = parse_sizes(spec, shape);
  EXPECT_FALSE(sizes) << shape;
  return sizes ? "" : sizes.error().message;
}

TEST(ListDims, AreFourDimsToFormulas) {
  const KernelSpec spec = grouped().parse();
  std::vector<std::string> names;
  for (const Dim& dim : spec.dims) names.push_back(dim.name);
  EXPECT_THAT(names, ElementsAre("rows_count", "rows_sum", "rows_max", "rows_min", "cols", "taps"));
  ASSERT_EQ(spec.lists.size(), 1U);
  EXPECT_EQ(spec.list_of_dim(3), 0);
  EXPECT_EQ(spec.list_of_dim(4), -1);
  EXPECT_EQ(spec.dims[1].max, 100000);
  EXPECT_EQ(spec.dims[2].max, 1000);
  EXPECT_EQ(problem_of(spec, "rows=[128,64,0,256],cols=8").dims, (Shape{4, 448, 256, 0, 8, 5}));
}

TEST(ListDims, TheirNumbersHaveTheLimitsOfLists) {
  const KernelSpec spec = grouped(R"({"rows": {"list": true, "min": 0}, "cols": {}, "taps": {"value": 5}})").parse();
  EXPECT_EQ(spec.dims[0].max, kMaxListCount);
  EXPECT_EQ(spec.dims[1].max, kMaxListSum) << "and not the largest size times the largest count";
  EXPECT_EQ(spec.dims[2].max, kMaxListSum);
}

TEST(ListDims, TheKeyHoldsTheCanonicalText) {
  const KernelSpec spec = grouped().parse();
  for (const auto& [typed, key] :
       {std::pair{"cols=8, rows=[ 5,+3 ]", "rows=[5,3],cols=8,taps=5;fp32"},
        std::pair{"rows=equal(2, 4),cols=8,taps=5", "rows=equal(2,4),cols=8,taps=5;fp32"},
        std::pair{"rows=zipf(8,512,1,1.00),cols=8", "rows=zipf(8,512,1),cols=8,taps=5;fp32"}}) {
    const Problem problem = problem_of(spec, typed);
    EXPECT_EQ(problem_key(spec, problem), key);
    EXPECT_EQ(parse_problem_key(spec, key).value(), problem);
  }
  const Problem equal = problem_of(spec, "rows=equal(2,4),cols=8"), exact = problem_of(spec, "rows=[4,4],cols=8");
  EXPECT_FALSE(equal == exact);
  EXPECT_TRUE(is_same_but_lists(equal, exact));
}

TEST(ListDims, AProblemOfNumbersAloneHasSomeListWithThem) {
  const KernelSpec spec = grouped().parse();
  const auto problem = make_problem(spec, Shape{3, 100, 50, 20, 8, 5}, DType::fp32, {});
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem_key(spec, *problem), "rows=spread(3,100,50,20),cols=8,taps=5;fp32");
  EXPECT_EQ(parse_problem_key(spec, problem_key(spec, *problem)).value(), *problem);
  EXPECT_THAT(make_problem(spec, Shape{3, 1, 50, 20, 8, 5}, DType::fp32, {}).error().message,
              HasSubstr("the list 'rows' cannot exist: no numbers have rows_count=3, _sum=1"));
  Shape shape{3, 1, 20, 50, 8, 5};
  make_lists_exist(spec, shape);
  EXPECT_EQ(shape, (Shape{3, 90, 50, 20, 8, 5}));
  EXPECT_TRUE(make_problem(spec, smallest_shape(spec), DType::fp32, {}));
}

TEST(ListDims, AListAndItsNumbersAgree) {
  const KernelSpec spec = grouped().parse();
  const auto made = [&](Shape dims, std::vector<std::string> lists) {
    return make_problem(spec, std::move(dims), DType::fp32, {}, std::move(lists));
  };
  const auto problem = made({2, 8, 5, 3, 8, 5}, {"[ 5,+3 ]"});
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_THAT(problem->lists, ElementsAre("[5,3]"));
  for (const Shape& other : {Shape{3, 8, 5, 3, 8, 5}, {2, 9, 5, 3, 8, 5}, {2, 8, 6, 3, 8, 5}, {2, 8, 5, 2, 8, 5}})
    EXPECT_THAT(made(other, {"[5,3]"}).error().message, HasSubstr("the list '[5,3]' does not match the dims "));
  EXPECT_THAT(made({2, 8, 5, 3, 8, 5}, {"[5,3]", "[1]"}).error().message,
              HasSubstr("got 2 lists, but the kernel has 1"));
}

TEST(ListDims, ShapesThatAreRefusedSayWhy) {
  const KernelSpec spec = grouped().parse();
  EXPECT_THAT(refused(spec, ""), HasSubstr("write rows=[N,...],cols=N"));
  EXPECT_THAT(refused(spec, "cols=8"), HasSubstr("the dim 'rows' is missing; add rows=[N,...]"));
  EXPECT_THAT(refused(spec, "rows=5,cols=8"), HasSubstr("'rows': '5' is not a list"));
  EXPECT_THAT(refused(spec, "row=[5],cols=8"), HasSubstr("unknown dim 'row'; did you mean 'rows'?"));
  EXPECT_THAT(refused(spec, "rows_sum=5,cols=8"), HasSubstr("'rows_sum' is computed from the list 'rows'"));
  EXPECT_THAT(refused(spec, "rows=[5],rows=[5],cols=8"), HasSubstr("given twice"));
  EXPECT_THAT(refused(spec, "rows=[5,1001],cols=8"),
              HasSubstr("the size at index 1 is 1001; it must be from 0 to 1000"));
  EXPECT_THAT(refused(spec, "rows=equal(101,1),cols=8"), HasSubstr("101 sizes, but demo takes at most 100"));
  EXPECT_THAT(refused(spec, "rows=[5,cols=8"), HasSubstr("is not a list"));
  EXPECT_THAT(refused(spec, "rows=[5],cols=[8]"), HasSubstr("not a whole number"));
}

TEST(ListDims, SuitesHoldThem) {
  const KernelSpec spec = grouped().parse();
  const std::vector<SuiteEntry>& entries = spec.suites.at("default");
  EXPECT_EQ(suite_entry_text(spec, entries[0]), "rows=[128,64,0],cols=64,taps=5");
  EXPECT_EQ(suite_entry_text(spec, entries[1]), "rows=zipf(8,512,1),cols=8,taps=5");
  EXPECT_EQ(suite_problem(spec, entries[1], DType::fp32, {}), problem_of(spec, "rows=zipf(8,512,1),cols=8"));
  EXPECT_THAT(grouped().set("suites", R"({"a": [{"rows": [1001], "cols": 8}]})").error(),
              HasSubstr("/suites/a/0/rows: 'rows': the size at index 0 is 1001"));
  EXPECT_THAT(grouped().set("suites", R"({"a": [{"rows": 3, "cols": 8}]})").error(), HasSubstr("a list of sizes"));
  EXPECT_THAT(grouped().set("suites", R"json({"a": [{"rows": "zip(1)", "cols": 8}]})json").error(),
              HasSubstr("'zipf'"));
  EXPECT_THAT(grouped().set("suites", R"({"a": [{"rows_sum": 3, "rows": [3], "cols": 8}]})").error(),
              HasSubstr("unknown dim or flag 'rows_sum'"));
}

TEST(ListDims, SpecsThatAreRefusedSayWhy) {
  EXPECT_THAT(grouped().set("cost", R"({"bytes_read": "rows * cols", "bytes_written": "1"})").error(),
              HasSubstr("'rows' is a list and has no value in a formula; use rows_count, rows_sum, rows_max or "
                        "rows_min"));
  EXPECT_THAT(grouped(R"({"rows": {"list": true}, "rows_sum": {}})").error(), HasSubstr("'rows_sum' is already"));
  EXPECT_THAT(grouped(R"({"rows": {"list": false}})").error(), HasSubstr("'list' must be true"));
  EXPECT_THAT(grouped(R"({"rows": {"list": true, "max_count": 65537}})").error(), HasSubstr("from 1 to 65536"));
  EXPECT_THAT(grouped(R"({"rows": {"list": true, "value": 3}})").error(), HasSubstr("value"));
  EXPECT_THAT(grouped().set("format", "1").error(), HasSubstr("list"));
  EXPECT_THAT(grouped()
                  .set("arguments", R"({"s": {"buffer": "fp32", "count": "1", "role": "input",
                                                   "fill": {"list": "rows"}}})")
                  .error(),
              HasSubstr("integer dtype"));
  EXPECT_THAT(grouped()
                  .set("arguments", R"({"s": {"buffer": "int32", "count": "1", "role": "input",
                                                   "fill": {"offsets": "row"}}})")
                  .error(),
              HasSubstr("'row' is not a dim that is a list; did you mean 'rows'?"));
}

TEST(ListFill, ABufferOfAnotherSizeIsRefusedWhenTheSpecIsRead) {
  const auto error = [](const std::string& count, const std::string& fill) {
    const auto spec = grouped()
                          .set("arguments", R"({"x": {"buffer": "int32", "count": ")" + count +
                                                R"(", "role": "input", "fill": {")" + fill + R"(": "rows"}},
            "y": {"buffer": "dtype", "count": "rows_sum", "role": "output"}})")
                          .set("launches", R"([{"kernel": "k", "grid": [1], "block": [1], "args": ["x", "y"]}])")
                          .set("reference", R"({"launches": [{"kernel": "r", "grid": [1], "block": [1],
                                                              "args": ["x", "y"]}]})")
                          .try_parse();
    return spec ? std::string("read") : spec.error().message;
  };
  EXPECT_THAT(error("rows_count", "offsets"),
              HasSubstr("at /arguments/x/fill: the buffer does not have as many elements as the "
                        "offsets of 'rows'; write \"count\": \"rows_count + 1\""));
  EXPECT_THAT(error("rows_count + 1", "list"), HasSubstr("as the list 'rows'; write \"count\": \"rows_count\""));
  EXPECT_THAT(error("8", "offsets"), HasSubstr("as many elements"));
  EXPECT_THAT(error("rows_sum + 1", "offsets"), HasSubstr("as many elements"));
  EXPECT_EQ(error("1 + rows_count", "offsets"), "read");
  EXPECT_EQ(error("cols", "list"), "read") << "each problem says whether it is right";
}

TEST(ListFill, HoldsTheListAndItsOffsets) {
  const KernelSpec spec = grouped().parse();
  const Problem problem = problem_of(spec, "rows=[128,64,0,256],cols=8");
  const auto plan = make_reference_plan(spec, problem, h200_device());
  ASSERT_TRUE(plan) << plan.error().message;
  const auto buffer = [&](const std::string& name) {
    for (const BufferPlan& b : plan->buffers)
      if (b.name == name) return b;
    return BufferPlan();
  };
  EXPECT_THAT(list_fill_values(spec, problem, buffer("sizes")).value(), ElementsAre(128, 64, 0, 256));
  EXPECT_THAT(list_fill_values(spec, problem, buffer("offsets")).value(), ElementsAre(0, 128, 192, 192, 448));
  BufferPlan longer = buffer("sizes");
  longer.count = 5;
  EXPECT_THAT(list_fill_values(spec, problem, longer).error().message,
              HasSubstr("the buffer has 5 elements; write \"count\": \"rows_count\""));
  BufferPlan narrow = buffer("offsets");
  narrow.dtype = DType::uint8;
  EXPECT_THAT(list_fill_values(spec, problem, narrow).error().message, HasSubstr("uint8 cannot represent 448"));
}

TEST(ListDims, TwoAreKeptApart) {
  SpecText text = grouped(R"({"rows": {"list": true, "min": 0}, "cols": {}, "cuts": {"list": true, "max": 50}})");
  text.set("arguments", R"({"x": {"buffer": "dtype", "count": "rows_sum * cols", "role": "input"},
      "sizes": {"buffer": "int32", "count": "rows_count", "role": "input", "fill": {"list": "rows"}},
      "offsets": {"buffer": "int64", "count": "cuts_count + 1", "role": "input", "fill": {"offsets": "cuts"}},
      "y": {"buffer": "dtype", "count": "rows_sum * cols", "role": "output"},
      "cols": {"scalar": "int32", "value": "cols"}})");
  text.set("cost", R"({"bytes_read": "rows_sum", "bytes_written": "cuts_sum"})");
  const KernelSpec spec =
      text.set("suites", R"json({"default": [{"cuts": "equal(3,7)", "rows": [2], "cols": 8}]})json").parse();
  const Problem problem = problem_of(spec, "cuts=[7,9],rows=[128,64,0],cols=8");
  EXPECT_EQ(problem.dims, (Shape{3, 192, 128, 0, 8, 2, 16, 9, 7}));
  EXPECT_EQ(problem_key(spec, problem), "rows=[128,64,0],cols=8,cuts=[7,9];fp32");
  EXPECT_EQ(parse_problem_key(spec, problem_key(spec, problem)).value(), problem);
  const auto of_numbers = make_problem(spec, problem.dims, DType::fp32, {});
  ASSERT_TRUE(of_numbers) << of_numbers.error().message;
  EXPECT_EQ(problem_key(spec, *of_numbers), "rows=spread(3,192,128,0),cols=8,cuts=spread(2,16,9,7);fp32");
  EXPECT_EQ(suite_entry_text(spec, spec.suites.at("default")[0]), "rows=[2],cols=8,cuts=equal(3,7)");

  const auto plan = make_reference_plan(spec, problem, h200_device());
  ASSERT_TRUE(plan) << plan.error().message;
  std::vector<std::vector<std::int64_t>> fills;
  for (const BufferPlan& buffer : plan->buffers)
    if (buffer.fill.is_made_on_host()) fills.push_back(list_fill_values(spec, problem, buffer).value());
  EXPECT_THAT(fills, ElementsAre(ElementsAre(128, 64, 0), ElementsAre(0, 7, 16)));
}

TEST(FixedSizes, MayBeLeftOut) {
  const KernelSpec spec = SpecText()
                              .set("format", "2")
                              .set("problem", R"({"dtypes": ["fp32"],
      "dims": {"rows": {}, "cols": {"value": 4096}}})")
                              .drop("suites")
                              .parse();
  EXPECT_EQ(parse_shape(spec, "rows=3").value(), (Shape{3, 4096}));
  EXPECT_EQ(parse_shape(spec, "rows=3,cols=4096").value(), (Shape{3, 4096}));
  EXPECT_EQ(problem_key(spec, problem_of(spec, "rows=3")), "rows=3,cols=4096;fp32");
  EXPECT_THAT(refused(spec, "rows=3,cols=5"), HasSubstr("'cols=5', but cols is fixed to 4096; leave it out"));
  EXPECT_FALSE(has_fixed_shape(spec));
}

TEST(DefaultSizes, AreMeantWhereAShapeLeavesThemOut) {
  SpecText text;
  text.set("format", "2").set("problem", R"({"dtypes": ["fp32"], "dims": {"rows": {}, "cols": {"default": 4}}})");
  text.set("suites", R"({"default": [{"rows": 2}, {"rows": 2, "cols": 5}]})");
  const KernelSpec spec = text.parse();
  EXPECT_EQ(parse_shape(spec, "rows=3").value(), (Shape{3, 4}));
  EXPECT_EQ(parse_shape(spec, "rows=3,cols=9").value(), (Shape{3, 9}));
  EXPECT_EQ(spec.suites.at("default")[0].shape, (Shape{2, 4}));
  EXPECT_EQ(spec.suites.at("default")[1].shape, (Shape{2, 5}));
  EXPECT_THAT(refused(spec, "cols=3"), HasSubstr("the dim 'rows' is missing"));
  EXPECT_THAT(text.set("problem", R"({"dtypes": ["fp32"], "dims": {"rows": {}, "cols": {"default": 0}}})").error(),
              HasSubstr("a size from 1 to"));
}

TEST(FixedSizes, AShapeOfNothingElseMayBeEmpty) {
  SpecText text;
  text.set("format", "2")
      .set("problem", R"({"dtypes": ["fp32"], "dims": {"rows": {"value": 64}, "cols": {"value": 0}}})");
  text.set("constraints", "[]").set("suites", R"({"default": [{}]})");
  const KernelSpec spec = text.parse();
  EXPECT_TRUE(has_fixed_shape(spec));
  EXPECT_EQ(parse_shape(spec, " ").value(), (Shape{64, 0}));
  EXPECT_EQ(spec.suites.at("default")[0].shape, (Shape{64, 0}));
  EXPECT_THAT(text.set("suites", R"({"default": [{"cols": 1}]})").error(), HasSubstr("'cols' is fixed to 0"));
  EXPECT_THAT(text.set("problem", R"({"dtypes": ["fp32"], "dims": {"rows": {"value": 64, "min": 1}}})").error(),
              HasSubstr("a dim with 'value' cannot have 'min' or 'max'"));
}

} // namespace
} // namespace warptune::testing
