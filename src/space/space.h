// SearchSpace: the valid configurations of (spec, problem, device), implicit: a tree over the params in order, each
// level pruned by the constraints that are decided there, equal subtrees shared. Index <-> config without materialising
// the configurations.
#pragma once

#include "core/config.h"
#include "core/device.h"
#include "core/result.h"
#include "spec/config.h"
#include "spec/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

using Positions = std::vector<std::int32_t>; // per param, which of its values

struct SpaceModel;

class SearchSpace {
 public:
  // Fails with no_candidate when constraints leave nothing; the message names the constraints that remove most. A
  // constraint that cannot be evaluated (division by zero) is not met; one that uses no param and cannot is an error of
  // kind bad_input, as is a space beyond about 6e7 tree nodes or 1e9 operations of constraints.
  // `with_built`: also what is built by a command of the description.
  static Result<SearchSpace> build(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                   bool with_built = true);

  // The same for any description (space/space_model.h).
  static Result<SearchSpace> build(const SpaceModel& model);

  std::int64_t size() const; // valid configurations
  // Configurations without any constraint: the product of the numbers of values; of several implementations, the sum.
  double cartesian_size() const;
  Config config(ConfigIndex index) const;                      // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find(const Config& config) const; // nothing when invalid

  struct Rejection {
    std::string expr, why;
    std::int64_t count;
    std::string implementation = {}; // whose constraint it is; empty: the only one's
  };                                 // distinct prefixes that this constraint removed
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
  std::int64_t follow(std::size_t level, std::int32_t group, std::int64_t index, const std::int32_t* at) const;

  std::vector<std::vector<std::int64_t>> values_;
  std::vector<std::vector<double>> coordinates_;
  std::vector<std::size_t> order_; // the param of each level
  std::vector<Level> levels_;
  std::vector<Rejection> rejections_;
  std::int64_t size_ = 0;
  double combinations_ = 0; // 0: the product
  friend class SpaceBuilder;
  friend class SpaceCursor;
};

// Walks the configurations in the order of their index, at a cost per step that does not depend on the space: most
// steps change the last params only. The space must outlive it.
//   for (SpaceCursor at(space); !at.done(); at.next()) use(at.positions());
class SpaceCursor {
 public:
  explicit SpaceCursor(const SearchSpace& space, ConfigIndex from = 0); // `from` may be the size: done at once
  bool done() const { return index_ >= space_->size(); }
  void next(); // precondition: !done()
  ConfigIndex index() const { return index_; }
  const Positions& positions() const { return at_; } // precondition: !done()
  const Config& config() const { return config_; }   // the same as values

 private:
  void descend(std::size_t level, ConfigIndex rest);
  void take(std::size_t level, const SearchSpace::Entry* entry);

  const SearchSpace* space_;
  ConfigIndex index_;
  Positions at_;
  Config config_;
  std::vector<std::pair<const SearchSpace::Entry*, const SearchSpace::Entry*>> levels_; // the entry, its group's end
};

} // namespace warptune
