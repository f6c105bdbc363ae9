// Features: a configuration as a point for a model: the values of its params, what their factors say, and what is known
// beforehand. Looks at no observation.
#pragma once

#include "search/knowledge.h"
#include "space/space.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace warptune {

// One coordinate each, in [0, 1] over the space:
// - every param with more than one value: the logarithm where the values span a factor of four or more; a category has
//   one coordinate per value instead, and so has one whose values are 0, 1, 2 and so on: most often a code (160
//   coordinates for single values in all; what has none left goes by its order, or as listed);
// - how often 2 divides the value, for params whose values are not all powers of two: alignment and the tails of tiles
//   hang on it;
// - every single value of a param with 3 to 24 of them: effects that jump from value to value, as with conflicts of
//   banks and partitions, follow no order;
// - the product of every two params that have a logarithm: threads of a block, elements of a tile, bytes (66 at most);
// - the expected time, where the knowledge has one.
class Features {
 public:
  Features(const SearchSpace& space, const Knowledge& knowledge);

  std::size_t size() const { return scales_.size(); }
  // The first so many are the params themselves, to compute distances with.
  std::size_t plain() const { return plain_; }
  // How far apart two values of the coordinate are expected to be before they say nothing of each other: mean and
  // standard deviation of the logarithm of that length. What repeats other coordinates is expected to be long.
  struct Scale {
    double log_mean, log_sd;
  };
  const std::vector<Scale>& scales() const { return scales_; }
  void encode(ConfigIndex index, std::span<float> out) const; // out: size() values

 private:
  struct Column { // of one param, by value
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
  Range expected_{}; // of the expected time
  std::vector<Scale> scales_;
  std::size_t value_columns_left_ = 160;
  std::size_t plain_ = 0;
  mutable Positions at_;
};

} // namespace warptune
