// The typed calls of the shipped operators, over a stand-in for the driver: each pointer reaches the kernel as the
// template's argument with that name.
#include "jit/template_store.h"
#include "plan/plan.h"
#include "support/fake_cuda.h"
#include "support/use_fake_cuda.h"
#include "unit/runtime/fixture.h"
#include "warptune/operators.hpp"

#include <iterator>
#include <map>

namespace warptune::test {
namespace {

namespace ops = warptune::v0::operators;
using ops::Type;

constexpr std::uint64_t kIn = 0x100000, kOther = 0x200000, kOut = 0x300000, kBias = 0x400000, kResidual = 0x500000;

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }
float* floats(std::uint64_t address) { return reinterpret_cast<float*>(address); }

class RuntimeOperators : public testing::Test {
 protected:
  static inline void* const kStream = reinterpret_cast<void*>(0x99);
  RuntimeOperators() { fake_set_context(reinterpret_cast<void*>(0x6000)); }

  // A database with the default configuration of this problem and a cubin that the stand-in accepts; from then on the
  // stand-in records the arguments of its last kernel.
  warptune::v0::Library tuned(const char* name, const char* shape, const char* dtype,
                              const std::vector<std::string>& flags = {}) {
    const auto kernel = must(TemplateStore::standard().load(name));
    const DeviceInfo device = fake_device();
    const Problem problem = must(make_problem(kernel.spec, shape, dtype, flags));
    const Config config = default_config(kernel.spec, problem, device);
    plan_ = must(make_plan(kernel.spec, problem, config, device));
    const std::filesystem::path path = dir_ / (std::string(name) + dtype + ".db");
    Writer writer = must(Writer::open(path));
    must(writer.put_device(device));
    must(writer.put_kernel({0, name, kernel.source_hash, kernel.sources.files}));
    const std::string key = problem_key(kernel.spec, problem);
    BestRecord best;
    best.config = config_text(kernel.spec, config);
    best.certified = true;
    best.cubin_hash = compile_key(must(request_of(kernel.spec, kernel.sources, problem, config, device)), "");
    must(writer.put_cubin({best.cubin_hash, device.arch, std::string("fake ") + name,
                           std::vector<std::string>(plan_.name_expressions.size(), name)}));
    add_best(writer, device, name, kernel.source_hash, key, std::move(best));
    fake_set_arg_count(static_cast<int>(plan_.launches.back().args.size()));
    return warptune::v0::Library(path.string(), {0, {}});
  }

  void expect_arguments(const std::map<std::string, std::uint64_t>& addresses) {
    const FakeLaunch seen = fake_launch();
    std::size_t found = 0;
    const auto& args = plan_.launches.back().args;
    for (std::size_t i = 0; i < args.size() && i < std::size(seen.args); ++i) {
      if (args[i].kind != ArgRef::Kind::buffer) continue;
      const std::string& name = plan_.buffers[static_cast<std::size_t>(args[i].index)].name;
      const auto expected = addresses.find(name);
      if (expected == addresses.end()) continue;
      EXPECT_EQ(seen.args[i], expected->second) << name;
      ++found;
    }
    EXPECT_EQ(found, addresses.size());
  }

  warptune::v0::Workspace workspace_{[](std::size_t) { return at(0x4000000); }, [](void*) {}};
  TempDir dir_;
  LaunchPlan plan_;
};

TEST_F(RuntimeOperators, Axpy) {
  const auto library = tuned("axpy", "n=4096", "bf16");
  ops::Axpy(library, Type::bf16)(kStream, 4096, 0.5F, at(kIn), at(kOut));
  expect_arguments({{"x", kIn}, {"y", kOut}});
}

TEST_F(RuntimeOperators, ReduceSum) {
  const auto library = tuned("reduce_sum", "n=65536", "fp32");
  const ops::ReduceSum sum(library);
  sum(kStream, 65536, at(kIn), floats(kOut), workspace_);
  expect_arguments({{"out", kOut}});
}

TEST_F(RuntimeOperators, Sgemm) {
  const auto library = tuned("sgemm", "m=256,n=128,k=64", "fp32", {"layout=nt"});
  ops::Sgemm(library, ops::Sgemm::Layout::nt)(kStream, 256, 128, 64, floats(kIn), floats(kOther), floats(kOut),
                                              workspace_);
  expect_arguments({{"a", kIn}, {"b", kOther}, {"c", kOut}});
}

// C = gelu(A * B + bias) + residual for a batch with gaps: arguments that do not exist are not passed.
TEST_F(RuntimeOperators, Gemm) {
  const auto library = tuned("gemm", "m=256,n=128,k=64,batch=2,c_pad=4", "fp32",
                             {"layout=nt", "activation=gelu", "bias=1", "residual=1"});
  ops::GemmForm form;
  form.type = Type::fp32;
  form.bias = form.residual = true;
  form.activation = ops::Activation::gelu;
  const ops::Gemm gemm(library, form);
  ops::GemmSize size{256, 128, 64, 2};
  size.c_pad = 4;
  ops::GemmArgs args{at(kIn), at(kOther), at(kOut), at(kBias), at(kResidual)};
  gemm.prefetch(size);
  gemm(kStream, size, args, workspace_);
  expect_arguments({{"a", kIn}, {"b", kOther}, {"c", kOut}, {"bias", kBias}, {"residual", kResidual}});
  form.activation = ops::Activation::none;
  EXPECT_THROW(ops::Gemm(library, form)(kStream, size, args, workspace_), warptune::v0::Error)
      << "the form tells them apart, and nothing may be compiled";
  EXPECT_THROW(gemm(kStream, {0, 1, 1}, args, workspace_), warptune::v0::Error) << "a size below 1";
}

TEST_F(RuntimeOperators, GemmScaled) {
  const auto library = tuned("gemm", "m=256,n=128,k=64", "fp32", {"layout=tn", "scales=both", "scaled=1"});
  ops::GemmForm form;
  form.type = Type::fp32;
  form.layout = ops::Layout::tn;
  form.scales = ops::Scales::both;
  form.scaled = true;
  ops::GemmArgs args{at(kIn), at(kOther), at(kOut)};
  args.row_scale = floats(kBias);
  args.column_scale = floats(kResidual);
  args.alpha = 2;
  ops::Gemm(library, form)(kStream, {256, 128, 64}, args, workspace_);
  expect_arguments({{"a", kIn}, {"b", kOther}, {"c", kOut}, {"row_scale", kBias}, {"column_scale", kResidual}});
}

// Every name of a form is one of the spec's, in the order of its values.
TEST_F(RuntimeOperators, GemmFormsAreThoseOfTheSpec) {
  const auto kernel = must(TemplateStore::standard().load("gemm"));
  const auto labels = [&](const std::string& name) {
    for (const Flag& flag : kernel.spec.flags)
      if (flag.name == name) return flag.labels;
    return std::vector<std::string>();
  };
  const auto expect_names = [&](const std::string& flag, auto name_of) {
    const std::vector<std::string> known = labels(flag);
    ASSERT_FALSE(known.empty()) << flag;
    for (std::size_t i = 0; i < known.size(); ++i) EXPECT_EQ(name_of(static_cast<int>(i)), known[i]) << flag;
  };
  expect_names("layout", [](int i) { return ops::detail::layout_name(static_cast<ops::Layout>(i)); });
  expect_names("activation", [](int i) { return ops::detail::activation_name(static_cast<ops::Activation>(i)); });
  expect_names("scales", [](int i) { return ops::detail::scales_name(static_cast<ops::Scales>(i)); });
  expect_names("shared", [](int i) { return ops::detail::shared_name(static_cast<ops::Shared>(i)); });
  for (const Flag& flag : kernel.spec.flags)
    EXPECT_NE(ops::detail::flags_of({}).find(flag.name + "="), std::string::npos) << flag.name << " is left out";
  ASSERT_EQ(kernel.spec.dims.size(), 7U);
}

TEST_F(RuntimeOperators, Softmax) {
  const auto library = tuned("softmax", "rows=128,cols=1024", "fp16", {"log=1"});
  ops::Softmax(library, Type::fp16, true)(kStream, 128, 1024, at(kIn), at(kOut));
  expect_arguments({{"x", kIn}, {"y", kOut}});
  EXPECT_THROW(ops::Softmax(library, Type::fp16)(kStream, 128, 1024, at(kIn), at(kOut)), warptune::v0::Error)
      << "the flag tells them apart, and nothing may be compiled";
}

TEST_F(RuntimeOperators, Transpose) {
  const auto library = tuned("transpose", "rows=128,cols=64", "bf16");
  const ops::Transpose transpose(library);
  transpose.prefetch(128, 64);
  transpose(kStream, 128, 64, at(kIn), at(kOut));
  expect_arguments({{"x", kIn}, {"y", kOut}});
}

} // namespace
} // namespace warptune::test
