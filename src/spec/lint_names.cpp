#include "spec/lint_names.h"

#include "core/text.h"
#include "spec/size_list.h"
#include "spec/source_comments.h"
#include "spec/source_hash.h"
#include "spec/spec_places.h"
#include "spec/spec_uses.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace warptune {
namespace {

constexpr std::size_t kMaxFindings = 100;

// The identifiers of a line, in order, without numbers and their suffixes.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    if (end > at && std::isdigit(static_cast<unsigned char>(line[at])) == 0) words.push_back(line.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

// The names that the files of one implementation use, define and test for the preprocessor.
struct Macros {
  std::set<std::string, std::less<>> words, defined;
  std::map<std::string, Place> tested; // where a name is tested first
};

// Whether a bracket follows the name: __has_include(...), MACRO(...).
bool is_called(std::string_view line, std::string_view word) {
  const auto after = static_cast<std::size_t>(word.data() + word.size() - line.data());
  const std::size_t next = line.find_first_not_of(' ', after);
  return next != std::string_view::npos && line[next] == '(' && word != "defined";
}

// Removes __has_include(<a.h>) and similar queries.
std::string without_queries(std::string_view line) {
  std::string out;
  std::size_t taken = 0;
  for (std::size_t at = 0; (at = line.find("__has_", at)) != std::string_view::npos;) {
    const std::size_t after = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_ ", at);
    if (after == std::string_view::npos) break;
    if (line[after] == '(') {
      out += line.substr(taken, at - taken);
      taken = std::min(line.find(')', after), line.size() - 1) + 1;
    } // else such as `defined(__has_include)`
    at = std::max(after, taken);
  }
  return out.append(line.substr(taken));
}

void read_directive(std::string_view text, const Place& where, Macros& macros) {
  const std::string line = without_queries(text);
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return;
  const std::string_view directive = words.front();
  if (directive == "define" && words.size() > 1) macros.defined.emplace(words[1]);
  if (!directive.starts_with("if") && !directive.starts_with("elif")) return;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] != "defined" && !is_called(line, words[i])) macros.tested.try_emplace(std::string(words[i]), where);
}

// The words of a directive that read a macro: neither its own name nor the one that it defines.
std::vector<std::string_view> words_read(std::string_view directive) {
  std::vector<std::string_view> words = words_of(directive);
  if (words.empty()) return words;
  const bool is_definition = words.front() == "define" || words.front() == "undef";
  words.erase(words.begin(), words.begin() + std::min<std::ptrdiff_t>(is_definition ? 2 : 1, std::ssize(words)));
  return words;
}

bool defines(std::string_view directive, std::string_view name) {
  const std::vector<std::string_view> words = words_of(directive);
  return words.size() > 1 && words[0] == "define" && words[1] == name;
}

void read_file(const std::string& name, const std::string& text, Macros& macros) {
  const std::string code = without_comments(text);
  int number = 0;
  std::string_view guarded; // by the #ifndef above: a default for the macro that follows directly reads nothing
  for (const std::string_view line : split(code, '\n')) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    const bool is_directive = line[first] == '#';
    const std::string_view directive = is_directive ? line.substr(first + 1) : std::string_view();
    if (!guarded.empty() && !defines(directive, guarded)) macros.words.emplace(guarded);
    guarded = {};
    const std::vector<std::string_view> words = is_directive ? words_read(directive) : words_of(line);
    if (words.size() == 1 && is_directive && words_of(directive).front() == "ifndef")
      guarded = words.front();
    else
      macros.words.insert(words.begin(), words.end());
    if (is_directive) read_directive(directive, {name, number, {}}, macros);
  }
}

void read_all(const std::string& source, const SourceFiles& sources, Macros& macros) {
  if (const std::string* text = find_source(sources, source)) read_file(source, *text, macros);
  for (const auto& [name, text] : included_files(sources, source)) read_file(name, text, macros);
}

std::string hint(std::string_view name, const std::vector<std::string>& others) {
  const std::string nearest = nearest_name(name, others);
  return nearest.empty() ? "" : "; did you mean " + quote(nearest) + "?";
}

// The names that the sources of one implementation read. The launches of the operator itself get the macros of the
// first implementation.
struct Readers {
  Macros kernel;
  std::set<std::string, std::less<>> words; // words of all sources
};
Readers readers_of(const KernelSpec& spec, const Implementation& implementation, const SourceFiles& sources) {
  Readers readers;
  read_all(implementation.source, sources, readers.kernel);
  Macros own;
  if (&implementation == &spec.implementations.front())
    for (const OwnLaunches* launches :
         {static_cast<const OwnLaunches*>(&spec.reference), spec.prepare ? &*spec.prepare : nullptr})
      if (launches) read_all(launches->source, sources, own);
  readers.words = std::move(own.words);
  readers.words.insert(readers.kernel.words.begin(), readers.kernel.words.end());
  return readers;
}

// Whether a macro or a template argument of the kernel depends on the param.
bool is_passed(const Implementation& implementation, int slot) {
  const auto reads = [slot](const SourceValue& value) {
    return std::binary_search(value.expr.slots().begin(), value.expr.slots().end(), slot);
  };
  return std::any_of(implementation.defines.begin(), implementation.defines.end(),
                     [&](const Define& define) { return reads(define.value); }) ||
         std::any_of(implementation.launches.begin(), implementation.launches.end(), [&](const Launch& launch) {
           return std::any_of(launch.template_args.begin(), launch.template_args.end(), reads);
         });
}

// The params that have the name of a macro of the sources, which defines or tests it, but never reach the sources.
std::set<std::string> find_unpassed_params(const KernelSpec& spec, const Implementation& implementation,
                                           const SourceFiles& sources, const Macros& macros,
                                           std::vector<Finding>& findings) {
  std::set<std::string> unpassed;
  for (const OwnParam& own : implementation.params) {
    const std::string& name = spec.params[own.index].name;
    const bool is_macro = macros.defined.count(name) != 0 || macros.tested.count(name) != 0;
    const bool is_given = std::any_of(implementation.defines.begin(), implementation.defines.end(),
                                      [&](const Define& define) { return define.name == name; });
    if (!is_macro || is_given || is_passed(implementation, spec.first_param_slot + static_cast<int>(own.index)))
      continue;
    unpassed.insert(name);
    findings.push_back({"unpassed-param", FindingLevel::warning, place_in(sources, implementation, "/params/" + name),
                        "the param " + quote(name) + of_implementation(implementation) +
                            " has the name of a macro of " + implementation.source +
                            " or the files that it includes, but no macro and no template argument passes its value; "
                            "add \"" +
                            name + "\": \"" + name + "\" to compile.defines, or rename the param"});
  }
  return unpassed;
}

// `unpassed`: the params that are reported already.
void find_macros(const KernelSpec& spec, const Implementation& implementation, const SourceFiles& sources,
                 const Readers& readers, const std::set<std::string>& unpassed, std::vector<Finding>& findings) {
  const Macros& macros = readers.kernel;
  std::vector<std::string> given, unknown, tested; // defined by the spec; tested and not defined; tested by others
  for (const Define& define : implementation.defines) given.push_back(define.name);
  for (const auto& [name, where] : macros.tested) {
    if (std::find(given.begin(), given.end(), name) != given.end()) continue;
    tested.push_back(name);
    if (macros.defined.count(name) == 0 && unpassed.count(name) == 0 && !is_reserved_macro(name))
      unknown.push_back(name);
  }
  for (const std::string& name : given)
    if (readers.words.count(name) == 0)
      findings.push_back({"unread-macro", FindingLevel::warning,
                          place_in(sources, implementation, "/compile/defines/" + name),
                          "the macro " + quote(name) + " of 'defines' is not read by " + implementation.source +
                              " or the files that it includes" + hint(name, tested)});
  if (!spec.include.empty()) return;
  for (const std::string& name : unknown) {
    const Place& where = macros.tested.at(name);
    findings.push_back(
        {"undefined-macro", FindingLevel::warning, where,
         place_text(where) + " tests the macro " + quote(name) + ", which nothing defines" + hint(name, given)});
  }
}

void find_params(const KernelSpec& spec, const Implementation& implementation, const SourceFiles& sources,
                 const Readers& readers, const std::set<std::string>& unpassed, std::vector<Finding>& findings) {
  SpecUses uses, rules;
  uses.add_effects(implementation, &readers.words);
  for (const Constraint& constraint : implementation.constraints) rules.add(constraint.expr);
  for (const OwnParam& own : implementation.params) {
    const Param& param = spec.params[own.index];
    const int slot = spec.first_param_slot + static_cast<int>(own.index);
    if (own.values.size() < 2 || uses.has(slot) || unpassed.count(param.name) != 0) continue;
    findings.push_back({"unread-param", FindingLevel::warning,
                        place_in(sources, implementation, "/params/" + param.name),
                        "the param " + quote(param.name) + of_implementation(implementation) + " has " +
                            std::to_string(own.values.size()) +
                            " values but changes neither a cubin nor a launch, because it is not used by a template "
                            "argument, a size, a launch, or a macro that the source reads" +
                            (rules.has(slot) ? "; only constraints use it" : "") + "; use it, or remove it"});
  }
}

// Each list counts as one dim, with its four numbers.
void find_dims(const KernelSpec& spec, const SourceFiles& sources, std::vector<Finding>& findings) {
  SpecUses uses;
  for (const Implementation& implementation : spec.implementations) {
    const Readers readers = readers_of(spec, implementation, sources);
    uses.add_effects(implementation, implementation.build ? nullptr : &readers.words);
    for (const Constraint& constraint : implementation.constraints) uses.add(constraint.expr);
  }
  uses.add(spec.arguments);
  uses.add(spec.reference);
  if (spec.prepare) uses.add(*spec.prepare);
  uses.add(spec.cost);
  std::set<int> filled; // lists whose elements fill a buffer
  for (const Argument& argument : spec.arguments)
    if (const auto* buffer = std::get_if<BufferArg>(&argument.value))
      if (buffer->fill.kind == Fill::Kind::list || buffer->fill.kind == Fill::Kind::offsets)
        filled.insert(static_cast<int>(buffer->fill.list));
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    const int list = spec.list_of_dim(i);
    const std::size_t count = list < 0 ? 1 : kListNumbers.size();
    const std::string& name = list < 0 ? spec.dims[i].name : spec.lists[static_cast<std::size_t>(list)].name;
    bool is_used = filled.count(list) != 0;
    for (std::size_t k = 0; k < count; ++k) is_used = is_used || uses.has(spec.scope.find_slot(spec.dims[i + k].name));
    i += count - 1;
    if (is_used) continue;
    findings.push_back(
        {"idle-dim", FindingLevel::warning, place_in_spec(sources, "/problem/dims/" + name),
         "the dim " + quote(name) + " has no effect, because it is not used by a buffer, scalar, launch, cost " +
             "or constraint, or by a macro that a source reads; problems that differ only in this dim would be tuned "
             "twice; use the dim, or remove it"});
  }
}

} // namespace

bool is_reserved_macro(std::string_view name) {
  for (const std::string_view start : {"_", "CUDA", "CUDART", "CUB", "NV_", "NVRTC"})
    if (name.starts_with(start)) return true;
  return name == "NDEBUG" || name == "true" || name == "false";
}

std::vector<Finding> lint_names(const KernelSpec& spec, const SourceFiles& sources) {
  std::vector<Finding> findings;
  for (const Implementation& implementation : spec.implementations) {
    if (implementation.build) continue;
    const Readers readers = readers_of(spec, implementation, sources);
    const auto unpassed = find_unpassed_params(spec, implementation, sources, readers.kernel, findings);
    find_macros(spec, implementation, sources, readers, unpassed, findings);
    find_params(spec, implementation, sources, readers, unpassed, findings);
  }
  find_dims(spec, sources, findings);
  std::vector<Finding> distinct;
  std::set<std::string> seen;
  for (Finding& finding : findings)
    if (seen.insert(finding.sentence).second && seen.size() <= kMaxFindings) distinct.push_back(std::move(finding));
  if (seen.size() > kMaxFindings)
    distinct.push_back({"unread-macro", FindingLevel::warning, place_in_spec(sources, ""),
                        "and " + std::to_string(seen.size() - kMaxFindings) + " more findings about names"});
  return distinct;
}

} // namespace warptune
