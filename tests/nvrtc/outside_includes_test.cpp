// The files that the compiler and the reader of folders may open: the folder, common/, the roots, the toolkit, and no
// other file.
#include "jit/compiler.h"
#include "jit/outside_includes.h"
#include "jit/template_store.h"
#include "support/temp_dir.h"
#include "support/twice_kernel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using test::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CompileRequest request_for(std::string source) {
  CompileRequest request;
  request.source_name = "kernel.cu";
  request.source = std::move(source);
  request.options = {"-arch=sm_90a", "--std=c++17"};
  return request;
}

std::vector<std::string> names_in(const std::string& source) { return outside_includes(request_for(source)).names; }
std::string unclear_in(const std::string& source) { return outside_includes(request_for(source)).unclear; }

TEST(OutsideIncludes, AbsoluteNamesAndThoseThatLeadUp) {
  EXPECT_THAT(names_in("#include \"a.h\"\n#include <lib/b.h>\n#include \"a..h\"\n"), IsEmpty());
  EXPECT_THAT(names_in("#include \"/etc/a\"\n"), ElementsAre("/etc/a"));
  EXPECT_THAT(names_in("#include </etc/a>\n"), ElementsAre("/etc/a"));
  EXPECT_THAT(names_in(" # include_next <lib/../../a>"), ElementsAre("lib/../../a"));
  EXPECT_THAT(names_in("%:include \"/a\"\n"), ElementsAre("/a"));
  EXPECT_THAT(names_in("?"
                       "?=include \"/a\"\n"),
              ElementsAre("/a"));
  EXPECT_THAT(names_in("#inc\\\nlude \"/a\"\n"), ElementsAre("/a"));
  EXPECT_THAT(names_in("#inc?"
                       "?/\nlude \"/a\"\n"),
              ElementsAre("/a"));
  EXPECT_THAT(names_in("/* x\n*/ # /**/ include /*\n*/ \"/a\"\n"), ElementsAre("/a"));
}

TEST(OutsideIncludes, OfHeadersAsOfTheSource) {
  CompileRequest request = request_for("#include \"a.h\"\n#include B\n");
  request.headers = {{"a.h", "#include \"/etc/a\"\n"}, {"b.h", "#define B \"../b\"\n"}};
  EXPECT_THAT(outside_includes(request).names, ElementsAre("../b", "/etc/a"));
}

TEST(OutsideIncludes, BehindMacros) {
  EXPECT_THAT(names_in("#define A <lib/a.h>\n#include A\n"), IsEmpty());
  EXPECT_THAT(names_in("#define B \"/a//b\"\n#define A B // why\n#include A\n"), ElementsAre("/a//b"));
  EXPECT_EQ(unclear_in("#define A <lib/a.h>\n#include A // why\n#include TOOLKIT_HEADER\n"), "");
  CompileRequest defined = request_for("#include A\n");
  defined.options.emplace_back("-DA=\"/a\"");
  EXPECT_THAT(outside_includes(defined).names, ElementsAre("/a"));
  for (const char* source :
       {"#define S(x) #x\n#include S(/etc/a)\n", "#define S(x) #x\n#define A S(/etc/a)\n#include A\n",
        "#define L <\n#include L/etc/a>\n", "#define A < /etc/a >x\n#include A\n", "#define A A\n#include A\n",
        "#define A \"x\" \"/a\"\n#include A\n", "#define A(x) \"/etc/a\"\n#include A()\n"})
    EXPECT_THAT(unclear_in(source), HasSubstr("include the file by its literal name")) << source;
  EXPECT_EQ(unclear_in("// we #include all of it\n/* or\n * #include what is there */\n"), "");
}

struct OutsideFiles : ::testing::Test {
  test::TempDir dir;
  const fs::path secret = dir / "secret.h";
  fs::path before = fs::current_path();

  OutsideFiles() {
    write_file(secret, "__device__ int secret;\n");
    fs::create_directory(dir / "work");
    fs::current_path(dir / "work");
    write_file(dir / "work" / "here.h", "__device__ int here;\n");
  }
  ~OutsideFiles() override { fs::current_path(before); }

  static std::string log_of(const std::string& source) {
    const auto compiled = compile(request_for(source), 0);
    if (!compiled) return compiled.error().message;
    return *compiled ? "compiled" : compiled->error().log;
  }
};

TEST_F(OutsideFiles, TheCompilerDoesNotReadThem) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const std::string kernel = "\n__global__ void k() {}\n", outside = "outside of the kernel's folder";
  EXPECT_EQ(log_of("#include <cuda_fp16.h>" + kernel), "compiled");
  EXPECT_EQ(log_of("// #include \"" + secret.string() + "\"" + kernel), "compiled");
  EXPECT_THAT(log_of("#include \"" + secret.string() + "\"" + kernel), HasSubstr(outside));
  EXPECT_THAT(log_of("#include <" + secret.string() + ">" + kernel), HasSubstr(outside));
  EXPECT_THAT(log_of("#include \"../secret.h\"" + kernel), HasSubstr(outside));
  EXPECT_THAT(log_of("#define A \"" + secret.string() + "\"\n#include A" + kernel), HasSubstr(outside));
  EXPECT_THAT(log_of("#define S(x) #x\n#include S(" + secret.string() + ")" + kernel),
              HasSubstr("by its literal name"));
  // The file is in no hash, so a change of it would go unnoticed.
  EXPECT_THAT(log_of("#include \"here.h\"" + kernel), HasSubstr("here.h"));
  EXPECT_NE(log_of("#include \"here.h\"" + kernel), "compiled");
}

TEST_F(OutsideFiles, TheToolkitsHeadersFindTheirNeighbours) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const std::string kernel = "\n__global__ void k() {}\n";
  for (const char* header : {"cooperative_groups.h", "cooperative_groups/reduce.h", "mma.h", "cuda/std/type_traits"})
    EXPECT_EQ(log_of(fmt::format("#include <{}>{}", header, kernel)), "compiled") << header;
}

TEST_F(OutsideFiles, ALinkOutOfTheFolderIsNotFollowed) {
  const fs::path folder = dir / "twice";
  const auto load = [&] { return TemplateStore({dir / "none"}, {}).load(folder.string()); };
  const auto relink = [&](const char* name, const fs::path& target) {
    fs::remove(folder / name);
    fs::create_symlink(target, folder / name);
  };
  test::write_twice_kernel(folder, "twice", R"("format": 1,)", "__global__ void k(float* x, float* y) {}\n");
  write_file(folder / "other.cu", "__global__ void k(float* x, float* y) {}\n");
  relink("kernel.cu", "other.cu");
  relink("linked.h", secret);
  const auto sound = load();
  ASSERT_TRUE(sound) << sound.error().message;
  for (const auto& [name, text] : sound->sources.files) EXPECT_NE(name, "linked.h");
  for (const char* name : {"kernel.cu", "reference.cu", "spec.json"}) {
    test::write_twice_kernel(folder, "twice", R"("format": 1,)", "__global__ void k(float* x, float* y) {}\n");
    fs::copy_file(folder / name, dir / name, fs::copy_options::overwrite_existing);
    relink(name, dir / name);
    const auto refused = load();
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().message, HasSubstr("a link to a file outside of the folder")) << name;
    fs::remove(folder / name);
  }
  test::write_twice_kernel(folder, "twice", R"("format": 1,)", "__global__ void k(float* x, float* y) {}\n");
  fs::create_directory_symlink(folder, dir / "by_link");
  EXPECT_TRUE(TemplateStore({dir / "none"}, {}).load((dir / "by_link").string())) << "the folder itself may be one";
}

} // namespace
} // namespace warptune
