#include "profiler/counter_source.h"

namespace warptune {
namespace {

class NullCounters final : public CounterSource {
 public:
  explicit NullCounters(std::string why_not) : why_not_(std::move(why_not)) {}
  std::string source() const override { return {}; }
  std::string why_not() const override { return why_not_; }
  Result<std::vector<std::string>> resolve(std::string_view, DType) override { return refuse(); }
  Result<int> passes(const std::vector<std::string>&) override { return refuse(); }
  Result<std::vector<CounterValues>> collect(std::span<const ProfiledWork>, const std::vector<std::string>&, bool,
                                             CUstream) override {
    return refuse();
  }

 private:
  tl::unexpected<Error> refuse() const { return fail(ErrorKind::no_device, why_not_); }
  std::string why_not_;
};

} // namespace

std::unique_ptr<CounterSource> make_null_counters(std::string why_not) {
  return std::make_unique<NullCounters>(std::move(why_not));
}

} // namespace warptune
