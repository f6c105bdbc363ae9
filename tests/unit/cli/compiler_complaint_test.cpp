// Selects the line of a compiler's log to show, and the line of the source.
#include "cli/compiler_complaint.h"

#include <gtest/gtest.h>

namespace warptune::cli {
namespace {

const SourceFiles kSources{{{"kernel.cu", "one\n  two();\nthree"}, {"online/row.cuh", "a row\n"}}};

TEST(CompilerComplaint, TheFirstErrorAndItsLine) {
  const auto found = first_complaint(
      "kernel.cu(1): warning #1: odd\n\nkernel.cu(2): error: no two\nkernel.cu(3): error: x\n", kSources);
  EXPECT_EQ(found.message, "kernel.cu(2): error: no two");
  EXPECT_EQ(found.file, "kernel.cu");
  EXPECT_EQ(found.line, 2);
  EXPECT_EQ(found.source, "two();");
  EXPECT_EQ(first_complaint("online/row.cuh(1): error: x", kSources).source, "a row");
}

TEST(CompilerComplaint, ALongLineIsCutBetweenCharacters) {
  const auto shown = [](const std::string& line) {
    return first_complaint("kernel.cu(1): error: x", {{{"kernel.cu", line}}}).source;
  };
  EXPECT_EQ(shown(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(shown(std::string(201, 'x')), std::string(200, 'x') + "...");
  EXPECT_EQ(shown(std::string(199, 'x') + "\xC3\xA4" + "x"), std::string(199, 'x') + "...");
}

TEST(CompilerComplaint, WithoutAPlaceItIsTheSentenceAlone) {
  for (const char* log : {"ptxas fatal: error", "cuda_fp16.h(3): error: x", "kernel.cu(x): error",
                          "kernel.cu(99): error: x", "kernel.cu(-1): error: x", "a ): b ( error"}) {
    const auto found = first_complaint(log, kSources);
    EXPECT_EQ(found.message, log);
    EXPECT_EQ(found.source, "") << log;
  }
  EXPECT_EQ(first_complaint("\n  said so\nand more", kSources).message, "said so");
  EXPECT_EQ(first_complaint("", kSources).message, "");
}

} // namespace
} // namespace warptune::cli
