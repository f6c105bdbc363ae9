// Extracts spills, warnings and errors from the compiler's log.
#include "jit/ptxas_log.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kLog =
    R"(kernel.cu(7): warning #177-D: variable "unused" was declared but never referenced
    int unused;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4heldILi128EEvPKfPfx' for 'sm_90a'
ptxas info    : Function properties for _Z4heldILi128EEvPKfPfx
    280 bytes stack frame, 276 bytes spill stores, 264 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 280 bytes cumulative stack size
ptxas info    : Compiling entry function '_Z4heldILi4EEvPKfPfx' for 'sm_90a'
ptxas info    : Function properties for _Z4heldILi4EEvPKfPfx
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 25 registers, used 1 barriers
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to ...
ptxas warning : Value of threads per SM for entry held is out of range
)";

TEST(PtxasLog, SpillsStayInTheStrippedLog) {
  const std::string kept = strip_ptxas_info(kLog);
  for (const std::string& log : {std::string(kLog), kept}) {
    const auto spills = find_spills(log, "_Z4heldILi128EEvPKfPfx");
    ASSERT_TRUE(spills);
    EXPECT_EQ(spills->stores, 276);
    EXPECT_EQ(spills->loads, 264);
    EXPECT_FALSE(find_spills(log, "_Z4heldILi128EEvPKfPf")) << "the beginning of another's name";
  }
  EXPECT_FALSE(find_spills(kept, "_Z4heldILi4EEvPKfPfx"));
  EXPECT_THAT(kept, Not(HasSubstr("heldILi4E")));
  EXPECT_THAT(kept, Not(HasSubstr("registers")));
  EXPECT_EQ(parse_ptxas_log(kLog).front().resources.spill_bytes, 276);
}

TEST(PtxasLog, WarningsOfBothCompilers) {
  const auto warnings = find_warnings(strip_ptxas_info(kLog));
  ASSERT_EQ(warnings.size(), 3U);
  EXPECT_EQ(warnings[0].file, "kernel.cu");
  EXPECT_EQ(warnings[0].line, 7);
  EXPECT_EQ(warnings[0].text, "#177-D: variable \"unused\" was declared but never referenced");
  EXPECT_THAT(warnings[1].text, HasSubstr("(C7510) Potential Performance Loss"));
  EXPECT_EQ(warnings[1].file, "");
  EXPECT_EQ(warnings[2].text, "Value of threads per SM for entry held is out of range");
  EXPECT_THAT(find_warnings("kernel.cu(7): error: expected a \";\"\n"), IsEmpty());
}

} // namespace
} // namespace warptune
