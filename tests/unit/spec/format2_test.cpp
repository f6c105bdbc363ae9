// Additions of format 2 of spec.json to the sections of format 1 (implementations have their own tests).
#include "plan/compile_request.h"
#include "plan/plan.h"
#include "predict/roofline.h"
#include "predict/transfer_model.h"
#include "spec/config.h"
#include "support/spec_text.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::problem_of;
using testing::SpecText;

SpecText format2_spec() { return SpecText().set("format", "2"); }

std::string arguments_with(const std::string& alpha) {
  return R"({"x": {"buffer": "dtype", "count": "rows * cols", "role": "input"},
             "y": {"buffer": "dtype", "count": "rows * cols", "role": "output"},
             "tmp": {"buffer": "acc", "count": "WARPS * rows", "role": "workspace", "zero": true},
             "cols": {"scalar": "int32", "value": "cols"},
             "alpha": )" +
         alpha + "}";
}

double alpha_of(const KernelSpec& spec, const std::string& shape) {
  const auto plan = make_plan(spec, problem_of(spec, shape), default_config(spec), h200_device());
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  return plan ? plan->scalars.back().number : -1;
}

TEST(Format2, ScalarsByFormula) {
  const SpecText text =
      format2_spec().set("arguments", arguments_with(R"json({"scalar": "fp32", "value": "1 / sqrt(cols)"})json"));
  const KernelSpec spec = text.parse();
  EXPECT_DOUBLE_EQ(alpha_of(spec, "rows=4,cols=64"), 0.125);
  EXPECT_DOUBLE_EQ(alpha_of(spec, "rows=4,cols=16"), 0.25);
  const auto reference = make_reference_plan(spec, problem_of(spec, "rows=4,cols=16"), h200_device());
  ASSERT_TRUE(reference.has_value()) << reference.error().message;
  EXPECT_DOUBLE_EQ(reference->scalars.back().number, 0.25);
  EXPECT_DOUBLE_EQ(alpha_of(format2_spec().parse(), "rows=4,cols=16"), 1.5) << "a plain number";
}

TEST(Format2, ScalarsThatCannotBeEvaluated) {
  const KernelSpec spec =
      format2_spec()
          .set("arguments", arguments_with(R"json({"scalar": "fp32", "value": "1 / (cols - 64)"})json"))
          .parse();
  const auto plan = make_plan(spec, problem_of(spec, "rows=4,cols=64"), default_config(spec), h200_device());
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(plan.error().message, HasSubstr("the value of 'alpha': division by zero at column 3"));
}

TEST(Format2, MistakesInScalars) {
  const auto error_with = [](const std::string& alpha) {
    return format2_spec().set("arguments", arguments_with(alpha)).error();
  };
  EXPECT_THAT(error_with(R"json({"scalar": "fp32", "value": "1 / colz"})json"),
              HasSubstr("at /arguments/alpha/value: unknown name 'colz'; did you mean 'cols'?"));
  EXPECT_THAT(error_with(R"json({"scalar": "fp32", "value": true})json"), HasSubstr("expected a number or a formula"));
  EXPECT_THAT(error_with(R"json({"scalar": "fp32", "value": "1.0 / VEC", "role": "parameter"})json"),
              HasSubstr("may not depend on a param, and this formula uses 'VEC'"));
  EXPECT_THAT(error_with(R"json({"scalar": "fp32", "value": "1.0 / VEC"})json"),
              HasSubstr("an argument of the reference may not depend on a param"));
  EXPECT_THAT(SpecText().set("arguments", arguments_with(R"json({"scalar": "fp32", "value": "1 / cols"})json")).error(),
              HasSubstr("expected a number, got the string"))
      << "format 1";
}

TEST(Format2, ScalarsThatAreTooLargeForTheirType) {
  const auto with = [](const std::string& dtype, const std::string& value) {
    return format2_spec().set("arguments", arguments_with(R"({"scalar": ")" + dtype + R"(", "value": )" + value + "}"));
  };
  EXPECT_THAT(with("fp32", "1e300").error(), HasSubstr("at /arguments/alpha/value: the number is too large for fp32"));
  EXPECT_THAT(with("fp16", "-65520").error(), HasSubstr("too large for fp16"));
  EXPECT_THAT(with("fp8_e4m3", "465").error(), HasSubstr("too large for fp8_e4m3"));
  EXPECT_EQ(alpha_of(with("fp16", "65519").parse(), "rows=4,cols=16"), 65519) << "rounds to the largest value";
  EXPECT_EQ(alpha_of(with("fp64", "1e300").parse(), "rows=4,cols=16"), 1e300);
  const KernelSpec spec = with("fp16", "\"cols * 1000.0\"").parse();
  EXPECT_EQ(alpha_of(spec, "rows=4,cols=16"), 16000);
  const auto plan = make_plan(spec, problem_of(spec, "rows=4,cols=80"), default_config(spec), h200_device());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(plan.error().message, HasSubstr("the value of 'alpha' ('cols * 1000.0') is too large for fp16"));
}

TEST(Format2, TheNameOfTheChoiceIsReserved) {
  const std::string reserved = "'implementation' is already the name of the choice among implementations";
  EXPECT_THAT(format2_spec().set("derived", R"({"implementation": "rows"})").error(), HasSubstr(reserved));
  EXPECT_THAT(format2_spec().set("types", R"({"acc": "fp32", "implementation": "fp32"})").error(), HasSubstr(reserved));
  EXPECT_THAT(SpecText().set("derived", R"({"implementation": "rows"})").error(), ::testing::Not(HasSubstr(reserved)))
      << "format 1";
}

TEST(Format2, FilesStayInTheFolder) {
  const auto reference = [](const std::string& source) {
    return format2_spec()
        .set("reference", R"({"source": ")" + source +
                              R"(", "launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["x", "y"]}]})")
        .error();
  };
  for (const char* path : {"../../../etc/passwd", "/etc/passwd", "", "a\\u0000b"})
    EXPECT_THAT(reference(path), HasSubstr("at /reference/source: expected the name of a file in the folder")) << path;
  EXPECT_THAT(format2_spec().set("compile", R"({"defines": {"A": {"text": "a\u0000b"}}})").error(),
              HasSubstr("at /compile/defines/A/text: this string must not contain a zero character"));
}

TEST(Format2, KeysLeaveOutWhatHasItsDefault) {
  const auto dims_and_flags = [](const std::string& flag) {
    return R"({"dims": {"rows": {}, "batch": {"default": 1}, "cols": {"max": 1048576}}, "dtypes": ["bf16", "fp32"],
               "flags": {"layout": {"values": ["nt", "nn"], "default": "nt"}, "log": )" +
           flag + "}}";
  };
  const KernelSpec spec = format2_spec().set("problem", dims_and_flags(R"({"values": [0, 1], "default": 0})")).parse();
  const auto key = [&](const std::string& shape, const std::vector<std::string>& sets) {
    const Problem problem = problem_of(spec, shape, "fp32", sets);
    const std::string text = problem_key(spec, problem);
    const auto back = parse_problem_key(spec, text);
    EXPECT_TRUE(back && *back == problem) << text;
    return text;
  };
  EXPECT_EQ(key("rows=2,cols=3", {}), "rows=2,cols=3;fp32");
  EXPECT_EQ(key("rows=2,cols=3,batch=1", {"layout=nt"}), "rows=2,cols=3;fp32");
  EXPECT_EQ(key("rows=2,cols=3,batch=4", {"log=1"}), "rows=2,batch=4,cols=3;fp32;log=1");
  EXPECT_EQ(key("rows=2,cols=3", {"layout=nn", "log=1"}), "rows=2,cols=3;fp32;layout=nn,log=1");
  EXPECT_THAT(format2_spec().set("problem", dims_and_flags(R"({"values": [0, 1], "default": 1})")).error(),
              HasSubstr("the default of a flag must be its first value, '0'"));
}

TEST(Format2, TolerancesByOutputAndFormula) {
  const std::string two = arguments_with(R"({"buffer": "fp32", "count": "rows", "role": "output"})");
  const KernelSpec spec = format2_spec()
                              .set("arguments", two)
                              .set("tolerance", R"json({"default": {"rtol": 1e-5}, "bf16": {"rtol": 8e-3, "rms": 1e-3},
                                    "outputs": {"alpha": {"default": {"rtol": "1e-6 * sqrt(cols)",
                                                                      "atol": "log == 1 ? 1e-3 : 0"}}}})json")
                              .parse();
  const auto tolerance = [&](const std::string& output, const std::string& dtype, const std::string& log) {
    const auto found = tolerance_of(spec, problem_of(spec, "rows=1,cols=64", dtype, {"log=" + log}), output);
    EXPECT_TRUE(found.has_value()) << found.error().message;
    return found.value_or(Tolerance());
  };
  EXPECT_DOUBLE_EQ(tolerance("y", "fp32", "0").rtol, 1e-5);
  EXPECT_DOUBLE_EQ(tolerance("y", "bf16", "0").rms, 1e-3);
  EXPECT_DOUBLE_EQ(tolerance("alpha", "bf16", "0").rtol, 8e-6);
  EXPECT_DOUBLE_EQ(tolerance("alpha", "bf16", "0").atol, 0);
  EXPECT_DOUBLE_EQ(tolerance("alpha", "fp32", "1").atol, 1e-3);
  EXPECT_DOUBLE_EQ(tolerance("alpha", "fp32", "1").rms, 0);
}

TEST(Format2, TolerancesThatAreNone) {
  const auto refused = [](const std::string& rtol) {
    const KernelSpec spec = format2_spec().set("tolerance", R"({"default": {"rtol": ")" + rtol + "\"}}").parse();
    const auto found = tolerance_of(spec, problem_of(spec, "rows=1,cols=64"), "y");
    EXPECT_FALSE(found.has_value());
    return found ? std::string() : found.error().message;
  };
  EXPECT_THAT(refused("cols / 64"), HasSubstr("the rtol of 'y': 'cols / 64' is 1.000000; it must be below 1"));
  EXPECT_THAT(refused("0 - cols"), HasSubstr("it must be at least 0"));
  EXPECT_THAT(refused("1 / (cols - 64)"), HasSubstr("division by zero"));
}

TEST(Format2, MistakesInTolerances) {
  const auto error_with = [](const std::string& text) { return format2_spec().set("tolerance", text).error(); };
  EXPECT_THAT(error_with(R"({"default": {"rtol": "2 / 2"}})"), HasSubstr("must be below 1"));
  EXPECT_THAT(error_with(R"({"default": {"rtol": "-1"}})"), HasSubstr("expected a number of at least 0"));
  EXPECT_THAT(error_with(R"({"default": {"rtol": "1 / WARPS"}})"), HasSubstr("unknown name 'WARPS'"));
  EXPECT_THAT(error_with(R"({"default": {"rtol": "1 / sm_count"}})"), HasSubstr("may not depend on the device"));
  EXPECT_THAT(error_with(R"({"default": {"rtol": 0}, "outputs": {"x": {}}})"),
              HasSubstr("at /tolerance/outputs/x: 'x' is not an output"));
  EXPECT_THAT(error_with(R"({"outputs": {"y": {"default": {"rtol": 0}}}})"), HasSubstr("no tolerance for bf16"));
  EXPECT_THAT(SpecText().set("tolerance", R"({"default": {"rtol": "1e-5"}})").error(),
              HasSubstr("expected a number, got the string"))
      << "format 1";
  EXPECT_THAT(SpecText().set("tolerance", R"({"default": {"rtol": 0}, "outputs": {}})").error(),
              HasSubstr("unknown dtype 'outputs'"))
      << "format 1";
}

TEST(Format2, SuitesThatNameDtypeAndFlags) {
  const KernelSpec spec = format2_spec()
                              .set("suites", R"({"default": [{"rows": 32, "cols": 64},
                                                 {"rows": 32, "cols": 64, "dtype": "fp32", "log": 1, "layout": "nn"}]})")
                              .parse();
  const std::vector<SuiteEntry>& entries = spec.suites.at("default");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0], (SuiteEntry{{32, 64}}));
  EXPECT_EQ(suite_entry_text(spec, entries[0]), "rows=32,cols=64");
  EXPECT_EQ(suite_entry_text(spec, entries[1]), "rows=32,cols=64;fp32;log=1,layout=nn");
  const Problem wanted = problem_of(spec, "rows=32,cols=64", "fp32", {"log=1", "layout=nn"});
  const Problem other = problem_of(spec, "rows=32,cols=64", "fp32", {"log=0", "layout=nn"});
  EXPECT_EQ(suite_problem(spec, entries[0], other.dtype, other.flags), other);
  EXPECT_EQ(suite_problem(spec, entries[1], wanted.dtype, wanted.flags), wanted);
  EXPECT_EQ(suite_problem(spec, entries[1], other.dtype, other.flags), std::nullopt);
  EXPECT_EQ(suite_problem(spec, entries[1], DType::bf16, wanted.flags), std::nullopt);
}

TEST(Format2, MistakesInSuites) {
  const auto error_with = [](const std::string& more) {
    return format2_spec().set("suites", R"({"a": [{"rows": 1, "cols": 1, )" + more + "}]}").error();
  };
  EXPECT_THAT(error_with(R"("dtype": "fp64")"), HasSubstr("at /suites/a/0/dtype: expected a dtype of the problem"));
  EXPECT_THAT(error_with(R"("layout": "tt")"),
              HasSubstr("at /suites/a/0/layout: expected a value of the flag 'layout'"));
  EXPECT_THAT(error_with(R"("log": 2)"), HasSubstr("at /suites/a/0/log: expected a value of the flag 'log' (0 or 1)"));
  EXPECT_THAT(error_with(R"("lag": 1)"),
              HasSubstr("at /suites/a/0/lag: unknown dim or flag 'lag'; did you mean 'log'?"));
  EXPECT_THAT(SpecText().set("suites", R"({"a": [{"rows": 1, "cols": 1, "log": 1}]})").error(),
              HasSubstr("unknown dim 'log'"))
      << "format 1";
}

TEST(Format2, SpecialFunctionsHaveNoRoof) {
  const auto cost = [](const std::string& flops) {
    return R"({"bytes_read": "rows * cols", "bytes_written": 0, "flops": )" + flops + "}";
  };
  const KernelSpec spec = format2_spec().set("cost", cost(R"({"fp32": "rows", "sfu": "rows * cols"})")).parse();
  const auto estimate = estimate_cost(spec, problem_of(spec, "rows=4,cols=64"), h200_device());
  ASSERT_TRUE(estimate.has_value()) << estimate.error().message;
  ASSERT_EQ(estimate->flops.size(), 2u);
  EXPECT_EQ(estimate->flops[1], (std::pair<std::string, double>("sfu", 256)));
  CostEstimate without = *estimate;
  without.flops.pop_back();
  EXPECT_DOUBLE_EQ(roofline_point(*estimate, h200_device().roofs, 0).floor_us,
                   roofline_point(without, h200_device().roofs, 0).floor_us);
  EXPECT_THAT(SpecText().set("cost", cost(R"({"sfu": "rows"})")).error(), HasSubstr("unknown key 'sfu'")) << "format 1";
}

TEST(Format2, DimsThatMayBeZero) {
  const std::string dims = R"({"dims": {"rows": {"min": 0}, "cols": {"min": 1}}, "dtypes": ["bf16", "fp32"],
                               "flags": {"log": {"values": [0, 1]}, "layout": {"values": ["nt", "nn"]}}})";
  const KernelSpec spec = format2_spec()
                              .set("problem", dims)
                              .set("launches", R"json([{"kernel": "k", "grid": ["max(1, ceil_div(rows, WARPS))"],
                                                        "block": ["threads"], "args": ["x", "y", "tmp", "cols"]}])json")
                              .set("reference", R"json({"launches": [{"kernel": "r", "grid": ["max(1, rows)"],
                                                                      "block": [256], "args": ["x", "y"]}]})json")
                              .parse();
  const Problem empty = problem_of(spec, "rows=0,cols=64");
  EXPECT_EQ(problem_key(spec, empty), "rows=0,cols=64;bf16;log=0,layout=nt");
  EXPECT_EQ(parse_problem_key(spec, problem_key(spec, empty)).value_or(Problem()), empty);
  const auto plan = make_plan(spec, empty, default_config(spec), h200_device());
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(plan->buffers[0].bytes(), 0);
  EXPECT_TRUE(make_reference_plan(spec, empty, h200_device()).has_value());
  EXPECT_THAT(parse_shape(spec, "rows=0,cols=0").error().message, HasSubstr("'cols=0' is zero"));
  EXPECT_THAT(parse_shape(spec, "rows=-1,cols=1").error().message, HasSubstr("'rows=-1' is negative"));
  EXPECT_THAT(format2_spec().set("problem", R"({"dims": {"n": {"min": -1}}, "dtypes": ["fp32"]})").error(),
              HasSubstr("at /problem/dims/n/min: expected an integer of at least 0"));
  EXPECT_THAT(SpecText().set("problem", R"({"dims": {"n": {"min": 0}}, "dtypes": ["fp32"]})").error(),
              HasSubstr("expected an integer of at least 1"))
      << "format 1";
}

TEST(Format2, DistancesOfDimsThatAreZero) {
  EXPECT_DOUBLE_EQ(shape_distance({0, 8}, {0, 8}), 0);
  EXPECT_DOUBLE_EQ(shape_distance({0}, {1}), 1);
  EXPECT_DOUBLE_EQ(shape_distance({7}, {0}), 3);
  EXPECT_DOUBLE_EQ(shape_distance({4}, {32}), 3) << "as ever where neither is zero";
}

TEST(Format2, MacrosByFlag) {
  const std::string define = R"({"defines": {"ORDER": {"text": {"layout": {"nt": "a, b", "nn": "b, a"}}}}})";
  const KernelSpec spec = format2_spec().set("compile", define).parse();
  const SourceFiles sources{{{"kernel.cu", ""}, {"reference.cu", ""}}};
  const auto options = [&](const std::string& layout) {
    const Problem problem = problem_of(spec, "rows=4,cols=64", "", {"layout=" + layout});
    const auto plan = make_plan(spec, problem, default_config(spec), h200_device());
    EXPECT_TRUE(plan.has_value()) << plan.error().message;
    const auto request =
        make_compile_request(spec, sources, problem, default_config(spec), h200_device(), plan.value_or(LaunchPlan()));
    EXPECT_TRUE(request.has_value()) << request.error().message;
    return request ? request->options : std::vector<std::string>();
  };
  EXPECT_THAT(options("nt"), Contains("-DORDER=a, b"));
  EXPECT_THAT(options("nn"), Contains("-DORDER=b, a"));
}

TEST(Format2, TemplateArgumentsByFlag) {
  const auto launches = [](const std::string& text) {
    return R"json([{"kernel": "demo_kernel", "template": ["WARPS", {"text": )json" + text +
           R"json(}], "grid": ["rows"], "block": [256], "args": ["x", "y"]}])json";
  };
  const KernelSpec spec =
      format2_spec().set("launches", launches(R"({"layout": {"nt": "Rows", "nn": "Columns"}})")).parse();
  const auto name = [&](const std::string& layout) {
    const Problem problem = problem_of(spec, "rows=4,cols=64", "", {"layout=" + layout});
    const auto plan = make_plan(spec, problem, default_config(spec), h200_device());
    EXPECT_TRUE(plan.has_value()) << plan.error().message;
    return plan ? plan->launches.front().name_expression : "";
  };
  EXPECT_EQ(name("nt"), "demo_kernel<4, Rows>");
  EXPECT_EQ(name("nn"), "demo_kernel<4, Columns>");
  EXPECT_THAT(format2_spec().set("launches", launches(R"({"layout": {"nt": "Rows"}})")).error(),
              HasSubstr("at /launches/0/template/1/text/layout: the key 'nn'"));
  EXPECT_THAT(SpecText().set("launches", launches(R"({"layout": {"nt": "Rows", "nn": "Columns"}})")).error(),
              HasSubstr("at /launches/0/template/1/text: expected a string"))
      << "format 1";
}

TEST(Format2, MistakesInMacrosByFlag) {
  const auto error_with = [](const std::string& text) {
    return format2_spec().set("compile", R"({"defines": {"M": {"text": )" + text + "}}}").error();
  };
  EXPECT_THAT(error_with(R"({"layout": {"nt": "a"}})"), HasSubstr("at /compile/defines/M/text/layout: the key 'nn'"));
  EXPECT_THAT(error_with(R"({"layout": {"nt": "a", "nn": "b", "tt": "c"}})"), HasSubstr("unknown key 'tt'"));
  EXPECT_THAT(error_with(R"({"layoutt": {}})"), HasSubstr("unknown flag 'layoutt'; did you mean 'layout'?"));
  EXPECT_THAT(error_with("{}"), HasSubstr("expected an object with exactly one flag"));
  EXPECT_THAT(error_with(R"({"layout": {"nt": 1, "nn": "b"}})"), HasSubstr("expected a string"));
  EXPECT_THAT(SpecText().set("compile", R"({"defines": {"M": {"text": {"layout": {"nt": "a", "nn": "b"}}}}})").error(),
              HasSubstr("at /compile/defines/M/text: expected a string"))
      << "format 1";
}

} // namespace
} // namespace warptune
