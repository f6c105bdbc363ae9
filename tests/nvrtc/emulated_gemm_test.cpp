// The products of gemm without tensor cores give the results of their reference on a device that the host emulates:
// ragged sizes, all layouts, gaps between rows, batches, split k and epilogues.
#include "support/emulated_operator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace warptune::test {
namespace {

struct Product {
  const char* shape;
  const char* dtype;
  std::vector<std::string> flags;
  std::vector<std::string> configs = {}; // in addition to the drawn ones
};

void expect_reference_results(const char* implementation, const std::vector<Product>& products) {
  EmulatedOperator tested("gemm", {implementation});
  int index = 0;
  for (const Product& product : products) {
    const Problem problem = make_problem(tested.spec(), product.shape, product.dtype, product.flags).value();
    tested.add(problem, index++);
    if (!product.configs.empty()) tested.add(problem, product.configs);
  }
  tested.build();
  EXPECT_EQ(tested.check(), "");
  EXPECT_GT(tested.checked, static_cast<int>(products.size()));
  std::printf("%s: %d results checked\n", implementation, tested.checked);
}

// Tiles of 64 x 128, of which twelve fit on the device's three multiprocessors.
std::string simt(const char* along_k, int split_k, const char* sum = "launch") {
  return fmt::format("implementation=simt,BM=64,BN=128,STAGES=3,SPLIT_K={},GROUP=1,TM=8,TN=8,LANES_M=4,BK=16,"
                     "COPY_STEPS=1,MOVE={},ALONG_K={},SWEEP=rows,FIXED=0,SUM={}",
                     split_k, along_k == std::string("moved") ? 1 : 0,
                     along_k == std::string("moved") ? "words" : along_k, sum);
}

TEST(EmulatedGemm, SimtGivesTheResultsOfTheReference) {
  const std::vector<std::string> moved = {simt("moved", 1)};
  expect_reference_results(
      "simt", {
                  // The second of twelve workers begins with the last slice of the first of eleven tiles.
                  {"m=700,n=126,k=160", "fp32", {"layout=nn"}, {simt("words", 0)}},
                  {"m=150,n=134,k=516",
                   "fp32",
                   {"layout=nn"},
                   {simt("words", 0), simt("registers", 2), simt("staged", 0), simt("staged", 2, "cluster")}},
                  {"m=131,n=258,k=523", "fp32", {"layout=nt", "bias=1", "activation=gelu"}, {simt("registers", 1)}},
                  {"m=132,n=68,k=1028,batch=2",
                   "fp32",
                   {"layout=nt", "shared=b", "scales=both"},
                   {simt("vectors", 1), simt("staged", 1)}},
                  {"m=70,n=149,k=404,batch=2,a_pad=3,b_pad=2,c_pad=5",
                   "fp32",
                   {"layout=tt", "residual=1", "scaled=1"},
                   {simt("words", 3), simt("words", 2, "cluster")}},
                  // Three blocks share 16 vectors of each thread: 6, 6 and 4.
                  {"m=150,n=126,k=516", "fp32", {"layout=nt", "bias=1"}, {simt("words", 3, "cluster")}},
                  {"m=141,n=140,k=260,c_pad=4", "fp32", {"layout=tn", "activation=silu", "residual=1"}},
                  {"m=33,n=514,k=260,batch=2",
                   "fp32",
                   {"layout=nt", "activation=swiglu", "bias=1", "residual=1", "scaled=1"},
                   {simt("words", 2)}},
                  {"m=520,n=516,k=36", "fp32", {"layout=nt"}, moved},
                  {"m=20,n=31,k=77", "fp32", {"layout=tt", "activation=relu"}},
              });
}

TEST(EmulatedGemm, SkinnyGivesTheResultsOfTheReference) {
  const std::string in_parts =
      "implementation=skinny,SPLIT_K=2,ROWS=2,UNROLL=2,LOAD_BYTES=16,WARPS=4,K_WARPS=2,SLICE=0,HINT=stream";
  expect_reference_results(
      "skinny",
      {
          {"m=1,n=515,k=300", "fp32", {"layout=nt"}},
          {"m=16,n=512,k=768", "fp32", {"layout=nt"}},
          {"m=16,n=776,k=512", "fp32", {"layout=nn"}},
          {"m=11,n=1032,k=384,batch=2,b_pad=4", "fp32", {"layout=nt", "shared=b", "scales=columns"}},
          {"m=4,n=72,k=1024,batch=2,b_pad=4,c_pad=2", "fp32", {"layout=nt", "residual=1", "scaled=1"}, {in_parts}},
          {"m=6,n=301,k=264,batch=2,b_pad=3,c_pad=2",
           "fp32",
           {"layout=nn", "activation=silu", "residual=1", "scaled=1"}},
          {"m=515,n=3,k=520", "bf16", {"layout=nt", "activation=relu", "bias=1", "out=fp32"}},
          {"m=600,n=9,k=128", "fp32", {"layout=tt", "residual=1"}},
          {"m=7,n=514,k=1028", "fp16", {"layout=tt", "activation=geglu", "bias=1"}},
          {"m=8,n=576,k=1024", "bf16", {"layout=nt", "activation=gelu"}},
          {"m=258,n=8,k=512", "fp32", {"layout=tn", "scales=rows"}},
      });
}

std::string sliced(int slice, int rows, int unroll, int warps, int k_warps, int split_k) {
  return fmt::format("implementation=skinny,SLICE={},ROWS={},UNROLL={},WARPS={},K_WARPS={},SPLIT_K={},LOAD_BYTES=16,"
                     "HINT=none",
                     slice, rows, unroll, warps, k_warps, split_k);
}

// The last slice has 4 of k, or the last part of k is longer than the others.
TEST(EmulatedGemm, SkinnyWithSlicesGivesTheResultsOfTheReference) {
  expect_reference_results(
      "skinny",
      {
          {"m=16,n=72,k=1028",
           "fp32",
           {"layout=nt", "bias=1"},
           {sliced(512, 4, 2, 8, 2, 1), sliced(256, 8, 2, 8, 1, 1)}},
          {"m=16,n=140,k=516", "fp32", {"layout=nn"}, {sliced(256, 1, 8, 16, 16, 1), sliced(256, 2, 8, 8, 8, 1)}},
          {"m=7,n=514,k=1028",
           "fp32",
           {"layout=tt", "activation=geglu", "bias=1"},
           {sliced(256, 8, 1, 4, 2, 1), sliced(256, 4, 2, 4, 1, 2)}},
          {"m=9,n=264,k=516,batch=2,b_pad=4,c_pad=2",
           "fp32",
           {"layout=tn", "residual=1", "scaled=1"},
           {sliced(256, 1, 8, 8, 4, 1), sliced(256, 1, 8, 4, 2, 2)}},
          {"m=260,n=12,k=388", "fp32", {"layout=tt", "scales=rows"}, {sliced(256, 1, 8, 8, 8, 1)}},
          {"m=101,n=6,k=388,batch=2,a_pad=4", "fp32", {"layout=nn", "shared=b"}, {sliced(256, 8, 1, 4, 1, 1)}},
          {"m=5,n=36,k=256", "fp32", {"layout=nt", "out=fp32"}, {sliced(256, 4, 2, 16, 1, 1)}},
      });
}

TEST(EmulatedGemm, InfiniteSumsAreActivatedAsInTheReference) {
  EmulatedOperator tested("gemm", {"skinny", "simt"});
  int index = 0;
  for (const char* dtype : {"bf16", "fp16", "fp32"})
    for (const std::string activation : {"relu", "gelu", "gelu_tanh", "silu"})
      tested.add(
          make_problem(tested.spec(), "m=4,n=40,k=72", dtype, {"layout=nt", "bias=1", "activation=" + activation})
              .value(),
          index++);
  tested.build();
  const auto put_infinities = [](const BufferPlan& buffer, const Problem&, unsigned char* data) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double numbers[] = {infinity, -infinity, std::nan("")};
    for (std::int64_t i = 0; i < 3 && buffer.name == "bias"; ++i)
      put(data, buffer.dtype, 7 * i, encode_number(buffer.dtype, numbers[i]));
  };
  EXPECT_EQ(tested.check(put_infinities), "");
  EXPECT_GT(tested.checked, 12);
}

} // namespace
} // namespace warptune::test
