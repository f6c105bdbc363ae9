// `new` as a user runs it: from a source to a folder that `check` and `space` accept, and the inputs that it refuses.
#include "jit/compiler.h"
#include "support/run_cli.h"

#include <fstream>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

class CliNew : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  }
  fs::path folder() const { return cli.dir() / "mine"; }
  CliResult make(const std::string& file, const Words& more = {}) const {
    Words words = {"new", folder().string(), "--arch", "sm_90a", "--from", file};
    words.insert(words.end(), more.begin(), more.end());
    return cli.run(words);
  }
  static std::string shipped(const char* name) { return (data_dir() / "starter" / name).string(); }
  std::string written(const std::string& text) const {
    std::ofstream(cli.dir() / "mine.cu") << text;
    return (cli.dir() / "mine.cu").string();
  }
  // A refused command writes nothing.
  void expect_refused(const CliResult& result, const std::string& what) const {
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_THAT(result.err, AllOf(StartsWith("warptune: "), HasSubstr(what)));
    EXPECT_FALSE(fs::exists(folder()));
  }
  std::string spec() const { return read_text(folder() / "spec.json"); }

  CliRunner cli;
};

const Words kScale = {"--dims",    "n=4096",   "--buffer",   "x=n,y=n", "--scalar",
                      "alpha=1.5", "--values", "WORK=1,2,4", "--grid",  "ceil_div(n, BLOCK * WORK)",
                      "--block",   "BLOCK"};

TEST_F(CliNew, FromMacrosToASpace) {
  const CliResult made = make(shipped("scale.cu"), kScale);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out,
              AllOf(HasSubstr("proposed values: BLOCK=64,128,256"), HasSubstr("all sampled configurations compile"),
                    HasSubstr("warptune tune " + folder().string() + " --shape n=4096")));
  EXPECT_EQ(read_text(folder() / "kernel.cu"), read_text(shipped("scale.cu")));
  EXPECT_THAT(read_text(folder() / "reference.cu"),
              AllOf(HasSubstr("#define BLOCK 128\n#define WORK 1\n"), HasSubstr("only shows that all")));
  EXPECT_THAT(spec(), AllOf(HasSubstr(R"("meaning": "threads of a block")"), HasSubstr(R"("role": "input")"),
                            HasSubstr(R"x("grid": ["ceil_div(n, 128 * 1)"], "block": ["128"])x"),
                            HasSubstr(R"("alpha": {"scalar": "fp32", "value": 1.5})")));
  EXPECT_EQ(cli.run({"check", folder().string(), "--arch", "sm_90a"}).code, 0);
  EXPECT_THAT(cli.run({"space", folder().string(), "--shape", "n=4096"}).out,
              HasSubstr("9 combinations of 2 parameters"));
}

TEST_F(CliNew, TemplatesTypesVectorsAndHeaders) {
  const CliResult made =
      make(shipped("templated.cu"),
           {"--kernel", "rows::add", "--dims", "rows=64,cols=256", "--type", "T=fp32,fp16", "--buffer",
            "a=rows * cols,b=rows * cols,sum=rows * cols / 4,count=1", "--inout", "count", "--values",
            "THREADS=128,256", "--grid", "ceil_div(rows * cols, 4 * THREADS)", "--block", "THREADS"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(fs::exists(folder() / "row.cuh"));
  EXPECT_THAT(spec(),
              AllOf(HasSubstr(R"("dtypes": ["fp32", "fp16"])"), HasSubstr(R"("a": {"buffer": "dtype")"),
                    HasSubstr(R"x("sum": {"buffer": "fp32", "count": "4 * (rows * cols / 4)", "role": "output"})x"),
                    HasSubstr(R"("count": {"buffer": "uint32", "count": "1", "role": "inout"})"),
                    HasSubstr(R"("template": [{"type": "dtype"}, "THREADS", "VECTOR"])"),
                    HasSubstr(R"("rows": {"scalar": "uint64", "value": "rows"})")));
  EXPECT_THAT(made.out, AllOf(HasSubstr("rows=64,cols=256;fp16"), HasSubstr("VECTOR=0,1")));
  EXPECT_THAT(cli.run({"space", folder().string(), "--shape", "rows=64,cols=256"}).out, HasSubstr("4 combinations"));
}

TEST_F(CliNew, AMacroThatTheSourceSetsIsGuardedInTheCopy) {
  const CliResult made = make(shipped("transpose.cu"),
                              {"--dims", "width=512,height=512", "--buffer", "in=width*height,out=width*height",
                               "--values", "TILE=8,16,32", "--grid", "ceil_div(width, TILE), ceil_div(height, TILE)",
                               "--block", "TILE,TILE", "--constraint", "TILE > 8 || PAD", "--tolerance", "1e-9"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(read_text(folder() / "kernel.cu"), HasSubstr("#ifndef TILE\n#define TILE 32\n#endif\n"));
  EXPECT_THAT(spec(),
              AllOf(HasSubstr(R"("default": {"rtol": 1e-9, "rms": 1e-9})"),
                    HasSubstr(R"("TILE": {"values": [8, 16, 32], "default": 32)"), HasSubstr(R"("dtypes": ["fp64"])")));
  const std::string space = cli.run({"space", folder().string(), "--shape", "width=512,height=512"}).out;
  EXPECT_THAT(space, AllOf(HasSubstr("6 combinations"), HasSubstr("valid    5")));
}

TEST_F(CliNew, ASingleValueFixesAMacroAndADimCanBeOne) {
  Words words = kScale;
  words[7] = "BLOCK=256";
  words.insert(words.end(), {"--dims", "WORK=2"});
  EXPECT_EQ(make(shipped("scale.cu"), words).code, 0);
  EXPECT_THAT(spec(), AllOf(HasSubstr(R"("params": {})"), HasSubstr(R"("BLOCK": "256")"),
                            HasSubstr(R"("defines": {"BLOCK": "BLOCK", "WORK": "WORK"})")));
}

TEST_F(CliNew, AParamOfTheLaunchOnly) {
  const std::string text = "__global__ void f(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n";
  const CliResult made = make(written(text), {"--dims", "n=4096", "--buffer", "x=n", "--values", "THREADS=64,128",
                                              "--grid", "n / THREADS", "--block", "THREADS"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(spec(), AllOf(HasSubstr(R"("THREADS": {"values": [64, 128])"), Not(HasSubstr("defines"))));
  EXPECT_THAT(read_text(folder() / "reference.cu"), Not(HasSubstr("#define")));
  EXPECT_THAT(made.out, HasSubstr("2 of 2"));
}

TEST_F(CliNew, FromAKernelTunerScript) {
  const fs::path script = cli.dir() / "tune.py";
  fs::copy(data_dir() / "starter" / "tiles.py", script);
  std::ofstream(cli.dir() / "tiles.cu")
      << "__global__ void tiles(float* y, const float* x, int n) {\n"
         "  for (int j = 0; j < tile_x; ++j) {\n    int i = (blockIdx.x * tile_x + j) * "
         "block_size_x + threadIdx.x;\n    if (i < n) y[i] = x[i];\n  }\n}\n";
  const Words words = {"new", folder().string(), "--arch", "sm_90a", "--from-kernel-tuner", script.string()};
  expect_refused(cli.run(words), "--grid");
  EXPECT_THAT(cli.run(words).err, AllOf(Not(HasSubstr("--values")), Not(HasSubstr("--block"))));
  Words all = words;
  all.insert(all.end(), {"--dims", "n=4096", "--buffer", "x=n,y=n", "--grid", "ceil_div(n, block_size_x * tile_x)"});
  const CliResult made = cli.run(all);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("the restriction 'block_size_x / 2 > 16' was not converted"));
  EXPECT_THAT(spec(), AllOf(HasSubstr(R"("block_size_x": {"values": [32, 64, 128, 256])"),
                            HasSubstr(R"x("expr": "block_size_x * tile_x <= 256")x"),
                            HasSubstr(R"("block": ["block_size_x"])")));
  EXPECT_THAT(cli.run({"space", folder().string(), "--shape", "n=4096"}).out,
              AllOf(HasSubstr("12 combinations"), HasSubstr("valid    9")));
}

TEST_F(CliNew, RestrictionsWithoutAFormulaAreNotes) {
  std::ofstream(cli.dir() / "fill.cu") << "__global__ void fill(float* y) { y[blockIdx.x * A + threadIdx.x] = B; }\n";
  const fs::path script = cli.dir() / "tune.py";
  std::ofstream(script) << "tune_params = {'A': [1, 2, 4], 'B': [1, 2]}\n"
                           "restrictions = ['not A == B', 'A in (1, 2)', 'A * 1.5 > B', '(A or B) == 2']\n"
                           "tune_kernel('fill', 'fill.cu', 64, [y], tune_params, restrictions=restrictions)\n";
  const CliResult made = cli.run({"new", folder().string(), "--arch", "sm_90a", "--from-kernel-tuner", script.string(),
                                  "--dims", "n=64", "--buffer", "y=n", "--grid", "n / 4", "--block", "A"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("the restriction 'A in (1, 2)' was not converted: a formula cannot have 'in' "
                                        "at column 3; add it to \"constraints\""),
                              HasSubstr("the restriction 'A * 1.5 > B' was not converted"),
                              HasSubstr("the restriction '(A or B) == 2' was not converted")));
  EXPECT_THAT(spec(), HasSubstr(R"x("expr": "not (A == B)")x"));
  EXPECT_THAT(cli.run({"space", folder().string(), "--shape", "n=64"}).out,
              AllOf(HasSubstr("6 combinations"), HasSubstr("valid    4")));
}

TEST_F(CliNew, RestrictionsAreReadWithTheValuesOfTheOptions) {
  std::ofstream(cli.dir() / "fill.cu") << "__global__ void fill(float* y) { y[blockIdx.x * 32 + threadIdx.x] = A; }\n";
  const fs::path script = cli.dir() / "tune.py";
  std::ofstream(script) << "tune_params = {'A': [1, 4]}\n"
                           "tune_kernel('fill', 'fill.cu', 64, [y], tune_params, restrictions=['A % 3 == 1'])\n";
  Words words = {"new",           folder().string(), "--arch",  "sm_90a",   "--from-kernel-tuner",
                 script.string(), "--dims",          "n=64",    "--buffer", "y=n",
                 "--grid",        "n / 32",          "--block", "32",       "--values",
                 "A=-2,1"};
  const CliResult made = cli.run(words);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("the restriction 'A % 3 == 1' was not converted"));
  words.resize(words.size() - 2);
  words[1] = (cli.dir() / "other").string();
  EXPECT_THAT(cli.run(words).out, Not(HasSubstr("was not converted")));
}

TEST_F(CliNew, AScriptThatOpensItsSource) {
  std::ofstream(cli.dir() / "fill.cu")
      << "#ifndef SPARE\n#define SPARE 2\n#endif\n"
         "__global__ void fill(float* y) { y[blockIdx.x * WIDTH + threadIdx.x] = 1; }\n";
  const fs::path script = cli.dir() / "tune.py";
  std::ofstream(script) << "# not 'old.cu'\nwith open('fill.cu', 'r') as f:\n    text = f.read()\n"
                           "tune_params = {'WIDTH': [32, 64]}\ntune_kernel('fill', text, 4096, [y], tune_params)\n";
  const Words words = {"new",           folder().string(), "--arch",  "sm_90a",   "--from-kernel-tuner",
                       script.string(), "--dims",          "n=4096",  "--buffer", "y=n",
                       "--grid",        "n / WIDTH",       "--block", "WIDTH"};
  const CliResult made = cli.run(words);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("the source is 'fill.cu', the only .cu file that the script names"),
                              Not(HasSubstr("SPARE")))); // no source reads it
  std::ofstream(script, std::ios::app) << "other = 'more.cu'\n";
  EXPECT_THAT(cli.run({"new", (cli.dir() / "b").string(), "--from-kernel-tuner", script.string()}).err,
              HasSubstr("names no .cu file; add --from FILE.cu"));
}

TEST_F(CliNew, HostCodeIsHidden) {
  const std::string text = "#include <iostream>\n#include <vector>\n__global__ void one(int* x) { *x = 1; }\n"
                           "int main() { std::vector<int> v; one<<<1, 1>>>(nullptr); }\n";
  const CliResult made = make(written(text), {"--dims", "n=1", "--buffer", "x=n", "--grid", "n", "--block", "32"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out,
              AllOf(HasSubstr("#include of iostream is hidden"), HasSubstr("host functions and variables are hidden")));
  EXPECT_THAT(read_text(folder() / "kernel.cu"), HasSubstr("host code\nint main()"));
}

TEST_F(CliNew, HostCodeOfHeadersIsHidden) {
  std::ofstream(cli.dir() / "own.h") << "#include <vector>\n#include <stdio.h>\nextern cudaDeviceProp prop;\n"
                                        "inline void show(float x) { fprintf(stderr, \"%f\", x); }\n"
                                        "inline __device__ int one() { return 1; }\n";
  const std::string text = "#include <vector>\n#include \"own.h\"\n#include <cooperative_groups.h>\n"
                           "int size = 64;\nint both = 2 * size;\n"
                           "template <class T> __global__ void set(T* x) { *x = one(); }\n"
                           "template <class T> void run(T* x) { set<<<1, 1>>>(x); }\n";
  const CliResult made =
      make(written(text), {"--dims", "n=1", "--buffer", "x=n", "--grid", "n", "--block", "32", "--type", "T=fp32"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("in kernel.cu, own.h, #include of vector is hidden"),
                              HasSubstr("in own.h, #include of stdio.h is hidden"),
                              HasSubstr("in kernel.cu, own.h, host functions and variables are hidden")));
  EXPECT_THAT(read_text(folder() / "own.h"), HasSubstr("host code\nextern cudaDeviceProp prop;"));
  EXPECT_THAT(read_text(folder() / "kernel.cu"), HasSubstr("host code\nint both = 2 * size;"));
}

TEST_F(CliNew, MissingFactsAreOneError) {
  const CliResult none = make(shipped("scale.cu"));
  expect_refused(none, "add these options");
  for (const char* option :
       {"--values WORK=", "--buffer x=", "--buffer y=", "--scalar alpha=", "--dims n=", "--grid ", "--block "})
    EXPECT_THAT(none.err, HasSubstr(std::string("\n  ") + option));
  const CliResult templated = make(shipped("templated.cu"), {"--kernel", "rows::add", "--inout", "count"});
  expect_refused(templated, "--type T=");
  EXPECT_THAT(templated.err,
              AllOf(HasSubstr("--values THREADS="), Not(HasSubstr("VECTOR")), HasSubstr("sum (float4*, output)")));
  Words all_but_one(kScale.begin(), kScale.end() - 2);
  const CliResult one = make(shipped("scale.cu"), all_but_one);
  expect_refused(one, "--block ");
  EXPECT_THAT(one.err, Not(HasSubstr("--grid")));
}

TEST_F(CliNew, SourcesThatCannotBeTaken) {
  const std::string two = written("__global__ void f(int* x) { *x = 1; }\n__global__ void f(float* x) { *x = 1; }\n"
                                  "__global__ void g(const int* x) {}\nstruct S { int a; };\n"
                                  "__global__ void h(int* x, S s) {}\n#define F(x) x\n");
  expect_refused(make(two), "which kernel: f, g, h");
  expect_refused(make(two, {"--kernel", "f"}), "several kernels 'f' with different parameters");
  expect_refused(make(two, {"--kernel", "g"}), "g has no output");
  expect_refused(make(two, {"--kernel", "h"}), "the parameter 's' of h has the type S");
  expect_refused(make(two, {"--kernel", "i"}), "has no kernel 'i'; it has f, g, h");
  expect_refused(make(two, {"--kernel", "h", "--values", "F=1,2"}), "the macro F takes arguments");
  expect_refused(make(two, {"--kernel", "h", "--values", "G=1,2"}), "neither the source nor --grid");
  expect_refused(make(written("template <int N, bool B> __global__ void f(int* x) { *x = N; }\n")), "--values N=");
  expect_refused(make(written("int x;\n")), "mine.cu contains no kernel");
  expect_refused(make(written("__global__ void f(int* x) { *x = 1 }\n")),
                 "kernel.cu(1): error: expected a \";\"\n  __global__ void f");
  expect_refused(make(written("__global__ void f(__half* x) { *x = 1; }\n")), "needs #include <cuda_fp16.h>");
  expect_refused(make((cli.dir() / "none.cu").string()), "none.cu: no such file");
  expect_refused(make("scale"), "there is no file scale; to copy the shipped kernel scale, use --template scale");
}

TEST_F(CliNew, OptionsThatDoNotFit) {
  const auto with = [&](const Words& more) {
    Words words = kScale;
    words.insert(words.end(), more.begin(), more.end());
    return make(shipped("scale.cu"), words);
  };
  expect_refused(with({"--buffer", "z=n"}), "--buffer z: scale has no pointer with this name");
  expect_refused(with({"--scalar", "x=1"}), "--scalar x: scale has no scalar parameter with this name");
  expect_refused(with({"--values", "WORK=many"}), "--values WORK: 'many' is not an integer");
  expect_refused(with({"--type", "WORK=float"}), "'float' is not a dtype");
  Words other_grid = kScale;
  other_grid[9] = "ceil_div(m, BLOCK)";
  expect_refused(make(shipped("scale.cu"), other_grid), "/launches/0/grid/0");
  expect_refused(with({"--dims", "n"}), "must be NAME=VALUE");
  for (const char* size : {"9223372036854775808", "0", "4K"})
    expect_refused(with({"--dims", std::string("n=") + size}),
                   std::string("--dims n: '") + size + "' is not an integer from 1 to 1099511627776");
  for (const char* tolerance : {"nan", "inf", "-1", "1e-3x", ".5", "1.", "1e999"})
    expect_refused(with({"--tolerance", tolerance}),
                   std::string("--tolerance '") + tolerance + "' is not a number such as 0.001 or 1e-3");
  expect_refused(cli.run({"new", folder().string()}), "--from FILE.cu, --from-kernel-tuner");
}

TEST_F(CliNew, NothingIsReplaced) {
  fs::create_directory(folder());
  EXPECT_EQ(make(shipped("scale.cu"), kScale).code, 0) << "an empty folder may be filled";
  std::ofstream(folder() / "spec.json") << "mine";
  const CliResult again = make(shipped("scale.cu"), kScale);
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("exists and is not empty"));
  EXPECT_EQ(spec(), "mine");
  EXPECT_EQ(cli.run({"new", (folder() / "kernel.cu").string(), "--template", "scale"}).code, 2);
}

TEST(CliNewTemplate, NeedsNoCompiler) {
  CliRunner cli;
  cli.set("WARPTUNE_NVRTC", "/nowhere/libnvrtc.so");
  const std::string folder = (cli.dir() / "My-scale").string();
  const CliResult made = cli.run({"new", folder, "--template", "scale"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(cli.run({"kernels", folder}).out, StartsWith("my_scale: "));
  EXPECT_EQ(read_text(fs::path(folder) / "kernel.cu"), read_text(data_dir() / "specs" / "scale" / "kernel.cu"));
  EXPECT_EQ(cli.run({"new", folder + "2", "--template", "sclae"}).code, 2);
  const CliResult without = cli.run({"new", folder + "3", "--from", (data_dir() / "starter" / "scale.cu").string()});
  EXPECT_EQ(without.code, 3);
  EXPECT_THAT(without.err, HasSubstr("no usable NVRTC"));
}

} // namespace
} // namespace warptune
