// The parts of the reader of spec.json and implementation.json; private to spec_json*.cpp. A DescriptionReader fills a
// KernelSpec, with one member function per section. parse_spec calls them in a fixed order, because later sections use
// the names of earlier ones.
#pragma once

#include "spec/library_table.h"
#include "spec/spec.h"
#include "spec/spec_json_reader.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warptune {

std::vector<std::string> all_dtype_names();
// A hint for an unknown dtype, which may be the name of a C++ type; `known`: dtypes and other possible names.
std::string suggest_dtype(std::string_view name, const std::vector<std::string>& known);
std::string optional_text(const JsonCursor& c, std::string_view key); // empty if the key is missing
void check_count(const JsonCursor& c, std::size_t count);             // reports too many names in one section
std::string
text_without_nul(const JsonCursor& c); // reports a string with a zero byte, because C functions would cut it there
bool is_inside_folder(std::string_view name);  // whether the name is relative and does not leave the folder
bool is_qualified_name(std::string_view text); // whether it has the form of a kernel's or variable's name: "detail::k"
void report_format_2(const JsonCursor& root);  // reports keys that format 1 does not have
// Reads the name of a file in the folder. Reports a name that leads out of the folder.
std::string file_name(const JsonCursor& c, std::string fallback, std::string_view key);

// One implementation and the place of its description: spec.json itself, or a folder's implementation.json.
struct ImplementationPart {
  JsonCursor cursor;
  bool is_inline;
  std::string folder;                       // "online/"; empty: the folder of spec.json
  std::size_t index;                        // index into KernelSpec::implementations
  std::map<std::string, std::string> names; // the implementation's params and derived names, each with its kind
};

class DescriptionReader {
 public:
  explicit DescriptionReader(KernelSpec& spec) : spec_(spec) {}

  void header(const JsonCursor& root);  // format, name, summary
  void problem(const JsonCursor& root); // dims, dtypes and flags, and the names of types
  // Defined in spec_json_choice.cpp.
  std::vector<ImplementationPart> find_parts(const JsonCursor& root,
                                             const std::vector<std::pair<std::string, JsonCursor>>& files);
  // Between begin() and end(), the functions read the sections of `part`, and formulas may use its names.
  void begin(ImplementationPart& part);
  void end();

  // Defined in spec_json_implementation.cpp.
  void implementation_header(const ImplementationPart& part);
  void params(const JsonCursor& c);
  void add_choice();
  void check_former_beside(const JsonCursor& c); // defined in spec_json_formerly.cpp; call after all params are read
  void conditions(const JsonCursor& c);
  void constraints(const JsonCursor& c);
  void compile(const JsonCursor& c);
  void build(const ImplementationPart& part); // defined in spec_json_build.cpp

  // Defined in spec_json_scope.cpp.
  void slots();
  void scopes(const JsonCursor& root, std::vector<ImplementationPart>& parts); // types and derived names

  void arguments(const JsonCursor& root); // defined in spec_json_arguments.cpp
  void own_arguments(const ImplementationPart& part);
  void launches(const JsonCursor& c); // defined in spec_json_launches.cpp
  void reference(const JsonCursor& root);
  void prepare(const JsonCursor& root);
  void symbols(const JsonCursor& c); // defined in spec_json_symbols.cpp
  void expected_time(const JsonCursor& c);
  void include(const JsonCursor& c);

  // Defined in spec_json_measures.cpp.
  void cost(const JsonCursor& root);
  void tensor_when(const JsonCursor& c, const Expr& when);
  void tolerance(const JsonCursor& root);
  void suites(const JsonCursor& root);

 private:
  void dims(const JsonCursor& dims); // defined in spec_json_dims.cpp
  void list_dim(const std::string& name, const JsonCursor& c);
  void limits(const JsonCursor& c, std::int64_t& min, std::int64_t& max);
  void fixed_size(const JsonCursor& c, const JsonCursor& value, Dim& dim);
  void entry_sizes(const JsonCursor& c, SuiteEntry& entry); // reads the sizes in an entry of a suite
  void entry_list(const JsonCursor& value, const ListDim& list, SuiteEntry& entry);
  // Whether the formula uses a list's own name. This is an error, which the function reports.
  bool names_list(const JsonCursor& c, const std::string& formula);
  void claim(const JsonCursor& where, const std::string& name, const std::string& kind);
  ToleranceTable tolerance_table(const JsonCursor& c, std::string_view other_key);
  RealExpr tolerance_member(const JsonCursor& c);
  SuiteEntry suite_entry(const JsonCursor& c);
  std::int64_t flag_value(const JsonCursor& c, const Flag& flag);
  Flag flag(const std::string& name, const JsonCursor& c);
  // Reads the values of a flag or param, and their labels if the values are strings.
  std::pair<std::vector<std::int64_t>, std::vector<std::string>> values(const JsonCursor& list);
  std::int64_t label_id(const JsonCursor& c, const std::string& label);
  std::int64_t default_of(const JsonCursor& c, const Param& param);
  void add_param(const JsonCursor& c, Param param);
  std::string condition_circle(const OwnParam& start) const;
  // Defined in spec_json_formerly.cpp: rules for configurations stored before the implementations had names.
  void former(const JsonCursor& c);
  void check_former_rules(const JsonCursor& c);
  void check_former(const JsonCursor& c);

  const Scope& scope() const { return current_ ? current_->scope : spec_.scope; }
  void derive(const JsonCursor& c, Scope& scope, std::vector<Derived>& types, std::vector<Derived>& derived);
  Expr formula(const JsonCursor& c) { return formula(c, scope()); }
  Expr formula(const JsonCursor& c, const Scope& scope);
  Expr dtype_formula(const JsonCursor& c) { return dtype_formula(c, scope()); }
  Expr dtype_formula(const JsonCursor& c, const Scope& scope);
  RealExpr real_formula(const JsonCursor& c);
  std::vector<Expr> formulas(const JsonCursor& c, std::size_t least, std::size_t most);
  SourceValue source_value(const JsonCursor& c);
  SourceValue text_by_flag(const JsonCursor& c);
  BuildWord build_word(const JsonCursor& c);
  BuildPiece build_name(const JsonCursor& c, const std::string& name);
  // Defined in spec_json_labels.cpp.
  const std::vector<std::string>* labels_of(std::string_view name, const Scope& scope) const;
  void check_labels(const JsonCursor& c, const Scope& scope);
  void check_comparisons(const JsonCursor& c, const Scope& scope);
  void check_no_label(const JsonCursor& c);
  void check_no_type(const JsonCursor& c); // defined in spec_json_scope.cpp
  std::string hidden_param(const std::string& error, const std::string& formula) const;

  // Reports a formula that uses a param. `owner`: the part of the spec that must not use params, such as "an input".
  void without_params(const JsonCursor& c, const Expr& expr, const std::string& owner) {
    without_params(c, expr.slots(), owner);
  }
  void without_params(const JsonCursor& c, const std::vector<int>& slots, const std::string& owner);
  // Reports a formula that uses a limit of the device. `owner`: as above.
  void without_device(const JsonCursor& c, const Expr& expr, const std::string& owner);

  enum class Owner { kernel, implementation, reference };
  void own_alignments(const JsonCursor& c);
  void alignment(const JsonCursor& c, BufferArg& buffer);
  std::vector<Argument> argument_list(const JsonCursor& c, Owner owner);
  // Reports keys that are neither in `keys` nor `when`.
  void argument_keys(const JsonCursor& c, std::vector<std::string_view> keys);
  void presence(const JsonCursor& c, Owner owner, Argument& argument);
  BufferArg buffer(const JsonCursor& c, Owner owner);
  void rows(const JsonCursor& c, Owner owner, BufferArg& buffer); // defined in spec_json_rows.cpp
  Fill fill(const JsonCursor& c);
  void check_list_fill(const JsonCursor& c, const BufferArg& buffer);
  void check_list_count(const JsonCursor& c, const BufferArg& buffer);
  ScalarArg scalar(const JsonCursor& c, Owner owner);
  TensorMapArg tensor_map(const JsonCursor& c);
  Expr swizzle_bytes(const JsonCursor& c);
  void check_tensor_map_buffers(const JsonCursor& c, const std::vector<Argument>& arguments);

  std::vector<Launch> launch_list(const JsonCursor& c, const OwnLaunches& own);
  // `own`: the OwnLaunches being read; null: the launch belongs to an implementation.
  Launch launch(const JsonCursor& c, const OwnLaunches* own);
  void launch_args(const JsonCursor& c, const OwnLaunches* own, Launch& out);
  // Defined in spec_json_library_calls.cpp.
  LibraryCall library_call(const JsonCursor& c);
  void call_values(const JsonCursor& c, const LibraryFunction& function, LibraryCall& out);
  void call_args(const JsonCursor& c, const LibraryFunction& function, LibraryCall& out);
  static void check_call_arg(const JsonCursor& c, const LibraryArg& arg, const Argument& given);
  void check_without_kernels(const JsonCursor& c);

  void check_prepared(const JsonCursor& where);
  void check_reference_arg(const JsonCursor& c, const Argument& argument);
  void check_outputs(const JsonCursor& reference);

  KernelSpec& spec_;
  std::int64_t format_ = 2;
  std::string own_title_ = "the reference"; // or "prepare": the section being read, for messages
  std::optional<std::size_t> beside_spec_;  // index of the implementation that spec.json describes
  Implementation* current_ = nullptr;       // the implementation being read; null: the operator itself
  std::map<std::string, std::string>* own_names_ = nullptr;
  std::map<std::string, std::string> claimed_;  // names in the operator's scope, each with its kind
  std::map<std::string, std::int64_t> strings_; // labels of flags, params and implementations
};

} // namespace warptune
