// AskTell: makes a Strategy from a method, which is a class that proposes one configuration at a time. AskTell keeps
// the archive and enforces two rules. A strategy never proposes a configuration twice. A strategy always proposes a
// configuration, unless it waits for an observation or all configurations are visited.
//
// A method is a class with
//   Method(const StrategySetup& setup, Archive& archive);
//   std::optional<ConfigIndex> next();        // an unvisited one; nullopt: it needs observations, or has no proposal
//   void learn(const Observation&);           // once per configuration, after archiving, even if it was not proposed
//   std::optional<double> expected_improvement() const; // only for a method with a model
//   static constexpr bool kLearns = false;    // only for a method that does not learn and has no learn()
#pragma once

#include "search/archive.h"

#include <memory>

namespace warptune {

template <class Method> class AskTell final : public Strategy {
 public:
  explicit AskTell(const StrategySetup& setup) : archive_(setup.space, setup.seed), method_(setup, archive_) {}

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count) {
      std::optional<ConfigIndex> index = method_.next();
      if (!index && archive_.in_flight() == 0) index = archive_.draw();
      if (!index) break;
      archive_.propose(*index);
      out.push_back(*index);
    }
    return out;
  }

  void observe(const Observation& observation) override {
    const bool known = archive_.log_time(observation.index).has_value();
    archive_.observe(observation);
    if constexpr (kLearns)
      if (!known) method_.learn(observation);
  }

  bool learns() const override { return kLearns; }

  std::optional<double> expected_improvement() const override {
    if constexpr (requires(const Method& method) { method.expected_improvement(); })
      return method_.expected_improvement();
    else
      return std::nullopt;
  }

 private:
  static constexpr bool kLearns = !requires { Method::kLearns; };

  Archive archive_;
  Method method_; // declared after archive_, because the method refers to archive_
};

template <class Method> std::unique_ptr<Strategy> ask_tell(const StrategySetup& setup) {
  return std::make_unique<AskTell<Method>>(setup);
}

} // namespace warptune
