// Parts of the ABI that compiled programs rely on in addition to the names in src/runtime/abi.txt: the offsets of
// members in public structs, and the values of constants. A change here breaks these programs and needs another SONAME
// (docs/install.md).
#include "unit/runtime/fixture.h"

#include <cstddef>
#include <type_traits>

namespace warptune::test {
namespace {

// Members may be appended; existing ones keep their offsets.
static_assert(sizeof(wt_options) >= 24 && alignof(wt_options) == 8 && std::is_standard_layout_v<wt_options>);
static_assert(offsetof(wt_options, size) == 0 && sizeof(wt_options::size) == 8);
static_assert(offsetof(wt_options, jit) == 8 && sizeof(wt_options::jit) == 4);
static_assert(offsetof(wt_options, misses_path) == 16 && sizeof(wt_options::misses_path) == 8);
static_assert(offsetof(wt_options, allow_vendor) == 24 && sizeof(wt_options::allow_vendor) == 4);

static_assert(sizeof(wt_status) == 4 && sizeof(wt_match) == 4 && sizeof(wt_arg_kind) == 4);
static_assert(WT_OK == 0 && WT_BAD_INPUT == 2 && WT_NO_DEVICE == 3 && WT_NO_CANDIDATE == 4 && WT_DATABASE == 5 &&
              WT_INTERNAL == 6 && WT_NOT_READY == 7);
static_assert(WT_MATCH_EXACT == 0 && WT_MATCH_NEAREST_SHAPE == 1 && WT_MATCH_OTHER_DEVICE == 2 &&
              WT_MATCH_DEFAULT == 3 && WT_MATCH_LEARNED == 4 && WT_MATCH_EXPECTED_TIME == 5);
static_assert(WT_ARG_NONE == 0 && WT_ARG_BUFFER == 1 && WT_ARG_FLOAT32 == 2 && WT_ARG_FLOAT64 == 3 &&
              WT_ARG_INTEGER == 4 && WT_ARG_BITS16 == 5 && WT_ARG_BITS8 == 6);
static_assert(WT_BUFFER_ALIGNMENT == 16 && WT_WORKSPACE_ALIGNMENT == 256);

TEST(RuntimeAbi, OptionsEndWhereTheCallerSaysThatTheyDo) {
  const TempDir dir;
  add_tuned(dir / "t.db", {{"n=1024;fp32;mode=plain", "WIDTH=4,SPLIT=1"}});
  wt_options options{};
  options.jit = 0;
  options.misses_path = reinterpret_cast<const char*>(8); // beyond the caller's struct, so it must not be read
  wt_library* library = nullptr;
  options.size = offsetof(wt_options, misses_path);
  EXPECT_EQ(wt_open_with((dir / "t.db").c_str(), &options, &library), WT_OK) << wt_last_error();
  wt_close(library);
  options.size = offsetof(wt_options, jit);
  EXPECT_EQ(wt_open_with((dir / "t.db").c_str(), &options, &library), WT_BAD_INPUT);
}

} // namespace
} // namespace warptune::test
