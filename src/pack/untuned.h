// Shapes that were never tuned: probes that stand for them, the programs that the shipped configurations take on each,
// and which of these programs a pack should hold. Compiles nothing and reads no rows.
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

// Dims between an eighth of the least and eight times the greatest of the tuned shapes and the suites: powers of two
// and their neighbours, multiples of 256, 64, 16, 8, 4 and 2, and odd ones, in all mixtures. The same each time.
std::vector<Problem> make_probes(const KernelSpec& spec, const MeasuredVariant& variant);

struct ProbedProgram {
  std::string key;           // program_key
  std::size_t probe, config; // one that takes it; of the probes of the table, of the variant's configurations
  bool is_default = false;   // the default takes it somewhere
  std::size_t serves = 0;    // probes
  std::size_t wanted = 0;    // of these, where it is the choice among the programs that serve more than one
};

struct ProbeTable {
  std::vector<Problem> probes;
  std::vector<ProbedProgram> programs;
  std::vector<std::vector<std::size_t>> served_by; // by probe: its programs, by position
  std::vector<std::optional<std::size_t>> chosen;  // by probe: the program that is the choice among all
};

// What a dispatcher chooses for a problem among the configurations that are allowed; nothing: it has no opinion.
using Allowed = std::function<bool(const Config&)>;
using Choose = std::function<std::optional<Config>(const Problem&, const Allowed&)>;

// `configs`: those that ship, by number. Probes that need more memory than the device has are left out. `choose` may be
// empty.
ProbeTable probe_programs(const PackedKernel& kernel, const MeasuredVariant& variant,
                          const std::vector<std::size_t>& configs, const std::vector<Problem>& probes,
                          const Choose& choose);

// What the library chooses with a compiler at hand (predict/select.h). `picks`: shapes, by number, with the
// configuration that each gets. `rule`: transfer_text, empty for none. Kernel and variant must outlive it.
Choose library_choice(const PackedKernel& kernel, const MeasuredVariant& variant,
                      const std::vector<std::size_t>& configs,
                      const std::vector<std::pair<std::size_t, std::size_t>>& picks, const std::string& rule);

using HasProgram = std::function<bool(const std::string& key)>;

// Positions of at most `limit` programs to ship beside those that are there: the default's first, those that serve most
// before others; then what would be chosen, most often first. What serves a single probe bakes the shape in and is
// worth nothing to others.
std::vector<std::size_t> pick_programs(const ProbeTable& table, std::size_t limit, const HasProgram& has);

// Of the probes: those that can be launched with the programs there are, and those that get what would be chosen among
// all configurations that ship.
struct UntunedShare {
  std::size_t probes = 0, served = 0, as_chosen = 0;
};
UntunedShare share_of(const ProbeTable& table, const HasProgram& has);

} // namespace warptune
