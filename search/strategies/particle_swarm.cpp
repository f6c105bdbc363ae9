// Particle swarm (Kennedy and Eberhart 1995) with the constriction of Clerc and Kennedy 2002, on the ranks of the
// values. Each particle waits only for its own result.
#include "search/ask_tell.h"
#include "search/latin_hypercube.h"
#include "search/population.h"
#include "search/strategy_table.h"

#include <cmath>

namespace warptune {
namespace {

class ParticleSwarm {
 public:
  ParticleSwarm(const StrategySetup& setup, Archive& archive)
      : archive_(archive), draws_(setup.seed, 4), moves_(setup.space, draws_),
        particles_(static_cast<std::size_t>(setup.options.at("particles"))), inertia_(setup.options.at("inertia")),
        cognitive_(setup.options.at("cognitive")), social_(setup.options.at("social")),
        start_(setup.space, archive, moves_, draws_, particles_.size()) {}

  std::optional<ConfigIndex> next() {
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      turn_ = (turn_ + 1) % particles_.size();
      Particle& particle = particles_[turn_];
      if (particle.waits) continue;
      std::optional<ConfigIndex> found = particle.rank.empty() ? std::nullopt : fly(particle);
      if (!found && (found = place())) settle(particle, *found);
      if (!found) continue;
      particle.waits = true;
      flights_.emplace(*found, turn_);
      return found;
    }
    return std::nullopt;
  }

  void learn(const Observation& observation) {
    const auto flight = flights_.find(observation.index);
    if (flight == flights_.end()) return; // the archive keeps the best of all
    Particle& particle = particles_[flight->second];
    flights_.erase(flight);
    particle.waits = false;
    visit(particle, {observation.index, log_time(observation)});
  }

 private:
  struct Particle {
    std::vector<double> rank, velocity; // per param; empty: not yet placed
    ConfigIndex at = 0;                 // the valid configuration nearest to it
    Scored best{0, std::numeric_limits<double>::infinity()};
    bool waits = false;
  };

  // The first positions are spread over the space; later, a particle that came to rest restarts at a random one.
  std::optional<ConfigIndex> place() {
    if (started_ >= particles_.size()) return archive_.fresh(draws_);
    ++started_;
    return start_.next();
  }

  void settle(Particle& particle, ConfigIndex at) {
    const Axes& axes = moves_.axes();
    const Positions positions = moves_.positions(at);
    particle.rank.resize(positions.size());
    particle.velocity.resize(positions.size());
    for (std::size_t p = 0; p < positions.size(); ++p) {
      particle.rank[p] = axes.rank(p, positions[p]);
      // Half of a uniform difference within the axis (Helwig, Branke, Mostaghim 2013).
      particle.velocity[p] = (draws_.uniform() * axes.size(p) - particle.rank[p]) / 2;
    }
    particle.at = at;
    particle.best = {at, std::numeric_limits<double>::infinity()};
  }

  static void visit(Particle& particle, const Scored& seen) {
    particle.at = seen.index;
    if (seen.log_time <= particle.best.log_time) particle.best = seen;
  }

  // Known configurations cost no evaluation, so the particle moves on. nullopt: it came to rest.
  std::optional<ConfigIndex> fly(Particle& particle) {
    constexpr int kSteps = 16;
    for (int i = 0; i < kSteps; ++i) {
      const ConfigIndex to = step(particle);
      if (const auto known = archive_.log_time(to)) {
        visit(particle, {to, *known});
      } else if (archive_.worth(to, draws_)) {
        particle.at = to;
        return to;
      }
    }
    return std::nullopt;
  }

  ConfigIndex step(Particle& particle) {
    const Axes& axes = moves_.axes();
    const Positions own = moves_.positions(particle.best.index);
    const Positions best = moves_.positions(archive_.best().value_or(particle.best.index));
    Positions target = moves_.positions(particle.at);
    for (const std::size_t p : axes.free()) {
      const double to_own = cognitive_ * draws_.uniform(), to_best = social_ * draws_.uniform();
      if (!axes.ordered(p)) {
        const double stay = inertia_, all = stay + to_own + to_best, at = draws_.uniform() * all;
        if (at >= stay) target[p] = at < stay + to_own ? own[p] : best[p];
        continue;
      }
      const double most = axes.size(p) - 1;
      double& rank = particle.rank[p];
      double& velocity = particle.velocity[p];
      velocity =
          inertia_ * velocity + to_own * (axes.rank(p, own[p]) - rank) + to_best * (axes.rank(p, best[p]) - rank);
      velocity = std::clamp(velocity, -most, most);
      rank += velocity;
      if (rank < 0 || rank > most) { // bounces, losing half of its speed
        rank = std::clamp(rank, 0.0, most);
        velocity *= -0.5;
      }
      target[p] = axes.position(p, axes.round(p, rank, draws_));
    }
    return moves_.toward(particle.at, target);
  }

  Archive& archive_;
  Draws draws_;
  Moves moves_;
  std::vector<Particle> particles_;
  double inertia_, cognitive_, social_;
  std::size_t turn_ = 0, started_ = 0;
  LatinHypercube start_;
  std::unordered_map<ConfigIndex, std::size_t> flights_; // configurations in flight, with the index of the particle
};

} // namespace

WT_STRATEGY(particle_swarm) {
  return {"particle_swarm",
          "each particle, a configuration, moves towards its own best and the best of all particles",
          {{"particles", "number of particles", 20, 1, 1000, true},
           {"inertia", "share of its speed that a particle keeps per step", 0.7298, 0, 1},
           {"cognitive", "strength of the pull towards the particle's own best", 1.49618, 0, 4},
           {"social", "strength of the pull towards the best of all particles", 1.49618, 0, 4}},
          ask_tell<ParticleSwarm>};
}

} // namespace warptune
