// The file of untuned shapes that an application selected is a sweep file for the command line, without changes.
#include "jit/template_store.h"
#include "runtime/misses.h"
#include "support/run_cli.h"

#include <gmock/gmock.h>

namespace warptune::test {
namespace {

TEST(CliMisses, ASweepTakesThem) {
  CliRunner cli;
  cli.set("WARPTUNE_TEMPLATES", (share_dir() / "kernel_templates").string());
  Misses misses;
  const TemplateStore store = TemplateStore::standard();
  const auto add = [&](const char* name, const char* shape, const char* dtype, std::vector<std::string> flags) {
    const auto kernel = store.load(name);
    ASSERT_TRUE(kernel) << kernel.error().message;
    const auto problem = make_problem(kernel->spec, shape, dtype, flags);
    ASSERT_TRUE(problem) << problem.error().message;
    misses.add(kernel->spec, *problem);
  };
  add("softmax", "rows=77,cols=1000", "fp16", {"log=1"});
  add("sgemm", "m=300,n=200,k=100", "fp32", {"layout=nt"});
  add("axpy", "n=12345", "bf16", {});
  const std::string file = (cli.dir() / "misses.json").string();
  ASSERT_TRUE(misses.write(file));
  add("axpy", "n=777", "fp32", {});
  ASSERT_TRUE(misses.append_new(file)); // as a killed application leaves it
  const CliResult preview = cli.run({"sweep", file, "--dry-run"});
  EXPECT_EQ(preview.code, 0) << preview.err;
  for (const char* text : {"rows=77,cols=1000", "m=300,n=200,k=100", "n=12345", "n=777"})
    EXPECT_THAT(preview.out, testing::HasSubstr(text));
}

} // namespace
} // namespace warptune::test
