// Shipped operators with more than 2^31 elements, on a GPU; elementwise with a bias, whose indices are
// divided, with more than 2^32. Needs about 50 GiB of GPU memory.
#include "gpu/fixture.h"
#include "support/shipped_store.h"

namespace warptune::test {
namespace {

struct Large {
  const char *title, *kernel, *shape;
  std::vector<std::string> flags;
  const char* dtype = "bf16";
};

class LargeProblems : public testing::TestWithParam<Large> {};

TEST_P(LargeProblems, areRightBeyondTwoToThe31Elements) {
  WT_REQUIRE_GPU();
  const Kernel kernel = shipped_store().load(GetParam().kernel).value();
  auto backend = make_cuda_backend(0, gpu_test_cache().directory().string()).value();
  const Problem problem = make_problem(kernel.spec, GetParam().shape, GetParam().dtype, GetParam().flags).value();
  ASSERT_TRUE(backend->set_kernel({kernel, problem, 1}));
  const Config config = default_config(kernel.spec, problem, backend->device().value());
  const auto verdict = backend->check(config, problem, 3);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->correct) << config_text(kernel.spec, config) << ": " << verdict->detail;
}

const char* const kLargeImages =
    "batch=701,channels=64,height=221,width=224,window_h=3,window_w=3,stride_h=2,stride_w=2,pad_h=1,pad_w=1";

INSTANTIATE_TEST_SUITE_P(
    All, LargeProblems,
    testing::Values(
        Large{"sum_of_rows", "reduce", "outer=1048583,n=2053", {"op=sum"}},
        Large{"argmax_of_rows", "reduce", "outer=1048583,n=2053", {"op=argmax"}},
        Large{"sum_of_all", "reduce", "outer=1,n=2200000003", {"op=sum"}},
        Large{"argmin_of_all", "reduce", "outer=1,n=2200000003", {"op=argmin"}},
        Large{"variance_of_columns", "reduce", "outer=3,n=1048583,inner=704", {"op=variance"}},
        Large{"normalised_rows", "normalise", "outer=1048583,n=2053", {}},
        Large{"normalised_columns", "normalise", "outer=3,n=1048583,inner=704", {"norms=1"}},
        Large{"normalised_short_columns", "normalise", "outer=65537,n=33,inner=1000", {"order=max"}},
        Large{"frobenius", "normalise", "outer=1,n=2200000003", {}},
        Large{"normalised_rows_gradient", "normalise_backward", "outer=1048583,n=2053", {"order=l1"}},
        Large{"normalised_columns_gradient", "normalise_backward", "outer=3,n=1048583,inner=704", {}},
        Large{"frobenius_gradient", "normalise_backward", "outer=1,n=2200000003", {}},
        Large{"quantised_norm", "row_norm_quantise", "rows=1048583,cols=2053", {"to=e4m3", "weight=1"}},
        Large{"quantise", "quantise", "rows=1048583,cols=2053", {"to=e4m3"}},
        Large{"dequantise", "dequantise", "rows=1048583,cols=2053", {"from=int8"}},
        Large{"quantise_groups", "quantise_groups", "groups=17200003", {"size=128"}},
        Large{"quantise_small_groups", "quantise_groups", "groups=67200003", {"size=32"}},
        Large{"dequantise_groups", "dequantise_groups", "groups=17200003", {"size=128"}},
        Large{"quantise_tensor", "quantise_tensor", "n=2200000003", {"to=e4m3"}},
        Large{"transpose", "permute", "rows=1048583,cols=2053", {}},
        Large{"runs", "permute", "rows=65537,cols=33,batch=9,run=120", {}},
        Large{"gate", "elementwise", "rows=1048583,cols=2053", {"function=silu", "other=mul"}},
        Large{"gate_gradient", "elementwise_backward", "rows=1048583,cols=2053", {"function=silu"}},
        Large{"mask", "elementwise", "rows=1048583,cols=2053", {"function=relu", "mask=1"}},
        Large{"mask_gradient", "elementwise_backward", "rows=1048583,cols=2053", {"function=leaky_relu", "mask=1"}},
        Large{"pool", "pool", kLargeImages, {"op=max_index"}},
        Large{"pool_of_planes", "pool", kLargeImages, {"op=max_index", "layout=nchw"}},
        Large{"pool_gradient", "pool_backward", kLargeImages, {"op=max_place"}},
        Large{"pool_gradient_of_planes", "pool_backward", kLargeImages, {"op=average", "layout=nchw"}},
        Large{"batch_norm", "batch_norm", "batch=701,channels=64,pixels=49509", {"relu=1"}},
        Large{"batch_norm_of_planes", "batch_norm", "batch=701,channels=64,pixels=49509", {"layout=nchw"}},
        Large{"batch_norm_gradient", "batch_norm_backward", "batch=701,channels=64,pixels=49509", {"after=relu"}},
        Large{"batch_norm_gradient_of_planes",
              "batch_norm_backward",
              "batch=701,channels=64,pixels=49509",
              {"after=relu", "layout=nchw"}},
        Large{"rotary", "rotary", "seq=65537,q_heads=32,k_heads=8,head_dim=128,batch=9", {}},
        Large{"embedding", "embedding", "tokens=1048583,rows=50257,cols=2053", {}},
        Large{"embedding_gradient", "embedding_backward", "tokens=1048583,rows=1048589,cols=2053", {}},
        Large{"embedding_gradient_of_unsorted",
              "embedding_backward",
              "tokens=1048583,rows=1048589,cols=2053",
              {"sorted=0"}},
        Large{"adam", "adam", "n=2200000003", {"state=same"}},
        Large{"adam_list", "adam_list", "sizes=[5,2200000003,0,7]", {"state=same"}},
        Large{"adam_misaligned_list", "adam_list", "sizes=[5,2200000003,0,7]", {"state=same", "misaligned=1"}},
        Large{"values_of_columns", "broadcast", "rows=2097169,cols=2053", {"along=columns"}},
        Large{"values_of_matrices", "broadcast", "rows=2097169,cols=411,batch=5", {"combine=add", "along=matrices"}},
        Large{"gradients_of_columns", "broadcast_backward", "rows=1048583,cols=2053", {"along=columns"}},
        Large{"gradients_of_rows", "broadcast_backward", "rows=1048583,cols=2053", {"along=rows"}},
        Large{"bias_of_columns", "elementwise", "rows=2097169,cols=2053", {"bias=columns"}},
        Large{"row_loss", "row_loss", "rows=1048583,cols=2053", {"out=fp32"}},
        Large{"row_loss_gradient", "row_loss_backward", "rows=1048583,cols=2053", {"function=triplet_margin_swap"}},
        Large{"slice", "slice", "outer=2097169,n=2053,count=1027,from=3", {}},
        Large{"slice_into", "slice", "outer=2097169,n=2053,count=1027,from=3", {"into=1"}},
        Large{"concat", "concat", "outer=1048583,n0=2053,n1=3,n2=5", {}},
        Large{"top_k", "top_k", "rows=1048583,cols=2053,k=3", {}},
        Large{"loss", "loss", "rows=2200000003", {"out=fp32"}},
        Large{
            "loss_gradient", "loss_backward", "rows=1048583,cols=2053", {"function=bce_with_logits", "reduction=sum"}},
        Large{"signs", "loss", "rows=1048583,cols=2053", {"function=l1", "signs=1"}},
        Large{
            "signs_gradient", "loss_backward", "rows=1048583,cols=2053", {"function=l1", "reduction=none", "signs=1"}},
        Large{"scan", "scan", "rows=1048583,cols=2053", {}},
        Large{"scan_of_short_rows", "scan", "rows=67108879,cols=33", {"reverse=1"}},
        Large{"masked_scan", "scan", "rows=1048583,cols=2053", {"mask=1"}},
        Large{"masked_product_of_short_rows", "scan", "rows=67108879,cols=33", {"mask=1", "op=prod"}},
        Large{"group_norm", "group_norm", "batch=701,channels=64,pixels=49509,groups=8", {}},
        Large{"group_norm_gradient", "group_norm_backward", "batch=701,channels=64,pixels=49509,groups=8", {}},
        // C, or A, or all matrices of a batch together; products are short, so they take seconds.
        Large{"gemm_of_large_c", "gemm", "m=1000003,n=2160,k=16", {"layout=nt"}},
        Large{"gemm_of_large_a", "gemm", "m=1000003,n=64,k=2160", {"layout=nt"}},
        Large{"gemm_of_large_transposed_a", "gemm", "m=1000000,n=64,k=2160", {"layout=tn"}},
        Large{"gemm_of_large_copied_a", "gemm", "m=1000003,n=64,k=2151", {"layout=nt"}},
        Large{"gemm_of_large_batch", "gemm", "m=1024,n=1024,k=16,batch=2053", {}},
        Large{"fp32_gemm_of_large_c", "gemm", "m=1000003,n=2153,k=16", {}, "fp32"},
        Large{"fp32_gemm_of_large_a", "gemm", "m=1000003,n=64,k=2153", {"layout=nt"}, "fp32"},
        Large{"fp32_gemm_of_large_batch", "gemm", "m=1024,n=1024,k=16,batch=2053", {}, "fp32"},
        Large{"bias_of_rows", "elementwise", "rows=1048583,cols=2056,batch=2", {"bias=rows"}}),
    [](const auto& tested) { return std::string(tested.param.title); });

} // namespace
} // namespace warptune::test
