// Features: a configuration as a point for a model, made from the values of its params, their divisors, and prior
// knowledge. Uses no observations.
#pragma once

#include "search/knowledge.h"
#include "space/space.h"

#include <span>
#include <vector>

namespace warptune {

// The coordinates of a configuration. Over the space, each coordinate is in [0, 1]:
// - For every param with more than one value: one coordinate, which is a logarithm if the values span a factor of four
//   or more. Exception: a category has one coordinate per value, and so has a param with the values 0, 1, 2, ...,
//   which are usually codes.
// - For every param whose values are not all powers of two: how often 2 divides the value, because alignment and the
//   tails of tiles depend on that.
// - For every param with 3 to 24 values: one coordinate per value, because effects such as bank and partition conflicts
//   jump from value to value without an order.
// - For every two params that have a logarithm: their product, such as the threads of a block, the elements of a tile,
//   or bytes (at most 66 products).
// - The expected time, if the knowledge has it.
// At most 160 coordinates stand for single values. A param that would exceed this limit gets none of them; a category
// then has one coordinate, the place in its list.
class Features {
 public:
  Features(const SearchSpace& space, const Knowledge& knowledge);

  std::size_t size() const { return scales_.size(); }
  // Number of coordinates that are the params themselves. They come first, and distances use only these coordinates.
  std::size_t plain() const { return plain_; }
  // A coordinate's length is the distance beyond which two values are expected to be unrelated. Scale is the mean and
  // standard deviation of the length's logarithm, before any observation. Coordinates that repeat others are expected
  // to have a large length.
  struct Scale {
    double log_mean, log_sd;
  };
  const std::vector<Scale>& scales() const { return scales_; }
  void encode(ConfigIndex index, std::span<float> out) const; // writes size() values

 private:
  struct Column { // the coordinate of one param, for each of its values
    std::size_t param;
    std::vector<float> value;
  };
  struct Product { // scale * (a + b), where a and b are the logarithms
    std::size_t first_param, second_param;
    double scale;
  };
  struct Range {
    double low, span;
  };
  void add_param(std::size_t param, const std::vector<double>& coordinates);
  void add_divisibility(std::size_t param, const std::vector<double>& coordinates);
  bool add_values(std::size_t param, std::size_t count, const Scale& scale); // false: too many coordinates
  void add_products();
  void add_expected_time();

  const SearchSpace& space_;
  const Knowledge& knowledge_;
  std::vector<Column> columns_;
  std::vector<std::vector<double>> logs_; // per param; empty: it has no logarithm
  std::vector<Product> products_;
  Range expected_{}; // range of the expected time
  std::vector<Scale> scales_;
  std::size_t value_columns_left_ = 160;
  std::size_t plain_ = 0;
  mutable Positions at_;
};

} // namespace warptune
