// SearchSpace: the valid configurations of (spec, problem, device), stored as a tree with one level per param. A
// constraint prunes the tree at the first level where it can be decided, and equal subtrees are stored once. An index
// is converted to a configuration and back without listing the configurations.
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
  // Error (no_candidate): the constraints leave no configuration. The message names the constraints that remove the
  // most configurations. Error (bad_input): the space needs more than about 6.7e7 tree nodes or 2e8 constraint
  // operations, or a constraint without params cannot be evaluated (division by zero). A constraint with params counts
  // as not met if it cannot be evaluated. `with_built`: whether to include configurations whose cubin is built by a
  // command of the spec.
  static Result<SearchSpace> build(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                   bool with_built = true);

  // Builds a space from a SpaceModel, which may come from another tuner's file (space/space_model.h).
  static Result<SearchSpace> build(const SpaceModel& model);

  std::int64_t size() const; // number of valid configurations
  // Returns how many configurations there would be without constraints: the product of the params' value counts, summed
  // over the implementations.
  double cartesian_size() const;
  Config config(ConfigIndex index) const;                      // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find(const Config& config) const; // nullopt if not valid

  struct Rejection {
    std::string expr, why;
    std::int64_t count;              // number of distinct tree prefixes that this constraint removed
    std::string implementation = {}; // the constraint's implementation; empty: the kernel has only one
    std::string where = {};          // as in SpaceModel::Constraint
  };
  const std::vector<Rejection>& rejections() const;
  int param_count() const;
  const std::vector<std::vector<std::int64_t>>& values() const; // the values of each param, in the order of the spec
  // For each param, the numbers from which distances between its values are computed. NaN: the value is a category,
  // which has no order.
  const std::vector<std::vector<double>>& coordinates() const;

  // For each param, whether each of its values occurs in some configuration of the space.
  std::vector<std::vector<bool>> used_values() const;

  // Makes a space from a list of configurations, such as a recorded one. `valid` has one row per configuration: the
  // positions of its values. The rows may be in any order; duplicates are merged. If `coordinates` is empty, the values
  // are the coordinates.
  static SearchSpace from_list(std::vector<std::vector<std::int64_t>> values,
                               std::vector<std::vector<double>> coordinates, std::vector<Positions> valid);

  // These functions convert between an index and the positions of the values. find_positions is much cheaper than find.
  void positions(ConfigIndex index, Positions& out) const; // precondition: 0 <= index < size()
  std::optional<ConfigIndex> find_positions(std::span<const std::int32_t> positions) const;

  // hamming: one param may take any other value. adjacent: only the next valid value below or above.
  enum class Neighbours { hamming, adjacent };
  // Returns the indices of the valid configurations that differ from this configuration in exactly one param, sorted by
  // param, then by value.
  void neighbours(ConfigIndex index, Neighbours kind, std::vector<ConfigIndex>& out) const;

 private:
  // A level holds groups. A group is the set of valid values of one param after a prefix (a choice of values for the
  // earlier levels). Prefixes that allow the same values for all later params share a group. So the tree is in fact a
  // graph, and a param that shares no constraint with others adds few nodes.
  struct Entry {
    std::int32_t value; // index into the param's values
    std::int32_t child; // index of the group in the next level; -1: none
    std::int64_t first; // number of leaves before this entry in its group
  };
  struct Group {
    std::int64_t begin, leaves; // `begin` and `size` give a range of Level::entries
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
  double combinations_ = 0; // cartesian_size(); 0: the product of the value counts
  friend class SpaceBuilder;
  friend class SpaceCursor;
};

// Iterates over the configurations in index order. Most steps change only the last params, so a step costs the same in
// small and large spaces. The space must outlive the cursor.
//   for (SpaceCursor at(space); !at.done(); at.next()) use(at.positions());
class SpaceCursor {
 public:
  // Begins at `from`. If `from` is size(), done() is true immediately.
  explicit SpaceCursor(const SearchSpace& space, ConfigIndex from = 0);
  bool done() const { return index_ >= space_->size(); }
  void next(); // precondition: !done()
  ConfigIndex index() const { return index_; }
  const Positions& positions() const { return at_; } // precondition: !done()
  const Config& config() const { return config_; }   // the values of the current configuration

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
