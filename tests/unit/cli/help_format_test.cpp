// A help text in a terminal narrower than the text's own width.
#include "cli/help_format.h"

#include <gtest/gtest.h>

namespace warptune::cli {
namespace {

const std::string kHelp =
    "Options:\n"
    "  --devices DEVICES               all, auto, cuda:0,1, recorded or recorded:PATH; default: all devices\n"
    "                                  of this machine\n"
    "  --list                          List the sweeps\n"
    "  NAME_OF_A_VARIABLE_THAT_IS_LONG\n"
    "                                  a description of more words than fit into a line of a narrow screen\n"
    "\n"
    "Examples:\n"
    "  warptune sweep --status /shared/llm              show what these machines have done so far\n"
    "  warptune sweep llm --run /shared/llm --slurm --partition gpu --time 4:00:00 --shards 64\n"
    "\n"
    "warptune tunes kernels. This is the first line of a paragraph that was written to the full width of\n"
    "100 columns.\n"
    "Exit codes:\n"
    "  1    completed, with failures (sweep: jobs failed; check: a warning, or something does not\n"
    "       compile)\n";

TEST(HelpFormat, IsWrappedAgainForANarrowTerminal) {
  EXPECT_EQ(fitted_help(kHelp, 80),
            "Options:\n"
            "  --devices DEVICES               all, auto, cuda:0,1, recorded or\n"
            "                                  recorded:PATH; default: all devices of this\n"
            "                                  machine\n"
            "  --list                          List the sweeps\n"
            "  NAME_OF_A_VARIABLE_THAT_IS_LONG\n"
            "                                  a description of more words than fit into a\n"
            "                                  line of a narrow screen\n"
            "\n"
            "Examples:\n"
            "  warptune sweep --status /shared/llm\n"
            "      show what these machines have done so far\n"
            "  warptune sweep llm --run /shared/llm --slurm --partition gpu --time 4:00:00 --shards 64\n"
            "\n"
            "warptune tunes kernels. This is the first line of a paragraph that was written\n"
            "to the full width of 100 columns.\n"
            "Exit codes:\n"
            "  1    completed, with failures (sweep: jobs failed; check: a warning, or\n"
            "       something does not compile)\n");
}

TEST(HelpFormat, StaysAsItIsWhereItFits) {
  EXPECT_EQ(fitted_help(kHelp, 0), kHelp) << "a pipe";
  EXPECT_EQ(fitted_help(kHelp, kHelpWidth), kHelp);
  EXPECT_EQ(fitted_help("a short text\n", 20), "a short text\n");
  for (std::size_t columns = 1; columns < kHelpWidth; ++columns) EXPECT_FALSE(fitted_help(kHelp, columns).empty());
}

} // namespace
} // namespace warptune::cli
