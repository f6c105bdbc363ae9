#include "spec/unread_names.h"

#include "core/text.h"
#include "spec/source_comments.h"
#include "spec/source_hash.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace warptune {
namespace {

constexpr std::size_t kMostNotes = 100;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The identifiers of a line, in order; numbers with their suffixes are none.
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

// What the preprocessor reads of one implementation's files.
struct Macros {
  std::set<std::string, std::less<>> words, defined;
  std::map<std::string, std::string> tested; // name -> "kernel.cu:12", where it is tested first
};

// A name that stands before a bracket is called: __has_include(...), MACRO(...).
bool is_called(std::string_view line, std::string_view word) {
  const auto after = static_cast<std::size_t>(word.data() + word.size() - line.data());
  const std::size_t next = line.find_first_not_of(' ', after);
  return next != std::string_view::npos && line[next] == '(' && word != "defined";
}

// Without what __has_include(<a.h>) and its like are asked about.
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

void read_directive(std::string_view text, const std::string& where, Macros& macros) {
  const std::string line = without_queries(text);
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return;
  const std::string_view directive = words.front();
  if (directive == "define" && words.size() > 1) macros.defined.emplace(words[1]);
  if (!directive.starts_with("if") && !directive.starts_with("elif")) return;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] != "defined" && !is_called(line, words[i])) macros.tested.try_emplace(std::string(words[i]), where);
}

void read_file(const std::string& name, const std::string& text, Macros& macros) {
  const std::string code = without_comments(text);
  int number = 0;
  for (const std::string_view line : split(code, '\n')) {
    ++number;
    for (const std::string_view word : words_of(line)) macros.words.emplace(word);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] == '#')
      read_directive(line.substr(first + 1), name + ":" + std::to_string(number), macros);
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

void add_macro_notes(const KernelSpec& spec, const Implementation& implementation, const SourceFiles& sources,
                     std::vector<std::string>& notes) {
  Macros macros;
  read_all(implementation.source, sources, macros);
  std::vector<std::string> given, unknown; // that the spec defines; that are tested and nothing defines
  for (const Define& define : implementation.defines) given.push_back(define.name);
  for (const auto& [name, where] : macros.tested)
    if (macros.defined.count(name) == 0 && !is_reserved_macro(name) &&
        std::find(given.begin(), given.end(), name) == given.end())
      unknown.push_back(name);
  std::vector<std::string> tested;
  for (const auto& [name, where] : macros.tested)
    if (std::find(given.begin(), given.end(), name) == given.end()) tested.push_back(name);
  Macros own; // the operator's own launches are given the macros of the first implementation
  if (&implementation == &spec.implementations.front())
    for (const OwnLaunches* launches :
         {static_cast<const OwnLaunches*>(&spec.reference), spec.prepare ? &*spec.prepare : nullptr})
      if (launches) read_all(launches->source, sources, own);
  for (const std::string& name : given)
    if (macros.words.count(name) == 0 && own.words.count(name) == 0)
      notes.push_back("the macro " + quote(name) + " of 'defines' is not read by " + implementation.source +
                      " nor by what it includes" + hint(name, tested));
  if (!spec.include.empty()) return;
  for (const std::string& name : unknown)
    notes.push_back(macros.tested.at(name) + " tests the macro " + quote(name) + ", which nothing defines" +
                    hint(name, given));
}

// --- Params
// -----------------------------------------------------------------------------------------------------------

class Uses {
 public:
  void of(const Expr& expr) { slots_.insert(expr.slots().begin(), expr.slots().end()); }
  void of(const std::optional<Expr>& expr) {
    if (expr) of(*expr);
  }
  void of(const std::vector<Expr>& all) {
    for (const Expr& expr : all) of(expr);
  }
  void of(const std::optional<RealExpr>& expr) {
    if (expr) slots_.insert(expr->slots().begin(), expr->slots().end());
  }
  void of(const BufferArg& buffer) { of(buffer.dtype), of(buffer.count), of(buffer.align); }
  void of(const ScalarArg& scalar) { of(scalar.value), of(scalar.formula); }
  void of(const TensorMapArg& map) {
    of(map.dtype), of(map.swizzle), of(map.channels_per_pixel), of(map.pixels_per_column);
    for (const auto* all : {&map.dims, &map.strides, &map.box, &map.element_strides, &map.lower, &map.upper}) of(*all);
  }
  void of(const Implementation& implementation) {
    for (const Define& define : implementation.defines) of(define.value.expr);
    for (const Argument& argument : implementation.arguments) {
      of(argument.when);
      std::visit([&](const auto& value) { of(value); }, argument.value);
    }
    for (const Launch& launch : implementation.launches) {
      of(launch.when), of(launch.grid), of(launch.block), of(launch.cluster), of(launch.shared);
      for (const SourceValue& value : launch.template_args) of(value.expr);
    }
    for (const LibraryCall& call : implementation.library_calls) {
      of(call.when);
      for (const auto& [name, value] : call.values) of(value);
    }
    for (const Symbol& symbol : implementation.symbols) of(symbol.scalar);
  }
  bool has(int slot) const { return slots_.count(slot) != 0; }

 private:
  std::set<int> slots_;
};

void add_param_notes(const KernelSpec& spec, const Implementation& implementation, std::vector<std::string>& notes) {
  Uses uses;
  uses.of(implementation);
  for (const OwnParam& own : implementation.params) {
    const Param& param = spec.params[own.index];
    if (own.values.size() < 2 || uses.has(spec.first_param_slot + static_cast<int>(own.index))) continue;
    notes.push_back("the param " + quote(param.name) +
                    (implementation.name.empty() ? "" : " of " + implementation.name) + " has " +
                    std::to_string(own.values.size()) +
                    " values but changes neither a cubin nor a launch: no template argument, macro, size or launch "
                    "uses it");
  }
}

} // namespace

bool is_reserved_macro(std::string_view name) {
  for (const std::string_view start : {"_", "CUDA", "CUDART", "CUB", "NV_", "NVRTC"})
    if (name.starts_with(start)) return true;
  return name == "NDEBUG" || name == "true" || name == "false";
}

std::vector<std::string> unread_names(const KernelSpec& spec, const SourceFiles& sources) {
  std::vector<std::string> notes;
  for (const Implementation& implementation : spec.implementations) {
    if (implementation.build) continue;
    add_macro_notes(spec, implementation, sources, notes);
    add_param_notes(spec, implementation, notes);
  }
  std::vector<std::string> distinct;
  std::set<std::string_view> seen;
  for (const std::string& note : notes)
    if (seen.insert(note).second && seen.size() <= kMostNotes) distinct.push_back(note);
  if (seen.size() > kMostNotes)
    distinct.push_back("and " + std::to_string(seen.size() - kMostNotes) + " more notes about names");
  return distinct;
}

} // namespace warptune
