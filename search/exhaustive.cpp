// Every configuration, in the order of the space.
#include "search/strategies.h"

namespace warptune {
namespace {

class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(std::int64_t size) : size_(size) {}

  std::vector<ConfigIndex> propose(std::size_t count) override {
    std::vector<ConfigIndex> out;
    for (; out.size() < count && next_ < size_; ++next_) out.push_back(next_);
    return out;
  }

  void observe(const Observation&) override {}
  bool learns() const override { return false; }

 private:
  std::int64_t size_;
  ConfigIndex next_ = 0;
};

} // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, std::uint64_t) {
  return std::make_unique<Exhaustive>(space.size());
}

} // namespace warptune
