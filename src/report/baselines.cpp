#include "report/baselines.h"

#include "spec/spec_json_reader.h"

#include <fmt/format.h>

namespace warptune::report {
namespace {

constexpr std::int64_t kBaselinesVersion = 1;
constexpr double kMaxUs = 86400e6;

double positive_number(const JsonCursor& value) {
  const double number = value.number();
  if (value.is_number() && !(number > 0 && number <= kMaxUs))
    value.expected("a time in microseconds, above 0 and at most one day");
  return number;
}

std::string filled(const JsonCursor& value) {
  const std::string& text = value.text();
  if (text.empty() && value.is(JsonValue::Kind::text)) value.expected("a string that is not empty");
  return text;
}

BaselineEntry read_entry(const JsonCursor& cursor, const std::string& source) {
  cursor.only({"kernel", "problem", "name", "median_us", "ci_low_us", "ci_high_us", "cold_l2", "source"});
  BaselineEntry entry;
  entry.kernel = filled(cursor.at("kernel"));
  entry.problem = filled(cursor.at("problem"));
  Baseline& b = entry.baseline;
  b.name = filled(cursor.at("name"));
  b.median_us = positive_number(cursor.at("median_us"));
  const auto low = cursor.find("ci_low_us"), high = cursor.find("ci_high_us");
  if (low.has_value() != high.has_value()) cursor.error("give both ci_low_us and ci_high_us, or neither");
  if (low && high) {
    b.ci_low_us = positive_number(*low);
    b.ci_high_us = positive_number(*high);
    if (!cursor.failed() && (b.ci_low_us > b.median_us || b.ci_high_us < b.median_us))
      cursor.error("the interval does not contain the median; ci_low_us <= median_us <= ci_high_us must hold");
  }
  if (const auto cold = cursor.find("cold_l2")) b.cold_l2 = cold->boolean();
  b.source = source;
  if (const auto own = cursor.find("source")) b.source = own->text();
  return entry;
}

} // namespace

Result<BaselineFile> parse_baselines(std::string_view json, const std::string& origin) {
  WT_TRY(const auto value, parse_json(json, origin, false));
  JsonErrors errors(origin);
  const JsonCursor root(value, errors);
  if (!root.is(JsonValue::Kind::object) || !root.find("warptune_baselines"))
    return fail(ErrorKind::bad_input, origin + ": this is not a file of baselines: it has no 'warptune_baselines' "
                                               "(docs/report.md)");
  root.only({"warptune_baselines", "about", "device", "source", "entries"});
  const JsonCursor version = root.at("warptune_baselines");
  if (version.integer() != kBaselinesVersion && version.is(JsonValue::Kind::integer))
    version.error("this version of warptune reads version " + std::to_string(kBaselinesVersion) + " of the format");
  BaselineFile file;
  file.device = filled(root.at("device"));
  const std::string source = root.find("source") ? root.at("source").text() : std::string();
  for (const JsonCursor& entry : root.at("entries").items()) file.entries.push_back(read_entry(entry, source));
  if (errors.any()) return fail(ErrorKind::bad_input, errors.message());
  return file;
}

int add_baselines(std::vector<View>& views, const BaselineFile& file) {
  int found = 0;
  for (View& view : views) {
    const std::size_t before = view.baselines.size();
    for (const BaselineEntry& entry : file.entries) {
      if (view.device.name != file.device || entry.kernel != view.kernel || entry.problem != view.problem) continue;
      view.baselines.push_back(entry.baseline);
      if (entry.baseline.cold_l2 != view.session.identity.cold_l2)
        view.notes.push_back(fmt::format("{} was measured with a {} L2 cache, but this session with a {} L2 cache",
                                         entry.baseline.name, entry.baseline.cold_l2 ? "cold" : "warm",
                                         entry.baseline.cold_l2 ? "warm" : "cold"));
    }
    found += view.baselines.size() > before ? 1 : 0;
  }
  return found;
}

} // namespace warptune::report
