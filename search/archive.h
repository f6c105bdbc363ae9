// Archive: what a strategy has proposed and observed, so that it proposes no configuration twice. Also gives a random
// order of the unvisited configurations, and the probability that a configuration fails. Memory grows with the
// evaluations and not with the space. Independent of the search method.
#pragma once

#include "search/draws.h"
#include "search/permutation.h"
#include "search/strategy.h"

#include <unordered_map>

namespace warptune {

// The value that strategies minimise: the natural logarithm of the time in us. Infinity if the configuration failed or
// its time is not positive.
double log_time(const Observation& observation);

class Archive {
 public:
  Archive(const SearchSpace& space, std::uint64_t seed);

  void propose(ConfigIndex index); // precondition: not visited(index)
  void observe(const Observation& observation);

  bool visited(ConfigIndex index) const { return entries_.count(index) != 0; } // proposed or observed
  std::optional<double> log_time(ConfigIndex index) const;                     // nullopt: not observed
  std::size_t in_flight() const { return in_flight_; }                         // proposed but not yet observed
  std::size_t observed() const { return entries_.size() - in_flight_; }

  std::optional<ConfigIndex> best() const { return best_; } // nullopt: none has succeeded
  double best_log_time() const { return best_log_time_; }   // infinity: none has succeeded

  // Returns the standard deviation of the log times of successful configurations, which serves as the unit of a
  // temperature. 0 if there are fewer than two.
  double spread() const;

  // Draws an unvisited configuration with equal probabilities; nullopt if all are visited. Returns the same one again
  // until it is visited.
  std::optional<ConfigIndex> draw();
  // Returns the probability that the configuration fails, at most kMaxRisk, by naive Bayes over the values of the
  // params. 0 until at least one configuration has failed and one has succeeded.
  double risk(ConfigIndex index) const;
  static constexpr double kMaxRisk = 0.95;
  // Whether the configuration is unvisited and a random draw accepts its risk. So fewer configurations are tried where
  // many failed.
  bool worth(ConfigIndex index, Draws& draws) const;
  // Draws a configuration that is worth trying or, if none is found, an unvisited one; nullopt if all are visited.
  std::optional<ConfigIndex> fresh(Draws& draws);

 private:
  struct Counts {
    double failed = 0, succeeded = 0;
  };

  const SearchSpace& space_;
  Permutation order_;
  std::int64_t next_ = 0; // next position in order_
  std::unordered_map<ConfigIndex, std::optional<double>> entries_;
  std::size_t in_flight_ = 0;
  std::optional<ConfigIndex> best_;
  double best_log_time_;
  double mean_ = 0, squares_ = 0; // of the successful log times: mean, and sum of squared deviations (Welford 1962)
  Counts all_;
  std::vector<std::vector<Counts>> by_value_; // [param][value]
};

} // namespace warptune
