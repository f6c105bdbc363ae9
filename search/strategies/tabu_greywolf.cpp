// Grey wolves (Mirjalili et al. 2014) on discrete values: every wolf but the leaders takes each value from one of the
// three leaders or keeps its own, makes random steps, avoids known configurations, and may accept slower ones as
// annealing does (the hybrid of Willemsen et al. 2025, "Automated Algorithm Design for Auto-Tuning Optimizers"). The
// archive is an unlimited tabu list.
#include "search/ask_tell.h"
#include "search/latin_hypercube.h"
#include "search/population.h"
#include "search/strategy_table.h"

#include <array>
#include <cmath>

namespace warptune {
namespace {

constexpr std::size_t kLeaders = 3;

class TabuGreyWolf {
 public:
  TabuGreyWolf(const StrategySetup& setup, Archive& archive)
      : archive_(archive), draws_(setup.seed, 2), moves_(setup.space, draws_),
        capacity_(static_cast<std::size_t>(setup.options.at("pack"))), shake_(setup.options.at("shake")),
        jump_(setup.options.at("jump")), temperature_(setup.options.at("temperature")),
        patience_(setup.options.at("patience")), restart_(setup.options.at("restart")),
        start_(setup.space, archive, moves_, draws_, capacity_) {}

  std::optional<ConfigIndex> next() {
    if (started_ < capacity_ && pack_.size() < capacity_) {
      ++started_;
      return start_.next();
    }
    if (pack_.size() <= kLeaders) return std::nullopt;
    if (stagnation_ >= patience_) restart();
    for (std::size_t i = kLeaders; i < pack_.size(); ++i) {
      turn_ = turn_ + 1 < pack_.size() ? std::max(turn_ + 1, kLeaders) : kLeaders;
      if (const auto found = hunt(pack_[turn_])) {
        hunters_.emplace(*found, pack_[turn_].index);
        return found;
      }
    }
    return std::nullopt;
  }

  void learn(const Observation& observation) {
    const Scored seen{observation.index, log_time(observation)};
    const bool best = archive_.best() == seen.index;
    stagnation_ = best ? 0 : stagnation_ + 1;
    const auto hunter = hunters_.find(seen.index);
    const ConfigIndex from = hunter == hunters_.end() ? seen.index : hunter->second;
    if (hunter != hunters_.end()) hunters_.erase(hunter);
    const auto wolf = std::find_if(pack_.begin(), pack_.end(), [from](const Scored& w) { return w.index == from; });
    if (pack_.size() < capacity_) {
      pack_.push_back(seen);
    } else if (wolf != pack_.end()) {
      if (accepts(seen.log_time - wolf->log_time)) *wolf = seen;
    } else if (seen.log_time < pack_.back().log_time) {
      pack_.back() = seen;
    }
    std::stable_sort(pack_.begin(), pack_.end(), faster);
  }

 private:
  std::optional<ConfigIndex> hunt(const Scored& wolf) {
    constexpr int kTries = 8;
    std::array<Positions, kLeaders + 1> sources;
    for (std::size_t i = 0; i < kLeaders; ++i) sources[i] = moves_.positions(pack_[i].index);
    sources[kLeaders] = moves_.positions(wolf.index);
    const double shake = std::min(0.5, shake_ * (1 + stagnation_ / patience_));
    for (int i = 0; i < kTries; ++i) {
      Positions child = sources[kLeaders];
      for (const std::size_t p : moves_.axes().free()) child[p] = sources[draws_.below(sources.size())][p];
      ConfigIndex at = moves_.toward(wolf.index, child);
      if (draws_.chance(shake)) at = moves_.neighbour(at, draws_.chance(jump_) ? Kind::hamming : Kind::adjacent);
      // Tabu: moves from a known configuration to a neighbour.
      if (archive_.visited(at)) at = moves_.neighbour(at, Kind::hamming);
      if (archive_.worth(at, draws_)) return at;
    }
    return std::nullopt;
  }

  bool accepts(double worse_by) {
    return worse_by <= 0 || draws_.uniform() < std::exp(-worse_by / (temperature_ * archive_.spread()));
  }

  // Removes the slowest of the pack; new configurations replace them as they are observed.
  void restart() {
    const auto leave = static_cast<std::size_t>(std::ceil(restart_ * static_cast<double>(pack_.size() - kLeaders)));
    pack_.resize(pack_.size() - leave);
    started_ = pack_.size();
    stagnation_ = 0;
  }

  using Kind = SearchSpace::Neighbours;
  Archive& archive_;
  Draws draws_;
  Moves moves_;
  std::size_t capacity_;
  double shake_, jump_, temperature_, patience_, restart_;
  std::size_t started_ = 0, turn_ = 0;
  double stagnation_ = 0;                                // observations since the best one
  std::vector<Scored> pack_;                             // fastest first
  std::unordered_map<ConfigIndex, ConfigIndex> hunters_; // configurations in flight, with the configuration of the wolf
  LatinHypercube start_;
};

} // namespace

WT_STRATEGY(tabu_greywolf) {
  return {
      "tabu_greywolf",
      "a population that follows its three fastest members and avoids known configurations",
      {{"pack", "size of the population; the three fastest lead", 12, 4, 1000, true},
       {"shake", "probability of a random step; grows while no improvement is found", 0.2, 0, 1},
       {"jump", "share of random steps that go to any value instead of the next value", 0.15, 0, 1},
       {"temperature", "a configuration slower by this many standard deviations is accepted with probability 1/e", 0.1,
        0.0001, 100},
       {"patience", "number of observations without a new best, after which the slowest members are replaced", 80, 1,
        100000, true},
       {"restart", "share of the members (without the three fastest) that is replaced after `patience`", 0.3, 0, 1}},
      ask_tell<TabuGreyWolf>};
}

} // namespace warptune
