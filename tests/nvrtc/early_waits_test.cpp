// In the machine code of each shipped kernel that may start early, nothing accesses global memory and no thread ends
// before the kernel waits for earlier work (docs/spec.md, "Early starts"). A compiler may move loads of constant
// arguments, so reading the source is not enough.
#include "jit/compiler.h"
#include "space/space.h"
#include "support/request_of.h"
#include "support/shipped_store.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warptune {
namespace {

// The lower 12 bits of an instruction of sm_90, and how many bytes it has.
constexpr std::size_t kInstruction = 16;
constexpr unsigned kWait = 0x82e; // ACQBULK
constexpr unsigned kExit = 0x94d;
// LD, LDG, ST, STG, ATOM, ATOMG, RED, LDGSTS; copies in bulk: UBLKCP, UBLKRED, UBLKPF, UTMALDG, UTMASTG, UTMAPF.
constexpr unsigned kAccesses[] = {0x980, 0x981, 0x985, 0x986, 0x98a, 0x9a8, 0x98e,
                                  0xfae, 0x3ba, 0x3bb, 0x3bc, 0x5b4, 0x3b5, 0x5b8};

template <class T> T read(std::string_view image, std::size_t at) {
  T value{};
  if (at + sizeof value <= image.size()) std::memcpy(&value, image.data() + at, sizeof value);
  return value;
}

// The machine code of a kernel; empty: the cubin has none of this name.
std::string_view code_of(std::string_view image, const std::string& kernel) {
  const auto header = read<Elf64_Ehdr>(image, 0);
  const auto section = [&](std::size_t i) { return read<Elf64_Shdr>(image, header.e_shoff + i * header.e_shentsize); };
  const std::string_view names = image.substr(section(header.e_shstrndx).sh_offset);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr found = section(i);
    if (names.substr(found.sh_name, names.find('\0', found.sh_name) - found.sh_name) == ".text." + kernel)
      return image.substr(found.sh_offset, found.sh_size);
  }
  return {};
}

std::vector<unsigned> operations_of(std::string_view code) {
  std::vector<unsigned> operations;
  for (std::size_t at = 0; at + kInstruction <= code.size(); at += kInstruction)
    operations.push_back(read<std::uint16_t>(code, at) & 0xfffU);
  return operations;
}

// Whether all threads wait: a wait that no branch skips, or two that a branch skips for opposite values of a predicate
// (wait_for_earlier_work_after).
bool all_wait(std::string_view code) {
  constexpr unsigned kBranch = 0x947, kAlways = 7, kNot = 8; // BRA; the predicate is in bits 12 to 15
  std::set<unsigned> skipped;
  for (std::size_t at = kInstruction; at + kInstruction <= code.size(); at += kInstruction) {
    const auto before = read<std::uint16_t>(code, at - kInstruction), wait = read<std::uint16_t>(code, at);
    if ((wait & 0xfffU) != kWait) continue;
    if ((before & 0xfffU) != kBranch) return wait >> 12U == kAlways;
    skipped.insert(before >> 12U);
  }
  return std::ranges::any_of(skipped, [&](unsigned p) { return skipped.count(p ^ kNot) > 0; });
}

// Whether the first launch starts early.
bool expect_waits_first(const Kernel& kernel, const Problem& problem, const Config& config) {
  const DeviceInfo device = h200_device();
  const LaunchPlan plan = make_plan(kernel.spec, problem, config, device).value();
  if (plan.launches.empty() || !plan.launches.front().programmatic) return false;
  const CompileRequest request = test::request_of(kernel.spec, kernel.sources, problem, config, device).value();
  const auto compiled = compile(request, 0).value();
  EXPECT_TRUE(compiled) << compiled.error().log;
  if (!compiled) return true;
  const auto found = std::ranges::find(request.name_expressions, plan.launches.front().name_expression);
  const std::string& name =
      compiled->lowered_names.at(static_cast<std::size_t>(found - request.name_expressions.begin()));
  const std::string_view code = code_of(compiled->image, name);
  const std::vector<unsigned> operations = operations_of(code);
  const auto wait = std::ranges::find(operations, kWait);
  EXPECT_TRUE(all_wait(code)) << name << " does not wait in all threads";
  EXPECT_EQ(std::find_first_of(operations.begin(), wait, std::begin(kAccesses), std::end(kAccesses)), wait)
      << name << " accesses memory before it waits";
  EXPECT_EQ(std::find(operations.begin(), wait, kExit), wait) << "a thread of " << name << " may end before it waits";
  return true;
}

// The default of an implementation, and configurations with each other value of a param that changes how it loads.
std::vector<Config> loading_in_all_ways(const KernelSpec& spec, std::size_t implementation) {
  const Config config = default_config(spec, implementation);
  std::vector<Config> configs{config};
  for (const OwnParam& param : spec.implementations[implementation].params)
    if (const std::string& name = spec.params[param.index].name; name == "HINT" || name == "LOADS" || name == "WEIGHTS")
      for (const std::int64_t value : param.values)
        if (value != param.default_value) {
          configs.push_back(config);
          configs.back()[param.index] = value;
        }
  return configs;
}

class EarlyWaits : public testing::TestWithParam<std::string> {};

// Each implementation on the first shape of the suites for which the configuration is valid.
TEST_P(EarlyWaits, comeBeforeAllAccesses) {
  const Kernel kernel = test::shipped_store().load(GetParam()).value();
  const KernelSpec& spec = kernel.spec;
  std::set<std::pair<std::size_t, std::size_t>> checked;
  for (const char* suite : {"default", "ragged"})
    for (const SuiteEntry& entry : spec.suites.at(suite)) {
      std::vector<std::int64_t> flags;
      for (std::size_t i = 0; i < spec.flags.size(); ++i)
        flags.push_back(entry.flags.empty() ? spec.flags[i].values.front()
                                            : entry.flags[i].value_or(spec.flags[i].values.front()));
      const Problem problem = make_problem(spec, entry.shape, entry.dtype.value_or(spec.dtypes.front()), flags).value();
      for (std::size_t i = 0; i < spec.implementations.size(); ++i) {
        const std::vector<Config> configs = loading_in_all_ways(spec, i);
        for (std::size_t c = 0; c < configs.size(); ++c)
          if (!checked.count({i, c}) && !check_config(spec, problem, h200_device(), configs[c]) &&
              expect_waits_first(kernel, problem, configs[c]))
            checked.insert({i, c});
      }
    }
  EXPECT_FALSE(checked.empty());
}

INSTANTIATE_TEST_SUITE_P(Shipped, EarlyWaits,
                         testing::Values("adam", "adam_list", "batch_norm", "batch_norm_backward", "broadcast",
                                         "broadcast_backward", "concat", "cross_entropy", "cross_entropy_backward",
                                         "dequantise", "dequantise_groups", "elementwise", "elementwise_backward",
                                         "embedding", "embedding_backward", "group_norm", "loss", "loss_backward",
                                         "masked_softmax", "masked_softmax_backward", "normalise", "normalise_backward",
                                         "permute", "pool", "quantise", "quantise_groups", "quantise_tensor", "reduce",
                                         "rotary", "row_loss", "row_loss_backward", "row_norm", "row_norm_backward",
                                         "row_norm_quantise", "scan", "slice", "top_k"),
                         [](const auto& of) { return of.param; });

} // namespace
} // namespace warptune
