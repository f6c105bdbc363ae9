// Headers from other folders ("include" and --include): the files that are read and compiled, and their effect on the
// hash.
#include "jit/compiler.h"
#include "jit/template_store.h"
#include "spec/config.h"
#include "spec/source_comments.h"
#include "spec/source_hash.h"
#include "support/temp_dir.h"
#include "support/twice_kernel.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

namespace fs = std::filesystem;
using test::write_file;
using ::testing::HasSubstr;

class IncludeRoots : public ::testing::Test {
 protected:
  IncludeRoots() {
    test::write_twice_kernel(kernel_, "twice", R"("format": 2, "include": ["tools"],)",
                             "#include <tools/factor.h>\n#include <cuda_fp16.h>\n"
                             "__global__ void k(float* x, float* y) { y[0] = kFactor * x[0]; }\n");
    fs::create_directories(headers_ / "tools" / "detail");
    write_file(headers_ / "tools" / "factor.h", "#include \"detail/value.h\"\nconstexpr float kFactor = kValue;\n");
    write_file(headers_ / "tools" / "detail" / "value.h", "constexpr float kValue = 2;\n");
    write_file(headers_ / "tools" / "unused.h", "#error nobody includes it\n");
  }

  Result<Kernel> load(std::vector<fs::path> roots) const {
    return TemplateStore({temp_ / "none"}, std::move(roots)).load(kernel_.string());
  }

  test::TempDir temp_;
  fs::path kernel_ = temp_ / "twice", headers_ = temp_ / "include";
};

TEST_F(IncludeRoots, WhatIsIncludedIsASource) {
  const auto kernel = load({temp_ / "other", headers_});
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  std::vector<std::string> names;
  for (const auto& [name, text] : kernel->sources.files) names.push_back(name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"tools/factor.h", "tools/detail/value.h"}));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("tools/unused.h")));
  write_file(headers_ / "tools" / "unused.h", "#error still\n");
  EXPECT_EQ(load({headers_})->source_hash, kernel->source_hash);
  write_file(headers_ / "tools" / "detail" / "value.h", "constexpr float kValue = 3;\n");
  EXPECT_NE(load({headers_})->source_hash, kernel->source_hash);
}

TEST_F(IncludeRoots, ABuildCommandFindsItsHeadersItself) {
  test::write_twice_kernel(
      kernel_, "twice", R"("format": 2, "include": ["tools"], "build": {"command": ["x"], "inputs": ["kernel.cu"]},)",
      "#include <tools/gone.h>\n");
  const auto kernel = load({headers_});
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  for (const auto& [name, text] : kernel->sources.files) EXPECT_THAT(name, ::testing::Not(HasSubstr("tools/")));
}

TEST_F(IncludeRoots, ItCompiles) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC";
  const auto kernel = load({headers_});
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  const KernelSpec& spec = kernel->spec;
  const Problem problem = make_problem(spec, "n=4", "", {}).value();
  const Config config = default_config(spec);
  const DeviceInfo device = h200_device();
  const LaunchPlan plan = make_plan(spec, problem, config, device).value();
  const auto compiled =
      compile(make_compile_request(spec, kernel->sources, problem, config, device, plan).value(), 0).value();
  EXPECT_TRUE(compiled.has_value()) << compiled.error().log;
}

TEST_F(IncludeRoots, WhatIsMissingIsSaid) {
  EXPECT_THAT(load({}).error().message,
              HasSubstr("twice includes headers of 'tools'; name the folder that contains 'tools' "
                        "with --include DIR"));
  write_file(headers_ / "tools" / "factor.h", "#include <tools/gone.h>\n");
  const auto refused = load({headers_});
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("tools/factor.h includes 'tools/gone.h', which is in none of"));
  EXPECT_THAT(refused.error().message, HasSubstr(headers_.string()));
}

TEST_F(IncludeRoots, WhatIsPerhapsNeverIncludedMayBeMissing) {
  write_file(headers_ / "tools" / "factor.h", "// #include <tools/gone.h>\n"
                                              "/* as in\n#include <tools/gone.h>\n*/\n"
                                              "#if 0\n# ifdef X\n# endif\n#include <tools/gone.h>\n#endif\n"
                                              "/* found: */ #include \"detail/value.h\"\n"
                                              "constexpr float kFactor = kValue;\n");
  const auto kernel = load({headers_});
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_NE(find_source(kernel->sources, "tools/detail/value.h"), nullptr);
  write_file(headers_ / "tools" / "factor.h", "#if 0\n#endif\n#include <tools/gone.h>\n");
  EXPECT_FALSE(load({headers_}));
}

TEST(SourceComments, BecomeBlanks) {
  EXPECT_EQ(without_comments("a // b\nc"), "a     \nc");
  EXPECT_EQ(without_comments("a // b\\\nb\nc"), "a      \n \nc");
  EXPECT_EQ(without_comments("a /* b\n */ c /* d"), "a     \n    c     ");
  EXPECT_EQ(without_comments("x = \"// no\";"), "x = \"// no\";");
  EXPECT_EQ(without_comments("x = '\"'; // no"), "x = '\"';      ");
  EXPECT_EQ(without_comments("x = 1'000; // no"), "x = 1'000;      ");
  EXPECT_EQ(without_comments("x = R\"(\" // )\"; // no"), "x = R\"(\" // )\";      ");
}

} // namespace
} // namespace warptune
