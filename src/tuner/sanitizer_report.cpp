#include "tuner/sanitizer_report.h"

#include "core/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace warptune {
namespace {

constexpr std::string_view kPrefix = "=========";

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t number_in(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The number before a word: "[34 hazards]" -> 34 for " hazard".
std::int64_t count_before(std::string_view text, std::string_view word) {
  const std::size_t end = text.find(word);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  return number_in(text.substr(begin, end - begin));
}

// "scale(float *)+0x120" and "scale():0x120" -> "scale(float *)".
std::string without_offset(std::string_view function) {
  const std::size_t offset = std::max(function.rfind("+0x") + 1, function.rfind(":0x") + 1); // npos + 1 is 0
  return std::string(offset == 0 ? function : function.substr(0, offset - 1));
}

SanitizerPlace parse_place(std::string_view text) {
  if (const std::size_t hazards = text.rfind(" ["); hazards != std::string_view::npos && text.ends_with(']'))
    text = text.substr(0, hazards);
  const std::size_t in = text.rfind(" in ");
  if (in == std::string_view::npos) return {without_offset(text), {}, 0};
  const std::string_view left = text.substr(0, in), right = text.substr(in + 4);
  if (!left.starts_with("0x")) {
    const std::size_t colon = right.rfind(':');
    if (colon == std::string_view::npos || !is_digits(right.substr(colon + 1))) return {without_offset(left), {}, 0};
    return {without_offset(left), std::string(right.substr(0, colon)),
            static_cast<int>(number_in(right.substr(colon + 1)))};
  }
  // Older tools print an offset, then FILE:LINE:FUNCTION or only the function, whose name may contain colons.
  for (std::size_t colon = right.find(':'); colon != std::string_view::npos; colon = right.find(':', colon + 1)) {
    const std::size_t next = right.find(':', colon + 1);
    if (next == std::string_view::npos || !is_digits(right.substr(colon + 1, next - colon - 1))) continue;
    return {std::string(right.substr(next + 1)), std::string(right.substr(0, colon)),
            static_cast<int>(number_in(right.substr(colon + 1)))};
  }
  return {std::string(right), {}, 0};
}

// "Write access at X": the kind and the place of one side of a race.
bool take_access(std::string_view text, std::string& kind, SanitizerPlace& place) {
  constexpr std::string_view kAccess = " access at ";
  const std::size_t at = text.find(kAccess);
  if (at == std::string_view::npos) return false;
  kind = text.starts_with("Write") ? "a write" : "a read";
  place = parse_place(text.substr(at + kAccess.size()));
  return true;
}

class Parser {
 public:
  void line(std::string_view line) {
    const std::size_t at = line.find(kPrefix);
    if (at == std::string_view::npos) return;
    line.remove_prefix(at + kPrefix.size());
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const bool is_indented = line.starts_with("  ") || line.starts_with(" \t");
    const std::string_view text = trim(line);
    if (text.empty())
      is_open_ = false;
    else if (is_indented || text.starts_with("and ") || text.starts_with("at ") || text.starts_with("by thread"))
      add_detail(text);
    else
      begin(text);
  }
  SanitizerReport take() {
    merge();
    return std::move(report_);
  }

 private:
  void begin(std::string_view text) {
    is_open_ = false;
    if (text.starts_with("Target application")) report_.target_failed = true;
    if (text == "COMPUTE-SANITIZER" || text.starts_with("Program hit ") || text.starts_with("Target application"))
      return;
    if (text.find("SUMMARY:") != std::string_view::npos) {
      report_.is_complete = true;
      report_.unprinted +=
          count_before(text, " errors were not printed") + count_before(text, " error was not printed");
      return;
    }
    std::string_view plain = text;
    for (const std::string_view level : {"Error: ", "ERROR: ", "Warning: ", "WARNING: ", "WARN: ", "Info: "})
      if (plain.starts_with(level)) plain.remove_prefix(level.size());
    constexpr std::string_view kRace = "Race reported between ";
    if (plain.starts_with(kRace)) {
      std::string kind;
      SanitizerPlace place;
      if (!take_access(plain.substr(kRace.size()), kind, place)) return;
      open("Race between " + kind);
      is_race_ = true;
      report_.errors.back().places.push_back(std::move(place));
      report_.errors.back().count = 0;
      return;
    }
    if (plain.size() != text.size() && plain.find("hazard") == std::string_view::npos) {
      report_.problems.emplace_back(plain); // an error of the tool itself
      return;
    }
    // Cuts the address, so that equal hazards of all elements become one error: "Potential RAW hazard detected at
    // __shared__ 0x7fc in block (0,0,0) :".
    if (const std::size_t at = plain.find(" hazard detected at "); at != std::string_view::npos)
      open(std::string(plain.substr(0, at)) + " hazard in shared memory");
    else
      open(std::string(plain));
  }

  void open(std::string what) {
    report_.errors.push_back({std::move(what), {}, {}, 1});
    is_open_ = true;
    is_race_ = in_backtrace_ = false;
  }

  void add_detail(std::string_view text) {
    if (!is_open_) return;
    SanitizerError& error = report_.errors.back();
    std::string kind;
    SanitizerPlace place;
    constexpr std::string_view kFrame = "Device Frame:";
    if (is_race_ && text.starts_with("and ") && take_access(text.substr(4), kind, place)) {
      if (error.places.size() == 1) error.what += " and " + kind;
      error.places.push_back(std::move(place));
      error.count += std::max<std::int64_t>(1, count_before(text, " hazard"));
    } else if (text.starts_with("at ")) {
      error.places.push_back(parse_place(text.substr(3)));
    } else if (text.starts_with(kFrame)) {
      error.places.push_back(parse_place(trim(text.substr(kFrame.size()))));
    } else if (text.starts_with("Saved host backtrace")) {
      in_backtrace_ = true;
    } else if (const std::size_t at = text.find(" at "); at != std::string_view::npos && text.find("Thread (") < at) {
      error.places.push_back(parse_place(text.substr(at + 4))); // a place of a hazard: "Write Thread (0,0,0) at X"
    } else if (!in_backtrace_ && !text.starts_with("by thread") && !text.starts_with("Host Frame")) {
      error.detail += (error.detail.empty() ? "" : "; ") + std::string(text);
    }
  }

  void merge() {
    std::vector<SanitizerError> distinct;
    for (SanitizerError& error : report_.errors) {
      const auto known = std::find_if(distinct.begin(), distinct.end(), [&](const SanitizerError& other) {
        return other.what == error.what && std::equal(other.places.begin(), other.places.end(), error.places.begin(),
                                                      error.places.end(), [](const auto& a, const auto& b) {
                                                        return a.function == b.function && a.file == b.file &&
                                                               a.line == b.line;
                                                      });
      });
      if (known == distinct.end())
        distinct.push_back(std::move(error));
      else
        known->count += error.count;
    }
    report_.errors = std::move(distinct);
  }

  SanitizerReport report_;
  bool is_open_ = false, is_race_ = false, in_backtrace_ = false;
};

} // namespace

SanitizerReport parse_sanitizer_report(std::string_view text) {
  Parser parser;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.take();
}

} // namespace warptune
