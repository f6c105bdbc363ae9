// Shell completions: for each place on the command line exactly the words that may be there.
#include "cli/completion.h"
#include "cli/completion_values.h"
#include "support/paths.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Words = std::vector<std::string>;

ProgramDoc program() {
  ProgramDoc doc;
  doc.main.options = {{{"--version"}, "", "", "", false, false, false}};
  const OptionDoc kernel{{}, "KERNEL", "", "", true, false, false};
  const OptionDoc shape{{"--shape"}, "", "DIM=N,...", "", false, false, false};
  const OptionDoc dtype{{"--dtype"}, "", "TYPE", "", false, false, false};
  const OptionDoc set{{"--set"}, "", "FLAG=VALUE", "", false, false, true};
  const OptionDoc db{{"--db"}, "", "FILE", "", false, false, false};
  const OptionDoc json{{"--json"}, "", "[FILE]", "", false, true, false};
  const OptionDoc files{{}, "INPUT", "FILE", "", true, false, true};
  doc.commands.push_back({"tune", "Tune", "", {kernel, shape, dtype, set, db, json}});
  const OptionDoc kernels{{"--kernels"}, "", "NAME,...", "", false, false, false};
  const OptionDoc gpus{{"--gpus"}, "", "NAME,...", "", false, false, false};
  const OptionDoc align{{"--align"}, "", "N", "", false, false, false};
  doc.commands.push_back({"pack", "Pack", "", {kernels, gpus, align}});
  doc.commands.push_back({"merge", "Merge", "", {files, {{"-o", "--output"}, "", "FILE", "", true, false, false}}});
  return doc;
}

Completion ask(const Words& words) {
  static const TemplateStore store({test::share_dir() / "kernel_templates"});
  return complete(program(), words, [](const ValueQuery& query) { return option_values(query, store); });
}

Words words_of(const Words& typed) {
  Words out;
  for (const Candidate& candidate : ask(typed).candidates) out.push_back(candidate.word);
  return out;
}

TEST(Completion, CommandsComeFirst) {
  EXPECT_THAT(words_of({""}), UnorderedElementsAre("tune", "pack", "merge", "help"));
  EXPECT_THAT(words_of({"tu"}), ElementsAre("tune"));
  EXPECT_THAT(words_of({"--v"}), ElementsAre("--version"));
  EXPECT_THAT(words_of({"help", "m"}), ElementsAre("merge"));
  EXPECT_THAT(words_of({"nonsense", ""}), IsEmpty());
}

TEST(Completion, OptionsOnceUnlessTheyRepeat) {
  EXPECT_THAT(words_of({"tune", "--s"}), UnorderedElementsAre("--shape", "--set"));
  EXPECT_THAT(words_of({"tune", "--set", "log=1", "--shape", "rows=1", "--s"}), ElementsAre("--set"));
}

TEST(Completion, KernelsAndWhatTheyHave) {
  EXPECT_THAT(words_of({"tune", "so"}), ElementsAre("softmax"));
  EXPECT_TRUE(ask({"tune", ""}).files); // a kernel may be the path of a folder
  EXPECT_THAT(words_of({"tune", "softmax", "--dtype", "b"}), ElementsAre("bf16"));
  EXPECT_THAT(words_of({"tune", "softmax", "--dtype=b"}), ElementsAre("--dtype=bf16"));
  EXPECT_THAT(words_of({"tune", "softmax", "--shape", "rows=1,"}), ElementsAre("rows=1,cols="));
  EXPECT_THAT(words_of({"tune", "--set", "log=0", "softmax", "--set", ""}), UnorderedElementsAre("log=0", "log=1"));
  EXPECT_THAT(words_of({"tune", "no_such_kernel", "--dtype", ""}), IsEmpty());
}

TEST(Completion, ListsGoOnWithWhatIsNotThereYet) {
  EXPECT_THAT(words_of({"pack", "--kernels", "so"}), ElementsAre("softmax"));
  EXPECT_THAT(words_of({"pack", "--kernels", "softmax,sg"}), ElementsAre("softmax,sgemm"));
  EXPECT_THAT(words_of({"pack", "--kernels=softmax,sg"}), ElementsAre("--kernels=softmax,sgemm"));
  EXPECT_THAT(words_of({"pack", "--gpus", "sm_9"}), ElementsAre("sm_90a"));
  EXPECT_THAT(words_of({"pack", "--gpus", "sm_90a,sm_80,sm_8"}),
              ElementsAre("sm_90a,sm_80,sm_86", "sm_90a,sm_80,sm_87", "sm_90a,sm_80,sm_88", "sm_90a,sm_80,sm_89"));
  EXPECT_THAT(words_of({"pack", "--align", ""}), ElementsAre("1", "2", "4", "8", "16"));
}

TEST(Completion, FilesWhereTheyBelong) {
  EXPECT_TRUE(ask({"tune", "--db", ""}).files);
  EXPECT_FALSE(ask({"tune", "--dtype", ""}).files);
  EXPECT_TRUE(ask({"merge", "a.db", "b"}).files);                          // merge takes several files
  EXPECT_FALSE(ask({"tune", "softmax", ""}).files);                        // tune takes one kernel
  EXPECT_THAT(words_of({"tune", "--json", "so"}), ElementsAre("softmax")); // the value of --json must follow '='
}

} // namespace
} // namespace warptune::cli
