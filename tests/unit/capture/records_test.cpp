// Records as `capture` reads them, and the folders that it makes from them, without an application.
#include "capture/captured_groups.h"
#include "capture/captured_source.h"
#include "support/temp_dir.h"

#include <fstream>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr const char* kHeader = R"({"capture":1,"pid":7,"parent":1,"time":0,"program":"/bin/app","command":["app"]})";
constexpr const char* kCuda = R"({"cuda":{"driver":13000,"cupti":130000,"path":"x"}})";
constexpr const char* kKernel = R"({"kernel":{"id":0,"name":"scale","image":"a-1","parameters":2}})";

std::string case_line(int id, int n) {
  return R"({"case":{"id":)" + std::to_string(id) + R"(,"kernel":0,"grid":[)" + std::to_string(n) +
         R"(,1,1],"block":[32,1,1],"cluster":[1,1,1],"shared":0,"cooperative":false,"graph":false,"context":1,"args":[)"
         R"({"bytes":8,"value":"0000000000000000","buffer":{"offset":0,"bytes":)" +
         std::to_string(4 * n) + R"(,"memory":"device"}},{"bytes":4,"value":"0a000000"}]}})";
}

std::string times_line(const std::string& name, int grid, int a_case, int calls, int ns, bool graph = false) {
  return R"({"times":{"kernel":{"name":")" + name + R"(","grid":[)" + std::to_string(grid) +
         R"(,1,1],"block":[32,1,1],"shared":0,"static_shared":0,"registers":20,"graph":)" + (graph ? "true" : "false") +
         R"(,"case":)" + std::to_string(a_case) + R"(},"calls":)" + std::to_string(calls) + R"(,"ns":)" +
         std::to_string(ns) + R"(,"min_ns":10,"max_ns":)" + std::to_string(ns) + "}}";
}

class CaptureRecordsTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream out(dir_ / name);
    for (const std::string& line : lines) out << line << "\n";
  }
  CaptureRecords read() const { return read_capture_records(dir_.path()).value(); }
  test::TempDir dir_;
};

TEST_F(CaptureRecordsTest, TimesGoToTheirCases) {
  write("7.jsonl", {kHeader, kCuda, kKernel, case_line(0, 100), case_line(1, 200), times_line("scale", 100, 0, 2, 50),
                    times_line("scale", 200, 1, 1, 70), times_line("other", 5, -1, 9, 400),
                    times_line("scale", 200, -1, 3, 30, true), R"({"end":true})"});
  const CaptureRecords records = read();
  ASSERT_THAT(records.kernels, SizeIs(2));
  EXPECT_EQ(records.kernels[0].name, "other"); // the longest time first
  EXPECT_EQ(records.kernels[1].times.calls, 6);
  EXPECT_EQ(records.kernels[1].times.ns, 150);
  EXPECT_TRUE(records.kernels[1].is_graph);
  ASSERT_THAT(records.cases, SizeIs(2));
  EXPECT_EQ(records.cases[0].grid[0], 200); // 70 and, from the graph, 30
  EXPECT_EQ(records.cases[0].times.ns, 100);
  EXPECT_EQ(records.cases[0].times.calls, 4);
  EXPECT_EQ(records.cases[0].times.max_ns, 70);
  EXPECT_EQ(records.cases[1].times.ns, 50);
  EXPECT_EQ(records.cases[0].arguments[0].buffer->bytes, 800);
  EXPECT_THAT(records.cases[0].arguments[1].value, ElementsAre(10, 0, 0, 0));
  EXPECT_TRUE(records.processes.front().has_ended);
  EXPECT_EQ(records.skipped_lines, 0);
}

TEST_F(CaptureRecordsTest, EqualLaunchesOfProcessesAreOne) {
  write("7.jsonl", {kHeader, kCuda, kKernel, case_line(0, 100), times_line("scale", 100, 0, 2, 50)});
  write("8.jsonl", {kHeader, kCuda, kKernel, case_line(0, 300), case_line(1, 100), times_line("scale", 100, 1, 1, 7),
                    times_line("scale", 300, 0, 1, 1)});
  const CaptureRecords records = read();
  ASSERT_THAT(records.cases, SizeIs(2));
  EXPECT_EQ(records.cases[0].times.ns, 57);
  EXPECT_EQ(records.cases[1].times.ns, 1);
  EXPECT_THAT(records.processes, SizeIs(2));
}

TEST_F(CaptureRecordsTest, DamagedLinesAreLeftOut) {
  std::string cut = case_line(1, 200);
  cut.resize(cut.size() / 2);
  write("7.jsonl", {kHeader, kCuda, kKernel, case_line(0, 100), "\x01\xff garbage", R"({"case":{"id":5}})", R"([1])",
                    R"({"times":{"kernel":{}}})", times_line("scale", 100, 0, 2, 50), cut});
  const CaptureRecords records = read();
  EXPECT_THAT(records.cases, SizeIs(1));
  EXPECT_EQ(records.cases[0].times.ns, 50);
  EXPECT_EQ(records.skipped_lines, 5);
  EXPECT_FALSE(records.processes.front().has_ended);
}

TEST_F(CaptureRecordsTest, AFolderWithoutRecordsIsEmptyAndNoFolderIsAnError) {
  EXPECT_THAT(read().processes, IsEmpty());
  const auto missing = read_capture_records(dir_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(missing.error().message, HasSubstr("none"));
}

TEST_F(CaptureRecordsTest, ContentsAreFilesOfTheFolderOnly) {
  std::string line = case_line(0, 100);
  const std::string memory = R"("memory":"device")";
  line.insert(line.find(memory), R"("contents":"../../etc/passwd",)");
  write("7.jsonl", {kHeader, kCuda, kKernel, line});
  EXPECT_THAT(read().cases.front().arguments.front().buffer->contents.string(), IsEmpty());
}

TEST_F(CaptureRecordsTest, AProgramIsFoundByItsImageThenByName) {
  CaptureRecords records;
  records.programs = {{"a", "one", {}, {"-DB=1"}, {"a-1"}, {"scale"}, true},
                      {"b", "one", {}, {"-DB=2"}, {"b-1"}, {"scale"}, true},
                      {"c", "bad", {}, {}, {}, {"scale"}, false}};
  CapturedCase one;
  one.kernel = "scale";
  one.image = "a-1";
  EXPECT_EQ(program_of(records, one), &records.programs[0]);
  one.image = "linked";
  EXPECT_EQ(program_of(records, one), &records.programs[1]); // the newest that compiled
  one.kernel = "other";
  EXPECT_EQ(program_of(records, one), nullptr);
  EXPECT_TRUE(has_source(records, "scale"));
  EXPECT_FALSE(has_source(records, "other"));
}

TEST_F(CaptureRecordsTest, OneKernelOfTwoSourcesIsTwoGroups) {
  CaptureRecords records;
  records.programs = {{"a", "one", {}, {}, {"a-1"}, {"scale"}, true}, {"b", "two", {}, {}, {"b-1"}, {"scale"}, true}};
  for (const char* image : {"a-1", "b-1", "a-1"}) {
    records.cases.emplace_back().kernel = "scale";
    records.cases.back().image = image;
  }
  const auto groups = group_cases(records);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].cases.size(), 2U);
  EXPECT_EQ(groups[1].program, &records.programs[1]);
}

TEST(CapturedSources, OptionsBecomeMacrosDefinesAndOptions) {
  CapturedProgram program;
  program.source = "#include \"a.h\"\n__global__ void k() { int x = BLOCK + N; } // UNUSED\n";
  program.headers = {{"a.h", "int a;"}, {"../outside.h", ""}, {"/abs.h", ""}, {"kernel.cu", ""}};
  program.options = {"-DBLOCK=128",        "-D",          "N=4",        "--define-macro=REAL=float", "-DFLAG",
                     "-DUNUSED=3",         "-arch=sm_90", "-std=c++17", "--use_fast_math",           "-dlto",
                     "--gpu-architecture", "-lineinfo"};
  const CapturedSource source = captured_source(program);
  EXPECT_THAT(source.macros, ElementsAre(Pair("BLOCK", 128), Pair("N", 4)));
  EXPECT_THAT(source.options, ElementsAre("--use_fast_math"));
  ASSERT_THAT(source.files.files, SizeIs(2));
  EXPECT_EQ(source.files.files[0].second,
            "// Options of the application's compile.\n#define REAL float\n#define FLAG 1\n"
            "#define UNUSED 3\n" +
                program.source);
  EXPECT_THAT(source.files.files[1], Pair("a.h", "int a;"));
  EXPECT_THAT(source.notes, ElementsAre(HasSubstr("left out: -dlto")));
}

TEST(CapturedSources, HeadersOfTheApplicationsFoldersAreRead) {
  const test::TempDir dir;
  std::filesystem::create_directory(dir / "inc");
  std::filesystem::create_directory(dir / "toolkit");
  std::ofstream(dir / "inc/one.h") << "#include <two.h>\n";
  std::ofstream(dir / "inc/two.h") << "int two;\n";
  std::ofstream(dir / "toolkit/cuda_fp16.h") << "";
  std::ofstream(dir / "toolkit/three.h") << "";
  CapturedProgram program;
  program.source = "#include \"one.h\"\n#include <three.h>\n";
  program.options = {"-I" + (dir / "toolkit").string(), "--include-path=" + (dir / "inc").string()};
  std::vector<std::string> names;
  for (const auto& [name, text] : captured_source(program).files.files) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("kernel.cu", "one.h", "two.h")); // NVRTC finds the toolkit's own headers
}

} // namespace
} // namespace warptune
