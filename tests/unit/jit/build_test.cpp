// A built implementation: from the command to a cubin, or to an error that says why not.
#include "jit/build.h"
#include "jit/builders.h"
#include "jit/cached_compile.h"
#include "spec/config.h"
#include "spec/source_hash.h"
#include "support/built_kernel.h"

#include <atomic>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <thread>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class Built : public testing::Test {
 protected:
  CompileRequest request(const std::string& config = "implementation=elsewhere,A=2,B=3,ROUND=0") const {
    DeviceInfo device = h200_device();
    const Problem problem = make_problem(kernel_.spec, "n=4096", "", {}).value();
    const Config chosen = parse_config(kernel_.spec, config).value();
    const LaunchPlan plan = make_plan(kernel_.spec, problem, chosen, device).value();
    CompileRequest made = make_compile_request(kernel_.spec, kernel_.sources, problem, chosen, device, plan).value();
    made.build->is_allowed = true;
    return made;
  }
  // Builds with another script.
  CompileResult built(const std::string& script, double timeout_s = 60) {
    CompileRequest asked = request();
    asked.headers.front().second = "#!/bin/sh\n" + script;
    return build(asked, timeout_s).value();
  }
  std::string why(const std::string& cubin, const std::string& description) {
    folder_.can(cubin, description);
    const auto result = build(request(), 60).value();
    return result ? "it was built" : result.error().log;
  }
  static std::string cubin(unsigned architecture = 90) {
    return test::SmallCubin{architecture, {"toy_0d1d"}, {}, 40}.image();
  }

  // The compiler's version according to this `version` script.
  Result<std::string> version(const std::string& script, const std::atomic<bool>* stop = nullptr) {
    Kernel kernel = kernel_;
    for (Implementation& one : kernel.spec.implementations)
      if (one.build) one.build->version = {"sh", "-c", script};
    WT_TRY(const auto builders, find_builders(kernel, stop));
    return builders.versions.at("elsewhere");
  }

  test::BuiltKernel folder_;
  Kernel kernel_ = folder_.load();
  test::TempDir dir_;
  CubinCache cache_{dir_.path()};
};

TEST_F(Built, TheCommandMakesTheProgram) {
  const auto result = build(request(), 60).value();
  ASSERT_TRUE(result) << result.error().log;
  EXPECT_THAT(result->lowered_names, ElementsAre("toy_0d1d threads=128 shared=4096"));
  EXPECT_EQ(result->image, cubin());
  EXPECT_EQ(result->resources.front().registers, 40);
  EXPECT_EQ(result->hash, compile_key(request()));
  EXPECT_EQ(folder_.runs(), 1u);
}

TEST_F(Built, RunsInAFolderOfItsOwnWithItsInputs) {
  const CompileResult result = built("ls -A; pwd; printf '%s ' \"$@\"; ls \"$3\" | wc -l; exit 4");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().log, HasSubstr("'./build.sh' exited with code 4; its last output:\nbuild.sh\n"));
  EXPECT_THAT(result.error().log, HasSubstr("tile=2 sm_90a /"));
  EXPECT_FALSE(result.error().passing);
  const std::string text = result.error().log;
  const std::size_t at = text.find('/', text.find("build.sh\n"));
  const std::string folder = text.substr(at, text.find('\n', at) - at);
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
}

TEST_F(Built, FailuresOfTheMachineAreNotRemembered) {
  EXPECT_TRUE(built("exit 75").error().passing);
  const CompileResult crashed = built("kill -SEGV $$");
  EXPECT_TRUE(crashed.error().crashed);
  EXPECT_TRUE(crashed.error().passing);
  const CompileResult late = built("sleep 1000", 0.2);
  EXPECT_TRUE(late.error().timed_out);
  EXPECT_THAT(late.error().log, HasSubstr("did not finish in time"));
}

TEST_F(Built, AProgramThatIsMissingIsNotRemembered) {
  const CompileResult missing = built("no-such-compiler-anywhere");
  EXPECT_TRUE(missing.error().passing);
  EXPECT_THAT(missing.error().log, HasSubstr("exit code 127 means that a program was not found; install"));
  EXPECT_THAT(built("exit 126").error().log, HasSubstr("is not executable"));
  EXPECT_TRUE(built("exit 126").error().passing);
}

TEST_F(Built, TheFolderOfTemporaryFilesMayBeRelative) {
  const auto before = std::filesystem::current_path();
  const char* old = std::getenv("TMPDIR");
  const std::string kept = old ? old : "";
  std::filesystem::current_path(dir_.path());
  ::setenv("TMPDIR", ".", 1);
  const auto result = build(request(), 60);
  std::filesystem::current_path(before);
  old ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(*result) << result->error().log;
}

TEST_F(Built, LiesAreFound) {
  EXPECT_THAT(why("not a cubin", test::kBuildJson), HasSubstr("is not a cubin: it is not an ELF file"));
  EXPECT_THAT(why(cubin(80), test::kBuildJson), HasSubstr("is for sm_80, but sm_90 was requested"));
  EXPECT_THAT(why(cubin(), "{"), HasSubstr("build.json"));
  EXPECT_THAT(why(cubin(), R"({"kernels": {"other": {"symbol": "toy_0d1d"}}})"),
              HasSubstr("no entry for the launched kernel 'toy'"));
  EXPECT_THAT(why(cubin(), R"({"kernels": {"toy": {"symbol": "tox"}}})"), HasSubstr("has no kernel 'tox'"));
  EXPECT_THAT(why(cubin(), R"({"kernels": {"toy": {"symbol": "a b"}}})"), HasSubstr("the name of a symbol"));
  EXPECT_THAT(why(cubin(), R"({"kernels": {"toy": {"symbol": "toy_0d1d", "threads": 2048}}})"),
              HasSubstr("a number from 1 to 1024"));
  EXPECT_THAT(why(cubin(), R"({"kernels": {"toy": {"symbol": "toy_0d1d", "warps": 4}}})"), HasSubstr("warps"));
  EXPECT_THAT(why(cubin().substr(0, 100), test::kBuildJson), HasSubstr("is not a cubin"));
  EXPECT_THAT(built("cp \"$WT_BUILD_CANNED/build.json\" \"$3\"").error().log,
              HasSubstr("wrote no {output}/kernel.cubin"));
}

TEST_F(Built, ALaunchMayNeedNoSharedMemoryAndTheLargestBlock) {
  const auto kernel = [](const std::string& needs) {
    return R"({"kernels": {"toy": {"symbol": "toy_0d1d", )" + needs + "}}}";
  };
  folder_.can(cubin(), kernel(R"("threads": 1024, "shared_bytes": 0)"));
  const auto made = build(request(), 60).value();
  ASSERT_TRUE(made) << made.error().log;
  EXPECT_THAT(made->lowered_names, ElementsAre("toy_0d1d threads=1024 shared=0"));
  EXPECT_THAT(why(cubin(), kernel(R"("threads": 1025)")), HasSubstr("a number from 1 to 1024"));
  EXPECT_THAT(why(cubin(), kernel(R"("threads": 0)")), HasSubstr("a number from 1 to 1024"));
  EXPECT_THAT(why(cubin(), kernel(R"("shared_bytes": -1)")), HasSubstr("a number from 0 to"));
}

TEST_F(Built, NothingRunsUnlessItIsAllowed) {
  CompileRequest asked = request();
  asked.build->is_allowed = false;
  const auto refused = make_program(cache_, asked, 60).value();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().log, HasSubstr("only with --allow-build"));
  EXPECT_TRUE(refused.error().passing);
  EXPECT_FALSE(compile_cached(cache_, request(), 60).value()); // it never builds, whatever is allowed
  EXPECT_EQ(folder_.runs(), 0u);
}

TEST_F(Built, IsCachedByWhatItWasMadeFrom) {
  ASSERT_TRUE(make_program(cache_, request(), 60).value());
  ASSERT_TRUE(make_program(cache_, request(), 60).value());
  EXPECT_EQ(folder_.runs(), 1u);
  CompileRequest newer = request();
  newer.build->compiler = "made by 2.0";
  ASSERT_TRUE(make_program(cache_, newer, 60).value());
  EXPECT_EQ(folder_.runs(), 2u);
  // If running the command is not allowed, its compiler's version is not known.
  CompileRequest stored = request();
  stored.build->is_allowed = false;
  stored.build->compiler = "unknown";
  EXPECT_TRUE(compile_cached(cache_, stored, 60).value());
  ASSERT_TRUE(make_program(cache_, request("implementation=elsewhere,A=4,B=3,ROUND=0"), 60).value());
  EXPECT_EQ(folder_.runs(), 3u);
}

TEST_F(Built, OneProcessBuildsAndTheOthersWait) {
  {
    const auto lock = cache_.lock(compile_key(request()), 60);
    ASSERT_TRUE(lock);
    const auto late = make_program(cache_, request(), 0.1).value();
    ASSERT_FALSE(late);
    EXPECT_TRUE(late.error().timed_out);
    EXPECT_EQ(folder_.runs(), 0u);
  }
  EXPECT_TRUE(make_program(cache_, request(), 60).value());
  EXPECT_EQ(folder_.runs(), 1u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path()))
    EXPECT_NE(entry.path().extension(), ".lock");
}

TEST_F(Built, FailuresAreCachedToo) {
  CompileRequest asked = request();
  asked.headers.front().second = "#!/bin/sh\nprintf . >> \"$WT_BUILD_COUNT\"; exit 1\n";
  EXPECT_FALSE(make_program(cache_, asked, 60).value());
  EXPECT_FALSE(make_program(cache_, asked, 60).value());
  EXPECT_EQ(folder_.runs(), 1u);
}

TEST_F(Built, AFailureDoesNotReplaceTheLastProgram) {
  ASSERT_TRUE(make_program(cache_, request(), 60).value());
  folder_.can(cubin(80), test::kBuildJson);
  CompileRequest newer = request();
  newer.build->compiler = "made by 2.0";
  ASSERT_FALSE(make_program(cache_, newer, 60).value());
  CompileRequest stored = request();
  stored.build->is_allowed = false;
  stored.build->compiler = "unknown";
  const auto found = compile_cached(cache_, stored, 60).value();
  ASSERT_TRUE(found) << found.error().log;
  EXPECT_EQ(found->image, cubin());
}

TEST_F(Built, TheCompilerIsNamedByItsVersion) {
  const Builders builders = find_builders(kernel_).value();
  EXPECT_TRUE(builders.is_allowed);
  EXPECT_EQ(builders.versions.at("elsewhere"), "made by 1.0");
  const std::string name = with_builders("NVRTC 13.0", builders);
  EXPECT_EQ(name, "NVRTC 13.0; elsewhere: made by 1.0");
  EXPECT_EQ(without_builders(name), "NVRTC 13.0");
  EXPECT_EQ(builders_of(name).versions, builders.versions);
  EXPECT_FALSE(builders_of(name).is_allowed);
  CompileRequest asked = request();
  set_builder(asked, builders_of(name));
  EXPECT_EQ(asked.build->compiler, "made by 1.0");
  EXPECT_FALSE(asked.build->is_allowed);
}

TEST_F(Built, AnImplementationWithoutANameIsCalledBuild) {
  const std::string compiler = with_builders("NVRTC 13.0", {true, {{"", "made by 1.0"}}});
  EXPECT_EQ(compiler, "NVRTC 13.0; build: made by 1.0");
  CompileRequest asked = request();
  asked.build->implementation.clear();
  set_builder(asked, builders_of(compiler));
  EXPECT_EQ(asked.build->compiler, "made by 1.0");
  EXPECT_FALSE(asked.build->is_allowed);
}

TEST_F(Built, TheVersionIsAskedAnewForOtherInputs) {
  EXPECT_EQ(find_builders(kernel_)->versions.at("elsewhere"), "made by 1.0");
  test::write_text(folder_.canned() / "version", "maker of cubins; (C) nobody\nrelease 2.0; build 7\n\n");
  EXPECT_EQ(find_builders(kernel_)->versions.at("elsewhere"), "made by 1.0") << "once a process";
  test::write_text(folder_.folder() / "build.sh", std::string(test::kBuildScript) + "# changed\n");
  const Builders newer = find_builders(folder_.load()).value();
  EXPECT_THAT(newer.versions.at("elsewhere"), StartsWith("release 2.0, build 7 ["));
  const std::string name = with_builders("NVRTC 13.0", newer);
  EXPECT_EQ(without_builders(name), "NVRTC 13.0");
  EXPECT_EQ(builders_of(name).versions, newer.versions);
}

TEST_F(Built, AllThatVersionPrintsCounts) {
  const std::string filler = "; seq 300 | sed 's/$/ a line of text that says little/'";
  EXPECT_NE(version("echo compiler 1.0" + filler).value(), version("echo compiler 2.0" + filler).value());
  EXPECT_EQ(version("echo 1.0; echo a warning >&2").value(), "1.0");
  const auto endless = version("head -c 2000000 /dev/zero | tr '\\0' x");
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("the 'version' command 'sh' prints more than 1 MiB"));
}

TEST_F(Built, AVersionCommandThatHangsCanBeStopped) {
  const std::atomic<bool> stop{true};
  const auto stopped = version("sleep 1000", &stop);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::interrupted);
}

TEST_F(Built, AVersionCommandThatTakesLongHoldsUpNoOther) {
  const std::string begun = (dir_ / "begun").string(), answer = (dir_ / "answer").string();
  ASSERT_EQ(::mkfifo(begun.c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(answer.c_str(), 0600), 0);
  Result<std::string> slow = "";
  std::thread other([&] { slow = version("echo > " + begun + "; read line < " + answer + "; echo $line"); });
  test::read_text(begun); // from here on it waits for the next write below
  EXPECT_EQ(version("echo 3.1 > " + answer + "; echo 1.4").value_or("held up"), "1.4");
  other.join();
  EXPECT_EQ(slow.value_or("never answered"), "3.1");
}

TEST_F(Built, WhoNeedsTheSameVersionWaitsForIt) {
  const std::string runs = (dir_ / "runs").string();
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i)
    askers.emplace_back([&] { EXPECT_EQ(version("echo >> " + runs + "; echo 2.0").value_or("failed"), "2.0"); });
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(test::read_text(runs), "\n") << "one of them ran it";
}

TEST_F(Built, ItsInputsTravelWithTheKernel) {
  EXPECT_NE(find_source(kernel_.sources, "elsewhere/build.sh"), nullptr);
  test::write_text(folder_.folder() / "build.sh", "#!/bin/sh\nexit 1\n");
  EXPECT_NE(folder_.load().source_hash, kernel_.source_hash);
  test::write_text(folder_.folder() / "build.sh", std::string("#!/bin/sh\n\0", 11));
  const auto binary =
      TemplateStore({}).load((test::data_dir() / "tuner" / "choice").string(), {folder_.folder().string()});
  ASSERT_FALSE(binary);
  EXPECT_THAT(binary.error().message, HasSubstr("must be UTF-8 text"));
  std::filesystem::remove(folder_.folder() / "build.sh");
  const auto missing =
      TemplateStore({}).load((test::data_dir() / "tuner" / "choice").string(), {folder_.folder().string()});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr(folder_.folder().string()),
                                             HasSubstr("correct \"build/inputs\" in implementation.json")));
}

TEST_F(Built, AnInputIsTheImplementationsOwnElseTheOperatorsElseShipped) {
  namespace fs = std::filesystem;
  const fs::path folder = dir_ / "op", shipped = dir_ / "shipped";
  fs::copy(test::data_dir() / "tuner" / "choice", folder, fs::copy_options::recursive);
  std::string description = test::kBuildDescription;
  const std::string inputs = R"("inputs": ["build.sh")";
  description.insert(description.find(inputs) + inputs.size(), R"(, "own.py", "beside.py", "common/tool.cuh")");
  test::write_text(folder / "elsewhere" / "implementation.json", description);
  test::write_text(folder / "elsewhere" / "build.sh", test::kBuildScript);
  test::write_text(folder / "elsewhere" / "own.py", "# of the implementation");
  for (const char* name : {"own.py", "beside.py"}) test::write_text(folder / name, "# of the operator");
  test::write_text(shipped / "common" / "tool.cuh", "// shipped");
  const auto loaded = TemplateStore({shipped}).load(folder.string());
  ASSERT_TRUE(loaded) << loaded.error().message;
  kernel_ = *loaded;
  EXPECT_THAT(request().headers,
              ElementsAre(Pair("build.sh", test::kBuildScript), Pair("own.py", "# of the implementation"),
                          Pair("beside.py", "# of the operator"), Pair("common/tool.cuh", "// shipped")));
}

} // namespace
} // namespace warptune
