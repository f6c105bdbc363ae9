// Archive: the proposals of a strategy and its observations, so that no configuration is proposed twice; a random order
// of the remaining configurations; and the probability that a configuration fails. Memory grows with the evaluations,
// not with the space. Does not depend on a method.
#pragma once

#include "search/draws.h"
#include "search/permutation.h"
#include "search/strategy.h"

#include <unordered_map>

namespace warptune {

// The value that strategies minimise: the natural logarithm of the time in us. Infinity: the configuration failed, or
// its time is not above 0.
double log_time(const Observation& observation);

class Archive {
 public:
  Archive(const SearchSpace& space, std::uint64_t seed);

  void propose(ConfigIndex index); // precondition: not visited
  void observe(const Observation& observation);

  bool visited(ConfigIndex index) const { return entries_.count(index) != 0; } // proposed or observed
  std::optional<double> log_time(ConfigIndex index) const;                     // nullopt: not observed
  std::size_t in_flight() const { return in_flight_; }                         // proposed and not yet observed
  std::size_t observed() const { return entries_.size() - in_flight_; }

  std::optional<ConfigIndex> best() const { return best_; } // nullopt: none succeeded yet
  double best_log_time() const { return best_log_time_; }   // infinity: none succeeded yet

  // Standard deviation of the log times of successful configurations, the unit of a temperature. 0 with fewer than two.
  double spread() const;

  // Draws uniformly from the unvisited configurations; nullopt if all are visited. Returns the same configuration until
  // it is visited.
  std::optional<ConfigIndex> draw();
  // Probability that the configuration fails, at most kMaxRisk: naive Bayes over the values of the params. 0 while no
  // configuration has failed, or none has succeeded.
  double risk(ConfigIndex index) const;
  static constexpr double kMaxRisk = 0.95;
  // Whether the configuration is unvisited and passes a random draw against its risk. Fewer configurations are
  // therefore tried in a neighbourhood with many failures.
  bool worth(ConfigIndex index, Draws& draws) const;
  // Draws a random configuration that is worth trying, or at least unvisited; nullopt if all are visited.
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
  double mean_ = 0, squares_ = 0; // mean and sum of squared deviations of the successful log times (Welford 1962)
  Counts all_;
  std::vector<std::vector<Counts>> by_value_; // per param and value
};

} // namespace warptune
