// SearchSpace: the valid configurations of (spec, problem, device), implicit: a tree over the params in order, each
// level pruned by the constraints that are decided there, equal subtrees shared. Index <-> config without materialising
// the configurations.
#pragma once

#include "core/device.h"
#include "core/problem.h"
#include "core/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warptune {

using Config = std::vector<std::int64_t>; // one value per param, in the order of KernelSpec::params
using ConfigIndex = std::int64_t; // position among the valid configurations, in lexicographic order of the values
using Positions = std::vector<std::int32_t>; // per param, which of its values

std::string config_text(const KernelSpec& spec, const Config& config); // "VEC=4,UNROLL=2": identity in the database
Result<Config> parse_config(const KernelSpec& spec, std::string_view text);
Config default_config(const KernelSpec& spec);

class SearchSpace {
 public:
  // Fails with no_candidate when constraints leave nothing; the message names the constraints that remove most. A
  // constraint that cannot be evaluated (division by zero) is not met; one that uses no param and cannot is an error of
  // kind bad_input, as is a space beyond about 6e7 tree nodes or 5e9 operations of constraints.
  static Result<SearchSpace> build(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

  std::int64_t size() const;                                   // valid configurations
  double cartesian_size() const;                               // product of the numbers of values
  Config config(ConfigIndex index) const;                      // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find(const Config& config) const; // nothing when invalid

  struct Rejection {
    std::string expr, why;
    std::int64_t count;
  }; // distinct prefixes that this constraint removed
  const std::vector<Rejection>& rejections() const;
  int param_count() const;
  const std::vector<std::vector<std::int64_t>>& values() const; // per param, as in the spec
  // Per param, each value as a number to compute distances with; NaN: a category without an order.
  const std::vector<std::vector<double>>& coordinates() const;

  // A space of known configurations, such as a recorded one. `valid`: positions of the values, one row a
  // configuration, in any order; doubles are merged. `coordinates` may be empty: then the values themselves.
  static SearchSpace from_list(std::vector<std::vector<std::int64_t>> values,
                               std::vector<std::vector<double>> coordinates, std::vector<Positions> valid);

  // The same configuration as positions of its values. Much cheaper than find(config).
  void positions(ConfigIndex index, Positions& out) const; // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find_positions(std::span<const std::int32_t> positions) const;

  enum class Neighbours { hamming, adjacent }; // any other value of one param; the next valid one below and above it
  // The valid configurations that differ from this one in exactly one param, by param and value.
  void neighbours(ConfigIndex index, Neighbours kind, std::vector<ConfigIndex>& out) const;

 private:
  // Level d holds the groups of valid values of param d. Prefixes after which the same configurations are valid share a
  // group, so the tree is a graph, and independent params cost nothing.
  struct Entry {
    std::int32_t value;
    std::int32_t child;
    std::int64_t first;
  }; // index of the value; group of the next level
     // (-1: none); leaves of the group before it
  struct Group {
    std::int64_t begin, leaves;
    std::int32_t size;
  }; // into entries
  struct Level {
    std::vector<Entry> entries;
    std::vector<Group> groups;
  };
  std::vector<std::vector<std::int64_t>> values_;
  std::vector<std::vector<double>> coordinates_;
  std::vector<Level> levels_;
  std::vector<Rejection> rejections_;
  std::int64_t size_ = 0;
  friend class SpaceBuilder;
};

// Nothing when valid, else the `why` of the first constraint that fails (or the evaluation error).
std::optional<std::string> check_config(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const Config& config);

} // namespace warptune
