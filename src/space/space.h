// SearchSpace: the valid configurations of (spec, problem, device), stored implicitly as a tree. Each level is a param;
// constraints prune it as soon as they can be decided, and equal subtrees are shared. Converts between index and config
// without a list of the configurations.
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

using Positions = std::vector<std::int32_t>; // for each param, the position of its value

struct SpaceModel;

class SearchSpace {
 public:
  // Error: no_candidate if constraints leave no configuration; the message names the constraints that remove most. A
  // constraint that cannot be evaluated (division by zero) is not met; if it uses no param, that is an error of kind
  // bad_input. A space with more than about 6.7e7 tree nodes or 2e8 constraint operations is also bad_input.
  // `with_built`: include configurations that a command of the description builds.
  static Result<SearchSpace> build(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                   bool with_built = true);

  // Builds a space from any description (space/space_model.h).
  static Result<SearchSpace> build(const SpaceModel& model);

  std::int64_t size() const; // number of valid configurations
  // Returns the number of configurations if constraints are ignored: the product of the parameters' value counts,
  // summed over the implementations.
  double cartesian_size() const;
  Config config(ConfigIndex index) const;                      // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find(const Config& config) const; // nullopt if invalid

  struct Rejection {
    std::string expr, why;
    std::int64_t count;              // the number of distinct prefixes that this constraint removed
    std::string implementation = {}; // the constraint's implementation; empty: the kernel has only one
  };
  const std::vector<Rejection>& rejections() const;
  int param_count() const;
  const std::vector<std::vector<std::int64_t>>& values() const; // the values of each param, in the order of the spec
  // For each param, its values as numbers for computing distances; NaN: a category without an order.
  const std::vector<std::vector<double>>& coordinates() const;

  // For each param, whether each of its values occurs in some configuration of the space.
  std::vector<std::vector<bool>> used_values() const;

  // Makes a space of known configurations, such as a recorded one. `valid`: positions of the values, one row per
  // configuration, in any order; duplicates are merged. If `coordinates` is empty, the values are the coordinates.
  static SearchSpace from_list(std::vector<std::vector<std::int64_t>> values,
                               std::vector<std::vector<double>> coordinates, std::vector<Positions> valid);

  // Convert between a configuration and the positions of its values. Much cheaper than find(config).
  void positions(ConfigIndex index, Positions& out) const; // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find_positions(std::span<const std::int32_t> positions) const;

  // hamming: any other value of one param; adjacent: only the next valid value below or above.
  enum class Neighbours { hamming, adjacent };
  // Returns the valid configurations that differ from this one in exactly one param, ordered by param and value.
  void neighbours(ConfigIndex index, Neighbours kind, std::vector<ConfigIndex>& out) const;

 private:
  // A level holds groups of valid values of one param. Prefixes that allow the same values of all later params share a
  // group. The tree is therefore a graph, and independent params add almost no nodes.
  struct Entry {
    std::int32_t value; // index of the value
    std::int32_t child; // index of the group in the next level; -1: none
    std::int64_t first; // the number of leaves before this entry in its group
  };
  struct Group {
    std::int64_t begin, leaves; // `begin` and `size`: a range of Level::entries
    std::int32_t size;
  };
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
  double combinations_ = 0; // 0: the product of the numbers of values
  friend class SpaceBuilder;
  friend class SpaceCursor;
};

// Iterates over the configurations in the order of their index. Most steps change only the last params, so the cost per
// step does not depend on the size of the space. The space must outlive the cursor.
//   for (SpaceCursor at(space); !at.done(); at.next()) use(at.positions());
class SpaceCursor {
 public:
  // If `from` is size(), done() is true immediately.
  explicit SpaceCursor(const SearchSpace& space, ConfigIndex from = 0);
  bool done() const { return index_ >= space_->size(); }
  void next(); // precondition: !done()
  ConfigIndex index() const { return index_; }
  const Positions& positions() const { return at_; } // precondition: !done()
  const Config& config() const { return config_; }   // the current configuration as values

 private:
  void descend(std::size_t level, ConfigIndex rest);
  void take(std::size_t level, const SearchSpace::Entry* entry);

  const SearchSpace* space_;
  ConfigIndex index_;
  Positions at_;
  Config config_;
  // For each level: the current entry, and the end of its group.
  std::vector<std::pair<const SearchSpace::Entry*, const SearchSpace::Entry*>> levels_;
};

} // namespace warptune
