// The command line's messages about implementations that NVRTC does not compile, and about those from other folders.
#include "support/run_cli.h"
#include "support/scale_recording.h"

#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

namespace warptune {
namespace {

using namespace test;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kBuiltScale = (data_dir() / "kernels" / "built_scale").string();
const std::string kDuplicate = (data_dir() / "tuner" / "duplicate").string();

TEST(CliImplementations, SpaceSaysWhichAreBuiltOrCallALibrary) {
  const CliRunner cli;
  const CliResult built = cli.run({"space", kBuiltScale, "--shape", "n=4096", "--arch", "sm_90a"});
  EXPECT_THAT(built.out,
              AllOf(HasSubstr("nvcc  built by a command, which runs only with --allow-build"),
                    HasSubstr("note: 2 of 4 configurations are built by commands in the kernel's spec.json; `tune` "
                              "tries them only with --allow-build")));
  const json out = json::parse(cli.run({"space", kBuiltScale, "--shape", "n=4096", "--arch", "sm_90a", "--json"}).out);
  EXPECT_EQ(out["built"], 2);
  EXPECT_EQ(out["implementations"], json::parse(R"([{"name": "plain", "built": false, "library_calls": []},
                                                    {"name": "nvcc", "built": true, "library_calls": []}])"));
  const CliResult calling = cli.run({"space", kDuplicate, "--shape", "n=4096", "--arch", "sm_90a"});
  EXPECT_THAT(calling.out, AllOf(HasSubstr("calls driver.copy"), Not(HasSubstr("--allow-build"))));
}

TEST(CliImplementations, KernelsSaysWhichAreBuiltOrCallALibrary) {
  const CliRunner cli;
  EXPECT_THAT(cli.run({"kernels", kBuiltScale}).out, HasSubstr("\nbuilt by a command"));
  EXPECT_THAT(cli.run({"kernels", kDuplicate}).out, HasSubstr("\ncalls driver.copy\n"));
  const json out = json::parse(cli.run({"kernels", kDuplicate, "--json"}).out);
  EXPECT_EQ(out["library_calls"], json::array()) << "of the default implementation";
  std::size_t calling = 0;
  for (const json& one : out["implementations"]) calling += one["library_calls"].empty() ? 0 : 1;
  EXPECT_GT(calling, 0U);
}

TEST(CliImplementations, KernelsPrintsTheMeaningThatAParamHasInEach) {
  const CliRunner cli;
  const std::string text = cli.run({"kernels", "gemm"}).out;
  const auto section = [&](const std::string& name) {
    const auto begin = text.find("implementation " + name + ":");
    return text.substr(begin, text.find("\nimplementation ", begin) - begin);
  };
  EXPECT_THAT(section("simt"), HasSubstr("slices in shared memory"));
  EXPECT_THAT(section("simt"), Not(HasSubstr("stages of the ring")));
  EXPECT_THAT(section("skinny"), HasSubstr("parts of k, summed by a second launch"));
  const json out = json::parse(cli.run({"kernels", "gemm", "--json"}).out);
  std::map<std::string, std::string> stages;
  for (const json& one : out["implementations"])
    for (const json& param : one["params"])
      if (param["name"] == "STAGES") stages[one["name"]] = param["meaning"];
  EXPECT_EQ(stages["simt"], "slices in shared memory");
  EXPECT_NE(stages["wgmma"], stages["simt"]);
}

TEST(CliImplementations, APreviewSaysWhatIsLeftOut) {
  const CliRunner cli;
  const std::string file = (cli.dir() / "s.json").string();
  std::ofstream(file) << R"({"warptune_sweep": 1, "jobs": [{"kernel": ")" + kBuiltScale +
                             R"(", "shapes": ["n=4096", "n=8192"]}]})";
  const json without = json::parse(cli.run({"sweep", file, "--dry-run", "--json"}).out);
  EXPECT_EQ(without["to_try"], 4);
  ASSERT_EQ(without["notes"].size(), 1U) << without["notes"];
  EXPECT_THAT(without["notes"][0].get<std::string>(), HasSubstr("built_scale: 2 of 4 configurations were left out"));
  const json with = json::parse(cli.run({"sweep", file, "--dry-run", "--json", "--allow-build"}).out);
  EXPECT_EQ(with["to_try"], 8);
  EXPECT_EQ(with["notes"].size(), 0U);
}

TEST(CliImplementations, AFolderBesideASweepIsProposedAsAPath) {
  const CliRunner cli;
  std::filesystem::copy(data_dir() / "specs" / "scale", cli.dir() / "good");
  const auto preview = [&](const std::string& kernel) {
    const std::string file = (cli.dir() / "s.json").string();
    std::ofstream(file) << R"({"warptune_sweep": 1, "jobs": [{"kernel": ")" + kernel +
                               R"(", "shapes": ["rows=64,cols=1024"]}]})";
    return cli.run({"sweep", file, "--dry-run"}, [] { std::filesystem::current_path("/"); });
  };
  EXPECT_THAT(preview("good").err, AllOf(HasSubstr("unknown kernel 'good'"), HasSubstr("write \"./good\"")));
  EXPECT_THAT(preview("other").err, AllOf(HasSubstr("unknown kernel 'other'"), Not(HasSubstr("./"))));
  EXPECT_EQ(preview("./good").code, 0);
}

TEST(CliImplementations, WithAFurtherOneNothingWasTunedForTheseSources) {
  const CliRunner cli;
  const std::string recording = (cli.dir() / "scale.json").string(), db = (cli.dir() / "w.db").string();
  save_scale_recording(recording);
  ASSERT_EQ(cli.run({"tune", "scale", "--shape", kScaleShape, "--device", "replay:" + recording, "--db", db}).code, 0);
  std::filesystem::copy(data_dir() / "specs" / "scale", cli.dir() / "changed");
  std::ofstream(cli.dir() / "changed" / "kernel.cu", std::ios::app) << "// a change\n";
  const CliResult explained =
      cli.run({"explain", (cli.dir() / "changed").string(), "--shape", kScaleShape, "--db", db});
  EXPECT_THAT(explained.out, AllOf(HasSubstr("because nothing was tuned for these sources of the kernel yet"),
                                   HasSubstr("left out 1 result of scale from other versions")));
}

} // namespace
} // namespace warptune
