// The launches of a spec, and its reference, which may depend only on the problem.
#include "core/text.h"
#include "spec/spec_json_parts.h"

#include <algorithm>

namespace warptune {
bool is_qualified_name(std::string_view text) {
  std::size_t colons = 0;
  while ((colons = text.find("::")) != std::string_view::npos) {
    if (!is_identifier(text.substr(0, colons))) return false;
    text.remove_prefix(colons + 2);
  }
  return is_identifier(text);
}

// The launches of an implementation in stream order: kernels and, in format 2, calls of libraries.
void DescriptionReader::launches(const JsonCursor& c) {
  const JsonCursor list = c.at("launches");
  for (const JsonCursor& item : list.items()) {
    if (format_ >= 2 && item.is(JsonValue::Kind::object) && item.find("library"))
      current_->library_calls.push_back(library_call(item));
    else
      current_->launches.push_back(launch(item, nullptr));
  }
  if (current_->launches.empty() && current_->library_calls.empty()) list.error("no launches; list at least one");
  if (!list.failed()) check_without_kernels(c);
}

// The launches of the operator itself: of the reference or of `prepare`.
std::vector<Launch> DescriptionReader::launch_list(const JsonCursor& c, const OwnLaunches& own) {
  std::vector<Launch> launches;
  for (const JsonCursor& item : c.items()) {
    if (format_ >= 2 && item.is(JsonValue::Kind::object) && item.find("library"))
      item.error("library calls belong to implementations; " + own_title_ + " launches kernels only");
    launches.push_back(launch(item, &own));
  }
  if (launches.empty()) c.error("no launches; list at least one");
  return launches;
}

Launch DescriptionReader::launch(const JsonCursor& c, const OwnLaunches* own) {
  c.only({"kernel", "template", "when", "grid", "block", "cluster", "shared", "cooperative", "programmatic", "early",
          "args"});
  Launch launch;
  const JsonCursor kernel = c.at("kernel");
  launch.kernel = kernel.text();
  if (!is_qualified_name(launch.kernel)) kernel.expected("the name of a __global__ function");
  const auto checked = [&](const JsonCursor& where, const Expr& expr) {
    if (own) without_params(where, expr, own_title_);
  };
  if (const auto arguments = c.find("template")) {
    launch.has_template = true;
    if (!own && current_->build)
      arguments->error("an implementation with 'build' cannot have template arguments: its command makes the kernels, "
                       "and build.json lists their names");
    for (const JsonCursor& item : arguments->items()) {
      launch.template_args.push_back(source_value(item));
      checked(item, launch.template_args.back().expr);
    }
  }
  const auto sizes = [&](std::string_view key) {
    const JsonCursor list = c.at(key);
    std::vector<Expr> all = formulas(list, 1, 3);
    for (const Expr& expr : all) checked(list, expr);
    return all;
  };
  launch.grid = sizes("grid");
  launch.block = sizes("block");
  if (c.find("cluster")) launch.cluster = sizes("cluster");
  if (const auto when = c.find("when")) {
    launch.when = formula(*when);
    checked(*when, *launch.when);
  }
  if (const auto shared = c.find("shared")) {
    launch.shared = formula(*shared);
    checked(*shared, launch.shared);
  }
  if (const auto flag = c.find("cooperative")) launch.cooperative = flag->boolean();
  if (const auto flag = c.find("programmatic")) launch.programmatic = flag->boolean();
  if (const auto flag = c.find("early")) {
    launch.early = flag->boolean();
    if (launch.early && (own || launch.cooperative))
      flag->error(own ? own_title_ + " is launched by warptune only, after all earlier work; remove 'early'"
                      : "a cooperative launch cannot start early; remove 'early' or 'cooperative'");
  }
  launch_args(c.at("args"), own, launch);
  return launch;
}

void DescriptionReader::launch_args(const JsonCursor& c, const OwnLaunches* own, Launch& out) {
  std::vector<std::string> known = names_of(own ? spec_.arguments : current_->arguments);
  if (own)
    for (const Argument& argument : own->arguments) known.push_back(argument.name);
  for (const JsonCursor& item : c.items()) {
    const auto found = std::find(known.begin(), known.end(), item.text());
    if (found == known.end())
      return item.error("unknown argument " + quote(item.text()) + suggest_name(item.text(), known));
    const auto index = static_cast<std::size_t>(found - known.begin());
    out.args.push_back(static_cast<int>(index));
    if (own && index < spec_.arguments.size()) check_reference_arg(item, spec_.arguments[index]);
  }
}

void DescriptionReader::check_reference_arg(const JsonCursor& c, const Argument& argument) {
  if (std::holds_alternative<TensorMapArg>(argument.value))
    return c.error(own_title_ + " may not use a tensor map; give it the buffer");
  if (argument.when) without_params(c, *argument.when, "an argument of " + own_title_);
  if (const auto* scalar = std::get_if<ScalarArg>(&argument.value))
    return without_params(c, scalar->formula ? scalar->formula->slots() : scalar->value.slots(),
                          "an argument of " + own_title_);
  if (std::get<BufferArg>(argument.value).role == Role::workspace)
    c.error(quote(argument.name) + " is a workspace of the kernel; declare a workspace for " + own_title_ +
            " in its own arguments");
}

void DescriptionReader::reference(const JsonCursor& root) {
  const JsonCursor c = root.at("reference");
  c.only({"source", "types", "arguments", "launches"});
  spec_.reference.source = file_name(c, spec_.reference.source, "source");
  if (const auto types = c.find("types")) {
    std::vector<std::string> outputs;
    for (const Argument& argument : spec_.arguments) {
      const auto* buffer = std::get_if<BufferArg>(&argument.value);
      if (buffer && (buffer->role == Role::output || buffer->role == Role::inout)) outputs.push_back(argument.name);
    }
    for (const auto& [name, item] : types->members()) {
      if (std::find(outputs.begin(), outputs.end(), name) == outputs.end())
        item.error(quote(name) + " is not an output" + suggest_name(name, outputs));
      const Expr expr = dtype_formula(item);
      without_params(item, expr, "the reference");
      spec_.reference.types[name] = expr;
    }
  }
  if (const auto arguments = c.find("arguments"))
    spec_.reference.arguments = argument_list(*arguments, Owner::reference);
  spec_.reference.launches = launch_list(c.at("launches"), spec_.reference);
  check_outputs(c);
}

// `prepare` makes inputs from inputs, such as the forward pass for a backward kernel.
void DescriptionReader::prepare(const JsonCursor& root) {
  const auto c = format_ >= 2 ? root.find("prepare") : std::nullopt;
  if (!c) return check_prepared(root);
  c->only({"source", "arguments", "launches"});
  own_title_ = "prepare";
  OwnLaunches& own = spec_.prepare.emplace();
  own.source = file_name(*c, spec_.reference.source, "source");
  if (const auto arguments = c->find("arguments")) own.arguments = argument_list(*arguments, Owner::reference);
  own.launches = launch_list(c->at("launches"), own);
  for (const Launch& launch : own.launches)
    for (const int arg : launch.args) {
      const auto index = static_cast<std::size_t>(arg);
      if (index >= spec_.arguments.size()) continue;
      const auto* buffer = std::get_if<BufferArg>(&spec_.arguments[index].value);
      if (buffer && buffer->role != Role::input)
        c->at("launches")
            .error(quote(spec_.arguments[index].name) + " is not an input; the launches of `prepare` may read only "
                                                        "inputs, and write only inputs with \"fill\": \"prepared\"");
    }
  check_prepared(*c);
}

void DescriptionReader::check_prepared(const JsonCursor& where) {
  for (std::size_t i = 0; i < spec_.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArg>(&spec_.arguments[i].value);
    if (!buffer || buffer->fill.kind != Fill::Kind::prepared) continue;
    const bool made =
        spec_.prepare &&
        std::any_of(spec_.prepare->launches.begin(), spec_.prepare->launches.end(), [&](const Launch& launch) {
          return std::count(launch.args.begin(), launch.args.end(), static_cast<int>(i)) > 0;
        });
    if (!made)
      where.error("no launch of 'prepare' takes " + quote(spec_.arguments[i].name) +
                  ", whose fill is 'prepared'; pass it to a launch of 'prepare', or choose another fill");
  }
}

// An output that no launch of the reference receives would be compared with noise.
void DescriptionReader::check_outputs(const JsonCursor& reference) {
  for (std::size_t i = 0; i < spec_.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArg>(&spec_.arguments[i].value);
    if (!buffer || (buffer->role != Role::output && buffer->role != Role::inout)) continue;
    const bool passed =
        std::any_of(spec_.reference.launches.begin(), spec_.reference.launches.end(), [&](const Launch& l) {
          return std::find(l.args.begin(), l.args.end(), static_cast<int>(i)) != l.args.end();
        });
    if (!passed)
      reference.at("launches")
          .error("no launch takes the output " + quote(spec_.arguments[i].name) + "; the reference must compute it");
  }
}

} // namespace warptune
