#include "tuner/finalist.h"

#include "core/statistics.h"

namespace warptune {

double compared_median_us(const Finalist& f) { return f.samples_us.empty() ? f.explored_us : median(f.compared_us()); }

double measured_median_us(const Finalist& f) { return f.samples_us.empty() ? f.explored_us : median(f.samples_us); }

} // namespace warptune
