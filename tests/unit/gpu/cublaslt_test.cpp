// The description of a row-major product for cuBLASLt, which is column-major, over a stand-in for it.
#include "gpu/launch.h"
#include "gpu/library_calls.h"
#include "support/fake_cublaslt.h"
#include "support/fake_cuda.h"
#include "support/paths.h"
#include "support/use_fake_cuda.h"
#include "unit/gpu/loaded_driver.h"

#include <array>
#include <cstdlib>
#include <cublasLt.h>
#include <gmock/gmock.h>
#include <library_types.h>

namespace warptune {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

[[maybe_unused]] const int cublaslt =
    setenv("WARPTUNE_CUBLASLT", (test::program_dir() / "libwt_fake_cublaslt.so").c_str(), 1);

// Two products of 3 x 5, k = 7.
struct CublasLtProduct : ::testing::Test {
  CublasLtProduct() {
    const auto buffer = [](const char* name, std::int64_t count, Role role) {
      return BufferPlan{name, DType::bf16, count, role, {}, false, 16};
    };
    plan.buffers = {buffer("a", 2 * 3 * 7, Role::input), buffer("b", 2 * 7 * 5, Role::input),
                    buffer("c", 2 * 3 * 5, Role::output), buffer("w", 512, Role::workspace)};
    fake_set_context(reinterpret_cast<void*>(0x7000));
    describe(0, 0, 0);
  }
  void set(const char* name, std::int64_t value) {
    for (auto& [known, number] : plan.library_calls[0].values)
      if (known == name) number = value;
  }
  // Adds a buffer to the call's arguments.
  void give(const char* name, std::int64_t count, DType dtype = DType::bf16) {
    plan.buffers.push_back({name, dtype, count, Role::input, {}, false, 16});
    for (auto& [known, ref] : plan.library_calls[0].args)
      if (known == name) ref = {ArgRef::Kind::buffer, static_cast<int>(plan.buffers.size()) - 1};
  }
  void describe(std::int64_t a_is_k_by_m, std::int64_t b_is_n_by_k, std::int64_t rank) {
    const auto arg = [](int index) { return ArgRef{ArgRef::Kind::buffer, index}; };
    const ArgRef absent{ArgRef::Kind::absent, -1};
    plan.library_calls = {
        {"cublaslt",
         "matmul",
         {{"m", 3},
          {"n", 5},
          {"k", 7},
          {"batch", 2},
          {"a_is_k_by_m", a_is_k_by_m},
          {"b_is_n_by_k", b_is_n_by_k},
          {"lda", 0},
          {"ldb", 0},
          {"ldc", 0},
          {"a_is_shared", 0},
          {"b_is_shared", 0},
          {"activation", 0},
          {"rank", rank},
          {"cluster_rows", 0},
          {"cluster_columns", 0},
          {"split_k", 0},
          {"option", -1}},
         {{"a", arg(0)}, {"b", arg(1)}, {"c", arg(2)}, {"workspace", arg(3)}, {"bias", absent}, {"residual", absent}},
         0}};
  }
  FakeProduct run() {
    std::vector<CUdeviceptr> buffers;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) buffers.push_back(0x10 * (i + 1));
    const auto sequence = LaunchSequence::make(test::loaded_driver(), plan, {}, buffers);
    EXPECT_TRUE(sequence.has_value()) << sequence.error().message;
    if (sequence) {
      EXPECT_EQ(sequence->enqueue(nullptr), CUDA_SUCCESS);
    }
    return fake_cublaslt_product();
  }
  std::string refusal() {
    const auto made = prepare_call(test::loaded_driver(), plan.library_calls[0], plan);
    EXPECT_FALSE(made.has_value());
    if (made) return {};
    EXPECT_EQ(made.error().kind, ErrorKind::no_candidate);
    return made.error().message;
  }
  LaunchPlan plan;
};

void expect_matrix(const FakeMatrix& seen, std::uint64_t rows, std::uint64_t columns, bool transposed) {
  EXPECT_EQ(seen.rows, rows);
  EXPECT_EQ(seen.columns, columns);
  EXPECT_EQ(seen.leading, static_cast<std::int64_t>(rows));
  EXPECT_EQ(seen.stride, static_cast<std::int64_t>(rows * columns));
  EXPECT_EQ(seen.batch, 2);
  EXPECT_EQ(seen.type, CUDA_R_16BF);
  EXPECT_EQ(seen.transposed, transposed ? 1 : 0);
}

TEST_F(CublasLtProduct, IsTheTransposeOfOurs) {
  for (const bool a_t : {false, true})
    for (const bool b_t : {false, true}) {
      describe(a_t ? 1 : 0, b_t ? 1 : 0, 0);
      const FakeProduct seen = run();
      b_t ? expect_matrix(seen.left, 7, 5, true) : expect_matrix(seen.left, 5, 7, false);
      a_t ? expect_matrix(seen.right, 3, 7, true) : expect_matrix(seen.right, 7, 3, false);
      expect_matrix(seen.out, 5, 3, false);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.left_data), 0x20u);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.right_data), 0x10u);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.out_data), 0x30u);
      EXPECT_EQ(seen.alpha, 1.0f);
      EXPECT_EQ(seen.beta, 0.0f);
    }
}

TEST_F(CublasLtProduct, TheWorkspaceIsWhatTheHeuristicWasTold) {
  const FakeProduct seen = run();
  EXPECT_EQ(seen.workspace_bytes, 1024u);
  EXPECT_EQ(seen.most_workspace, 1024u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.workspace), 0x40u);
}

TEST_F(CublasLtProduct, WithoutAnAddressTheWorkspaceHasNoBytes) {
  const auto sequence =
      LaunchSequence::make(test::loaded_driver(), plan, {}, std::vector<CUdeviceptr>{0x10, 0x20, 0x30, 0});
  ASSERT_TRUE(sequence.has_value()) << sequence.error().message;
  ASSERT_EQ(sequence->enqueue(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake_cublaslt_product().workspace, nullptr);
  EXPECT_EQ(fake_cublaslt_product().workspace_bytes, 0u);
}

TEST_F(CublasLtProduct, RanksCountUsableAlgorithms) {
  describe(0, 1, 1);
  EXPECT_EQ(run().algorithm, 2);
  describe(0, 1, 2);
  EXPECT_THAT(refusal(),
              HasSubstr("its heuristic returned 2 algorithms for this problem, but 'rank', counted from 0, is 2"));
  set("m", 1);
  plan.buffers[0].count = 2 * 7;
  plan.buffers[2].count = 2 * 5;
  EXPECT_THAT(refusal(), HasSubstr("its heuristic returned 0 algorithms")) << "it says that as a status";
}

TEST_F(CublasLtProduct, WithoutOtherChoicesTheAlgorithmIsTheHeuristics) {
  const int checks = fake_cublaslt_product().checks;
  const FakeProduct seen = run();
  EXPECT_EQ(seen.checks, checks);
  EXPECT_THAT((std::array{seen.cluster, seen.split_k, seen.reduction, seen.option}), ElementsAre(0, 0, 0, -1));
}

TEST_F(CublasLtProduct, OtherChoicesReplaceTheHeuristics) {
  describe(0, 1, 1);
  set("cluster_rows", 1);
  set("cluster_columns", 2); // beside one another in our order, so below one another in the library's
  EXPECT_EQ(run().cluster, CUBLASLT_CLUSTER_SHAPE_2x1x1);
  EXPECT_EQ(fake_cublaslt_product().algorithm, 2) << "of the rank";
  EXPECT_EQ(fake_cublaslt_product().option, -1);
  set("cluster_rows", 2);
  set("cluster_columns", 1);
  set("option", 0);
  set("split_k", 1);
  FakeProduct seen = run();
  EXPECT_THAT((std::array{seen.cluster, seen.split_k, seen.reduction, seen.option}),
              ElementsAre(CUBLASLT_CLUSTER_SHAPE_1x2x1, 1, CUBLASLT_REDUCTION_SCHEME_NONE, 0));
  set("cluster_rows", 0);
  set("cluster_columns", 0);
  set("option", 7);
  set("split_k", 4);
  seen = run();
  EXPECT_THAT((std::array{seen.cluster, seen.split_k, seen.reduction, seen.option}),
              ElementsAre(0, 4, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, 7));
}

TEST_F(CublasLtProduct, ChoicesThatTheLibraryDoesNotSupportAreRefused) {
  set("cluster_rows", 3);
  EXPECT_THAT(refusal(), HasSubstr("it has no clusters of 3 x 0 tiles"));
  set("cluster_rows", 1);
  set("cluster_columns", 8);
  EXPECT_THAT(refusal(), HasSubstr("refuses the algorithm with this cluster, split of k and option: "
                                   "CUBLAS_STATUS_NOT_SUPPORTED"));
  set("cluster_columns", 1);
  set("option", 8);
  EXPECT_THAT(refusal(), HasSubstr("split of k and option: CUBLAS_STATUS_INVALID_VALUE"));
  set("option", 2);
  set("split_k", 6);
  EXPECT_THAT(refusal(), HasSubstr("the algorithm needs a workspace of 1200 bytes, but the call has 1024"));
  set("split_k", 5);
  EXPECT_EQ(run().split_k, 5);
}

TEST_F(CublasLtProduct, RefusesWhatItCannotTake) {
  plan.buffers[0].count = 41;
  EXPECT_THAT(refusal(), HasSubstr("sizes of the buffers do not match m, n, k, batch"));
  plan.buffers[0].count = 42;
  plan.buffers[0].dtype = DType::fp16;
  EXPECT_THAT(refusal(), HasSubstr("all operands must have the same dtype"));
  for (BufferPlan& buffer : plan.buffers) buffer.dtype = DType::int8;
  EXPECT_THAT(refusal(), HasSubstr("bf16, fp16 and fp32"));
}

TEST_F(CublasLtProduct, LeadingDimensionsAndSharedOperands) {
  set("lda", 9);
  set("b_is_shared", 1);
  plan.buffers[0].count = 2 * 3 * 9 - 2;
  plan.buffers[1].count = 7 * 5;
  const FakeProduct seen = run();
  EXPECT_EQ(seen.right.rows, 7u);
  EXPECT_EQ(seen.right.leading, 9);
  EXPECT_EQ(seen.right.stride, 27);
  EXPECT_EQ(seen.left.leading, 5);
  EXPECT_EQ(seen.left.stride, 0);
  set("lda", 6);
  EXPECT_THAT(refusal(), HasSubstr("at least the length of a row"));
}

TEST_F(CublasLtProduct, TheResultHasALeadingDimensionToo) {
  set("ldc", 8);
  plan.buffers[2].count = 2 * 3 * 8 - 3;
  give("residual", 2 * 3 * 8 - 3);
  const FakeProduct seen = run();
  EXPECT_EQ(seen.out.rows, 5u);
  EXPECT_EQ(seen.out.columns, 3u);
  EXPECT_EQ(seen.out.leading, 8);
  EXPECT_EQ(seen.out.stride, 24);
  EXPECT_EQ(seen.beta, 1.0f);
  plan.buffers[2].count = 2 * 3 * 5;
  EXPECT_THAT(refusal(), HasSubstr("sizes of the buffers do not match m, n, k, batch, lda, ldb and ldc"));
  set("ldc", 4);
  EXPECT_THAT(refusal(), HasSubstr("'lda', 'ldb' and 'ldc' must be at least the length of a row"));
}

TEST_F(CublasLtProduct, SumsArePartedInTheirOwnTypeAndBuffersAlignedTo16) {
  const FakeProduct seen = run();
  EXPECT_EQ(seen.reductions, 2u);
  EXPECT_THAT(seen.least_alignments, Each(16u)) << "of A, B, C and D; unless it is told, the heuristic assumes 256";
}

TEST_F(CublasLtProduct, EpiloguesAreTheLibrarys) {
  struct {
    std::int64_t activation;
    bool has_bias;
    int epilogue;
  } const cases[] = {{0, false, 1}, {1, false, 2},  {0, true, 4},
                     {1, true, 6},  {2, false, 32}, {2, true, 36}}; // the numbers in cublasLt.h
  for (const auto& c : cases) {
    describe(0, 0, 0);
    plan.buffers.resize(4);
    if (c.has_bias) give("bias", 5);
    set("activation", c.activation);
    const FakeProduct seen = run();
    EXPECT_EQ(seen.epilogue, c.epilogue);
    if (c.has_bias) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.bias), 0x50u); // from the launch
    }
  }
}

TEST_F(CublasLtProduct, AResidualIsWhatBetaMultiplies) {
  give("residual", 2 * 3 * 5);
  const FakeProduct seen = run();
  EXPECT_EQ(seen.beta, 1.0f);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.added), 0x50u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.out_data), 0x30u);
  plan.buffers[4].count = 3 * 5;
  EXPECT_THAT(refusal(), HasSubstr("sizes of the buffers do not match")) << "one residual of two";
  plan.buffers[4].count = 2 * 3 * 5;
  set("activation", 1);
  EXPECT_THAT(refusal(), HasSubstr("adds a residual before the activation"));
}

TEST_F(CublasLtProduct, CMayBeWiderWithoutAnEpilogue) {
  plan.buffers[2].dtype = DType::fp32;
  EXPECT_EQ(run().out.type, CUDA_R_32F);
  set("activation", 1);
  EXPECT_THAT(refusal(), HasSubstr("if only 'c' is fp32"));
  set("activation", 0);
  give("bias", 5);
  EXPECT_THAT(refusal(), HasSubstr("if only 'c' is fp32"));
}

TEST_F(CublasLtProduct, NeedsAContext) {
  fake_set_context(nullptr);
  EXPECT_THAT(refusal(), HasSubstr("there is no current CUDA context"));
}

TEST_F(CublasLtProduct, KnowsItsVersion) {
  EXPECT_EQ((*find_vendor_library("cublaslt"))->version(test::loaded_driver()).value(), "13.2");
  KernelSpec spec;
  spec.implementations.resize(2);
  EXPECT_THAT(library_versions(test::loaded_driver(), spec), IsEmpty());
  for (const char* library : {"driver", "cublaslt", "cublaslt"}) {
    spec.implementations[1].library_calls.emplace_back().library = library;
  }
  EXPECT_THAT(library_versions(test::loaded_driver(), spec), ElementsAre("cublaslt 13.2"))
      << "the driver's is known otherwise";
}

} // namespace
} // namespace warptune
