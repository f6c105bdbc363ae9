// The file of untuned shapes: counting, merging, refusals. integration/cli_misses_test.cpp tests that the command line
// takes it as a sweep file.
#include "runtime/misses.h"
#include "spec/spec_json.h"
#include "support/child.h"
#include "unit/runtime/fixture.h"

#include <fstream>
#include <iterator>

namespace warptune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RuntimeMisses : public testing::Test {
 protected:
  RuntimeMisses() : spec_(must(parse_spec(kBlendSpec, "blend"))) {}
  void add(Misses& misses, const std::string& shape, int times = 1) {
    for (int i = 0; i < times; ++i) misses.add(spec_, must(make_problem(spec_, shape, "bf16", {"mode=clamped"})));
  }
  std::string read() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::filesystem::path path() const { return dir_ / "misses.json"; }

  TempDir dir_;
  KernelSpec spec_;
};

TEST_F(RuntimeMisses, ACountedJobAShapeTheMostWantedFirst) {
  Misses misses;
  add(misses, "n=100");
  add(misses, "n=7", 3);
  must(misses.write(path()));
  const std::string text = read();
  EXPECT_THAT(text, HasSubstr("{\"kernel\": \"blend\", \"shapes\": [\"n=7\"], \"dtypes\": [\"bf16\"], \"flags\": "
                              "{\"mode\": \"clamped\"}, \"about\": \"selected anew 3 times\"},\n"));
  EXPECT_LT(text.find("n=7"), text.find("n=100"));
  const auto counts = must(parse_misses(text, "t")).counts;
  EXPECT_EQ(counts.size(), 2u);
}

TEST_F(RuntimeMisses, AnEarlierFileIsMerged) {
  Misses misses;
  add(misses, "n=7", 2);
  must(misses.write(path()));
  must(misses.write(path())); // written shapes are not written again
  add(misses, "n=7");
  add(misses, "n=8");
  must(misses.write(path()));
  EXPECT_THAT(read(), AllOf(HasSubstr("n=7\"], \"dtypes\": [\"bf16\"], \"flags\": {\"mode\": \"clamped\"}, \"about\": "
                                      "\"selected anew 3 times"),
                            HasSubstr("n=8")));
}

// Each process reads, adds to and replaces the file; it must not undo another process's write in between.
TEST_F(RuntimeMisses, ProcessesThatEndTogetherLoseNothing) {
  constexpr int kProcesses = 4, kWrites = 50;
  std::vector<pid_t> children;
  for (int c = 0; c < kProcesses; ++c)
    children.push_back(start_child([&] {
      for (int i = 0; i < kWrites; ++i) {
        Misses misses;
        add(misses, "n=7");
        must(misses.write(path()));
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(wait_child(child), 0);
  const auto counts = must(parse_misses(read(), "t")).counts;
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts.begin()->second, static_cast<std::uint64_t>(kProcesses * kWrites));
}

TEST_F(RuntimeMisses, NothingMissedNothingWritten) {
  Misses misses;
  must(misses.write(path()));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(RuntimeMisses, OtherFilesAreLeftAlone) {
  Misses misses;
  add(misses, "n=7");
  for (const std::string& text :
       {std::string("{\"warptune_sweep\": 1, \"jobs\": []}\n"), std::string(), std::string(99, 'x')}) {
    std::ofstream(path()) << text;
    const auto written = misses.write(path());
    ASSERT_FALSE(written) << text;
    EXPECT_THAT(written.error().message, HasSubstr("left unchanged"));
    EXPECT_EQ(read(), text);
  }
  EXPECT_FALSE(misses.write(dir_.path()));
  EXPECT_FALSE(misses.write(dir_ / "no" / "such" / "folder.json"));
  std::ofstream(path()) << "notes";
  EXPECT_FALSE(Misses().write(path())) << "also where nothing was missed";
  EXPECT_FALSE(Misses().write(dir_.path()));
  std::filesystem::remove(path());
  must(misses.write(path())); // it was kept through all failures
  EXPECT_THAT(read(), HasSubstr("selected anew 1 time\""));
}

TEST_F(RuntimeMisses, ADamagedFileIsRefused) {
  Misses misses;
  add(misses, "n=7");
  must(misses.write(path()));
  const std::string whole = read();
  const std::size_t head = whole.find("    {");
  for (std::size_t size = 0; size < head; size += 3) EXPECT_FALSE(parse_misses(whole.substr(0, size), "t")) << size;
  std::string zero = whole;
  zero.replace(zero.find("anew 1"), 6, "anew 0");
  EXPECT_FALSE(parse_misses(zero, "t"));
}

// A kill, a full disk or a power failure may interrupt the write of a second job at any byte.
TEST_F(RuntimeMisses, ACutFileHasItsCompleteLines) {
  Misses misses;
  add(misses, "n=7", 2);
  must(misses.write(path()));
  const std::string one = read();
  add(misses, "n=8");
  must(misses.write(path()));
  const std::string two = read();
  const std::size_t first_end = two.find("},\n") + 1, second_end = two.rfind("\"}") + 2;
  for (std::size_t size = two.find("    {"); size < two.size(); ++size) {
    const MissesText cut = must(parse_misses(two.substr(0, size), "t"));
    EXPECT_TRUE(cut.is_cut);
    EXPECT_EQ(cut.counts.size(), size < first_end ? 0u : size < second_end ? 1u : 2u) << size;
  }
  // The new text replaces the end of the old one, so the rest of the old end may follow.
  for (std::size_t size = first_end + 1; size < one.size(); ++size) {
    const MissesText cut = must(parse_misses(two.substr(0, size) + one.substr(size), "t"));
    EXPECT_TRUE(cut.is_cut);
    ASSERT_EQ(cut.counts.size(), 1u) << size;
    EXPECT_EQ(cut.counts.begin()->second, 2u);
  }
  EXPECT_FALSE(must(parse_misses(one, "t")).is_cut);
  EXPECT_FALSE(must(parse_misses(two, "t")).is_cut);
}

TEST_F(RuntimeMisses, WritingRepairsACutFile) {
  Misses misses;
  add(misses, "n=7");
  add(misses, "n=8");
  must(misses.write(path()));
  std::filesystem::resize_file(path(), read().find("n=8"));
  add(misses, "n=9");
  must(misses.write(path()));
  const MissesText repaired = must(parse_misses(read(), "t"));
  EXPECT_FALSE(repaired.is_cut);
  EXPECT_EQ(repaired.counts.size(), 2u);
  EXPECT_THAT(read(), AllOf(HasSubstr("n=7"), HasSubstr("n=9")));
}

TEST_F(RuntimeMisses, AFileThatCannotBeReadIsAnError) {
  Misses misses;
  add(misses, "n=7");
  const auto written = misses.write("/proc/self/mem"); // a regular file whose first byte cannot be read
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("cannot read the untuned shapes in /proc/self/mem: "));
}

TEST_F(RuntimeMisses, LinesThatAreNoJobAreRefused) {
  Misses misses;
  add(misses, "n=7");
  add(misses, "n=8");
  must(misses.write(path()));
  const std::string whole = read();
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = whole;
    return text.replace(text.find(what), what.size(), instead);
  };
  ASSERT_TRUE(parse_misses(whole, "t"));
  ASSERT_TRUE(parse_misses(with("anew 1 time\"", "anew 1 times\""), "t")) << "as it was written once";
  ASSERT_TRUE(parse_misses(with(", \"flags\": {\"mode\": \"clamped\"}", ""), "t"));
  EXPECT_FALSE(parse_misses(with("    {\"kernel\"", "    garbage {\"kernel\""), "t"));
  EXPECT_FALSE(parse_misses(with("\"n=7\"]", "\"n=7\""), "t"));
  EXPECT_FALSE(parse_misses(with("\"n=7\"", "\"n=7\\\""), "t"));
  EXPECT_FALSE(parse_misses(with("\"blend\"", "blend"), "t"));
  EXPECT_FALSE(parse_misses(with("\"blend\"", "\"ble\x01nd\""), "t"));
  EXPECT_FALSE(parse_misses(with("\"clamped\"}", "\"clamped\""), "t"));
  EXPECT_FALSE(parse_misses(with("\"clamped\"", "\"clamped\", "), "t"));
  EXPECT_FALSE(parse_misses(with("time\"},", "time\"}"), "t"));
  EXPECT_FALSE(parse_misses(with("time\"}\n", "time\", \"x\": 1}\n"), "t"));
}

TEST_F(RuntimeMisses, CountsStopAtWhatAFileCanSay) {
  Misses misses;
  add(misses, "n=7", 2);
  must(misses.write(path()));
  std::string text = read();
  text.replace(text.find("anew 2 "), 7, "anew 9223372036854775807 ");
  std::ofstream(path()) << text;
  for (int i = 0; i < 3; ++i) {
    add(misses, "n=7", 2);
    must(misses.write(path()));
  }
  EXPECT_EQ(read(), text);
}

TEST_F(RuntimeMisses, NoMoreThanASweepTakes) {
  Misses misses;
  for (int n = 1; n <= 6000; ++n) add(misses, "n=" + std::to_string(n));
  must(misses.write(path()));
  EXPECT_EQ(must(parse_misses(read(), "t")).counts.size(), 5000u);
  EXPECT_LT(std::filesystem::file_size(path()), 1u << 20);
}

} // namespace
} // namespace warptune::test
