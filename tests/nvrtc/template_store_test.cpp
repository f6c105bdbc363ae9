// Kernel folders by name and by path: the files that are read, and one message for each thing that can be missing.
#include "jit/template_store.h"
#include "support/temp_dir.h"
#include "support/twice_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using test::write_file;
using testing::HasSubstr;

class TemplateStoreTest : public testing::Test {
 protected:
  TemplateStoreTest() {
    fs::create_directories(root_ / "common");
    write_file(root_ / "common" / "tools.cuh", "#define TOOL 1\n");
    write_file(root_ / "common" / "unused.cuh", "#define UNUSED 1\n");
    make_folder(root_ / "scale", "scale");
    make_folder(root_ / "softmax", "softmax");
  }

  static void make_folder(const fs::path& folder, const std::string& name) {
    test::write_twice_kernel(folder, name, R"("format": 1,)",
                             "#include \"common/tools.cuh\"\n#include \"own.cuh\"\n"
                             "__global__ void k(float* x, float* y) {}\n");
    write_file(folder / "own.cuh", "#define OWN 1\n");
  }

  std::string error_of(const std::string& name) const {
    auto kernel = store().load(name);
    if (kernel) return "loaded";
    EXPECT_EQ(kernel.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(kernel.error().message.find('\n'), std::string::npos) << "one sentence: " << kernel.error().message;
    return kernel.error().message;
  }

  TemplateStore store() const { return TemplateStore({root_}); }

  test::TempDir temp_;
  fs::path root_ = temp_ / "templates";
};

TEST_F(TemplateStoreTest, loadsByNameAndByPath) {
  auto by_name = store().load("scale");
  ASSERT_TRUE(by_name) << by_name.error().message;
  EXPECT_EQ(by_name->spec.name, "scale");
  EXPECT_EQ(by_name->sources.files[0].first, "kernel.cu");
  std::vector<std::string> names;
  for (const auto& [name, text] : by_name->sources.files) names.push_back(name);
  EXPECT_THAT(names, testing::IsSupersetOf({"kernel.cu", "reference.cu", "spec.json", "own.cuh", "common/tools.cuh"}));
  for (const fs::path& path : {root_ / "scale", root_ / "scale" / "", root_ / "scale" / "spec.json"}) {
    auto by_path = store().load(path.string());
    ASSERT_TRUE(by_path) << by_path.error().message;
    EXPECT_EQ(by_path->source_hash, by_name->source_hash) << "the hash does not depend on where the folder is";
  }
  EXPECT_THAT(store().names(), testing::ElementsAre("scale", "softmax"));
}

TEST_F(TemplateStoreTest, theHashFollowsWhatIsIncludedAndNothingElse) {
  const std::string before = store().load("scale")->source_hash;
  write_file(root_ / "common" / "unused.cuh", "#define UNUSED 2\n");
  write_file(root_ / "scale" / "notes.txt", "not a source");
  EXPECT_EQ(store().load("scale")->source_hash, before);
  write_file(root_ / "common" / "tools.cuh", "#define TOOL 2\n");
  EXPECT_NE(store().load("scale")->source_hash, before);
}

TEST_F(TemplateStoreTest, anUnknownNameSuggestsTheNearest) {
  EXPECT_THAT(error_of("sofmax"), HasSubstr("did you mean 'softmax'"));
  EXPECT_THAT(error_of(""), HasSubstr("no kernel was named"));
  EXPECT_THAT(error_of("nothing/like/this"), HasSubstr("nothing/like/this: no such folder"));
  auto empty = TemplateStore(std::vector<fs::path>{temp_ / "none"}).load("softmax");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("WARPTUNE_TEMPLATES"));
}

TEST_F(TemplateStoreTest, whatIsMissingInAFolderIsNamed) {
  const fs::path folder = root_ / "scale";
  EXPECT_THAT(error_of((folder / "kernel.cu").string()), HasSubstr("is a file; name its folder"));
  fs::rename(folder / "kernel.cu", folder / "other.cu");
  EXPECT_THAT(error_of("scale"), testing::AllOf(HasSubstr("cannot read 'kernel.cu'"), HasSubstr("no such file")));
  fs::rename(folder / "other.cu", folder / "kernel.cu");
  fs::remove(folder / "reference.cu");
  EXPECT_THAT(error_of("scale"), HasSubstr("cannot read 'reference.cu'"));
  fs::remove(folder / "spec.json");
  EXPECT_THAT(error_of(folder.string()), HasSubstr("no readable spec.json in this folder (no such file)"));
  write_file(folder / "spec.json", "{\"format\": ");
  EXPECT_THAT(error_of("scale"), HasSubstr("spec.json"));
}

TEST_F(TemplateStoreTest, theStandardStoreFindsTheShippedKernels) {
  ::setenv("WARPTUNE_TEMPLATES", root_.c_str(), 1);
  EXPECT_TRUE(TemplateStore::standard().load("scale")) << "the environment comes first";
  ::unsetenv("WARPTUNE_TEMPLATES");
  const std::vector<std::string> names = TemplateStore::standard().names();
  for (const std::string& name : names) EXPECT_TRUE(TemplateStore::standard().load(name)) << name;
}

} // namespace
} // namespace warptune
