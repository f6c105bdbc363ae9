#include "capture/captured_kernel.h"

#include "capture/argument_values.h"
#include "capture/buffer_use.h"
#include "capture/captured_source.h"
#include "capture/fill_guess.h"
#include "capture/fit_formula.h"
#include "capture/kernel_names.h"
#include "core/text.h"
#include "spec/source_comments.h"
#include "starter/kernel_text.h"
#include "starter/signature.h"
#include "starter/source_macros.h"
#include "starter/words.h"
#include "system/whole_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune {
namespace {

using Values = std::vector<std::int64_t>;

constexpr std::int64_t kAllocationStep = 512; // allocators round sizes up to a multiple of this many bytes

std::string last_part(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

class FactFinder {
 public:
  FactFinder(const CaptureRecords& records, const CapturedGroup& group, const std::string& arch)
      : group_(group), arch_(arch), name_(kernel_name(group.cases.front()->kernel)),
        source_(captured_source(*group.program)) {
    for (const CapturedCase* one : group.cases) cases_.push_back(Case{one, program_of(records, *one)});
  }

  Result<CapturedFolder> draft() {
    CapturedFolder out;
    out.why_not = refusal();
    if (!out.why_not.empty()) return out;
    find_text();
    out.why_not = read_template_arguments();
    if (!out.why_not.empty()) return out;
    WT_TRY(const auto signature, read_signature({source_.files, name_.full, macro_texts(), arch_}));
    if (!signature.log.empty()) {
      out.why_not = "the recorded source does not compile here: " + first_line(signature.log);
      return out;
    }
    types_ = signature.parameters;
    if (types_.size() != main().arguments.size()) {
      out.why_not = fmt::format("the source has {} parameters, but the driver reports {}", types_.size(),
                                main().arguments.size());
      return out;
    }
    find_parameter_names();
    add_macros();
    add_scalars();
    drop_unlike_cases();
    add_dims();
    out.why_not = add_buffers();
    if (!out.why_not.empty()) return out;
    add_launch();
    add_shapes();
    facts_.kernel = name_.base;
    facts_.options = source_.options;
    facts_.maker = "warptune capture";
    auto drafted = draft_kernel_folder(source_.files, "the application", facts_, arch_);
    if (!drafted) {
      if (drafted.error().kind != ErrorKind::bad_input) return fail(drafted.error());
      out.why_not = drafted.error().message;
      return out;
    }
    out.draft = std::move(*drafted);
    if (!out.draft.log.empty()) out.why_not = "the recorded source does not compile here: " + first_line(out.draft.log);
    for (const MissingFact& fact : out.draft.missing)
      out.why_not += fmt::format("{}{}", out.why_not.empty() ? "unknown: " : "; ", fact.meaning);
    notes_.insert(notes_.end(), source_.notes.begin(), source_.notes.end());
    std::erase_if(out.draft.notes, [](const std::string& note) { return note.starts_with("proposed values"); });
    out.draft.notes.insert(out.draft.notes.begin(), notes_.begin(), notes_.end());
    return out;
  }

 private:
  struct Case {
    const CapturedCase* launch;
    const CapturedProgram* program;
  };

  const CapturedCase& main() const { return *cases_.front().launch; }

  static std::string first_line(const std::string& log) {
    const std::size_t error = log.find("error");
    const std::size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
    return log.substr(begin, log.find('\n', begin) - begin);
  }

  std::string refusal() const {
    const CapturedCase& one = main();
    if (!one.has_arguments) return "the driver does not report its parameters; install a driver for CUDA 12.4 or newer";
    if (one.cluster != std::array<std::int64_t, 3>{1, 1, 1})
      return "its blocks are launched in clusters; write the folder by hand (docs/spec.md, \"cluster\")";
    if (one.is_cooperative)
      return "it is a cooperative launch; write the folder by hand (docs/spec.md, \"cooperative\")";
    for (const CapturedArgument& argument : one.arguments)
      if (argument.value.empty())
        return "the values of its arguments were not recorded; write the folder by hand (docs/spec.md)";
    return {};
  }

  void find_text() {
    for (const KernelText& kernel : find_kernels(source_.files.files.front().second))
      if (kernel.name == last_part(name_.base)) texts_.push_back(kernel);
  }

  std::string read_template_arguments() {
    if (texts_.empty()) return "its definition is in a header or comes from a macro, not from the source itself";
    if (name_.template_arguments.empty()) return {};
    const auto found = std::find_if(texts_.begin(), texts_.end(),
                                    [](const KernelText& text) { return !text.template_parameters.empty(); });
    if (found == texts_.end() || found->template_parameters.size() != name_.template_arguments.size())
      return fmt::format("its template arguments cannot be read: {}", name_.full);
    for (std::size_t i = 0; i < name_.template_arguments.size(); ++i) {
      const TemplateParameter& parameter = found->template_parameters[i];
      const std::string& argument = name_.template_arguments[i];
      const auto types = parameter.is_type ? parameter_types(argument) : std::vector<ParameterType>();
      const auto number = template_integer(argument);
      if (types.size() == 1 && types.front().dtype && !types.front().is_pointer && types.front().lanes == 1)
        facts_.types.emplace_back(parameter.name, std::string(dtype_name(*types.front().dtype)));
      else if (!parameter.is_type && number)
        add_choice(parameter.name, {*number}, parameter.is_bool);
      else
        return fmt::format("the template argument {} is neither an integer nor an element type", argument);
    }
    return {};
  }

  // `values` are in the order of the cases' programs; the first is that of the launch with the most device time.
  void add_choice(const std::string& name, const Values& values, bool is_tested) {
    SourceMacro macro;
    macro.name = name;
    macro.initial = values.front();
    macro.is_tested = is_tested;
    Values all = propose_values(macro);
    for (const std::int64_t value : values)
      if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
    facts_.values.emplace_back(name, fmt::format("{}", fmt::join(all, ",")));
    facts_.defaults.emplace_back(name, std::to_string(values.front()));
  }

  std::vector<std::string> macro_texts() const {
    std::vector<std::string> all;
    for (const auto& [name, value] : source_.macros) all.push_back(fmt::format("{}={}", name, value));
    return all;
  }

  void find_parameter_names() {
    for (const KernelText& text : texts_)
      if (text.parameters.size() == types_.size()) names_ = text.parameters;
    for (std::size_t i = names_.size(); i < types_.size(); ++i) names_.push_back(fmt::format("arg{}", i + 1));
  }

  void add_macros() {
    const std::vector<SourceMacro> in_source = source_macros(source_.files.files.front().second);
    for (const auto& [name, value] : source_.macros) {
      Values values;
      for (const Case& one : cases_)
        for (const auto& [other, number] : macros_of(one))
          if (other == name) values.push_back(number);
      if (values.empty()) values.push_back(value);
      const auto found = std::find_if(in_source.begin(), in_source.end(),
                                      [&, wanted = name](const SourceMacro& macro) { return macro.name == wanted; });
      add_choice(name, values, found != in_source.end() && found->is_tested);
    }
  }

  std::vector<std::pair<std::string, std::int64_t>> macros_of(const Case& one) const {
    return one.program == nullptr || one.program == group_.program ? source_.macros
                                                                   : captured_source(*one.program).macros;
  }

  // Integers above 1 become dims; other scalars keep their value from the launch with the most device time.
  void add_scalars() {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].is_pointer || !types_[i].dtype) continue;
      const CapturedArgument& argument = main().arguments[i];
      if (const auto integer = integer_of(argument, *types_[i].dtype)) {
        if (*integer > 1 && types_[i].dtype != DType::boolean)
          dims_.push_back(i);
        else
          add_scalar(i, std::to_string(*integer));
      } else if (const auto real = real_of(argument, *types_[i].dtype); real && std::isfinite(*real)) {
        add_scalar(i, fmt::format("{}", *real));
      }
    }
  }

  void add_scalar(std::size_t i, const std::string& text) { facts_.scalars.emplace_back(names_[i], text); }

  // Launches that differ in other arguments are other problems: a kernel folder has one value for each such argument.
  void drop_unlike_cases() {
    const std::size_t before = cases_.size();
    std::erase_if(cases_, [&](const Case& one) {
      const auto& arguments = one.launch->arguments;
      if (arguments.size() != types_.size()) return true;
      for (std::size_t i = 0; i < types_.size(); ++i) {
        const bool is_dim = std::find(dims_.begin(), dims_.end(), i) != dims_.end();
        if (is_dim && integer_of(arguments[i], *types_[i].dtype).value_or(0) < 1) return true;
        if (!is_dim && !types_[i].is_pointer && arguments[i].value != main().arguments[i].value) return true;
        if (types_[i].is_pointer && arguments[i].buffer.has_value() != main().arguments[i].buffer.has_value())
          return true;
      }
      return one.launch->cluster != main().cluster || one.launch->is_cooperative;
    });
    if (cases_.size() < before)
      notes_.push_back(
          fmt::format("launches with other values of scalar arguments were left out: {}; the folder describes the "
                      "launch with the most device time",
                      before - cases_.size()));
  }

  void add_dims() {
    for (const std::size_t i : dims_) {
      KnownNumber dim{names_[i], {}};
      for (const Case& one : cases_) dim.values.push_back(*integer_of(one.launch->arguments[i], *types_[i].dtype));
      known_.dims.push_back(std::move(dim));
    }
    for (const auto& [name, text] : facts_.values) {
      if (!is_in_kernel(name)) continue;
      KnownNumber param{name, {}};
      for (const Case& one : cases_) param.values.push_back(value_in(one, name));
      known_.params.push_back(std::move(param));
    }
    if (known_.dims.empty()) add_dim_of_buffers();
    for (const KnownNumber& dim : known_.dims) facts_.dims.emplace_back(dim.name, std::to_string(dim.values.front()));
  }

  // True if the kernel itself uses the name, not only its helpers or another kernel in the source.
  bool is_in_kernel(const std::string& name) const {
    const std::string code = without_comments(source_.files.files.front().second);
    bool is_inside = false; // between the kernel's name and the closing brace of its body
    int depth = 0, outer = 0;
    const char* last = code.data();
    for (const std::string_view word : words_in(code)) {
      for (; last < word.data(); ++last) {
        if (*last == '{') ++depth;
        if (*last == '}' && --depth <= outer) is_inside = false;
      }
      if (word == last_part(name_.base)) {
        is_inside = true;
        outer = depth;
      }
      if (is_inside && word == name) return true;
    }
    return false;
  }

  std::int64_t value_in(const Case& one, const std::string& name) const {
    for (const auto& [macro, value] : macros_of(one))
      if (macro == name) return value;
    std::int64_t value = 0;
    parse_integer(*find_entry(facts_.defaults, name), value);
    return value;
  }

  std::int64_t elements(const Case& one, std::size_t i) const {
    const auto& buffer = one.launch->arguments[i].buffer;
    return buffer && types_[i].dtype ? buffer->bytes / (dtype_bytes(*types_[i].dtype) * types_[i].lanes) : 0;
  }

  // A kernel without a size parameter: the longest buffer gives a dim.
  void add_dim_of_buffers() {
    KnownNumber dim{names_.end() == std::find(names_.begin(), names_.end(), "n") ? "n" : "size", {}};
    for (const Case& one : cases_) {
      std::int64_t most = 1;
      for (std::size_t i = 0; i < types_.size(); ++i)
        if (types_[i].is_pointer) most = std::max(most, elements(one, i));
      dim.values.push_back(most);
    }
    notes_.push_back(fmt::format(
        "{} has no integer parameter that is a size, so the dim {} is the number of elements of its longest buffer",
        name_.base, dim.name));
    known_.dims.push_back(std::move(dim));
  }

  std::string add_buffers() {
    std::vector<std::string> inexact;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (!types_[i].is_pointer || !types_[i].dtype) continue;
      if (!main().arguments[i].buffer)
        return fmt::format("the pointer {} is null or points to unknown memory", names_[i]);
      Values counts;
      for (const Case& one : cases_) counts.push_back(elements(one, i));
      const std::int64_t bytes = dtype_bytes(*types_[i].dtype) * types_[i].lanes;
      std::string count = fit_count(known_, counts, kAllocationStep / bytes);
      if (count.empty()) count = std::to_string(*std::max_element(counts.begin(), counts.end()));
      if (std::isdigit(static_cast<unsigned char>(count.front())) != 0) inexact.push_back(names_[i]);
      facts_.buffers.emplace_back(names_[i], count);
      add_use(i);
    }
    if (!inexact.empty())
      notes_.push_back(fmt::format("no product of dims gives the size of {}: \"count\" is taken from the allocation, "
                                   "which may be larger than the buffer; correct \"count\" in spec.json",
                                   fmt::join(inexact, ", ")));
    return {};
  }

  void add_use(std::size_t i) {
    const std::string& source = source_.files.files.front().second;
    if (!types_[i].is_const && !is_only_written(source, names_[i])) facts_.inouts.push_back(names_[i]);
    const std::filesystem::path& file = main().arguments[i].buffer->contents;
    if (file.empty()) return;
    if (std::string fill = guess_fill(*types_[i].dtype, read_file(file).value_or(std::string())); !fill.empty())
      facts_.fills.emplace_back(names_[i], std::move(fill));
  }

  void add_launch() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Values blocks, grids;
      for (const Case& one : cases_) {
        blocks.push_back(one.launch->block[axis]);
        grids.push_back(one.launch->grid[axis]);
      }
      std::string block = fit_block(known_, blocks);
      if (block.empty()) block = std::to_string(blocks.front());
      std::string grid = fit_grid(known_, {block, blocks}, grids);
      if (grid.empty()) grid = std::to_string(grids.front());
      facts_.block.push_back(block);
      facts_.grid.push_back(grid);
    }
    Values shared;
    for (const Case& one : cases_) shared.push_back(one.launch->shared);
    facts_.shared = fit_shared(known_, shared);
    if (facts_.shared.empty()) facts_.shared = std::to_string(shared.front());
    if (facts_.shared == "0") facts_.shared.clear();
    for (auto* formulas : {&facts_.grid, &facts_.block})
      while (formulas->size() > 1 && formulas->back() == "1") formulas->pop_back();
    notes_.push_back(fmt::format("check the launch formulas, which are guesses from {}: grid {}; block {}{}",
                                 cases_.size() == 1 ? "one launch" : fmt::format("{} launches", cases_.size()),
                                 fmt::join(facts_.grid, ", "), fmt::join(facts_.block, ", "),
                                 facts_.shared.empty() ? "" : "; shared " + facts_.shared));
  }

  void add_shapes() {
    for (std::size_t at = 0; at < cases_.size(); ++at) {
      Entries shape;
      for (const KnownNumber& dim : known_.dims) shape.emplace_back(dim.name, std::to_string(dim.values[at]));
      if (std::find(facts_.shapes.begin(), facts_.shapes.end(), shape) == facts_.shapes.end())
        facts_.shapes.push_back(std::move(shape));
    }
  }

  const CapturedGroup& group_;
  const std::string& arch_;
  KernelName name_;
  CapturedSource source_;
  std::vector<Case> cases_;
  std::vector<KernelText> texts_;
  std::vector<ParameterType> types_;
  std::vector<std::string> names_;
  std::vector<std::size_t> dims_; // indices of parameters that are sizes
  KnownNumbers known_;
  StarterFacts facts_;
  std::vector<std::string> notes_;
};

} // namespace

Result<CapturedFolder> draft_captured_folder(const CaptureRecords& records, const CapturedGroup& group,
                                             const std::string& arch) {
  return FactFinder(records, group, arch).draft();
}

} // namespace warptune
