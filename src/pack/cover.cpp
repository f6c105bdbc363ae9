#include "pack/cover.h"

#include <algorithm>
#include <optional>

namespace warptune {
namespace {

using Shapes = std::vector<bool>;

bool is_subset(const Shapes& inner, const Shapes& outer) {
  for (std::size_t s = 0; s < inner.size(); ++s)
    if (inner[s] && !outer[s]) return false;
  return true;
}

std::size_t count(const Shapes& shapes) {
  return static_cast<std::size_t>(std::count(shapes.begin(), shapes.end(), true));
}

struct Candidate {
  std::size_t config;
  double cost;
  Shapes covers;
};

// Removes dominated candidates: another one covers more, or the same at no higher cost.
std::vector<Candidate> undominated(std::vector<Candidate> all) {
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    const std::size_t x = count(a.covers), y = count(b.covers);
    return x != y ? x > y : a.cost < b.cost;
  });
  std::vector<Candidate> kept;
  for (Candidate& candidate : all)
    if (std::none_of(kept.begin(), kept.end(),
                     [&](const Candidate& k) { return is_subset(candidate.covers, k.covers); }))
      kept.push_back(std::move(candidate));
  return kept;
}

class Search {
 public:
  Search(std::vector<Candidate> candidates, std::size_t max_nodes)
      : candidates_(std::move(candidates)), nodes_left_(max_nodes) {}

  // Indices of candidates that cover all of `open`.
  std::vector<std::size_t> greedy(Shapes open) const {
    std::vector<std::size_t> chosen;
    while (count(open) > 0) {
      std::size_t best = 0, most = 0;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const std::size_t n = newly_covered(i, open);
        if (n > most || (n == most && n > 0 && candidates_[i].cost < candidates_[best].cost)) {
          best = i;
          most = n;
        }
      }
      chosen.push_back(best);
      close(best, open);
    }
    return chosen;
  }

  // nullopt if the limit of steps was reached.
  std::optional<std::vector<std::size_t>> exact(const Shapes& open, std::vector<std::size_t> first) {
    best_ = std::move(first);
    best_cost_ = cost_of(best_);
    if (!branch(open)) return std::nullopt;
    return best_;
  }

 private:
  std::size_t newly_covered(std::size_t candidate, const Shapes& open) const {
    std::size_t n = 0;
    for (std::size_t s = 0; s < open.size(); ++s) n += open[s] && candidates_[candidate].covers[s] ? 1 : 0;
    return n;
  }
  void close(std::size_t candidate, Shapes& open) const {
    for (std::size_t s = 0; s < open.size(); ++s)
      if (candidates_[candidate].covers[s]) open[s] = false;
  }
  double cost_of(const std::vector<std::size_t>& chosen) const {
    double sum = 0;
    for (const std::size_t i : chosen) sum += candidates_[i].cost;
    return sum;
  }

  // A lower bound on the number of candidates still needed: shapes of which no two share a candidate.
  std::size_t lower_bound(const Shapes& open) const {
    std::size_t needed = 0;
    std::vector<bool> used(candidates_.size(), false);
    for (std::size_t s = 0; s < open.size(); ++s) {
      if (!open[s]) continue;
      bool is_apart = true;
      for (std::size_t i = 0; i < candidates_.size() && is_apart; ++i)
        is_apart = !(used[i] && candidates_[i].covers[s]);
      if (!is_apart) continue;
      ++needed;
      for (std::size_t i = 0; i < candidates_.size(); ++i)
        if (candidates_[i].covers[s]) used[i] = true;
    }
    return needed;
  }

  std::size_t hardest(const Shapes& open) const { // covered by the fewest candidates
    std::size_t found = open.size(), fewest = candidates_.size() + 1;
    for (std::size_t s = 0; s < open.size(); ++s) {
      if (!open[s]) continue;
      std::size_t n = 0;
      for (const Candidate& candidate : candidates_) n += candidate.covers[s] ? 1 : 0;
      if (n < fewest) {
        fewest = n;
        found = s;
      }
    }
    return found;
  }

  bool branch(const Shapes& open) {
    if (nodes_left_ == 0) return false;
    --nodes_left_;
    if (count(open) == 0) {
      const double cost = cost_of(chosen_);
      if (chosen_.size() < best_.size() || (chosen_.size() == best_.size() && cost < best_cost_)) {
        best_ = chosen_;
        best_cost_ = cost;
      }
      return true;
    }
    if (chosen_.size() + lower_bound(open) > best_.size()) return true;
    const std::size_t shape = hardest(open);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].covers[shape]) continue;
      Shapes rest = open;
      close(i, rest);
      chosen_.push_back(i);
      const bool done = branch(rest);
      chosen_.pop_back();
      if (!done) return false;
    }
    return true;
  }

  std::vector<Candidate> candidates_;
  std::size_t nodes_left_;
  std::vector<std::size_t> chosen_, best_;
  double best_cost_ = 0;
};

} // namespace

Cover find_cover(const CoverProblem& problem, std::size_t max_work) {
  const std::size_t shapes = problem.covered_by.size();
  std::vector<Candidate> all;
  for (std::size_t c = 0; c < problem.configs; ++c) all.push_back({c, problem.cost[c], Shapes(shapes, false)});
  Shapes open(shapes, false);
  for (std::size_t s = 0; s < shapes; ++s) {
    open[s] = !problem.covered_by[s].empty();
    for (const std::size_t c : problem.covered_by[s]) all[c].covers[s] = true;
  }
  Cover cover;
  cover.configs = problem.given;
  for (const std::size_t c : problem.given)
    for (std::size_t s = 0; s < shapes; ++s)
      if (all[c].covers[s]) open[s] = false;
  for (Candidate& candidate : all)
    for (std::size_t s = 0; s < shapes; ++s) candidate.covers[s] = candidate.covers[s] && open[s];
  std::erase_if(all, [](const Candidate& candidate) { return count(candidate.covers) == 0; });

  const std::vector<Candidate> candidates = undominated(std::move(all));
  Search search(candidates, max_work / std::max<std::size_t>(1, candidates.size() * shapes));
  std::vector<std::size_t> chosen = search.greedy(open);
  const auto exact = search.exact(open, chosen);
  cover.is_exact = exact.has_value();
  if (exact) chosen = *exact;
  for (const std::size_t i : chosen) cover.configs.push_back(candidates[i].config);
  std::sort(cover.configs.begin(), cover.configs.end());
  cover.configs.erase(std::unique(cover.configs.begin(), cover.configs.end()), cover.configs.end());
  return cover;
}

} // namespace warptune
