#include "spec/source_hash.h"

#include "core/sha256.h"
#include "core/text.h"
#include "spec/json_members.h"
#include "spec/source_comments.h"

#include <algorithm>
#include <set>

namespace warptune {
namespace {

std::string_view skip_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// The rest of the line after `#include`, without leading blanks; empty if the line is not an include.
std::string_view include_operand(std::string_view line) {
  line = skip_blanks(line);
  if (!line.starts_with('#')) return {};
  line = skip_blanks(line.substr(1));
  constexpr std::string_view kInclude = "include";
  if (!line.starts_with(kInclude)) return {};
  line.remove_prefix(kInclude.size());
  const bool other_word = !line.empty() && is_identifier(line.substr(0, 1));
  return other_word ? std::string_view() : skip_blanks(line);
}

// The change of a line to the depth of conditionals: `#if`, `#ifdef`, `#ifndef`: 1; `#endif`: -1.
int conditional_step(std::string_view line) {
  line = skip_blanks(line);
  if (!line.starts_with('#')) return 0;
  line = skip_blanks(line.substr(1));
  return line.starts_with("if") ? 1 : line.starts_with("endif") ? -1 : 0;
}

constexpr std::string_view kJsonBlanks = " \t\r\n";

// The part of a description that affects results: without the alignments of the caller's buffers, the expected times,
// and the choice of the roof for operations.
std::string counted_text(const KernelSpec& spec, const SourceFiles& sources, const std::string& name,
                         const std::string& json) {
  const auto aligned = [](const Argument& argument) {
    const auto* buffer = std::get_if<BufferArg>(&argument.value);
    return buffer != nullptr && buffer->align;
  };
  const std::string text = without_expected_time(spec, sources, name, json);
  if (name != "spec.json") return text;
  const auto is_alignment = [](const MemberPath& path) {
    return path.size() == 3 && path[0] == "arguments" && path[2] == "align";
  };
  const auto is_roof = [](const MemberPath& path) {
    return path.size() == 2 && path[0] == "cost" && path[1] == "tensor_when";
  };
  return without_members(
      without_members(text, is_alignment, std::count_if(spec.arguments.begin(), spec.arguments.end(), aligned)),
      is_roof);
}

bool is_header(std::string_view name) { return !name.ends_with(".json") && !name.ends_with(".cu"); }

} // namespace

std::vector<IncludedName> included_names(std::string_view source) {
  std::vector<IncludedName> names;
  int depth = 0;
  const std::string code = without_comments(source);
  for (const std::string_view line : split(code, '\n')) {
    depth = std::max(depth + conditional_step(line), 0);
    const std::string_view operand = include_operand(line);
    if (operand.empty() || (operand[0] != '"' && operand[0] != '<')) continue;
    names.push_back({std::string(operand.substr(1, operand.find(operand[0] == '"' ? '"' : '>', 1) - 1)), depth > 0});
  }
  return names;
}

std::string without_expected_time(const KernelSpec& spec, const SourceFiles& sources, const std::string& name,
                                  const std::string& json) {
  const auto describes = [&](const Implementation& implementation) { // whether in this file, and with an expected time
    const std::string own = implementation.name + "/implementation.json";
    return (implementation.expected_us || !implementation.is_estimated) &&
           name == (find_source(sources, own) ? own : "spec.json");
  };
  const auto is_estimate = [](const MemberPath& path) { return path.size() == 1 && path[0] == "expected_us"; };
  return without_members(json, is_estimate,
                         std::count_if(spec.implementations.begin(), spec.implementations.end(), describes));
}

std::string as_format_1(std::string json) {
  constexpr std::string_view kKey = "\"format\"";
  std::size_t at = json.find(kKey);
  if (at == std::string::npos) return json;
  at = json.find_first_not_of(kJsonBlanks, at + kKey.size());
  if (at == std::string::npos || json[at] != ':') return json;
  at = json.find_first_not_of(kJsonBlanks, at + 1);
  if (at != std::string::npos && json[at] == '2') json[at] = '1';
  return json;
}

std::string normal_include(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else
      parts.push_back(part);
  }
  std::string text;
  for (const std::string_view part : parts) text += (text.empty() ? "" : "/") + std::string(part);
  return text;
}

bool is_implementation_file(std::string_view name) {
  constexpr std::string_view kFile = "/implementation.json";
  return name.ends_with(kFile) && name.find('/') == name.size() - kFile.size();
}

const std::string* find_source(const SourceFiles& sources, std::string_view name) {
  for (const auto& [file, text] : sources.files)
    if (file == name) return &text;
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> included_files(const SourceFiles& sources, std::string_view name) {
  std::set<std::string> seen;
  std::vector<std::string> open = {std::string(name)};
  bool computed = false;
  while (!open.empty()) {
    const std::string current = std::move(open.back());
    open.pop_back();
    const std::string* text = find_source(sources, current);
    if (!text) continue;
    const std::string code = without_comments(*text);
    const std::size_t slash = current.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : current.substr(0, slash + 1);
    for (std::size_t begin = 0; begin < text->size();) {
      const std::size_t end = std::min(text->find('\n', begin), text->size());
      // An include in a comment counts, too, so that the hashes of stored results do not change.
      std::string_view operand = include_operand(std::string_view(*text).substr(begin, end - begin));
      if (operand.empty()) operand = include_operand(std::string_view(code).substr(begin, end - begin));
      begin = end + 1;
      if (operand.empty()) continue;
      const bool quotes = operand[0] == '"';
      if (!quotes && operand[0] != '<') {
        computed = true;
        continue;
      }
      const std::string_view file = operand.substr(1, operand.find(quotes ? '"' : '>', 1) - 1);
      for (const std::string& candidate : {normal_include(folder + std::string(file)), normal_include(file)}) {
        if (!find_source(sources, candidate)) continue;
        if (seen.insert(candidate).second) open.push_back(candidate);
        break;
      }
    }
  }
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& file : sources.files)
    if (file.first != name && (seen.count(file.first) || (computed && is_header(file.first)))) files.push_back(file);
  return files;
}

std::string build_input_name(const SourceFiles& sources, const Build& build, const std::string& input) {
  const std::string own = build.folder + input;
  return find_source(sources, own) || !find_source(sources, input) ? own : input;
}

std::string source_hash(const KernelSpec& spec, const SourceFiles& sources) {
  std::set<std::string> names = {"spec.json", spec.reference.source};
  if (spec.prepare) names.insert(spec.prepare->source);
  for (const Implementation& implementation : spec.implementations)
    if (!implementation.source.empty()) names.insert(implementation.source);
  const std::set<std::string> mains = names;
  for (const Implementation& implementation : spec.implementations)
    if (implementation.build)
      for (const std::string& input : implementation.build->inputs)
        names.insert(build_input_name(sources, *implementation.build, input));
  for (const std::string& main : mains)
    for (const auto& file : included_files(sources, main)) names.insert(file.first);
  for (const auto& [name, text] : sources.files)
    if (is_implementation_file(name)) names.insert(name);
  std::string all;
  for (const std::string& name : names) {
    const std::string* text = find_source(sources, name);
    if (!text) continue;
    std::string counted = counted_text(spec, sources, name, *text);
    if (name == "spec.json" && spec.reads_as_format_1) counted = as_format_1(std::move(counted));
    // The lengths separate the end of one file from the beginning of the next.
    all.append(name).append(" ").append(std::to_string(counted.size())).append("\n").append(counted);
  }
  return sha256_hex(all);
}

} // namespace warptune
