// Features: a configuration as a point for a model: the values of its params, their factors, and prior knowledge. Uses
// no observation.
#pragma once

#include "search/knowledge.h"
#include "space/space.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace warptune {

// Coordinates, each in [0, 1] over the space:
// - one for every param with more than one value: its logarithm if the values span a factor of four or more. A category
//   has one coordinate per value instead; so does a param with the values 0, 1, 2 and so on, which are usually
//   codes. There are at most 160 coordinates for single values; beyond that, a param uses its order, or a category the
//   order in which it is listed.
// - how often 2 divides the value, for params whose values are not all powers of two: alignment and the tails of tiles
//   depend on it.
// - one for every single value of a param with 3 to 24 values: effects that jump from value to value, such as bank
//   and partition conflicts, follow no order.
// - the product of every two params that have a logarithm: threads of a block, elements of a tile, bytes (66 at most).
// - the expected time, if the knowledge has it.
class Features {
 public:
  Features(const SearchSpace& space, const Knowledge& knowledge);

  std::size_t size() const { return scales_.size(); }
  // The first plain() coordinates are the params themselves, for computing distances.
  std::size_t plain() const { return plain_; }
  // Mean and standard deviation of the logarithm of a coordinate's length, the distance beyond which two values are
  // expected to be unrelated. Coordinates that repeat others are expected to be long.
  struct Scale {
    double log_mean, log_sd;
  };
  const std::vector<Scale>& scales() const { return scales_; }
  void encode(ConfigIndex index, std::span<float> out) const; // out: size() values

 private:
  struct Column { // the coordinates of one param, by value
    std::size_t param;
    std::vector<float> value;
  };
  struct Product { // a + b of the logarithms, times `scale`
    std::size_t first_param, second_param;
    double scale;
  };
  struct Range {
    double low, span;
  };
  void add_param(std::size_t param, const std::vector<double>& coordinates);
  void add_divisibility(std::size_t param, const std::vector<double>& coordinates);
  bool add_values(std::size_t param, std::size_t count, const Scale& scale); // false: too many
  void add_products();
  void add_expected_time();

  const SearchSpace& space_;
  const Knowledge& knowledge_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> logs_; // per param; empty: none
  std::vector<Product> products_;
  Range expected_{}; // range of the expected time
  std::vector<Scale> scales_;
  std::size_t value_columns_left_ = 160;
  std::size_t plain_ = 0;
  mutable Positions at_;
};

} // namespace warptune
