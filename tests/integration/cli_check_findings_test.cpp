// The findings of `check` without a GPU: each planted mistake is found at its place, and sound kernels have no findings
// that fail.
#include "jit/compiler.h"
#include "support/run_cli.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliCheckFindings : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  }
  CliResult check(const std::string& folder, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {
        "check", (data_dir() / "check" / folder).string(), "--arch", "sm_90a,sm_80", "--device", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  }
  json checked(const std::string& folder, int code) const {
    const CliResult result = check(folder, {"--json"});
    EXPECT_EQ(result.code, code) << result.err << result.out;
    return json::parse(result.out);
  }
  // 1 + the number of lines before the first line that contains the text.
  static int line_with(const std::filesystem::path& file, const std::string& text) {
    const std::string whole = read_text(file);
    return 1 + static_cast<int>(
                   std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.find(text)), '\n'));
  }
  static json find(const json& out, const std::string& kind) {
    for (const json& finding : out["findings"])
      if (finding["kind"] == kind) return finding;
    ADD_FAILURE() << "no " << kind << " in " << out["findings"];
    return {};
  }

  CliRunner cli;
};

TEST_F(CliCheckFindings, EachMistakeOfADescriptionAtItsLine) {
  const json out = checked("description", 1);
  EXPECT_EQ(out["ok"], false);
  EXPECT_EQ(out["findings"].size(), 6U) << out["findings"];
  const auto folder = data_dir() / "check" / "description";
  struct Planted {
    const char *kind, *level, *file, *text, *words;
  };
  for (const Planted& planted :
       {Planted{"unread-macro", "warning", "spec.json", "\"compile\"", "the macro 'DEPTH' of 'defines' is not read"},
        Planted{"unread-param", "warning", "spec.json", "\"DEPTH\": {", "the param 'DEPTH' has 3 values"},
        Planted{"idle-dim", "warning", "spec.json", "\"layers\": {", "the dim 'layers' has no effect"},
        Planted{"unused-value", "warning", "spec.json", "\"THREADS\": {", "the value 2048 of the param 'THREADS'"},
        Planted{"idle-constraint", "note", "spec.json", "VEC <= 8", "the constraint 'VEC <= 8' is redundant in"},
        Planted{"compiler-warning", "warning", "kernel.cu", "int unused", "\"unused\" was declared but never"}}) {
    const json found = find(out, planted.kind);
    EXPECT_EQ(found["level"], planted.level);
    EXPECT_EQ(found["file"], planted.file);
    EXPECT_EQ(found["line"], line_with(folder / planted.file, planted.text)) << planted.kind;
    EXPECT_THAT(found["message"].get<std::string>(), HasSubstr(planted.words));
  }
  EXPECT_EQ(find(out, "compiler-warning")["arch"], "sm_90a,sm_80") << "one finding for both";
}

TEST_F(CliCheckFindings, ASpillOfTheDefaultIsAWarningAndOnTopOfTheTable) {
  const json out = checked("spill", 1);
  ASSERT_EQ(out["findings"].size(), 1U) << out["findings"];
  const json& spill = out["findings"][0];
  EXPECT_EQ(spill["kind"], "spill");
  EXPECT_EQ(spill["level"], "warning");
  EXPECT_EQ(spill["file"], "kernel.cu");
  EXPECT_EQ(spill["line"], line_with(data_dir() / "check" / "spill" / "kernel.cu", "held("));
  EXPECT_EQ(spill["config_text"], "HELD=64");
  const json& rows = out["problems"][0]["configurations"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["config_text"], "HELD=64");
  EXPECT_EQ(rows[0]["is_default"], true);
  const json& worst = rows[0]["launches"][0];
  EXPECT_GT(worst["spill_bytes"], 0);
  EXPECT_EQ(worst["spill_bytes"],
            std::max(worst["spill_store_bytes"].get<int>(), worst["spill_load_bytes"].get<int>()));
  EXPECT_EQ(worst["threads"], 1024);
  EXPECT_EQ(worst["blocks_per_sm"], 1);
  EXPECT_EQ(worst["limited_by"], "registers");
  EXPECT_EQ(worst["occupancy"], 0.5);
  EXPECT_EQ(rows[1]["launches"][0]["spill_bytes"], 0);
}

TEST_F(CliCheckFindings, WhatDoesNotReachTheKernelIsAWarning) {
  const json out = checked("hidden_macros", 1);
  ASSERT_EQ(out["findings"].size(), 4U) << out["findings"];
  EXPECT_EQ(out["problems"][0]["compiled"], 4);
  EXPECT_EQ(out["problems"][0]["refused"], 2);
  const auto file = data_dir() / "check" / "hidden_macros" / "kernel.cu";
  const json bounds = find(out, "launch-bounds");
  EXPECT_EQ(bounds["level"], "warning");
  EXPECT_EQ(bounds["line"], line_with(file, "__launch_bounds__"));
  EXPECT_THAT(bounds["message"].get<std::string>(),
              AllOf(HasSubstr("2 of 6 configurations cannot be launched"),
                    HasSubstr("a block of 512 threads exceeds the kernel's __launch_bounds__ of 256; add 'BLOCK' to "
                              "compile.defines")));
  const json unpassed = find(out, "unpassed-param");
  EXPECT_EQ(unpassed["level"], "warning");
  EXPECT_EQ(unpassed["line"], line_with(data_dir() / "check" / "hidden_macros" / "spec.json", "\"BLOCK\": {"));
  EXPECT_THAT(unpassed["message"].get<std::string>(), HasSubstr("the param 'BLOCK' has the name of a macro"));
  const json macro = find(out, "compiler-warning"); // no default has it, because its VEC is 1 too
  EXPECT_EQ(macro["level"], "warning");
  EXPECT_EQ(macro["line"], line_with(file, "#define VEC"));
  EXPECT_THAT(macro["message"].get<std::string>(),
              AllOf(HasSubstr("redefinition of macro \"VEC\""), HasSubstr("replaces the value in compile.defines")));
  const json constant = find(out, "unfilled-constant");
  EXPECT_EQ(constant["level"], "warning");
  EXPECT_THAT(constant["message"].get<std::string>(), HasSubstr("__constant__ ns::d_taps is never filled"));
}

TEST_F(CliCheckFindings, AllowedKindsAreNotes) {
  const CliResult allowed = check("spill", {"--allow", "spill"});
  EXPECT_EQ(allowed.code, 0) << allowed.out << allowed.err;
  EXPECT_THAT(allowed.out,
              AllOf(HasSubstr("kernel.cu:3: note: "), HasSubstr("[spill]"), HasSubstr("0 warnings, 1 note")));
  EXPECT_EQ(check("spill", {"--allow", "idle-dim"}).code, 1) << "another kind";
  const CliResult unknown = check("spill", {"--allow", "spil"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--allow: 'spil' is not a kind of finding; did you mean 'spill'?"));
}

TEST_F(CliCheckFindings, TheTableShowsTheTenWorstUnlessItIsWide) {
  const CliResult few = check("description"), all = check("description", {"--wide"});
  const auto rows = [](const std::string& text) {
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line);) count += line.starts_with("THREADS=") ? 1 : 0;
    return count;
  };
  EXPECT_EQ(rows(few.out), 2 * 10) << few.out;
  EXPECT_THAT(few.out, HasSubstr("sm_80, 27 configurations, the worst 10 (--wide shows all):"));
  EXPECT_EQ(rows(all.out), 2 * 27);
  EXPECT_THAT(all.out, Not(HasSubstr("the worst")));
}

// Without a GPU, the other checks run; a GPU that the user names must exist.
TEST_F(CliCheckFindings, WithoutAGpuNothingIsLaunched) {
  cli.set("WARPTUNE_LIBCUDA", "/nonexistent/libcuda.so.1");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"check", (data_dir() / "check" / "race").string(), "--arch", "sm_90a"};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  };
  const CliResult automatic = run({});
  EXPECT_EQ(automatic.code, 0) << automatic.err;
  EXPECT_THAT(automatic.out, HasSubstr("note: no GPU was found, so nothing was launched"));
  EXPECT_THAT(run({"--device", "none"}).out, Not(HasSubstr("no GPU")));
  const CliResult named = run({"--device", "0"});
  EXPECT_EQ(named.code, 3);
  EXPECT_EQ(named.out, "") << "nothing was compiled";
  EXPECT_THAT(named.err, HasSubstr("; --device none checks without a GPU\n"));
  const CliResult tool = run({"--sanitize", "racechek"});
  EXPECT_EQ(tool.code, 2);
  EXPECT_THAT(tool.err, HasSubstr("compute-sanitizer has no tool 'racechek'"));
}

} // namespace
} // namespace warptune
