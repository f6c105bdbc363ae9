// Represents untuned shapes by probes (example problems), finds the programs that each probe needs, and chooses
// programs for a pack. Compiles nothing and reads no rows.
#pragma once

#include "pack/measured.h"
#include "spec/problem.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

// Makes probes. The dims of the probes are between an eighth of the smallest and eight times the largest dim of the
// tuned shapes and the suites. The sizes are powers of two and their neighbours, multiples of 256, 64, 16, 8, 4 and 2,
// and odd sizes, in all combinations. In three of four probes, dims that have a default (such as the gap between rows)
// keep it. Deterministic.
std::vector<Problem> make_probes(const KernelSpec& spec, const MeasuredVariant& variant);

struct ProbedProgram {
  std::string key; // a program_key
  std::size_t probe,
      config;              // an example of the program's use: the index of a probe and the index of a configuration
  bool is_default = false; // whether the default uses this program for some probe
  std::size_t serves = 0;  // number of probes that can use this program
  std::size_t wanted = 0;  // number of probes that choose it, if only programs that serve several probes may be chosen
};

struct ProbeTable {
  std::vector<Problem> probes;
  std::vector<ProbedProgram> programs;
  std::vector<std::vector<std::size_t>> served_by; // for each probe, the indices of the programs that it can use
  std::vector<std::optional<std::size_t>>
      chosen; // for each probe, the program to choose if all are available; nullopt: none
};

// `Choose` returns the allowed configuration that the library chooses for a problem; nullopt: none.
using Allowed = std::function<bool(const Config&)>;
using Choose = std::function<std::optional<Config>(const Problem&, const Allowed&)>;

// `configs`: indices of the configurations that ship. Leaves out probes that need more memory than the device has.
// `choose` may be empty.
ProbeTable probe_programs(const PackedKernel& kernel, const MeasuredVariant& variant,
                          const std::vector<std::size_t>& configs, const std::vector<Problem>& probes,
                          const Choose& choose);

// Returns a function that chooses as the library does when it has a compiler (predict/select.h). `picks`: pairs (index
// of a shape, index of a configuration). `rule`: a transfer_text; empty: none. Kernel and variant must outlive the
// result.
Choose library_choice(const PackedKernel& kernel, const MeasuredVariant& variant,
                      const std::vector<std::size_t>& configs,
                      const std::vector<std::pair<std::size_t, std::size_t>>& picks, const std::string& rule);

using HasProgram = std::function<bool(const std::string& key)>;

// Returns the indices of at most `limit` programs to ship besides the programs for which `has` is true. First come the
// default's programs (most served probes first), then the chosen programs (most often chosen first). A program that
// serves only one probe is left out, because it is too specific to help other shapes.
std::vector<std::size_t> pick_programs(const ProbeTable& table, std::size_t limit, const HasProgram& has);

// Numbers of probes: all probes; probes that can be launched with the available programs; probes whose choice would be
// the same if all programs of the shipped configurations were available.
struct UntunedShare {
  std::size_t probes = 0, served = 0, as_chosen = 0;
};
UntunedShare share_of(const ProbeTable& table, const HasProgram& has);

} // namespace warptune
