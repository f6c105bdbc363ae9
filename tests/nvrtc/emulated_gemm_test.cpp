// The products of gemm that need no tensor cores give the results of their reference, on a device that the host
// emulates: ragged sizes, all layouts, gaps between rows, batches, split k and epilogues.
#include "support/emulated_operator.h"

#include <gtest/gtest.h>

namespace warptune::test {
namespace {

struct Product {
  const char* shape;
  const char* dtype;
  std::vector<std::string> flags;
};

void expect_reference_results(const char* implementation, const std::vector<Product>& products, int configs) {
  EmulatedOperator tested("gemm", {implementation});
  int index = 0;
  for (const Product& product : products) {
    const Problem problem = make_problem(tested.spec(), product.shape, product.dtype, product.flags).value();
    for (int i = 0; i < configs; ++i) tested.add(problem, index++);
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_GE(tested.checked, configs * static_cast<int>(products.size()));
  std::printf("%s: %d results checked\n", implementation, tested.checked);
}

TEST(EmulatedGemm, SimtGivesTheResultsOfTheReference) {
  expect_reference_results(
      "simt",
      {
          {"m=150,n=134,k=516", "fp32", {"layout=nn"}},
          {"m=131,n=258,k=523", "fp32", {"layout=nt", "bias=1", "activation=gelu"}},
          {"m=132,n=68,k=1028,batch=2", "fp32", {"layout=nt", "shared=b", "scales=both"}},
          {"m=70,n=149,k=404,batch=2,a_pad=3,b_pad=2,c_pad=5", "fp32", {"layout=tt", "residual=1", "scaled=1"}},
          {"m=141,n=140,k=260,c_pad=4", "fp32", {"layout=tn", "shared=none", "activation=silu", "residual=1"}},
          {"m=33,n=514,k=260", "fp32", {"layout=nt", "activation=swiglu", "bias=1", "residual=1", "scaled=1"}},
          {"m=520,n=516,k=36", "fp32", {"layout=nt"}}, // copies of both operands first
          {"m=20,n=31,k=77", "fp32", {"layout=tt", "activation=relu"}},
      },
      2);
}

TEST(EmulatedGemm, SkinnyGivesTheResultsOfTheReference) {
  expect_reference_results(
      "skinny",
      {
          {"m=1,n=515,k=300", "fp32", {"layout=nt"}},
          {"m=16,n=512,k=768", "fp32", {"layout=nt"}},
          {"m=16,n=776,k=512", "fp32", {"layout=nn"}},
          {"m=11,n=1032,k=384,batch=2,b_pad=4", "fp32", {"layout=nt", "shared=b", "scales=columns"}},
          {"m=6,n=301,k=264,batch=2,b_pad=3,c_pad=2", "fp32", {"layout=nn", "activation=silu", "residual=1", "scaled=1"}},
          {"m=515,n=3,k=520", "bf16", {"layout=nt", "activation=relu", "bias=1", "out=fp32"}},
          {"m=600,n=9,k=128", "fp32", {"layout=tt", "residual=1"}},
          {"m=7,n=514,k=1028", "fp16", {"layout=tt", "activation=geglu", "bias=1"}},
          {"m=8,n=576,k=1024", "bf16", {"layout=nt", "activation=gelu"}},
          {"m=258,n=8,k=512", "fp32", {"layout=tn", "scales=rows"}},
      },
      2);
}

} // namespace
} // namespace warptune::test
