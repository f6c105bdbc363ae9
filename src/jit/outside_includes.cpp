#include "jit/outside_includes.h"

#include "core/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace warptune {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";

// Joins a line that ends in a backslash with the next one. Trigraphs may stand for '#' and the backslash.
std::string spliced(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool trigraph = text.substr(i, 3) == "?"
                                               "?/";
    if (text.substr(i, 3) == "?"
                             "?=") {
      out += '#';
      i += 2;
      continue;
    }
    if (text[i] == '\\' || trigraph) {
      const std::size_t end = text.find_first_not_of(kBlanks, i + (trigraph ? 3 : 1));
      if (end != std::string_view::npos && text[end] == '\n') {
        i = end;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

std::string_view skip_blanks(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (!text.starts_with("/*")) return text;
    const std::size_t end = text.find("*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
}

std::string_view word_of(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_identifier(text.substr(0, end + 1))) ++end;
  return text.substr(0, end);
}

// The name in "name" or <name>, with which `text` begins.
std::optional<std::string> literal_name(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return std::nullopt;
  const std::size_t end = text.find(text[0] == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(1, end - 1));
}

bool is_outside(std::string_view name) {
  if (name.starts_with('/')) return true;
  const auto parts = split(name, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

// The first line, without comments and blanks around it.
std::string_view line_of(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  text = text.substr(0, std::min(text.find("//"), text.find("/*")));
  return trim(text);
}

class Scan {
 public:
  explicit Scan(const CompileRequest& request) {
    for (const std::string& option : request.options)
      if (option.starts_with("-D")) {
        const std::size_t equals = std::min(option.find('='), option.size());
        macros_[option.substr(2, equals - 2)].push_back(option.substr(std::min(equals + 1, option.size())));
      }
    look_at(request.source);
    for (const auto& [name, text] : request.headers) look_at(text);
  }

  OutsideIncludes result() {
    for (const std::string& operand : computed_) resolve(operand, operand, 0);
    found_.names.assign(names_.begin(), names_.end());
    return std::move(found_);
  }

 private:
  void look_at(const std::string& source) {
    const std::string text = spliced(source);
    for (std::size_t at = text.find_first_of("#%"); at != std::string::npos; at = text.find_first_of("#%", at + 1)) {
      const bool digraph = text[at] == '%';
      if (digraph && text.compare(at, 2, "%:") != 0) continue;
      const std::string_view rest = skip_blanks(std::string_view(text).substr(at + (digraph ? 2 : 1)));
      const std::string_view word = word_of(rest);
      const std::string_view operand = skip_blanks(rest.substr(word.size()));
      if (word == "include" || word == "include_next") {
        if (const auto name = literal_name(operand))
          keep(*name);
        else if (begins_line(std::string_view(text).substr(0, at)))
          computed_.emplace(line_of(operand));
      } else if (word == "define") {
        const std::string_view macro = word_of(operand), value = operand.substr(macro.size());
        macros_[std::string(macro)].emplace_back(value.starts_with('(') ? value.substr(0, value.find('\n'))
                                                                        : value_of(value));
      }
    }
  }

  // A name may contain "//".
  static std::string_view value_of(std::string_view value) {
    value = skip_blanks(value);
    if (!literal_name(value.substr(0, value.find('\n')))) return line_of(value);
    const std::size_t end = value.find(value[0] == '"' ? '"' : '>', 1);
    return line_of(value.substr(end + 1)).empty() ? value.substr(0, end + 1) : trim(value.substr(0, value.find('\n')));
  }

  static bool begins_line(std::string_view before) {
    const std::size_t line = before.rfind('\n');
    before = trim(line == std::string_view::npos ? before : before.substr(line + 1));
    return before.empty() || before.ends_with("*/");
  }

  void keep(const std::string& name) {
    if (is_outside(name)) names_.insert(name);
  }

  void resolve(const std::string& operand, const std::string& value, int depth) {
    constexpr int kMaxDepth = 32;
    if (const auto name = literal_name(value); name && value.size() == name->size() + 2) return keep(*name);
    if (depth < kMaxDepth && is_identifier(value)) {
      const auto macro = macros_.find(value);
      if (macro == macros_.end()) return; // a macro of the toolkit's headers, or undefined
      for (const std::string& definition : macro->second) resolve(operand, definition, depth + 1);
      return;
    }
    found_.unclear =
        "#include " + operand + ": the macro must expand to \"name\" or <name>; include the file by its literal name";
  }

  OutsideIncludes found_;
  std::set<std::string> names_, computed_;
  std::map<std::string, std::vector<std::string>> macros_; // all definitions, in whichever conditionals they are
};

} // namespace

OutsideIncludes outside_includes(const CompileRequest& request) { return Scan(request).result(); }

} // namespace warptune
