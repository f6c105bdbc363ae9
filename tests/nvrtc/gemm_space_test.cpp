// Which implementations of gemm serve which products. An application without a tuned result gets the first one whose
// default configuration is valid, so each dtype needs one for sizes that TMA cannot read.
#include "jit/template_store.h"
#include "space/space.h"
#include "support/paths.h"
#include "support/request_of.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

const char* const kLayouts[] = {"nn", "nt", "tn", "tt"};

// Whether the default of the implementation is valid for the product.
bool serves(const KernelSpec& spec, const std::string& implementation, const std::string& shape, DType dtype,
            const std::string& layout) {
  const auto problem = make_problem(spec, shape, dtype_name(dtype), {"layout=" + layout});
  if (!problem) {
    ADD_FAILURE() << problem.error().message;
    return false;
  }
  for (std::size_t i = 0; i < spec.implementations.size(); ++i)
    if (spec.implementations[i].name == implementation)
      return !check_config(spec, *problem, h200_device(), default_config(spec, i));
  ADD_FAILURE() << "no implementation " << implementation;
  return false;
}

TEST(GemmSpace, fp32HasAnImplementationForAnySizeAndLayout) {
  const auto loaded = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const KernelSpec& spec = loaded->spec;
  for (const char* shape : {"m=1,n=1,k=1", "m=131,n=7,k=1001", "m=4096,n=4096,k=4096", "m=256,n=256,k=524288",
                            "m=2048,n=1,k=1048576", "m=3,n=1001,k=777,batch=5"})
    for (const char* layout : kLayouts) {
      EXPECT_TRUE(serves(spec, "simt", shape, DType::fp32, layout)) << shape;
      EXPECT_FALSE(serves(spec, "wgmma", shape, DType::fp32, layout)) << shape;
    }
}

TEST(GemmSpace, fewRowsOrColumnsAreStreamedInEveryDtype) {
  const auto loaded = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm");
  ASSERT_TRUE(loaded) << loaded.error().message;
  const KernelSpec& spec = loaded->spec;
  for (const DType dtype : spec.dtypes)
    for (const char* layout : kLayouts) {
      for (const char* shape : {"m=1,n=1,k=1", "m=16,n=4096,k=14336", "m=1001,n=16,k=777", "m=2048,n=1,k=1048576"})
        EXPECT_TRUE(serves(spec, "skinny", shape, dtype, layout)) << shape;
      EXPECT_FALSE(serves(spec, "skinny", "m=17,n=4096,k=4096", dtype, layout));
    }
}

} // namespace
} // namespace warptune
