#include "spec/compile_options.h"

#include "core/text.h"

#include <algorithm>
#include <cctype>

namespace warptune {
namespace {

enum class Value { none, boolean, number, numbers, word, ptxas };

struct Option {
  std::string_view name, brief; // without dashes; brief may be empty
  Value value;
};

// Options that change the code of a kernel or its messages. Both spellings of a name may have one or two dashes.
constexpr Option kOptions[] = {
    {"use_fast_math", "", Value::none},
    {"ftz", "", Value::boolean},
    {"prec-sqrt", "", Value::boolean},
    {"prec-div", "", Value::boolean},
    {"fmad", "", Value::boolean},
    {"maxrregcount", "", Value::number},
    {"extra-device-vectorization", "", Value::none},
    {"restrict", "", Value::none},
    {"modify-stack-limit", "", Value::boolean},
    {"device-stack-protector", "", Value::boolean},
    {"device-as-default-execution-space", "default-device", Value::none},
    {"device-int128", "", Value::none},
    {"device-float128", "", Value::none},
    {"builtin-move-forward", "", Value::boolean},
    {"builtin-initializer-list", "", Value::boolean},
    {"dopt", "", Value::word},
    {"Ofast-compile", "", Value::word},
    {"ptxas-options", "Xptxas", Value::ptxas},
    {"generate-line-info", "lineinfo", Value::none},
    {"device-debug", "G", Value::none},
    {"disable-warnings", "w", Value::none},
    {"diag-error", "", Value::numbers},
    {"diag-suppress", "", Value::numbers},
    {"diag-warn", "", Value::numbers},
    {"display-error-number", "err-no", Value::none},
    {"no-display-error-number", "no-err-no", Value::none},
    {"frandom-seed", "", Value::word},
    {"minimal", "", Value::none},
    {"no-cache", "", Value::none},
};

// Options of ptxas for its effort and for the caches of loads and stores. All others are refused, because ptxas can
// also write files (--output-file).
constexpr Option kPtxasOptions[] = {
    {"opt-level", "O", Value::number},
    {"verbose", "v", Value::none},
    {"warn-on-spills", "warn-spills", Value::none},
    {"warn-on-local-memory-usage", "warn-lmem-usage", Value::none},
    {"warn-on-double-precision-use", "", Value::none},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", Value::boolean},
    {"def-load-cache", "dlcm", Value::word},
    {"def-store-cache", "dscm", Value::word},
    {"force-load-cache", "flcm", Value::word},
    {"force-store-cache", "fscm", Value::word},
    {"fmad", "", Value::boolean},
    {"maxrregcount", "", Value::number},
    {"disable-optimizer-constants", "disable-optimizer-consts", Value::none},
    {"register-usage-level", "", Value::number},
};

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_one_word(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

template <std::size_t N> bool is_known(const Option (&options)[N], std::string_view text);

bool fits(Value kind, std::string_view value) {
  const auto all = [&](auto&& is_one) {
    const auto pieces = split(value, ',');
    return std::all_of(pieces.begin(), pieces.end(), is_one);
  };
  switch (kind) {
  case Value::none:
    return false;
  case Value::boolean:
    return value == "true" || value == "false";
  case Value::number:
    return is_number(value);
  case Value::numbers:
    return all(is_number);
  case Value::word:
    return is_one_word(value);
  case Value::ptxas:
    return all([](std::string_view piece) { return is_known(kPtxasOptions, piece); });
  }
  return false;
}

template <std::size_t N> bool is_known(const Option (&options)[N], std::string_view text) {
  if (!text.starts_with('-')) return false;
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  return std::any_of(std::begin(options), std::end(options), [&](const Option& option) {
    if (option.brief == "O" && equals == std::string_view::npos && name.starts_with('O'))
      return is_number(name.substr(1)); // -O3
    if (name.empty() || (name != option.name && name != option.brief)) return false;
    return equals == std::string_view::npos ? option.value == Value::none : fits(option.value, text.substr(equals + 1));
  });
}

} // namespace

bool is_compile_option(std::string_view option) { return is_known(kOptions, option); }

std::string compile_option_names() {
  std::string names;
  for (const Option& option : kOptions)
    names += (names.empty() ? "--" : ", --") + std::string(option.name) + (option.value == Value::none ? "" : "=");
  return names;
}

} // namespace warptune
