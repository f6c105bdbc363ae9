// An implementation from another folder (`--also DIR`): it adds files and replaces none.
#include "jit/template_store.h"
#include "support/temp_dir.h"

#include <fstream>
#include <gmock/gmock.h>

namespace warptune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kMembers = R"("params": {"V": {"values": [1], "default": 1}},
    "launches": [{"kernel": "k", "grid": ["n"], "block": [32], "args": ["x", "y"]}]})";

struct Also : testing::Test {
  TempDir dir;

  Also() {
    write("op/spec.json", R"({"format": 2, "name": "op", "summary": "y = x",
      "problem": {"dims": {"n": {}}, "dtypes": ["fp32"]},
      "arguments": {"x": {"buffer": "fp32", "count": "n", "role": "input"},
                    "y": {"buffer": "fp32", "count": "n", "role": "output"}},
      "reference": {"launches": [{"kernel": "r", "grid": ["n"], "block": [1], "args": ["x", "y"]}]},
      "cost": {"bytes_read": "n", "bytes_written": "n", "flops": {}},
      "tolerance": {"default": {"rtol": 1e-6}}, )" +
                              std::string(kMembers));
    write("op/kernel.cu", "// kernel\n");
    write("op/reference.cu", "// reference\n");
    write("op/detail/own.cuh", "// of the operator\n");
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name) << text;
  }
  // The error for an operator with a folder of this name that holds these files; empty: none.
  std::string error_with(const std::string& name, const std::vector<std::string>& files = {"kernel.cu"}) {
    const std::string folder = "al/" + name;
    write(folder + "/implementation.json", "{" + std::string(kMembers));
    for (const std::string& file : files) write(folder + "/" + file, "// of the addition\n");
    const auto kernel = TemplateStore({}).load((dir / "op").string(), {(dir / folder).string()});
    if (kernel) return "";
    EXPECT_EQ(kernel.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(kernel.error().message, Not(HasSubstr("the key 'implementation' is missing")));
    return kernel.error().message;
  }
};

TEST_F(Also, AddsAnImplementation) { EXPECT_EQ(error_with("mine"), ""); }

TEST_F(Also, TakesThePlaceOfNoSharedHeader) {
  EXPECT_THAT(error_with("common", {"reduce.cuh"}),
              HasSubstr("al/common: the folder name 'common' is reserved for shared headers"));
}

TEST_F(Also, TakesThePlaceOfNoFileOfTheOperator) {
  EXPECT_THAT(error_with("detail", {"own.cuh"}),
              HasSubstr("al/detail: the kernel has a file 'detail/own.cuh' already"));
  fs::remove(dir / "al/detail/own.cuh");
  EXPECT_EQ(error_with("detail", {"kernel.cu"}), "") << "another file";
}

TEST_F(Also, NamesThatCannotBeAreRefusedWithTheFolderThatWasGiven) {
  EXPECT_THAT(error_with("a b"), HasSubstr((dir / "al/a b").string() + ": the folder's name"));
  EXPECT_THAT(error_with("main"), HasSubstr("a folder named 'main'"));
}

// A folder inside the operator: the error, or an empty text.
struct StrayFolders : Also {
  std::string error() const {
    const auto kernel = TemplateStore({}).load((dir / "op").string());
    return kernel ? "" : kernel.error().message;
  }
};

TEST_F(StrayFolders, AMisspeltDescriptionIsReported) {
  write("op/fast/implementaton.json", "{" + std::string(kMembers));
  EXPECT_THAT(error(),
              HasSubstr("op/fast looks like an implementation but is not one: it has 'implementaton.json', but no "
                        "implementation.json"));
  fs::rename(dir / "op/fast/implementaton.json", dir / "op/fast/implementation.json");
  write("op/fast/kernel.cu", "// fast\n");
  EXPECT_EQ(error(), "");
  write("op/slow/kernel.cu", "// slow\n");
  EXPECT_THAT(error(), HasSubstr("op/slow looks like an implementation but is not one: it has kernel.cu, but no"));
}

TEST_F(StrayFolders, ASourceBesideSomeDescriptionIsReported) {
  write("op/fast/impl.json", "{}");
  EXPECT_EQ(error(), "");
  write("op/fast/fast.cu", "// fast\n");
  EXPECT_THAT(error(), HasSubstr("it has a source and 'impl.json', but no implementation.json"));
}

TEST_F(StrayFolders, OtherFoldersAreLeftAlone) {
  write("op/data/shapes.json", "[]");
  write("op/old/kernel.cu", "// kept\n");
  write("op/.hidden/implementaton.json", "{}");
  write("op/nested/spec.json", "{}");
  write("op/nested/kernel.cu", "// an operator of its own\n");
  EXPECT_EQ(error(), "");
}

} // namespace
} // namespace warptune::test
