// An operator with several implementations: the params of all, texts of configurations, and which keys belong to which
// implementation.
#include "plan/plan.h"
#include "space/space.h"
#include "spec/alignment.h"
#include "spec/source_hash.h"
#include "support/implementations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Config config_of(const KernelSpec& spec, const std::string& text) {
  auto config = parse_config(spec, text);
  EXPECT_TRUE(config) << text << ": " << config.error().message;
  return config.value_or(Config{});
}

std::string error_of(const KernelSpec& spec, const std::string& text) {
  auto config = parse_config(spec, text);
  return config ? "read" : config.error().message;
}

Problem problem_of(const KernelSpec& spec, std::int64_t n = 64) { return *make_problem(spec, {n}, DType::fp32, {}); }

std::string error_with(const std::string& file, const std::string& text) {
  SourceFiles files = test::two_implementation_files();
  for (auto& [name, content] : files.files)
    if (name == file) content = text;
  auto spec = parse_spec(files, "op/spec.json");
  return spec ? "read" : spec.error().message;
}

TEST(Implementations, TheChoiceComesFirstAndParamsOfOneNameAreOne) {
  const KernelSpec spec = test::two_implementations();
  ASSERT_EQ(spec.params.size(), 3U);
  EXPECT_EQ(spec.params[0].name, kImplementation);
  EXPECT_THAT(spec.params[0].labels, ElementsAre("plain", "fast"));
  EXPECT_EQ(spec.params[1].name, "VEC");
  EXPECT_THAT(spec.params[1].values, ElementsAre(1, 2, 4));
  EXPECT_THAT(spec.params[2].labels, ElementsAre("none", "stream"));
  EXPECT_EQ(spec.implementations[1].source, "fast/kernel.cu");
  EXPECT_EQ(spec.implementations[1].summary, "in vectors");
  EXPECT_THAT(test::two_implementations("fast").params[0].labels, ElementsAre("fast", "plain"));
}

TEST(Implementations, EachHasItsOwnMeaningOfAParam) {
  const auto with = [](const std::string& plain, const std::string& fast) {
    SourceFiles files = test::two_implementation_files();
    for (auto& [name, content] : files.files) {
      const std::string& meaning = name == "plain/implementation.json" ? plain : fast;
      const auto at = content.find("\"VEC\": {");
      if (at != std::string::npos && !meaning.empty()) content.insert(at + 8, R"("meaning": ")" + meaning + "\", ");
    }
    return parse_spec(files, "op/spec.json")->params[1];
  };
  const Param different = with("elements of a thread", "elements of a vector");
  EXPECT_EQ(different.meaning_in("plain"), "elements of a thread");
  EXPECT_EQ(different.meaning_in("fast"), "elements of a vector");
  EXPECT_EQ(different.meaning, "elements of a thread (plain); elements of a vector (fast)");
  const Param same = with("elements", "elements");
  EXPECT_EQ(same.meaning, "elements");
  EXPECT_TRUE(same.own_meanings.empty());
  const Param one = with("", "elements of a vector");
  EXPECT_EQ(one.meaning, "elements of a vector");
  EXPECT_EQ(one.meaning_in("plain"), "elements of a vector") << "no implementation gives another meaning";
}

TEST(Implementations, TextsNameTheImplementationAndItsParamsAlone) {
  const KernelSpec spec = test::two_implementations();
  EXPECT_EQ(config_text(spec, default_config(spec)), "implementation=plain,VEC=1");
  EXPECT_EQ(config_text(spec, default_config(spec, 1)), "implementation=fast,VEC=4,HINT=none");
  const std::string text = "implementation=fast,VEC=4,HINT=stream";
  EXPECT_EQ(config_text(spec, config_of(spec, text)), text);
  EXPECT_EQ(spec.implementation(config_of(spec, text)).name, "fast");
}

TEST(Implementations, TheDefaultOfAProblemIsTheFirstThatIsValid) {
  const KernelSpec spec = test::two_implementations("fast");
  const auto standard = [&](std::int64_t n) {
    return config_text(spec, default_config(spec, problem_of(spec, n), h200_device()));
  };
  EXPECT_EQ(standard(64), "implementation=fast,VEC=4,HINT=none");
  EXPECT_EQ(standard(72), "implementation=plain,VEC=1"); // 72 / 4 is not a multiple of 4
  SourceFiles files = test::two_implementation_files("fast");
  for (auto& [name, content] : files.files)
    if (name == "plain/implementation.json")
      content = R"({"summary": "by the driver", "params": {},
                    "launches": [{"library": "driver", "call": "copy", "values": {"bytes": "4 * n"},
                                  "args": {"to": "y", "from": "x"}}]})";
    else if (name == "plain/kernel.cu")
      name = "plain/unused.cuh";
  const KernelSpec with_call = parse_spec(files, "op/spec.json").value();
  EXPECT_EQ(config_text(with_call, default_config(with_call, problem_of(with_call, 72), h200_device())),
            "implementation=fast,VEC=4,HINT=none"); // a library call never replaces an implementation
  files = test::two_implementation_files("fast");
  for (auto& [name, content] : files.files)
    if (name == "plain/implementation.json")
      content.insert(1, R"("build": {"command": ["x"], "inputs": ["kernel.cu"]},)");
  const KernelSpec with_build = parse_spec(files, "op/spec.json").value();
  EXPECT_EQ(config_text(with_build, default_config(with_build, problem_of(with_build, 72), h200_device())),
            "implementation=fast,VEC=4,HINT=none"); // nor does one that a command must build
}

TEST(Implementations, FormerTextsAreRead) {
  const KernelSpec spec = test::two_implementations();
  EXPECT_EQ(config_text(spec, config_of(spec, "MODE=0,VEC=2,CHUNK=1")), "implementation=plain,VEC=2");
  EXPECT_EQ(config_text(spec, config_of(spec, "VEC=4,MODE=1,HINT=none")), "implementation=fast,VEC=4,HINT=none");
  EXPECT_THAT(error_of(spec, "MODE=2,VEC=2"), HasSubstr("does not name an implementation"));
}

TEST(Implementations, FormerTextsHaveParamsThatAreKnownAndNoOthers) {
  const KernelSpec spec = test::two_implementations();
  EXPECT_EQ(config_text(spec, config_of(spec, "MODE=0,VEC=2,HINT=none")), "implementation=plain,VEC=2");
  EXPECT_THAT(error_of(spec, "MODE=0,VEC=2,CHNK=1"), HasSubstr("unknown param 'CHNK' of the implementation plain"));
  EXPECT_THAT(error_of(spec, "MODE=1,VEC=4,HINT=none,CHUNK=1"), HasSubstr("unknown param 'CHUNK'")) << "plain's";
}

// If several rules match, the one with the most conditions applies, whatever the order of the implementations.
TEST(Implementations, TheFormerRuleThatAsksForMostIsMeant) {
  SourceFiles files = test::two_implementation_files();
  for (auto& [name, text] : files.files)
    if (const std::size_t at = text.find(R"("MODE": 1)"); at != std::string::npos)
      text.replace(at, 9, R"("MODE": 0, "STAGES": 2)");
  for (const char* standard : {"plain", "fast"}) {
    files.files.front().second = test::two_implementation_files(standard).files.front().second;
    const KernelSpec spec = parse_spec(files, "op/spec.json").value();
    EXPECT_EQ(config_text(spec, config_of(spec, "MODE=0,STAGES=2,VEC=2,HINT=none")),
              "implementation=fast,VEC=2,HINT=none");
    EXPECT_EQ(config_text(spec, config_of(spec, "MODE=0,VEC=2")), "implementation=plain,VEC=2");
  }
}

// A text with `implementation=` must not contain the name of a former param.
TEST(Implementations, FormerNamesAreForFormerTextsOnly) {
  const KernelSpec spec = test::two_implementations();
  EXPECT_THAT(error_of(spec, "implementation=plain,VEC=2,MODE=0"), HasSubstr("unknown param 'MODE'"));
  EXPECT_THAT(error_of(spec, "implementation=plain,VEC=2,MODE=1"), HasSubstr("unknown param 'MODE'"));
}

TEST(Implementations, FormerNamesThatCouldBeMeantTwiceAreRefused) {
  const auto fast = [](const std::string& formerly) {
    return error_with("fast/implementation.json",
                      R"({"params": {"VEC": {"values": [2], "default": 2}}, "launches": [{"kernel": "k", "grid": [1],
                         "block": [32], "args": ["x", "y"]}], "formerly": )" +
                          formerly + "}");
  };
  EXPECT_THAT(fast(R"({"MODE": 1, "VEC": 2})"), HasSubstr("at /formerly/VEC: 'VEC' is a param of this implementation"));
  EXPECT_THAT(fast(R"({"MODE": 0})"), HasSubstr("at /formerly: the implementation 'plain' has the same"));
  EXPECT_EQ(fast(R"({"MODE": 0, "STAGES": 2})"), "read");
  EXPECT_THAT(fast(R"({"STAGES": 2})"),
              HasSubstr("could match this implementation and 'plain'; name one param in 'formerly' of both"));
  EXPECT_EQ(fast(R"({"MODE": 1, "STAGES": 2})"), "read") << "they differ in MODE";
}

TEST(Implementations, WhatFitsTheImplementationOfTheSpecIsNoFormerTextOfAnother) {
  const auto error = [](const std::string& formerly) {
    const SourceFiles files{{{"spec.json", R"({"format": 2, "name": "op", "summary": "y = x",
        "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]}, "params": {"VEC": {"values": [1, 2], "default": 1}},
        "arguments": {"y": {"buffer": "dtype", "count": "n", "role": "output"}},
        "launches": [{"kernel": "k", "grid": [1], "block": [1], "args": ["y"]}],
        "reference": {"launches": [{"kernel": "r", "grid": [1], "block": [1], "args": ["y"]}]},
        "cost": {"bytes_read": "n", "bytes_written": "n"}, "tolerance": {"default": {"rtol": 1e-3}},
        "suites": {"default": [{"n": 1}]}})"},
                             {"fast/implementation.json", R"({"launches": [{"kernel": "k", "grid": [1], "block": [32],
        "args": ["y"]}], "formerly": )" + formerly + "}"}}};
    const auto spec = parse_spec(files, "test");
    return spec ? std::string("read") : spec.error().message;
  };
  EXPECT_THAT(error(R"({"VEC": 2})"),
              HasSubstr("at /formerly: a former configuration could match this implementation and"));
  EXPECT_EQ(error(R"({"VEC": 4})"), "read") << "today's has no such value";
  EXPECT_EQ(error(R"({"VEC": 2, "MODE": 1})"), "read") << "nor such a param";
}

TEST(Implementations, FormerNamesAndValuesThatCannotHaveBeenAreRefused) {
  const auto fast = [](const std::string& formerly) {
    return error_with(
        "fast/implementation.json",
        R"({"launches": [{"kernel": "k", "grid": [1], "block": [32], "args": ["x", "y"]}], "formerly": )" + formerly +
            "}");
  };
  EXPECT_THAT(fast(R"({"MO DE": 1})"), HasSubstr("'MO DE' is not a valid name of a former param"));
  EXPECT_THAT(fast(R"({"max": 1})"), HasSubstr("'max' is not a valid name"));
  EXPECT_THAT(fast(R"({"n": 1})"), HasSubstr("'n' is the name of a dim, so it cannot be the name of a former param"));
  EXPECT_THAT(fast(R"({"sm_count": 1})"), HasSubstr("'sm_count' is the name of a device limit"));
  EXPECT_THAT(fast(R"({"implementation": "fast"})"), HasSubstr("former configurations have no 'implementation'"));
  EXPECT_THAT(fast(R"({"MODE": "a b"})"), HasSubstr("'a b' is not a valid value of a former param"));
  EXPECT_THAT(fast(R"({"MODE": ""})"), HasSubstr("'' is not a valid value"));
  EXPECT_THAT(fast(R"({"MODE": null})"), HasSubstr("name at least one value"));
  EXPECT_EQ(fast(R"({"MODE": "fast", "CHUNK": null})"), "read");
}

TEST(Implementations, AFolderNamedAsTheImplementationOfTheSpecIsAClash) {
  const SourceFiles files{{{"spec.json", R"({"format": 2, "name": "op", "summary": "y = x",
      "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]}, "params": {},
      "arguments": {}, "reference": {}, "cost": {}, "tolerance": {},
      "launches": [{"kernel": "k", "grid": [1], "block": [1], "args": ["y"]}]})"},
                           {"main/implementation.json", "{}"}}};
  const auto spec = parse_spec(files, "op/spec.json");
  ASSERT_FALSE(spec);
  EXPECT_THAT(spec.error().message,
              HasSubstr("a folder named 'main', which is also the name of the implementation in spec.json"));
}

TEST(Implementations, WrongTextsSayWhy) {
  const KernelSpec spec = test::two_implementations();
  EXPECT_THAT(error_of(spec, "implementation=slow,VEC=2"), HasSubstr("choose plain or fast"));
  EXPECT_THAT(error_of(spec, "implementation=plain,VEC=4"), HasSubstr("choose 1 or 2"));
  EXPECT_THAT(error_of(spec, "implementation=plain,VEC=2,HINT=none"), HasSubstr("of the implementation plain"));
  EXPECT_THAT(error_of(spec, "implementation=fast,VEC=2"), HasSubstr("'HINT' is missing"));
}

TEST(Implementations, AParamOfAnotherOneHasItsDefault) {
  SourceFiles files = test::two_implementation_files("fast");
  for (auto& [name, text] : files.files)
    if (name == "plain/implementation.json")
      text.replace(text.find("VEC"), 3, "WIDTH"), text.replace(text.find("/ VEC"), 5, "/ WIDTH");
  const KernelSpec spec = parse_spec(files, "op/spec.json").value();
  const auto wrong = [&](const std::string& text, std::size_t param, std::int64_t value) {
    Config config = config_of(spec, text);
    EXPECT_EQ(check_config(spec, problem_of(spec), h200_device(), config), std::nullopt);
    config[param] = value;
    return check_config(spec, problem_of(spec), h200_device(), config).value_or("valid");
  };
  ASSERT_EQ(spec.params[1].name, "VEC");
  ASSERT_EQ(spec.params[3].name, "WIDTH");
  EXPECT_EQ(wrong("implementation=plain,WIDTH=2", 1, 2), "VEC is not a param of the implementation plain");
  EXPECT_EQ(wrong("implementation=fast,VEC=4,HINT=none", 3, 2), "WIDTH is not a param of the implementation fast");
}

// The default of an operator: first a normally compiled implementation, then a built one, then a library call.
TEST(Implementations, TheFirstThatNeedsNothingElseIsTheDefault) {
  const char* const kBuilt = R"({"build": {"command": ["x"], "inputs": ["kernel.cu"]},
      "launches": [{"kernel": "k", "grid": ["n"], "block": [32], "args": ["x", "y"]}]})";
  const char* const kCalling = R"({"launches": [{"library": "driver", "call": "copy", "values": {"bytes": "4 * n"},
      "args": {"to": "y", "from": "x"}}]})";
  const char* const kPlain = R"({"launches": [{"kernel": "k", "grid": ["n"], "block": [32], "args": ["x", "y"]}]})";
  const auto standard = [](std::vector<std::pair<std::string, const char*>> folders) {
    SourceFiles files = test::two_implementation_files();
    std::string& spec = files.files[0].second;
    spec.erase(spec.find(R"("default_implementation": "plain",)"), 34);
    files.files.resize(1);
    for (const auto& [folder, text] : folders) {
      files.files.emplace_back(folder + "/implementation.json", text);
      files.files.emplace_back(folder + "/kernel.cu", "// " + folder);
    }
    files.files.emplace_back("reference.cu", "// reference");
    const auto parsed = parse_spec(files, "op/spec.json");
    EXPECT_TRUE(parsed) << parsed.error().message;
    return parsed ? parsed->implementations.front().name : std::string();
  };
  EXPECT_EQ(standard({{"a", kBuilt}, {"b", kCalling}, {"c", kPlain}, {"d", kPlain}}), "c");
  EXPECT_EQ(standard({{"a", kCalling}, {"b", kBuilt}}), "b");
  EXPECT_EQ(standard({{"a", kCalling}, {"b", kCalling}}), "a");
}

TEST(Implementations, AParamMeansNothingWhereItsConditionIsZero) {
  const KernelSpec spec = test::two_implementations();
  const auto check = [&](const std::string& text) {
    return check_config(spec, problem_of(spec), h200_device(), config_of(spec, text)).value_or("valid");
  };
  EXPECT_EQ(check("implementation=fast,VEC=4,HINT=stream"), "valid");
  EXPECT_THAT(check("implementation=fast,VEC=2,HINT=stream"), HasSubstr("has no effect here"));
  Config foreign = default_config(spec);
  foreign[2] = spec.params[2].values[1];
  EXPECT_THAT(check_config(spec, problem_of(spec), h200_device(), foreign).value_or("valid"),
              HasSubstr("is not a param of the implementation plain"));
}

// plain has 2; fast has VEC=2, and VEC=4 with either hint.
TEST(Implementations, TheSpaceIsThatOfEachPutTogether) {
  for (const char* standard : {"plain", "fast"}) {
    const KernelSpec spec = test::two_implementations(standard);
    const auto space = SearchSpace::build(spec, problem_of(spec), h200_device());
    ASSERT_TRUE(space) << space.error().message;
    std::set<std::string> texts;
    for (ConfigIndex i = 0; i < space->size(); ++i) {
      EXPECT_FALSE(check_config(spec, problem_of(spec), h200_device(), space->config(i)));
      texts.insert(config_text(spec, space->config(i)));
    }
    EXPECT_THAT(texts, ElementsAre("implementation=fast,VEC=2,HINT=none", "implementation=fast,VEC=4,HINT=none",
                                   "implementation=fast,VEC=4,HINT=stream", "implementation=plain,VEC=1",
                                   "implementation=plain,VEC=2"));
    EXPECT_EQ(space->size(), 5);
  }
}

TEST(Implementations, AnImplementationAsksForAlignmentsOfItsOwn) {
  const KernelSpec spec = test::two_implementations();
  const auto check = [&](const std::string& text, std::int64_t alignment) {
    return check_alignment(spec, problem_of(spec), h200_device(), config_of(spec, text), alignment).value_or("fits");
  };
  EXPECT_EQ(check("implementation=plain,VEC=1", 16), "fits");
  EXPECT_EQ(check("implementation=fast,VEC=4,HINT=none", 16), "fits");
  const KernelSpec turned = test::two_implementations("fast");
  const auto* x = std::get_if<BufferArg>(&turned.implementations[0].arguments[0].value);
  ASSERT_TRUE(x && x->align);
  EXPECT_EQ(x->align->text(), "4 * VEC");
  EXPECT_FALSE(std::get<BufferArg>(turned.arguments[0].value).align) << "the operator's knows no params";
  const auto plan =
      make_plan(spec, problem_of(spec), config_of(spec, "implementation=fast,VEC=2,HINT=none"), h200_device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->buffers[0].align, 8);
  EXPECT_EQ(plan->buffers[1].align, kDefaultAlignment);
}

TEST(Implementations, ErrorsNameTheFileAndThePlace) {
  const auto fast = [](const std::string& members) {
    return error_with("fast/implementation.json",
                      R"({"params": {"VEC": {"values": [2], "default": 2}}, "launches": [{"kernel": "k", "grid": [1],
                         "block": [32], "args": ["x", "y"]}])" +
                          members + "}");
  };
  EXPECT_THAT(fast(R"(, "align": {"z": 8})"),
              HasSubstr("op/fast/implementation.json: at /align/z: 'z' is not a buffer"));
  for (const char* bytes : {"0", "3", "512", "\"4 + 2\""})
    EXPECT_THAT(fast(std::string(R"(, "align": {"x": )") + bytes + "}"), HasSubstr("not a power of two from 1 to 256"))
        << bytes;
  EXPECT_THAT(fast(R"(, "arguments": {"x": {"buffer": "fp32", "count": "n", "role": "workspace"}})"),
              HasSubstr("already an argument of the operator"));
  EXPECT_THAT(fast(R"(, "cost": {})"), HasSubstr("op/fast/implementation.json: at "));
  EXPECT_THAT(fast(R"(, "derived": {"quarter": "n"})"), HasSubstr("at /derived/quarter"));
  EXPECT_THAT(fast(R"(, "constraints": [{"expr": "HINT", "why": "none"}])"), HasSubstr("at /constraints/0/expr"));
  EXPECT_EQ(fast(""), "read");
}

TEST(Implementations, TheHashCountsTheFilesOfEach) {
  const SourceFiles files = test::two_implementation_files();
  const KernelSpec spec = test::two_implementations();
  std::set<std::string> hashes = {source_hash(spec, files)};
  for (std::size_t i = 0; i < files.files.size(); ++i) {
    SourceFiles changed = files;
    changed.files[i].second += "\n";
    hashes.insert(source_hash(spec, changed));
  }
  EXPECT_EQ(hashes.size(), files.files.size() + 1);
}

} // namespace
} // namespace warptune
