// The parts of the spec.json reader, private to spec_json*.cpp. A SpecReader holds the spec in the making; each member
// function reads one section, in the order of parse_spec, since later sections use the names of earlier ones.
#pragma once

#include "spec/spec.h"
#include "spec/spec_json_reader.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

class SpecReader {
 public:
  explicit SpecReader(KernelSpec& spec) : spec_(spec) {}

  void header(const JsonCursor& root);  // format, name, summary, source
  void problem(const JsonCursor& root); // dims, dtypes, flags
  void params(const JsonCursor& root);
  void scope(const JsonCursor& root); // the slots, then types and derived names
  void constraints(const JsonCursor& root);
  void compile(const JsonCursor& root);
  void arguments(const JsonCursor& root); // spec_json_arguments.cpp
  void launches(const JsonCursor& root);  // spec_json_launches.cpp
  void reference(const JsonCursor& root); // spec_json_launches.cpp
  void cost(const JsonCursor& root);
  void tolerance(const JsonCursor& root);
  void suites(const JsonCursor& root);

 private:
  // Identifier that nothing else is called; `kind` is what it names: "a param".
  void claim(const JsonCursor& where, const std::string& name, const std::string& kind);
  Flag flag(const std::string& name, const JsonCursor& c);

  Expr formula(const JsonCursor& c) { return formula(c, spec_.scope); }
  Expr formula(const JsonCursor& c, const Scope& scope);
  Expr dtype_formula(const JsonCursor& c);
  std::vector<Expr> formulas(const JsonCursor& c, std::size_t least, std::size_t most);
  SourceValue source_value(const JsonCursor& c);
  // Reports a formula that uses a param; `owner` names what may not: "an input".
  void without_params(const JsonCursor& c, const Expr& expr, const std::string& owner);

  std::vector<Argument> argument_list(const JsonCursor& c, bool of_reference);
  BufferArg buffer(const JsonCursor& c, bool of_reference);
  Fill fill(const JsonCursor& c);
  ScalarArg scalar(const JsonCursor& c);
  TensorMapArg tensor_map(const JsonCursor& c);
  void check_tensor_map_buffers(const JsonCursor& c);

  std::vector<Launch> launch_list(const JsonCursor& c, bool of_reference);
  Launch launch(const JsonCursor& c, bool of_reference);
  void launch_args(const JsonCursor& c, bool of_reference, Launch& out);
  void check_reference_arg(const JsonCursor& c, const Argument& argument);
  void check_outputs(const JsonCursor& reference);

  KernelSpec& spec_;
  std::map<std::string, std::string> claimed_;  // name -> kind
  std::map<std::string, std::int64_t> strings_; // of string flags
};

} // namespace warptune
