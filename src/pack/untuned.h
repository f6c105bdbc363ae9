// Untuned shapes: probes that represent them, the programs that the shipped configurations use on each probe, and which
// of these programs a pack should hold. Compiles nothing and reads no rows.
#pragma once

#include "pack/measured.h"
#include "space/space.h"
#include "spec/problem.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Makes probes with dims from an eighth of the smallest to eight times the largest dim of the tuned shapes and the
// suites: powers of two and their neighbours, multiples of 256, 64, 16, 8, 4 and 2, and odd sizes, in all combinations.
// Dims that have a default, such as the gap between rows, keep it in three of four probes. Deterministic.
std::vector<Problem> make_probes(const KernelSpec& spec, const MeasuredVariant& variant);

struct ProbedProgram {
  std::string key;           // program_key
  std::size_t probe, config; // an example of its use: probe in the table, configuration in the variant
  bool is_default = false;   // whether the default uses it on some probe
  std::size_t serves = 0;    // number of probes
  std::size_t wanted = 0;    // number of probes for which it is chosen from the programs that serve several probes
};

struct ProbeTable {
  std::vector<Problem> probes;
  std::vector<ProbedProgram> programs;
  std::vector<std::vector<std::size_t>> served_by; // for each probe, the positions of its programs
  std::vector<std::optional<std::size_t>> chosen;  // for each probe, its program if all are available; nullopt: none
};

// Returns the configuration that a dispatcher chooses for a problem among the allowed ones; nullopt: none.
using Allowed = std::function<bool(const Config&)>;
using Choose = std::function<std::optional<Config>(const Problem&, const Allowed&)>;

// `configs`: the numbers of those that ship. Leaves out probes that need more memory than the device has. `choose` may
// be empty.
ProbeTable probe_programs(const PackedKernel& kernel, const MeasuredVariant& variant,
                          const std::vector<std::size_t>& configs, const std::vector<Problem>& probes,
                          const Choose& choose);

// Chooses as the library would if a compiler were available (predict/select.h). `picks`: pairs of a shape and its
// configuration, by number. `rule`: transfer_text, empty for none. Kernel and variant must outlive the result.
Choose library_choice(const PackedKernel& kernel, const MeasuredVariant& variant,
                      const std::vector<std::size_t>& configs,
                      const std::vector<std::pair<std::size_t, std::size_t>>& picks, const std::string& rule);

using HasProgram = std::function<bool(const std::string& key)>;

// Returns the positions of at most `limit` programs to ship in addition to those that `has` reports. The default's
// programs come first, those that serve most probes first; then the chosen programs, the most often chosen first. A
// program that serves only one probe is specific to its shape and useless for others.
std::vector<std::size_t> pick_programs(const ProbeTable& table, std::size_t limit, const HasProgram& has);

// Numbers of probes: all; those that can be launched with the available programs; those whose choice is the same as if
// all programs of the shipped configurations were available.
struct UntunedShare {
  std::size_t probes = 0, served = 0, as_chosen = 0;
};
UntunedShare share_of(const ProbeTable& table, const HasProgram& has);

} // namespace warptune
