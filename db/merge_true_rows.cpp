#include "db/merge_true_rows.h"

#include "core/members.h"
#include "db/cubin_digest.h"
#include "db/member_rows.h"
#include "db/record_members.h"
#include "db/stored_numbers.h"
#include "db/true_rows.h"

#include <limits>
#include <type_traits>

namespace warptune::db {
namespace {

// NaN for NULL and for text.
double number_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  const auto* number = std::get_if<double>(&value);
  return number ? *number : std::numeric_limits<double>::quiet_NaN();
}

// Reads the numeric members as read_members does.
template <class T> void read_numbers(const Row& row, T& record) {
  for_each_column<T>([&](const auto& m) {
    using Number = MemberValue<decltype(m)>;
    if constexpr (std::is_arithmetic_v<Number>) {
      const Value& value = row[m.column()];
      const bool is_null = std::holds_alternative<std::monostate>(value);
      if (is_null && (m.traits.unknown_at_0 || m.traits.since > 1)) return;
      if constexpr (std::is_floating_point_v<Number>)
        record.*m.at = number_of(value);
      else if (const auto* integer = std::get_if<std::int64_t>(&value))
        record.*m.at = static_cast<Number>(*integer);
    }
  });
}

template <class T> bool is_true_as(const Row& row) {
  T record;
  read_numbers(row, record);
  return can_be_true(record);
}

bool is_true_round(const Row& row) {
  FinalRound round;
  read_numbers(row, round);
  read_numbers(row, round.device);
  return can_be_true(round);
}

bool is_true_point(const Row& row) {
  return can_be_true(ParetoPoint{{}, number_of(row["median_us"]), number_of(row["energy_mj"])});
}

bool is_true_cubin(const Row& row) {
  const auto* image = std::get_if<Blob>(&row["image"]);
  return image != nullptr && row.text("digest") == cubin_digest(row.text("hash"), row.text("arch"),
                                                                row.text("lowered_names"), image->bytes);
}

} // namespace

bool can_be_true(const Row& row) {
  const std::string& table = row.table->name;
  if (table == "best") return is_true_as<BestRecord>(row);
  if (table == "best_rounds") return is_true_round(row);
  if (table == "best_pareto") return is_true_point(row);
  if (table == "best_finalists") return can_be_true(FinalTime{{}, number_of(row["median_us"])});
  if (table == "checks") return is_true_as<CheckRecord>(row);
  if (table == "cubins") return is_true_cubin(row);
  if (table == "power") return is_true_as<PowerReading>(row);
  if (table == "counters") return is_stored_count(number_of(row["value"]));
  if (table == "peak_rates")
    return is_stored_amount(number_of(row["rate"])) && is_stored_amount(number_of(row["sm_clock_mhz"]));
  return true; // unreadable_trials checks trials; the other tables hold no such numbers, or check them with CHECK
}

} // namespace warptune::db
