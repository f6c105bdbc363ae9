#include "starter/tuner_script.h"

#include "core/text.h"
#include "interchange/python_expr.h"
#include "starter/restriction.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace warptune {
namespace {

// The position after the string that begins at `at`; handles triple quotes.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const std::string_view one = text.substr(at, 1), three = text.substr(at, 3);
  const bool is_long = three == std::string(3, one.front());
  const std::string_view close = is_long ? three : one;
  for (std::size_t next = at + close.size(); next < text.size(); ++next) {
    if (text[next] == '\\')
      ++next;
    else if (text.substr(next).starts_with(close))
      return next + close.size();
  }
  return text.size();
}

// The parts between `separator` outside of brackets and strings, without comments and surrounding white space.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"' || c == '\'') end = behind_string(text, at);
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == separator && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c == '\n' ? " " : std::string(text.substr(at, end - at));
    at = end;
  }
  for (std::string& part : parts) part = std::string(trim(part));
  std::erase(parts, "");
  return parts;
}

std::optional<std::string> literal(std::string_view text) {
  if (text.size() < 2 || (text.front() != '"' && text.front() != '\'') || behind_string(text, 0) != text.size())
    return std::nullopt;
  const std::size_t quotes = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  return std::string(text.substr(quotes, text.size() - 2 * quotes));
}

// The text between the brackets of "[...]" or "dict(...)"; empty for any other text.
std::string_view inside(std::string_view text, std::string_view open, char close) {
  if (!text.starts_with(open) || text.empty() || text.back() != close) return {};
  return text.substr(open.size(), text.size() - open.size() - 1);
}

class ScriptReader {
 public:
  ScriptReader(std::string_view text, const Entries& values) : text_(text), values_(values) {}

  Result<TunerScript> read() {
    for (const std::string& statement : parts_of(text_, '\n')) read_statement(statement);
    if (call_.empty()) return fail(ErrorKind::bad_input, "the script does not call tune_kernel at module level");
    WT_CHECK(read_call());
    return std::move(out_);
  }

 private:
  void read_statement(const std::string& statement) {
    if (const std::size_t call = statement.find("tune_kernel("); call != std::string::npos && call_.empty()) {
      const std::size_t open = call + 12;
      call_ = statement.substr(open, statement.rfind(')') - open);
      return;
    }
    const std::size_t equals = statement.find('=');
    if (equals == std::string::npos) return;
    const std::string target(trim(std::string_view(statement).substr(0, equals)));
    const std::string value(trim(std::string_view(statement).substr(equals + 1)));
    const std::size_t bracket = target.find('[');
    if (bracket == std::string::npos) {
      assigned_[target] = value;
    } else if (const auto key = literal(trim(inside(std::string_view(target).substr(bracket), "[", ']')))) {
      added_[target.substr(0, bracket)].emplace_back(*key, value);
    }
  }

  std::string resolved(const std::string& text) const {
    const auto found = assigned_.find(text);
    return found == assigned_.end() ? text : found->second;
  }

  Result<void> read_call() {
    std::vector<std::string> positional;
    std::map<std::string, std::string> named;
    for (const std::string& argument : parts_of(call_, ',')) {
      const std::size_t equals = argument.find('=');
      const std::string name =
          equals == std::string::npos ? "" : std::string(trim(std::string_view(argument).substr(0, equals)));
      if (is_identifier(name))
        named[name] = std::string(trim(std::string_view(argument).substr(equals + 1)));
      else
        positional.push_back(argument);
    }
    const auto argument = [&](std::size_t at, const char* name) {
      const auto found = named.find(name);
      if (found != named.end()) return found->second;
      return at < positional.size() ? positional[at] : std::string();
    };
    if (const auto kernel = literal(resolved(argument(0, "kernel_name")))) out_.facts.kernel = *kernel;
    find_source(resolved(argument(1, "kernel_source")));
    WT_CHECK(read_params(argument(4, "tune_params")));
    read_restrictions(resolved(named["restrictions"]));
    for (const char* name : {"block_size_x", "block_size_y", "block_size_z"})
      if (find_entry(out_.facts.values, name)) out_.facts.block.emplace_back(name);
    return {};
  }

  // The argument itself, or the only .cu file that the script names, as in open("fir.cu").
  void find_source(const std::string& argument) {
    if (const auto file = literal(argument); file && file->ends_with(".cu")) {
      out_.source = *file;
      return;
    }
    const std::set<std::string> files = named_sources();
    if (files.size() != 1) return;
    out_.source = *files.begin();
    out_.notes.push_back(fmt::format("the source is {}, the only .cu file that the script names", quote(out_.source)));
  }

  std::set<std::string> named_sources() const {
    std::set<std::string> files;
    for (std::size_t at = 0; at < text_.size();) {
      const bool is_string = text_[at] == '"' || text_[at] == '\'';
      const std::size_t end = is_string          ? behind_string(text_, at)
                              : text_[at] == '#' ? std::min(text_.find('\n', at), text_.size())
                                                 : at + 1;
      if (const auto name = literal(text_.substr(at, end - at)); name && name->ends_with(".cu")) files.insert(*name);
      at = end;
    }
    return files;
  }

  Result<void> read_params(const std::string& text) {
    const std::string dict = resolved(text);
    for (const std::string& entry : parts_of(inside(dict, "{", '}'), ',')) {
      const std::vector<std::string> pair = parts_of(entry, ':');
      const auto key = pair.size() == 2 ? literal(pair[0]) : std::nullopt;
      if (!key) return fail(ErrorKind::bad_input, fmt::format("tune_params: cannot read the entry {}", quote(entry)));
      WT_CHECK(add_param(*key, pair[1]));
    }
    for (const std::string& entry : parts_of(inside(dict, "dict(", ')'), ',')) {
      const std::size_t equals = std::min(entry.find('='), entry.size() - 1);
      WT_CHECK(add_param(std::string(trim(std::string_view(entry).substr(0, equals))), entry.substr(equals + 1)));
    }
    for (const auto& [key, values] : added_[text]) WT_CHECK(add_param(key, values));
    if (out_.facts.values.empty())
      return fail(ErrorKind::bad_input, fmt::format("tune_params {} is not a dict that warptune can read; write "
                                                    "{{\"name\": [values], ...}}",
                                                    quote(text)));
    return {};
  }

  Result<void> add_param(const std::string& name, const std::string& text) {
    auto expr = PythonExpr::parse(resolved(std::string(trim(text))), std::make_shared<PyNames>());
    const auto refuse = [&](const std::string& why) {
      return fail(ErrorKind::bad_input, fmt::format("tune_params[{}]: {}", quote(name), why));
    };
    if (!expr) return refuse(expr.error().message);
    if (!expr->is_list() || !is_identifier(name)) return refuse("must be a name with a list of values");
    WT_TRY(const auto values, expr->list());
    std::vector<std::int64_t> integers;
    for (const PyValue& value : values) {
      if (!value.is_integer()) return refuse(fmt::format("{} is not an integer", py_text(value)));
      integers.push_back(value.integer);
    }
    if (integers.empty()) return refuse("has no values");
    out_.facts.values.emplace_back(name, fmt::format("{}", fmt::join(integers, ",")));
    return {};
  }

  // Converts restrictions to constraints; adds a note for each that has no formula with the same meaning.
  void read_restrictions(const std::string& text) {
    if (text.empty()) return;
    const std::string_view list = inside(text, "[", ']');
    if (list.empty()) return skip(text, "it is not a list of formulas in quotes");
    Entries params = out_.facts.values;
    for (auto& [name, values] : params)
      if (const std::string* given = find_entry(values_, name)) values = *given;
    for (const std::string& one : parts_of(list, ',')) {
      const auto restriction = literal(one);
      if (!restriction) {
        skip(one, "it is not a formula in quotes");
        continue;
      }
      auto formula = formula_of_restriction(*restriction, params);
      if (formula)
        out_.facts.constraints.push_back(std::move(*formula));
      else
        skip(*restriction, formula.error().message);
    }
  }

  void skip(const std::string& what, const std::string& why) {
    out_.notes.push_back(
        fmt::format("the restriction {} was not converted: {}; add it to \"constraints\"", quote(what), why));
  }

  std::string_view text_;
  const Entries& values_;
  std::string call_; // the arguments of tune_kernel
  std::map<std::string, std::string> assigned_;
  std::map<std::string, Entries> added_; // tune_params["x"] = [...]
  TunerScript out_;
};

} // namespace

Result<TunerScript> read_tuner_script(std::string_view text, const Entries& values) {
  return ScriptReader(text, values).read();
}

} // namespace warptune
