#include "search/descent.h"

namespace warptune {

void Descent::start(const Scored& at) {
  at_ = at;
  waits_.clear();
  std::vector<ConfigIndex> found;
  moves_.neighbours(at.index, SearchSpace::Neighbours::adjacent, found);
  left_.assign(found.begin(), found.end());
  if (around_ == SearchSpace::Neighbours::adjacent) return;
  moves_.neighbours(at.index, around_, found);
  left_.insert(left_.end(), found.begin(), found.end()); // includes the adjacent ones again, which are known by then
}

std::optional<ConfigIndex> Descent::next() {
  while (!left_.empty()) {
    const ConfigIndex index = left_.front();
    left_.pop_front();
    if (const auto known = archive_.log_time(index)) {
      if (*known < at_.log_time) start({index, *known});
    } else if (archive_.worth(index, draws_)) {
      waits_.insert(index);
      return index;
    }
  }
  return std::nullopt;
}

bool Descent::learn(const Scored& seen) {
  if (waits_.erase(seen.index) == 0) return false;
  if (seen.log_time < at_.log_time) start(seen);
  return true;
}

} // namespace warptune
