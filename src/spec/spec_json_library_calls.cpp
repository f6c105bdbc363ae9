// Launches that call a library. Their values and arguments are checked by spec/library_table.h.
#include "core/text.h"
#include "spec/library_table.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <fmt/format.h>

namespace warptune {
namespace {

// "it takes bytes, pattern", or that it takes none.
template <class T> std::string taken_text(std::span<const T> list) {
  return list.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(names_of(list), ", "));
}

std::string full_name(const LibraryCall& call) { return quote(call.library + "." + call.call); }

} // namespace

LibraryCall DescriptionReader::library_call(const JsonCursor& c) {
  c.only({"library", "call", "when", "values", "args"});
  LibraryCall out;
  out.position = current_->launches.size();
  const JsonCursor library = c.at("library"), call = c.at("call");
  out.library = library.text();
  out.call = call.text();
  const KnownLibrary* known = find_known_library(out.library);
  if (c.failed()) return out;
  if (known == nullptr) {
    library.error("unknown library " + quote(out.library) + suggest_name(out.library, names_of(known_libraries())));
    return out;
  }
  const LibraryFunction* function = find_library_function(out.library, out.call);
  if (function == nullptr) {
    call.error("the library " + quote(out.library) + " has no call " + quote(out.call) +
               suggest_name(out.call, names_of(known->functions)));
    return out;
  }
  if (const auto when = c.find("when")) out.when = formula(*when);
  call_values(c, *function, out);
  call_args(c, *function, out);
  return out;
}

void DescriptionReader::call_values(const JsonCursor& c, const LibraryFunction& function, LibraryCall& out) {
  if (const auto values = c.find("values"))
    for (const auto& [name, item] : values->members()) {
      const LibraryValue* value = find_named(function.values, name);
      if (value == nullptr)
        return item.error(full_name(out) + " has no value " + quote(name) +
                          suggest_name(name, names_of(function.values)));
      out.values.emplace_back(name, formula(item));
    }
  for (const LibraryValue& value : function.values)
    if (value.is_required && std::none_of(out.values.begin(), out.values.end(),
                                          [&](const auto& given) { return given.first == value.name; }))
      return c.error(full_name(out) + " needs the value " + quote(std::string(value.name)) + "; " +
                     taken_text(function.values));
}

void DescriptionReader::call_args(const JsonCursor& c, const LibraryFunction& function, LibraryCall& out) {
  if (const auto args = c.find("args"))
    for (const auto& [name, item] : args->members()) {
      const LibraryArg* arg = find_named(function.args, name);
      if (arg == nullptr)
        return item.error(full_name(out) + " has no argument " + quote(name) +
                          suggest_name(name, names_of(function.args)));
      const int index = current_->find_argument(item.text());
      if (index < 0)
        return item.error("unknown argument " + quote(item.text()) +
                          suggest_name(item.text(), names_of(current_->arguments)));
      check_call_arg(item, *arg, current_->arguments[static_cast<std::size_t>(index)]);
      out.args.emplace_back(name, index);
    }
  for (const LibraryArg& arg : function.args)
    if (arg.is_required &&
        std::none_of(out.args.begin(), out.args.end(), [&](const auto& given) { return given.first == arg.name; }))
      return c.error(full_name(out) + " needs the argument " + quote(std::string(arg.name)) + "; " +
                     taken_text(function.args));
}

void DescriptionReader::check_call_arg(const JsonCursor& c, const LibraryArg& arg, const Argument& given) {
  using Kind = LibraryArg::Kind;
  const std::string what = quote(std::string(arg.name)) + " of the call";
  const auto* buffer = std::get_if<BufferArg>(&given.value);
  if (arg.kind == Kind::scalar && !std::holds_alternative<ScalarArg>(given.value))
    return c.error(quote(given.name) + " is not a scalar, but " + what + " must be one");
  if (arg.kind == Kind::scalar) return;
  if (buffer == nullptr) return c.error(quote(given.name) + " is not a buffer, but " + what + " must be one");
  if (arg.kind == Kind::written && buffer->role == Role::input)
    return c.error(quote(given.name) + " is an input, but " + what + " is written; give it an output or a workspace");
  if (arg.kind == Kind::workspace && buffer->role != Role::workspace)
    return c.error(quote(given.name) + " is not a workspace, but " + what + " must be one");
}

// Without a kernel nothing is compiled, so keys for compiling would have no effect.
void DescriptionReader::check_without_kernels(const JsonCursor& c) {
  if (!current_->launches.empty()) return;
  for (const char* key : {"source", "compile", "symbols"})
    if (const auto found = c.find(key))
      return found->error("this implementation launches no kernel, so nothing is compiled; remove " +
                          quote(std::string(key)) + ", or add a launch of a kernel");
  current_->source.clear();
}

} // namespace warptune
