// Commands in the README and the guides give the results that the text around them promises, on a machine without a
// GPU.
#include "jit/compiler.h"
#include "support/run_cli.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

namespace warptune {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

// The warptune commands in the first code block after a heading, split into words.
std::vector<std::vector<std::string>> commands_below(const std::string& text, const std::string& heading) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream lines(text.substr(std::min(text.find("\n" + heading + "\n"), text.size())));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```") && inside) break;
    if (line.starts_with("```")) inside = true;
    if (!inside || !line.starts_with("warptune ")) continue;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> command;
    for (std::string word; words >> word;) command.push_back(word);
    command.erase(command.begin());
    commands.push_back(command);
  }
  return commands;
}

struct Guides : testing::Test {
  CliRunner cli;
  void SetUp() override {
    if (!fs::exists(share_dir() / "README.md")) GTEST_SKIP() << "no documents beside this installed tree";
    cli.use_shipped();
    cli.set("WARPTUNE_DB", (cli.dir() / "tuned.db").string());
  }
};

TEST_F(Guides, TheFiveCommandsOfTheReadme) {
  const auto commands = commands_below(read_text(share_dir() / "README.md"), "## Five commands");
  ASSERT_EQ(commands.size(), 5U);
  for (std::vector<std::string> command : commands) {
    if (command.front() == "tune") command.insert(command.end(), {"--device", "recorded"});
    if (command.front() == "report" || command.front() == "pack") { // write into this test's folder, without a compiler
      const std::string output = (cli.dir() / (command.front() == "pack" ? "ops.wtpack" : "report.html")).string();
      if (command.back() == "ops.wtpack") command.resize(command.size() - 2);
      command.insert(command.end(), {"-o", output});
    }
    if (command.front() == "pack") command.push_back("--no-compile");
    const CliResult result = cli.run(command);
    EXPECT_EQ(result.code, command.front() == "pack" ? 1 : 0) << command.front() << result.out << result.err;
    if (command.front() == "explain") {
      EXPECT_THAT(result.out, HasSubstr("nearest shape"));
    }
  }
  EXPECT_TRUE(fs::exists(cli.dir() / "report.html"));
  EXPECT_TRUE(fs::exists(cli.dir() / "ops.wtpack"));
}

// The `tune` commands of a page that do not say that they need a GPU, on one line each.
std::vector<std::string> tune_commands(const std::string& page) {
  std::vector<std::string> commands;
  std::istringstream lines(page);
  for (std::string line, next; std::getline(lines, line);) {
    if (!line.starts_with("warptune tune ")) continue;
    while (line.ends_with('\\') && std::getline(lines, next)) line.replace(line.size() - 1, 1, next);
    if (line.find("needs a GPU") == std::string::npos) commands.push_back(line.substr(0, line.find('#')));
  }
  return commands;
}

TEST_F(Guides, TheExamplesOfTheOperatorsAreRecorded) {
  std::size_t count = 0;
  for (const char* page :
       {"operators", "elementwise", "reductions", "permutes", "convnets", "language", "training", "quantisation"}) {
    const std::string text = read_text(share_dir() / "docs" / (std::string(page) + ".md"));
    EXPECT_THAT(text, HasSubstr("--device recorded")) << page;
    for (const std::string& line : tune_commands(text)) {
      std::istringstream words(line.substr(line.find(' ')));
      std::vector<std::string> command;
      for (std::string word; words >> word; command.push_back(word)) // no quoted word has blanks
        if (word.starts_with('\'')) word = word.substr(1, word.size() - 2);
      command.insert(command.end(), {"--device", "recorded", "--budget", "1"});
      const CliResult result = cli.run(command);
      EXPECT_EQ(result.code, 0) << page << ": " << line << result.err;
      ++count;
    }
  }
  EXPECT_GE(count, 10U);
}

TEST_F(Guides, TheExitCodesOfTheReadme) {
  const std::string help = cli.run({"--help"}).out;
  std::istringstream words(help.substr(std::min(help.find("\nExit codes:\n"), help.size())));
  std::string codes; // without the line breaks of the help
  for (std::string word; words >> word;) codes += word + " ";
  const std::string readme = read_text(share_dir() / "README.md");
  std::istringstream rows(readme.substr(std::min(readme.find("\n| exit code | meaning |\n"), readme.size())));
  int count = 0;
  for (std::string row; std::getline(rows, row);) {
    int code = 0, length = 0;
    if (std::sscanf(row.c_str(), "| %d | %n", &code, &length) != 1 || length == 0) continue;
    EXPECT_THAT(codes, HasSubstr(std::to_string(code) + " " + row.substr(length, row.rfind(" |") - length) + " "));
    ++count;
  }
  EXPECT_EQ(count, 8) << "exit codes in the table of the README";
}

TEST_F(Guides, TheExampleFromKernelTuner) {
  const std::string folder = (share_dir() / "examples" / "from_kernel_tuner").string();
  const CliResult described = cli.run({"kernels", folder});
  EXPECT_EQ(described.code, 0) << described.err;
  EXPECT_THAT(described.out, HasSubstr("not use_shared or"));
  const CliResult counted = cli.run({"space", folder, "--shape", "n=16777216"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  EXPECT_THAT(counted.out, HasSubstr("valid    29"));
  EXPECT_THAT(read_text(share_dir() / "docs" / "from-kernel-tuner.md"), HasSubstr("29 valid of 32"));
}

TEST_F(Guides, TheScriptForKernelTuner) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const std::string page = read_text(share_dir() / "docs" / "from-kernel-tuner.md");
  const std::size_t script = page.find("```python\n") + 10;
  std::ofstream(cli.dir() / "fir.py") << page.substr(script, page.find("```", script) - script);
  fs::copy(share_dir() / "examples" / "from_kernel_tuner" / "fir.cu", cli.dir() / "fir.cu");
  EXPECT_THAT(page,
              HasSubstr("warptune new fir --from-kernel-tuner fir.py --dims n=16777216 --buffer \"y=n,x=n+32\" \\\n"
                        "  --grid \"ceil_div(n, block_size_x*tile_x)\" --block block_size_x\n"));
  const CliResult made = cli.run({"new", (cli.dir() / "fir").string(), "--from-kernel-tuner",
                                  (cli.dir() / "fir.py").string(), "--dims", "n=16777216", "--buffer", "y=n,x=n+32",
                                  "--grid", "ceil_div(n, block_size_x*tile_x)", "--block", "block_size_x"});
  EXPECT_EQ(made.code, 1) << made.err;
  EXPECT_THAT(made.out, HasSubstr("__constant__ d_taps is never filled"));
  EXPECT_THAT(made.out, Not(HasSubstr("was not converted")));
  const std::string spec = read_text(cli.dir() / "fir" / "spec.json");
  EXPECT_THAT(spec, HasSubstr("not use_shared or (block_size_x * tile_x + 32) * 4 <= 16384"));
}

TEST_F(Guides, TheKernelOfTheApplication) {
  const std::string folder = (share_dir() / "examples" / "user_kernel").string(),
                    db = (cli.dir() / "convolve.db").string();
  const std::vector<std::string> problem = {folder, "--shape", "height=8192,width=8192,radius=2", "--db", db};
  std::vector<std::string> tune = problem, explain = problem;
  tune.insert(tune.begin(), "tune");
  tune.insert(tune.end(), {"--device", "recorded:" + (share_dir() / "examples" / "recordings").string()});
  explain.insert(explain.begin(), "explain");
  const CliResult tuned = cli.run(tune);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("; the best is 1.9"));
  EXPECT_THAT(cli.run(explain).out, HasSubstr("exact"));
}

} // namespace
} // namespace warptune
