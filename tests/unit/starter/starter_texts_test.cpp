// Information that `warptune new` reads from texts: options, kernels, macros, host code, names of types.
#include "starter/entries.h"
#include "starter/host_code.h"
#include "starter/kernel_text.h"
#include "starter/new_folder.h"
#include "starter/signature.h"
#include "starter/source_macros.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(StarterEntries, ACommaBeginsAnEntryOnlyBeforeAName) {
  Entries entries;
  ASSERT_TRUE(add_entries("--values", "BLOCK=64,128,WORK=1", entries));
  ASSERT_TRUE(add_entries("--values", "x = min(n, m), BLOCK=32", entries)); // the newer text applies
  EXPECT_THAT(entries, ElementsAre(Pair("BLOCK", "32"), Pair("WORK", "1"), Pair("x", "min(n, m)")));
  const auto refused = add_entries("--dims", "n", entries);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--dims 'n': 'n' must be NAME=VALUE");
  EXPECT_FALSE(add_entries("--dims", "n=", entries));
}

TEST(StarterEntries, FormulasKeepTheirCommasAndComparisons) {
  EXPECT_THAT(split_list("ceil_div(n, 4), m"), ElementsAre("ceil_div(n, 4)", "m"));
  Entries entries;
  ASSERT_TRUE(add_entries("--scalar", "a=n,m == 2", entries));
  EXPECT_THAT(entries, ElementsAre(Pair("a", "n,m == 2")));
}

TEST(StarterKernels, NamesOfParametersAndTemplateArguments) {
  const auto kernels = find_kernels(R"(
// __global__ void commented(int x);
int helper(int y) { return y; }
template <typename T, int BLOCK = 128, bool FAST = true>
__global__ void __launch_bounds__(BLOCK, 2) first(const T* __restrict__ x, T y[], unsigned, int (&z), float a = f(1, 2)) {}
extern "C" __global__ void second(void);
__global__ void LIMITS(64) third(float *p);
)");
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_THAT(kernels[0].parameters, ElementsAre("x", "y", "arg3", "z", "a"));
  ASSERT_EQ(kernels[0].template_parameters.size(), 3U);
  EXPECT_TRUE(kernels[0].template_parameters[0].is_type);
  EXPECT_EQ(kernels[0].template_parameters[1].name, "BLOCK");
  EXPECT_EQ(kernels[0].template_parameters[1].initial, "128");
  EXPECT_EQ(kernels[0].template_parameters[2].initial, "true");
  EXPECT_TRUE(kernels[0].template_parameters[2].is_bool);
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_THAT(kernels[1].parameters, IsEmpty());
  EXPECT_THAT(kernels[1].template_parameters, IsEmpty());
  EXPECT_EQ(kernels[2].name, "third");
}

TEST(StarterMacros, WhatCanBeSetFromOutside) {
  const auto macros = source_macros(R"(#ifndef GUARD_H
#define GUARD_H
#ifndef BLOCK
  # define BLOCK (128u) // threads of a block
#endif
#if !defined(WORK)
#define WORK 3
#endif
#define TILE 16
#define AT(x) ((x) * TILE)
#ifndef OTHER
#define LAST 2
#endif
#if SWITCH && defined(OTHER) && __CUDA_ARCH__ >= 900
#endif
#endif
)");
  std::vector<std::string> names;
  for (const SourceMacro& macro : macros) names.push_back(macro.name);
  ASSERT_THAT(names, ElementsAre("BLOCK", "WORK", "TILE", "AT", "LAST", "SWITCH"));
  EXPECT_FALSE(macros[4].is_guarded);
  EXPECT_EQ(macros[0].initial, 128);
  EXPECT_EQ(macros[0].meaning, "threads of a block");
  EXPECT_TRUE(macros[0].is_guarded);
  EXPECT_TRUE(macros[1].is_guarded);
  EXPECT_FALSE(macros[2].is_guarded);
  EXPECT_TRUE(macros[3].takes_arguments);
  EXPECT_FALSE(macros[0].takes_arguments);
  EXPECT_TRUE(macros[5].is_tested);
  EXPECT_FALSE(macros[5].is_defined);
  EXPECT_THAT(propose_values(macros[0]), ElementsAre(64, 128, 256));
  EXPECT_THAT(propose_values(macros[1]), ElementsAre(3)); // for example a radius
  EXPECT_THAT(propose_values(macros[5]), ElementsAre(0, 1));
}

TEST(StarterMacros, AGuardLeavesTheRestAsItIs) {
  EXPECT_EQ(with_guard("// of a line\nint a; /* two\nlines */\n#define N 4 // four\n#define NN 5\nint b;", "N"),
            "// of a line\nint a; /* two\nlines */\n#ifndef N\n#define N 4 // four\n#endif\n#define NN 5\nint b;");
  EXPECT_EQ(with_guard("#define N 4", "N"), "#ifndef N\n#define N 4\n#endif\n");
}

TEST(StarterMacros, AreReadIfTheyAreUsed) {
  const char* source = "#ifndef USED\n#define USED 4\n#endif\n#define NAMED /* USED */ \"x\"\n"
                       "#ifndef SPARE\n#define SPARE 1 // SPARE\n#endif\n#define TWICE (2 * HALF)\nint a = USED;\n";
  EXPECT_TRUE(reads_macro(source, "USED"));
  EXPECT_TRUE(reads_macro(source, "HALF"));
  EXPECT_TRUE(reads_macro("#if SPARE\n#endif\n", "SPARE"));
  for (const char* name : {"SPARE", "NAMED", "TWICE"}) EXPECT_FALSE(reads_macro(source, name)) << name;
}

constexpr const char* kNoReason = "kernel.cu(1): error: no";

// The text of kernel.cu after hiding.
std::string hidden_in(const std::string& source, const std::string& log) {
  SourceFiles sources{{{"kernel.cu", source}}};
  const std::string note = hide_host_code(sources, log);
  EXPECT_EQ(note.empty(), sources.files.front().second == source) << note;
  return sources.files.front().second;
}

TEST(StarterHostCode, FunctionsOfTheHostAreHiddenHelpersStay) {
  const std::string device = "__device__ float f(float x) { return cudaThing(x); }\n"
                             "float helper(float x) { return x; }\n"
                             "struct S { void use() { std::abort(); } };\n"
                             "template <class T> __global__ void k(T* x) { printf(\"}\"); }\n"
                             "template __global__ void k<float>(float* x);\n";
  EXPECT_EQ(hidden_in(device, kNoReason), device);
  const std::string host = "extern \"C\" void run(float* x) {\n  if (x) { k<<<1, 1>>>(x); }\n}";
  const std::string of_types = "template <class T, class U = A<T>> void run(T* x) { k<<<1, 1>>>(x); }";
  const std::string source = "namespace a {\n" + device + host + "\nint n;\n}\nextern cudaDeviceProp prop;\n" +
                             "template void run<float>(float* x);\n" + of_types + "\nint main() { }\n";
  const std::string hidden = hidden_in(source, kNoReason);
  for (const std::string& part : {host, of_types, std::string("template void run<float>(float* x);"),
                                  std::string("extern cudaDeviceProp prop;"), std::string("int main() { }")})
    EXPECT_THAT(hidden, HasSubstr("#ifndef __CUDACC_RTC__ // host code\n" + part + "\n#endif\n"));
  EXPECT_THAT(hidden, HasSubstr(device));
  EXPECT_EQ(hidden_in(hidden, kNoReason), hidden) << "once is enough";
}

TEST(StarterHostCode, IncludesByTheirWholeName) {
  const std::string log = "k.cu(3): catastrophic error: cannot open source file \"stdio.h\"\n";
  const std::string hidden =
      "#ifndef __CUDACC_RTC__ // host code\n#include <stdio.h>\n#endif\n# include \"stdio.hpp\"\n";
  EXPECT_EQ(hidden_in("#include <stdio.h>\n# include \"stdio.hpp\"\n", log), hidden);
  EXPECT_EQ(hidden_in(hidden, log), hidden);
}

TEST(StarterHostCode, LibrariesOfTheHostInclude) {
  const std::string log = "/cuda/include/cublas_api.h(68): catastrophic error: cannot open source file \"stdint.h\"\n";
  EXPECT_EQ(hidden_in("#include <cublas_v2.h>\n#include <curand_kernel.h>\n", log),
            "#ifndef __CUDACC_RTC__ // host code\n#include <cublas_v2.h>\n#endif\n#include <curand_kernel.h>\n");
}

TEST(StarterHostCode, InIncludedFilesToo) {
  SourceFiles sources{{{"kernel.cu", "#include <vector>\n#include \"own.h\"\n"}, {"own.h", "#include <vector>\n"}}};
  EXPECT_THAT(hide_host_code(sources, "own.h(1): catastrophic error: cannot open source file \"vector\"\n"),
              HasSubstr("in kernel.cu, own.h, #include of vector is hidden"));
  EXPECT_THAT(sources.files[1].second, HasSubstr("host code\n#include <vector>\n#endif\n"));
}

TEST(StarterHostCode, VariablesThatAHostProgramSets) {
  const std::string log = "kernel.cu(3): error: dynamic initialization is not supported for a __device__ variable\n";
  EXPECT_EQ(hidden_in("int a = 1;\n#define F(x) x\nint b =\n  f();\nint c;\n", log),
            "int a = 1;\n#define F(x) x\n#ifndef __CUDACC_RTC__ // host code\nint b =\n  f();\n#endif\n\nint c;\n");
  EXPECT_EQ(hidden_in("int a;\n", log), "int a;\n");
}

TEST(StarterTypes, AsTheCompilerNamesThem) {
  const auto types =
      parameter_types("float const*, double*, int, unsigned long, __half const*, float4 const volatile*, "
                      "Map<int, 2>, float**, float2");
  ASSERT_EQ(types.size(), 9U);
  EXPECT_TRUE(types[0].is_pointer && types[0].is_const);
  EXPECT_EQ(types[0].dtype, DType::fp32);
  EXPECT_TRUE(types[1].is_pointer && !types[1].is_const);
  EXPECT_EQ(types[2].dtype, DType::int32);
  EXPECT_FALSE(types[2].is_pointer);
  EXPECT_EQ(types[3].dtype, DType::uint64);
  EXPECT_EQ(types[4].dtype, DType::fp16);
  EXPECT_TRUE(types[5].is_const);
  EXPECT_EQ(types[5].lanes, 4);
  for (std::size_t i = 6; i < types.size(); ++i) EXPECT_FALSE(types[i].dtype) << types[i].cpp;
  EXPECT_THAT(parameter_types(""), IsEmpty());
}

TEST(StarterTypes, UndefinedNamesOfALog) {
  EXPECT_THAT(undefined_names("k.cu(1): error: identifier \"A\" is undefined\nk.cu(2): error: identifier \"B\" is "
                              "undefined\nk.cu(3): error: identifier \"A\" is undefined\nidentifier \"C\" is used\n"),
              ElementsAre("A", "B"));
}

TEST(StarterFolder, NamesOfOperators) {
  EXPECT_EQ(operator_name_of("a/My-scale.2/"), "my_scale_2");
  EXPECT_EQ(operator_name_of("3d"), "k3d");
}

} // namespace
} // namespace warptune
