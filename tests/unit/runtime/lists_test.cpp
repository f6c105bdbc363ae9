// Kernels with dims that are lists or that the source fixes, through the C and the C++ interface. Where a device is
// needed, it is a stand-in.
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/grouped_fixture.h"
#include "warptune/warptune.hpp"

#include <cstdlib>
#include <vector>

namespace warptune::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RuntimeLists : testing::Test {
  RuntimeLists() {
    add_grouped(dir / "t.db");
    library = open_library(dir / "t.db");
    kernel = find_kernel(library);
  }
  std::string explained(const std::vector<std::int64_t>& dims) const {
    const char* text = nullptr;
    const wt_status status =
        wt_kernel_explain(kernel, dims.data(), static_cast<int>(dims.size()), 0, "Fake H200", nullptr, &text);
    return status == WT_OK ? text : wt_last_error();
  }
  TempDir dir;
  LibraryHandle library;
  const wt_kernel* kernel = nullptr;
};

TEST_F(RuntimeLists, AListIsFourDimsAndAFixedSizeIsNone) {
  ASSERT_EQ(wt_kernel_dim_count(kernel), 5);
  EXPECT_STREQ(wt_kernel_dim_name(kernel, 0), "rows_count");
  EXPECT_STREQ(wt_kernel_dim_name(kernel, 4), "cols");
  for (int i = 0; i < 4; ++i) EXPECT_STREQ(wt_kernel_dim_list(kernel, i), "rows");
  for (const int i : {-1, 4, 5}) EXPECT_EQ(wt_kernel_dim_list(kernel, i), nullptr);
  EXPECT_EQ(wt_kernel_dim_list(nullptr, 0), nullptr);
}

TEST_F(RuntimeLists, ADimTellsItsDefault) {
  EXPECT_EQ(wt_kernel_dim_default(kernel, 4), 64);
  for (const int i : {-1, 0, 3, 5}) EXPECT_EQ(wt_kernel_dim_default(kernel, i), -1);
  EXPECT_EQ(wt_kernel_dim_default(nullptr, 4), -1);
}

TEST_F(RuntimeLists, AListIsFoundByItsNumbers) {
  const std::vector<std::int64_t> rows = {368, 184, 123, 92,
                                          74,  62,  52,  45}; // the sizes of zipf(8,1000,1), in another order
  std::int64_t n[4] = {};
  ASSERT_EQ(wt_list_sizes(rows.data(), rows.size(), n), WT_OK);
  EXPECT_THAT(n, ElementsAre(8, 1000, 368, 45));
  EXPECT_THAT(explained({n[0], n[1], n[2], n[3], 64}), HasSubstr("WIDTH=4"));
  EXPECT_THAT(explained({n[0], n[1], n[2], n[3], 64}), HasSubstr("whose lists have the same count"));
  EXPECT_THAT(explained({8, 4096, 512, 512, 64}), HasSubstr("WIDTH=2"));
  EXPECT_THAT(explained({8, 4000, 512, 512, 64}), HasSubstr("the list 'rows' cannot exist: no numbers have"));
  EXPECT_THAT(explained({8, 4096, 512, 512, 5, 64}), HasSubstr("6 dims were given, but blend has 5: rows_count"));
  const char* text = nullptr;
  ASSERT_EQ(wt_explain(library.get(), "blend", "rows=[512,512,512,512,512,512,512,512],cols=64", nullptr, nullptr,
                       "Fake H200", nullptr, &text),
            WT_OK);
  EXPECT_THAT(text, HasSubstr("WIDTH=2"));
}

TEST_F(RuntimeLists, AShapesTextAndItsDimsAreOneOperation) {
  setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
  fake_set_context(reinterpret_cast<void*>(0xC000));
  const std::string problem = "rows=equal(8,512),taps=5,cols=64;fp32";
  add_tuned(dir / "launched.db", {{problem, "WIDTH=2", "Fake H200", "fake blend"}}, grouped_record());
  const LibraryHandle opened = open_library(dir / "launched.db");
  const auto prepared = prepare(opened, "rows=equal(8,512),cols=64");
  EXPECT_STREQ(wt_operation_config(prepared.get()), "WIDTH=2");
  EXPECT_EQ(prepare(opened, "rows=equal(8,512),taps=5,cols=64").get(), prepared.get());
  const std::int64_t dims[] = {8, 4096, 512, 512, 64};
  const wt_operation* selected = nullptr;
  ASSERT_EQ(wt_select(find_kernel(opened), dims, 5, 0, nullptr, &selected), WT_OK) << wt_last_error();
  EXPECT_EQ(selected, prepared.get());
}

TEST_F(RuntimeLists, WhatIsNoListIsRefused) {
  std::int64_t n[4] = {};
  const std::int64_t negative[] = {1, -1}, large[] = {std::int64_t{1} << 40, 1};
  EXPECT_EQ(wt_list_sizes(negative, 0, n), WT_BAD_INPUT);
  EXPECT_EQ(wt_list_sizes(nullptr, 1, n), WT_BAD_INPUT);
  EXPECT_EQ(wt_list_sizes(negative, 1, nullptr), WT_BAD_INPUT);
  EXPECT_EQ(wt_list_sizes(large, 2, n), WT_BAD_INPUT);
  EXPECT_EQ(wt_list_sizes(negative, 2, n), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("the size at index 1 is -1"));
  EXPECT_EQ(wt_list_sizes(large, 1, n), WT_OK) << "the largest sum";
  EXPECT_EQ(n[1], large[0]);
  const std::vector<std::int64_t> many(65537);
  EXPECT_EQ(wt_list_sizes(many.data(), 65536, n), WT_OK);
  EXPECT_EQ(wt_list_sizes(many.data(), many.size(), n), WT_BAD_INPUT);
  EXPECT_THAT(wt_last_error(), HasSubstr("the list has 65537 sizes; give 1 to 65536"));
  EXPECT_THROW(warptune::List(std::vector<std::int64_t>{}), warptune::v0::Error);
}

TEST_F(RuntimeLists, DimsAreAsManyAsAKernelHas) {
  const warptune::List list({1, 2, 3});
  const warptune::Dims dims{list, list, list, list, 5, list};
  ASSERT_EQ(dims.count(), 21);
  EXPECT_EQ(std::vector<std::int64_t>(dims.data() + 16, dims.data() + 21), (std::vector<std::int64_t>{5, 3, 6, 3, 1}));
  const warptune::Dims many(std::vector<std::int64_t>(40, 7));
  EXPECT_EQ(many.count(), 40);
  EXPECT_EQ(many.data()[39], 7);
}

TEST_F(RuntimeLists, TheCppInterfaceTakesThemAmongDims) {
  const warptune::Dims dims{warptune::List({5, 0, 7}), 64U};
  EXPECT_THAT(std::vector<std::int64_t>(dims.data(), dims.data() + dims.count()), ElementsAre(3, 12, 7, 0, 64));
  const warptune::Kernel wrapped(kernel);
  EXPECT_THAT(wrapped.lists(), ElementsAre("rows", "rows", "rows", "rows", ""));
  EXPECT_THAT(wrapped.explain({warptune::List(std::vector<std::int64_t>(8, 512)), 64}, "Fake H200").text,
              HasSubstr("WIDTH=2"));
}

} // namespace
} // namespace warptune::test
