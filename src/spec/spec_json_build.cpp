// The command that builds an implementation instead of NVRTC, and its inputs.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::size_t kMaxWords = 256; // maximum number of words of a command, and of inputs

std::vector<std::pair<std::int64_t, std::string>> label_pairs(const std::vector<std::int64_t>& values,
                                                              const std::vector<std::string>& labels) {
  std::vector<std::pair<std::int64_t, std::string>> pairs;
  for (std::size_t i = 0; i < labels.size(); ++i) pairs.emplace_back(values[i], labels[i]);
  return pairs;
}

void add_text(BuildWord& word, std::string_view text) {
  if (word.empty() || word.back().kind != BuildPiece::Kind::text) word.push_back({});
  word.back().text += text;
}

void check_not_empty(const JsonCursor& word) {
  if (word.text().empty()) word.error("this word is empty; remove it");
}

// The NAME of the first {NAME}; empty: there is none.
std::string name_in_braces(std::string_view word) {
  for (std::size_t at = word.find('{'); at != std::string_view::npos; at = word.find('{', at + 1)) {
    const std::size_t end = word.find('}', at);
    if (end == std::string_view::npos) break;
    if (const std::string_view name = word.substr(at + 1, end - at - 1); is_identifier(name)) return std::string(name);
  }
  return {};
}

} // namespace

void DescriptionReader::build(const ImplementationPart& part) {
  const JsonCursor& c = part.cursor;
  const auto section = format_ >= 2 ? c.find("build") : std::nullopt;
  if (!section) return;
  section->only({"command", "inputs", "version"});
  for (const char* key : {"compile", "source"})
    if (const auto other = c.find(key))
      other->error("\"" + std::string(key) + "\" is for NVRTC, but a command builds this implementation; remove \"" +
                   key + "\", put options into 'command', and list files in 'inputs'");
  Build build;
  build.folder = part.folder;
  const JsonCursor inputs = section->at("inputs");
  for (const JsonCursor& item : inputs.items()) {
    const std::string& name = item.text();
    if (!is_inside_folder(name) || name.ends_with('/')) item.expected("the name of a file in the folder");
    if (std::find(build.inputs.begin(), build.inputs.end(), name) != build.inputs.end())
      item.error(quote(name) + " is listed twice; list it once");
    build.inputs.push_back(name);
  }
  if (build.inputs.empty()) inputs.error("no inputs; list the files that the command reads");
  const JsonCursor command = section->at("command");
  for (const JsonCursor& item : command.items()) {
    check_not_empty(item);
    build.command.push_back(build_word(item));
  }
  if (build.command.empty()) command.error("no command; list the program and its arguments");
  if (const auto version = section->find("version")) {
    for (const JsonCursor& item : version->items()) {
      check_not_empty(item);
      if (const std::string name = name_in_braces(item.text()); !name.empty())
        item.error("{" + name + "} has no value here, because 'version' runs once and not for each configuration");
      build.version.push_back(text_without_nul(item));
    }
    if (build.version.empty()) version->error("no command; list the program and its arguments, or leave 'version' out");
  }
  for (const std::size_t count : {build.inputs.size(), build.command.size(), build.version.size()})
    if (count > kMaxWords) section->error("more than " + std::to_string(kMaxWords) + " words or inputs; use fewer");
  if (section->failed()) return;
  current_->source = part.folder + build.inputs.front();
  current_->build = std::move(build);
}

// "--tile={BM}": {NAME} is a value, {{ and }} are braces.
BuildWord DescriptionReader::build_word(const JsonCursor& c) {
  BuildWord word;
  const std::string text = text_without_nul(c);
  for (std::size_t at = 0; at < text.size() && !c.failed();) {
    const std::string_view two = std::string_view(text).substr(at, 2);
    if (two == "{{" || two == "}}") {
      add_text(word, two.substr(0, 1));
      at += 2;
    } else if (text[at] == '{') {
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) {
        c.error("'{' without '}' in " + quote(text) + "; write {{ for a brace");
        break;
      }
      word.push_back(build_name(c, text.substr(at + 1, end - at - 1)));
      at = end + 1;
    } else if (text[at] == '}') {
      c.error("'}' without '{' in " + quote(text) + "; write }} for a brace");
    } else {
      add_text(word, std::string_view(text).substr(at, 1));
      ++at;
    }
  }
  if (word.empty()) word.push_back({});
  return word;
}

BuildPiece DescriptionReader::build_name(const JsonCursor& c, const std::string& name) {
  using Kind = BuildPiece::Kind;
  constexpr std::pair<const char*, Kind> kOwn[] = {
      {"arch", Kind::arch}, {"output", Kind::output}, {"folder", Kind::folder}};
  BuildPiece piece;
  for (const auto& [own, kind] : kOwn) {
    if (name != own) continue;
    if (scope().contains(name))
      c.error("{" + name + "} is both a name in the spec and a reserved word of build commands; rename it in the spec");
    piece.kind = kind;
    return piece;
  }
  if (!is_identifier(name) || !scope().contains(name)) {
    std::vector<std::string> known = scope().names();
    for (const auto& [own, kind] : kOwn) known.emplace_back(own);
    c.error("unknown name {" + name + "}" + suggest_name(name, known));
    return piece;
  }
  auto expr = Expr::parse(name, scope());
  if (!expr) {
    c.error(expr.error().message);
    return piece;
  }
  piece.expr = std::move(*expr);
  piece.kind = Kind::number;
  const bool is_type = name == "dtype" || std::any_of(spec_.types.begin(), spec_.types.end(),
                                                      [&](const Derived& type) { return type.name == name; });
  if (is_type) piece.kind = Kind::dtype;
  for (const Flag& flag : spec_.flags)
    if (flag.name == name) piece.kind = Kind::label, piece.labels = label_pairs(flag.values, flag.labels);
  for (const Param& param : spec_.params)
    if (param.name == name && !param.labels.empty())
      piece.kind = Kind::label, piece.labels = label_pairs(param.values, param.labels);
  return piece;
}

} // namespace warptune
