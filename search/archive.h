// Archive: what a strategy proposed and what was observed, so that nothing is proposed twice; a random order of what is
// left; how likely a configuration fails. Memory grows with the evaluations, not with the space. Knows no method.
#pragma once

#include "search/draws.h"
#include "search/permutation.h"
#include "search/strategy.h"

#include <unordered_map>

namespace warptune {

// What strategies minimise: the natural logarithm of the time in us. Infinity: failed, or no number above 0.
double log_time(const Observation& observation);

class Archive {
 public:
  Archive(const SearchSpace& space, std::uint64_t seed);

  void propose(ConfigIndex index); // precondition: not visited
  void observe(const Observation& observation);

  bool visited(ConfigIndex index) const { return entries_.count(index) != 0; } // proposed or observed
  std::optional<double> log_time(ConfigIndex index) const;                     // nothing: not observed
  std::size_t in_flight() const { return in_flight_; }                         // proposed and not observed
  std::size_t observed() const { return entries_.size() - in_flight_; }

  std::optional<ConfigIndex> best() const { return best_; } // nothing: none succeeded yet
  double best_log_time() const { return best_log_time_; }   // infinity: none succeeded yet

  // Standard deviation of the log times of those that succeeded: what a temperature is measured in. 0 below two.
  double spread() const;

  // Uniform among the configurations that are not visited; nothing when all are. The same until that one is visited.
  std::optional<ConfigIndex> draw();
  // Probability, at most kMaxRisk, that the configuration fails: naive Bayes over the values of the params. 0 while
  // none failed or none succeeded.
  double risk(ConfigIndex index) const;
  static constexpr double kMaxRisk = 0.95;
  // Not visited, and spared by a draw against its risk: the riskier a neighbourhood has proved, the less of it is
  // tried.
  bool worth(ConfigIndex index, Draws& draws) const;
  // A random one that is worth trying, or at least not visited; nothing when all are visited.
  std::optional<ConfigIndex> fresh(Draws& draws);

 private:
  struct Counts {
    double failed = 0, succeeded = 0;
  };

  const SearchSpace& space_;
  Permutation order_;
  std::int64_t next_ = 0; // in order_
  std::unordered_map<ConfigIndex, std::optional<double>> entries_;
  std::size_t in_flight_ = 0;
  std::optional<ConfigIndex> best_;
  double best_log_time_;
  double mean_ = 0, squares_ = 0; // of the log times that succeeded, and of their deviations (Welford 1962)
  Counts all_;
  std::vector<std::vector<Counts>> by_value_; // per param and value
};

} // namespace warptune
