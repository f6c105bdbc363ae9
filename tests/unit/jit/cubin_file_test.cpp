// The content of cubins of each layout, without a compiler.
#include "jit/cubin_file.h"
#include "support/small_cubin.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using test::SmallCubin;
using testing::ElementsAre;
using testing::Pair;

TEST(SmallCubins, HaveTheirArchitectureWhereTheirCompilerPutIt) {
  for (const unsigned architecture : {75U, 90U, 120U})
    for (const unsigned char abi : {std::uint8_t{7}, std::uint8_t{8}}) {
      const auto file = read_cubin_file(SmallCubin{architecture, {"k"}, {}, 40, abi}.image());
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_EQ(file->architecture, static_cast<int>(architecture)) << int{abi};
    }
}

TEST(SmallCubins, SayWhatTheyDefine) {
  const std::string image =
      SmallCubin{90, {"a", "b"}, {"d_filter"}, 255, 8, {"d_elsewhere"}}.image(); // the names point into it
  const auto file = read_cubin_file(image);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_THAT(file->kernels, ElementsAre(Pair("a", 255), Pair("b", 255)));
  EXPECT_THAT(file->symbols, ElementsAre("d_filter"));
}

TEST(SmallCubins, CutAnywhereAreAnErrorAtMost) {
  const std::string image = SmallCubin{90, {"a", "b"}, {"d_filter"}, 40, 8, {"d_elsewhere"}}.image();
  for (std::size_t size = 0; size < image.size(); ++size)
    EXPECT_FALSE(read_cubin_file(std::string_view(image).substr(0, size))) << size;
}

} // namespace
} // namespace warptune
