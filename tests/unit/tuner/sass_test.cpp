// The text of instructions: the format of nvdisasm's output, and a stand-in for nvdisasm.
#include "jit/toolkit_program.h"
#include "support/temp_dir.h"
#include "tuner/sass.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kPrinted = R"(	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90"
	.elftype	@"ET_EXEC"

//--------------------- .text.scale               --------------------------
	.section	.text.scale,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.align	128
        .global         scale
        .type           scale,@function
        .size           scale,(.L_x_1 - scale)
        .other          scale,@"STO_CUDA_ENTRY STV_DEFAULT"
scale:
.text.scale:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_0:
        /*0020*/              @!P0 BRA `(.L_x_0) ;
        /*0030*/                   LDG.E R2, desc[UR4][R2.64] ;             /* 0x0000000402027981 */
                                                                            /* 0x000ea2000c1e1900 */
.L_x_1:


//--------------------- .text._Z5powerILi7EEvPf   --------------------------
	.section	.text._Z5powerILi7EEvPf,"ax",@progbits
_Z5powerILi7EEvPf:
.text._Z5powerILi7EEvPf:
        /*0000*/                   EXIT ;
        /*zz10*/                   NOP ;
        /*0020*/                   NOP
)";

TEST(Sass, IsReadByFunctionAndOffset) {
  const SassText sass = parse_nvdisasm(kPrinted);
  const SassText expected = {{{"scale", 0x00}, "LDC R1, c[0x0][0x28]"},
                             {{"scale", 0x10}, "S2R R0, SR_TID.X"},
                             {{"scale", 0x20}, "@!P0 BRA `(.L_x_0)"},
                             {{"scale", 0x30}, "LDG.E R2, desc[UR4][R2.64]"},
                             {{"_Z5powerILi7EEvPf", 0}, "EXIT"}};
  EXPECT_EQ(sass, expected);
  const std::string_view text = kPrinted; // cut anywhere: at most fewer instructions
  for (std::size_t size = 0; size < text.size(); size += 7) EXPECT_LE(parse_nvdisasm(text.substr(0, size)).size(), 5U);
}

class Disassembler : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("WARPTUNE_NVDISASM"); }
  // A program that prints the given file, and then runs `end`.
  void install(const std::string& end) {
    const auto script = dir_ / "nvdisasm";
    std::ofstream(script) << "#!/bin/sh\n[ \"$1\" = -c ] && cat \"$2\"\n" << end << "\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    ::setenv("WARPTUNE_NVDISASM", script.c_str(), 1);
  }
  test::TempDir dir_;
};

TEST_F(Disassembler, ReadsWhatTheToolPrints) {
  install("exit 0");
  const auto sass = disassemble(kPrinted);
  ASSERT_TRUE(sass) << sass.error().message;
  EXPECT_EQ(sass->size(), 5U);
}

TEST_F(Disassembler, SaysWhyThereIsNoText) {
  install("echo 'bad cubin' >&2; exit 3");
  const auto failed = disassemble(kPrinted);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("exited with code 3"));
  EXPECT_THAT(failed.error().message, HasSubstr("bad cubin"));
  install("exit 0");
  const auto empty = disassemble("no instructions");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("printed no instructions"));
  ::setenv("WARPTUNE_NVDISASM", (dir_ / "none").c_str(), 1);
  const auto missing = disassemble(kPrinted);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::no_device);
  EXPECT_THAT(missing.error().message, StartsWith("$WARPTUNE_NVDISASM names "));
}

TEST(ToolkitProgram, IsFoundInAToolkitAndOtherwiseSaysHowToGetIt) {
  const ToolkitProgram tool = {"warptune-test-tool", "WARPTUNE_TEST_TOOL", "cuda-test-tool"};
  const auto missing = find_toolkit_program(tool);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::no_device);
  EXPECT_EQ(
      missing.error().message,
      "warptune-test-tool was not found in $CUDA_HOME, $CUDA_PATH, /usr/local/cuda and $PATH; install it with the "
      "CUDA Toolkit (the package cuda-test-tool), or name it in $WARPTUNE_TEST_TOOL");
  const test::TempDir home;
  std::filesystem::create_directories(home / "bin");
  const auto program = home / "bin" / "warptune-test-tool";
  std::ofstream(program) << "#!/bin/sh\n";
  const char* before = std::getenv("CUDA_HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("CUDA_HOME", home.path().c_str(), 1);
  EXPECT_FALSE(find_toolkit_program(tool)) << "it is not executable";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_toolkit_program(tool).value(), program);
  if (before == nullptr)
    ::unsetenv("CUDA_HOME");
  else
    ::setenv("CUDA_HOME", kept.c_str(), 1);
}

} // namespace
} // namespace warptune
