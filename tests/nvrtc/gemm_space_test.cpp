// The implementations of gemm for each product. An application without a tuned result gets the first one whose default
// configuration is valid, so each dtype needs one for sizes that TMA cannot read.
#include "core/device_table.h"
#include "jit/template_store.h"
#include "plan/plan.h"
#include "space/space.h"
#include "support/paths.h"

#include <gmock/gmock.h>
#include <set>
#include <string>
#include <utility>

namespace warptune {
namespace {

// Whether the default of the implementation is valid for the product.
bool serves(const KernelSpec& spec, const std::string& implementation, const std::string& shape, DType dtype,
            const std::string& layout, const std::string& math = "exact", const std::string& activation = "none") {
  const auto problem =
      make_problem(spec, shape, dtype_name(dtype), {"layout=" + layout, "math=" + math, "activation=" + activation})
          .value();
  for (std::size_t i = 0; i < spec.implementations.size(); ++i)
    if (spec.implementations[i].name == implementation)
      return !check_config(spec, problem, h200_device(), default_config(spec, i));
  ADD_FAILURE() << "no implementation " << implementation;
  return false;
}

TEST(GemmSpace, fp32HasAnImplementationForAnySizeAndLayout) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const char* shape : {"m=1,n=1,k=1", "m=131,n=7,k=1001", "m=4096,n=4096,k=4096", "m=256,n=256,k=524288",
                            "m=2048,n=1,k=1048576", "m=3,n=1001,k=777,batch=5"})
    for (const char* layout : {"nn", "nt", "tn", "tt"}) {
      EXPECT_TRUE(serves(kernel.spec, "simt", shape, DType::fp32, layout)) << shape;
      EXPECT_FALSE(serves(kernel.spec, "wgmma", shape, DType::fp32, layout)) << shape;
    }
}

TEST(GemmSpace, fewRowsOrColumnsAreStreamedInEveryDtype) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const DType dtype : kernel.spec.dtypes)
    for (const char* layout : {"nn", "nt", "tn", "tt"}) {
      for (const char* shape : {"m=1,n=1,k=1", "m=16,n=4096,k=14336", "m=1001,n=16,k=777", "m=2048,n=1,k=1048576"})
        EXPECT_TRUE(serves(kernel.spec, "skinny", shape, dtype, layout)) << shape;
      EXPECT_FALSE(serves(kernel.spec, "skinny", "m=17,n=4096,k=4096", dtype, layout));
    }
}

// TMA reads rows that begin at multiples of 16 bytes.
TEST(GemmSpace, theRingOfSkinnyProductsIsForFp32AndAlignedRows) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const char* layout : {"nn", "nt", "tn", "tt"}) {
    for (const char* shape : {"m=16,n=14336,k=4096", "m=1000,n=4,k=2048"})
      EXPECT_TRUE(serves(kernel.spec, "skinny_ring", shape, DType::fp32, layout)) << shape;
    EXPECT_FALSE(serves(kernel.spec, "skinny_ring", "m=16,n=1001,k=1001", DType::fp32, layout));
    EXPECT_FALSE(serves(kernel.spec, "skinny_ring", "m=17,n=4096,k=4096", DType::fp32, layout));
    EXPECT_FALSE(serves(kernel.spec, "skinny_ring", "m=16,n=4096,k=4096", DType::bf16, layout));
  }
}

// Slices of the short side's operand are copied and read in vectors of 4.
TEST(GemmSpace, skinnyHasSlicesWhereVectorsOfFourFit) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto has_slices = [&](const char* shape, const char* dtype, const std::string& layout) {
    const auto problem = make_problem(kernel.spec, shape, dtype, {"layout=" + layout}).value();
    const auto space = SearchSpace::build(kernel.spec, problem, h200_device()).value();
    for (ConfigIndex i = 0; i < static_cast<ConfigIndex>(space.size()); ++i) {
      const std::string text = config_text(kernel.spec, space.config(i));
      if (text.find("SLICE=") != std::string::npos && text.find("SLICE=0") == std::string::npos) return true;
    }
    return false;
  };
  for (const char* layout : {"nn", "nt", "tn", "tt"}) {
    EXPECT_TRUE(has_slices("m=16,n=14336,k=4096", "fp32", layout)) << layout;
    EXPECT_TRUE(has_slices("m=8192,n=5,k=8192", "fp32", layout)) << layout;
    EXPECT_FALSE(has_slices("m=4,n=4096,k=4096", "fp32", layout)) << layout;
    EXPECT_FALSE(has_slices("m=16,n=4096,k=4098", "fp32", layout)) << layout;
    EXPECT_FALSE(has_slices("m=16,n=4096,k=4096", "bf16", layout)) << layout;
  }
  EXPECT_FALSE(has_slices("m=16,n=4098,k=4096", "fp32", "nn"));
  EXPECT_TRUE(has_slices("m=16,n=4098,k=4096", "fp32", "nt"));
}

// An application without a tuned result gets a default, which must be of the accuracy class that it asked for.
TEST(GemmSpace, classesOfAccuracyDoNotStandInForOneAnother) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const char* shape : {"m=1,n=1,k=1", "m=131,n=7,k=1001", "m=4096,n=4096,k=4096", "m=256,n=256,k=524288"})
    for (const char* layout : {"nn", "nt", "tn", "tt"}) {
      EXPECT_TRUE(serves(kernel.spec, "tf32x3", shape, DType::fp32, layout, "tf32x3")) << shape;
      EXPECT_FALSE(serves(kernel.spec, "tf32x3", shape, DType::fp32, layout));
      for (const char* other : {"simt", "skinny", "skinny_ring", "wgmma", "cublaslt", "cublaslt_tuned"})
        for (const DType dtype : kernel.spec.dtypes)
          EXPECT_FALSE(serves(kernel.spec, other, shape, dtype, layout, "tf32x3")) << other;
      for (const DType dtype : {DType::bf16, DType::fp16})
        EXPECT_FALSE(serves(kernel.spec, "tf32x3", shape, dtype, layout, "tf32x3"));
    }
}

// Also for configurations other than the default.
TEST(GemmSpace, theSpaceOfAClassOfAccuracyHoldsItsImplementationsOnly) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const char* math : {"exact", "tf32x3"}) {
    const auto problem =
        make_problem(kernel.spec, "m=1000,n=520,k=4096", "fp32", {"layout=nt", std::string("math=") + math}).value();
    const auto space = SearchSpace::build(kernel.spec, problem, h200_device()).value();
    ASSERT_GT(space.size(), 100);
    for (ConfigIndex i = 0; i < static_cast<ConfigIndex>(space.size()); ++i)
      EXPECT_EQ(kernel.spec.implementation(space.config(i)).name == "tf32x3", std::string(math) == "tf32x3");
  }
}

// cublaslt_tuned calls for the same product as cublaslt, and replaces only what its params say.
TEST(GemmSpace, otherOptionsOfCublasLtAreOfTheSameProduct) {
  using testing::IsSupersetOf;
  using Values = std::vector<std::pair<std::string, std::int64_t>>;
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto call_of = [&](const std::string& shape, const char* dtype, const std::vector<std::string>& flags,
                           const std::string& config) {
    const auto problem = make_problem(kernel.spec, shape, dtype, flags).value();
    const auto plan = make_plan(kernel.spec, problem, parse_config(kernel.spec, config).value(), h200_device());
    EXPECT_TRUE(plan) << plan.error().message;
    return plan->library_calls.at(0);
  };
  const std::string tuned = "implementation=cublaslt_tuned,RANK=2,";
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"layout=tn", "bias=1", "activation=relu"},
                                                {"layout=nt", "bias=1", "activation=gelu_tanh", "shared=b"},
                                                {"layout=nn", "residual=1", "shared=a"}})
    for (const char* dtype : {"bf16", "fp16"}) {
      const std::string shape = "m=64,n=96,k=128,batch=3,a_pad=8,b_pad=16,c_pad=24";
      const auto plain = call_of(shape, dtype, flags, "implementation=cublaslt,RANK=2");
      Values same = plain.values;
      std::erase_if(same, [](const auto& value) {
        return value.first == "cluster_rows" || value.first == "cluster_columns" || value.first == "split_k" ||
               value.first == "option";
      });
      EXPECT_EQ(same.size() + 4, plain.values.size());
      const auto none = call_of(shape, dtype, flags, tuned + "CLUSTER=none,OPTION=1");
      EXPECT_THAT(none.values, IsSupersetOf(same));
      EXPECT_THAT(none.values,
                  IsSupersetOf(Values{{"cluster_rows", 1}, {"cluster_columns", 1}, {"split_k", 1}, {"option", 1}}));
      const auto heuristic = call_of(shape, dtype, flags, tuned + "CLUSTER=heuristic,OPTION=0");
      EXPECT_THAT(heuristic.values, IsSupersetOf(same));
      EXPECT_THAT(heuristic.values,
                  IsSupersetOf(Values{{"cluster_rows", 0}, {"cluster_columns", 0}, {"split_k", 1}, {"option", 0}}));
      EXPECT_THAT(plain.values,
                  IsSupersetOf(Values{{"cluster_rows", 0}, {"cluster_columns", 0}, {"split_k", 0}, {"option", -1}}));
    }
}

// The columns of a gate are in two tiles, so a separate launch that has both applies it.
TEST(GemmSpace, gatesOfFp32HaveAnImplementationForAnySizeAndLayout) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const char* shape : {"m=1,n=2,k=1", "m=131,n=6,k=1001", "m=4096,n=28672,k=4096", "m=256,n=256,k=524288",
                            "m=3,n=1002,k=777,batch=5,c_pad=3"})
    for (const char* layout : {"nn", "nt", "tn", "tt"})
      for (const char* gate : {"swiglu", "geglu"}) {
        EXPECT_TRUE(serves(kernel.spec, "simt", shape, DType::fp32, layout, "exact", gate)) << shape;
        EXPECT_TRUE(serves(kernel.spec, "tf32x3", shape, DType::fp32, layout, "tf32x3", gate)) << shape;
      }
  EXPECT_TRUE(serves(kernel.spec, "skinny", "m=16,n=514,k=777", DType::fp32, "nt", "exact", "geglu"));
  EXPECT_FALSE(serves(kernel.spec, "simt", "m=16,n=515,k=777", DType::fp32, "nt", "exact", "geglu"));
}

// The launch that applies the gate adds up what the others leave.
TEST(GemmSpace, everyGateOfFp32EndsWithItsOwnLaunch) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto problem =
      make_problem(kernel.spec, "m=520,n=1000,k=8200", "fp32", {"layout=nt", "activation=swiglu"}).value();
  const auto space = SearchSpace::build(kernel.spec, problem, h200_device()).value();
  std::set<std::string> gates;
  for (ConfigIndex i = 0; i < static_cast<ConfigIndex>(space.size()); ++i) {
    const auto plan = make_plan(kernel.spec, problem, space.config(i), h200_device());
    ASSERT_TRUE(plan) << plan.error().message;
    std::string names;
    for (const KernelLaunch& launch : plan->launches)
      if (launch.name_expression != "move_across")
        names += launch.name_expression.substr(0, launch.name_expression.find('<')) + " ";
    EXPECT_EQ(names, "gemm_simt gemm_gate ");
    gates.insert(plan->launches.back().name_expression);
  }
  EXPECT_THAT(gates,
              ::testing::IsSupersetOf({"gemm_gate<float, float, 1, 4, 160>", "gemm_gate<float, float, 4, 4, 160>"}));
}

// With gaps between rows, TMA and vector stores need rows that begin at a multiple of their size.
TEST(GemmSpace, rowsOfCThatTmaCannotWriteAreStoredFromRegisters) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  for (const auto& [pad, has_map] : {std::pair{"0", true}, {"8", true}, {"3", false}, {"4", false}}) {
    const auto problem =
        make_problem(kernel.spec, std::string("m=520,n=1000,k=520,c_pad=") + pad, "bf16", {"layout=nt"}).value();
    const auto space = SearchSpace::build(kernel.spec, problem, h200_device()).value();
    bool found = false;
    for (ConfigIndex i = 0; i < static_cast<ConfigIndex>(space.size()); ++i) {
      const auto plan = make_plan(kernel.spec, problem, space.config(i), h200_device());
      ASSERT_TRUE(plan) << plan.error().message;
      for (const TensorMapPlan& map : plan->tensor_maps) {
        if (map.name != "c_map") continue;
        found = true;
        EXPECT_EQ(map.dims[0], 1000U);
        EXPECT_EQ(map.strides[0], 2 * (1000U + static_cast<unsigned>(std::stoi(pad))));
      }
    }
    EXPECT_EQ(found, has_map) << pad;
  }
}

// Gaps are neither read nor written.
TEST(GemmSpace, gapsCostNoBytes) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto cost = [&](const std::string& pads) {
    const auto problem =
        make_problem(kernel.spec, "m=72,n=136,k=200,batch=3" + pads, "bf16", {"layout=tn", "residual=1"}).value();
    return estimate_cost(kernel.spec, problem, h200_device()).value();
  };
  const CostEstimate plain = cost(""), padded = cost(",a_pad=5,b_pad=7,c_pad=9");
  EXPECT_EQ(plain.bytes_read, padded.bytes_read);
  EXPECT_EQ(plain.bytes_written, padded.bytes_written);
  EXPECT_EQ(plain.bytes_written, 3 * 72 * 136 * 2);
}

// Each reason removes a whole implementation and counts once, so the number of configurations that it removes says
// nothing.
TEST(GemmSpace, anEmptySpaceNamesTheReasonOfEachImplementation) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto problem = make_problem(kernel.spec, "m=64,n=64,k=64", "fp32", {"layout=nn", "math=tf32x3"}).value();
  const auto space = SearchSpace::build(kernel.spec, problem, *device_of_arch("sm_70"));
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, ErrorKind::no_candidate);
  EXPECT_THAT(space.error().message,
              testing::AllOf(testing::HasSubstr(" No implementation fits: "), testing::HasSubstr("wgmma needs 'dtype"),
                             testing::HasSubstr("; simt needs 'math == 'exact''"),
                             testing::HasSubstr("; tf32x3 needs '"), testing::HasSubstr("; skinny needs '"),
                             testing::Not(testing::HasSubstr("Rejected combinations"))));
}

// Exact products of fp32 run on FMA units, all others on tensor cores.
TEST(GemmSpace, operationsHaveTheRoofOfTheUnitsThatDoThem) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto pipe = [&](const char* dtype, const std::vector<std::string>& flags) {
    const auto problem = make_problem(kernel.spec, "m=72,n=136,k=200", dtype, flags).value();
    const auto flops = estimate_cost(kernel.spec, problem, h200_device()).value().flops;
    EXPECT_EQ(flops.size(), 1u);
    EXPECT_EQ(flops[0].second, 2. * 72 * 136 * 200);
    return flops[0].first;
  };
  EXPECT_EQ(pipe("fp32", {"layout=nn"}), "fp32");
  EXPECT_EQ(pipe("fp32", {"layout=nn", "math=tf32x3"}), "tensor fp32");
  EXPECT_EQ(pipe("bf16", {"layout=nt"}), "tensor");
  EXPECT_EQ(pipe("fp16", {"layout=nt", "out=fp32"}), "tensor");
}

// A stored result from before the flag existed is one of exact products.
TEST(GemmSpace, keysOfExactProductsDoNotNameTheClass) {
  const Kernel kernel = TemplateStore({test::share_dir() / "kernel_templates"}).load("gemm").value();
  const auto key = [&](const char* math) {
    return problem_key(
        kernel.spec,
        make_problem(kernel.spec, "m=8,n=8,k=8", "fp32", {"layout=nt", std::string("math=") + math}).value());
  };
  EXPECT_EQ(key("exact"), "m=8,n=8,k=8;fp32;layout=nt");
  EXPECT_EQ(key("tf32x3"), "m=8,n=8,k=8;fp32;layout=nt,math=tf32x3");
}

} // namespace
} // namespace warptune
