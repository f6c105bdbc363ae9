// The manual from definitions: sections in the usual order of manuals, and no text that roff takes for a request.
#include "cli/man_page.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgramDoc man_program() {
  ProgramDoc doc;
  doc.version = "warptune 1.2.3";
  doc.main.summary = "Tunes kernels.";
  doc.main.text = "Environment:\n  WARPTUNE_DB  the database\n";
  CommandDoc tune;
  tune.name = "tune";
  tune.summary = "Find the fastest";
  tune.options = {{{"-o", "--output"}, "", "FILE", "Where it goes", true, false, false},
                  {{"--json"}, "", "", "As JSON", false, false, false},
                  {{}, "KERNEL", "", "A kernel's name", true, false, false},
                  {{}, "MORE", "FILE", "Others", false, false, true}};
  tune.text =
      "Examples:\n  warptune tune a   the first\n  warptune tune b\n\n.hidden files are not read, `tie\nset` is "
      "bold.\n--json prints one object.\n\nExit codes:\n  0  done,\n     and well\n\nMore: README.md\n";
  doc.commands.push_back(tune);
  return doc;
}

TEST(ManPage, HasItsSectionsInOrder) {
  const std::string page = man_page(man_program(), man_program().commands.front());
  std::size_t at = 0;
  for (const char* title : {".TH WARPTUNE\\-TUNE 1", ".SH NAME\nwarptune\\-tune \\- Find the fastest\n", ".SH SYNOPSIS",
                            ".SH DESCRIPTION", ".SH OPTIONS", ".SH EXAMPLES", ".SH EXIT STATUS", ".SH SEE ALSO"}) {
    const std::size_t found = page.find(title);
    ASSERT_NE(found, std::string::npos) << title << "\n" << page;
    EXPECT_GE(found, at) << title;
    at = found;
  }
}

TEST(ManPage, SaysWhatIsRequiredAndWhatRepeats) {
  const std::string page = man_page(man_program(), man_program().commands.front());
  EXPECT_THAT(page, HasSubstr(".B warptune tune\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\n[\\fIOPTIONS\\fR]\n"
                              "\\fIKERNEL\\fR\n[\\fIMORE\\fR ...]\n"));
  EXPECT_THAT(page, HasSubstr("Where it goes (required)"));
}

TEST(ManPage, TextIsTextToRoff) {
  const std::string page = man_page(man_program(), man_program().commands.front());
  EXPECT_THAT(page, HasSubstr("\n\\&.hidden files"));
  EXPECT_THAT(page, HasSubstr("\\fBtie set\\fR is bold.")); // a pair of backticks that spans two lines
  EXPECT_THAT(page, HasSubstr(".PP\n\\-\\-json prints"));   // an option's sentence begins a paragraph
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBwarptune tune a\\fR\nthe first\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB0\\fR\ndone,\nand well\n"));
}

TEST(ManPage, LinesOfProseStayShort) {
  ProgramDoc doc = man_program();
  for (int i = 0; i < 60; ++i) doc.main.summary += " .word" + std::to_string(i);
  const std::string page = man_page(doc);
  std::size_t start = 0;
  while (start < page.size()) {
    const std::size_t end = page.find('\n', start);
    EXPECT_LE(end - start, 80u) << page.substr(start, end - start);
    EXPECT_NE(page.substr(start, 5), ".word");
    start = end + 1;
  }
}

TEST(ManPage, OfTheProgramListsCommandsAndEnvironment) {
  const std::string page = man_page(man_program());
  EXPECT_THAT(page, HasSubstr(".SH COMMANDS\n.TP\n.BR warptune\\-tune (1)\nFind the fastest\n"));
  EXPECT_THAT(page, HasSubstr(".SH ENVIRONMENT\n.TP\n\\fBWARPTUNE_DB\\fR\nthe database\n"));
  EXPECT_THAT(page, Not(HasSubstr(".SH DESCRIPTION\n.PP")));
}

} // namespace
} // namespace warptune::cli
