#include "starter/starter.h"

#include "core/dtype.h"
#include "core/text.h"
#include "jit/kernel_sources.h"
#include "spec/source_hash.h"
#include "spec/spec_json.h"
#include "starter/choices.h"
#include "starter/described_kernel.h"
#include "starter/host_code.h"
#include "starter/kernel_text.h"
#include "starter/signature.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace warptune {
namespace {

constexpr const char* kSource = "kernel.cu";
constexpr int kMaxAttempts = 30; // one missing header or undefined macro can hide the next

std::string last_part(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

// The operator name ([a-z][a-z0-9_]*) for a C++ name.
std::string operator_name(const std::string& kernel) {
  std::string name;
  for (const char c : last_part(kernel)) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "kernel" + name : name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether JSON has the same number. An overflow to infinity is refused.
bool is_plain_number(const std::string& text) {
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, wrong] = std::from_chars(text.data(), end, value);
  const std::size_t point = text.find('.');
  return wrong == std::errc() && stopped == end && is_digit(0) && (point == std::string::npos || is_digit(point + 1));
}

class Drafter {
 public:
  Drafter(const SourceFiles& sources, const std::string& file, const StarterFacts& facts, const std::string& arch)
      : sources_(sources), file_(file), facts_(facts), arch_(arch) {}

  Result<StarterDraft> draft() {
    WT_CHECK(check_numbers());
    WT_TRY(const bool is_found, find_kernel());
    if (!is_found) return std::move(out_);
    WT_TRY(choices_, find_choices(sources_, text_, facts_));
    out_.notes = choices_.notes;
    out_.missing = choices_.missing;
    WT_TRY(const bool is_read, read_types());
    if (!is_read) return std::move(out_);
    WT_CHECK(describe_arguments());
    add_missing_sizes();
    if (!out_.missing.empty()) return std::move(out_);
    WT_CHECK(write());
    return std::move(out_);
  }

 private:
  static tl::unexpected<Error> refuse(std::string message) { return fail(ErrorKind::bad_input, std::move(message)); }

  Result<void> check_numbers() const {
    for (const auto& [name, text] : facts_.dims)
      if (std::int64_t size = 0;
          parse_integer(text, size) != IntegerError::none || size < Dim().min || size > Dim().max)
        return refuse(
            fmt::format("--dims {}: {} is not an integer from {} to {}", name, quote(text), Dim().min, Dim().max));
    if (!facts_.tolerance.empty() && !is_plain_number(facts_.tolerance))
      return refuse(fmt::format("--tolerance {} is not a number such as 0.001 or 1e-3", quote(facts_.tolerance)));
    return {};
  }

  // Returns false if the user must say which kernel is meant.
  Result<bool> find_kernel() {
    const std::vector<KernelText> kernels = find_kernels(sources_.files.front().second);
    std::vector<std::string> names;
    for (const KernelText& kernel : kernels)
      if (!contains(names, kernel.name)) names.push_back(kernel.name);
    if (names.empty()) return refuse(fmt::format("{} contains no kernel (no __global__ function)", file_));
    kernel_ = facts_.kernel;
    if (kernel_.empty() && names.size() > 1) {
      out_.missing.push_back({"--kernel", "", fmt::format("which kernel: {}", fmt::join(names, ", ")), names.front()});
      return false;
    }
    if (kernel_.empty()) kernel_ = names.front();
    const std::string name = last_part(kernel_);
    if (!contains(names, name))
      return refuse(fmt::format("{} has no kernel {}; it has {}", file_, quote(name), fmt::join(names, ", ")));
    for (const KernelText& kernel : kernels)
      if (kernel.name == name) declared_.push_back(kernel);
    text_ = declared_.front();
    for (const KernelText& kernel : declared_)
      if (!kernel.template_parameters.empty()) text_.template_parameters = kernel.template_parameters;
    return true;
  }

  KernelSignatureQuery query(const std::string& dtype) const {
    KernelSignatureQuery query{guarded_, instance_name(kernel_, choices_, facts_, dtype),
                               macro_options(choices_, facts_, dtype), arch_};
    for (const std::string& name : undefined_) query.macros.push_back(name + "=32");
    return query;
  }

  // Finds the types for the first dtype, and which of them follow the dtype. An undefined name is taken for a macro if
  // the source compiles with a value for it. Returns false if the source does not compile.
  Result<bool> read_types() {
    guarded_ = sources_;
    guarded_.files.front().second = choices_.source;
    const std::string first = choices_.dtypes.empty() ? "fp32" : choices_.dtypes.front();
    std::string first_log, log;
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      WT_TRY(const auto signature, read_signature(query(first)));
      types_ = signature.parameters;
      log = signature.log;
      if (log.empty()) break;
      WT_CHECK(explain(log));
      if (std::string note = hide_host_code(guarded_, log); !note.empty()) {
        out_.notes.push_back(std::move(note));
        continue;
      }
      if (first_log.empty()) first_log = log;
      const std::size_t known = undefined_.size();
      const std::size_t dims = choices_.macros.size();
      for (const std::string& name : undefined_names(log)) add_undefined(name);
      if (undefined_.size() == known && choices_.macros.size() == dims) break;
    }
    if (!log.empty()) {
      out_.log = first_log.empty() ? log : first_log;
      out_.files = guarded_;
      return false;
    }
    for (const std::string& name : undefined_)
      out_.missing.push_back({"--values", name, "a macro that the source uses but does not define", "64,128,256"});
    follows_dtype_.assign(types_.size(), false);
    if (choices_.dtypes.size() > 1) {
      WT_TRY(const auto other, read_signature(query(choices_.dtypes[1])));
      if (!other.log.empty()) {
        out_.log = other.log;
        out_.files = guarded_;
        return false;
      }
      for (std::size_t i = 0; i < types_.size() && i < other.parameters.size(); ++i)
        follows_dtype_[i] = types_[i].dtype != other.parameters[i].dtype;
    }
    return true;
  }

  void add_undefined(const std::string& name) {
    StarterChoice dim;
    dim.name = name;
    dim.kind = StarterChoice::Kind::dim;
    const bool is_known = std::any_of(choices_.macros.begin(), choices_.macros.end(),
                                      [&](const StarterChoice& macro) { return macro.name == name; });
    if (find_entry(facts_.dims, name) && !is_known)
      choices_.macros.push_back(std::move(dim));
    else if (!is_known && !contains(undefined_, name))
      undefined_.push_back(name);
  }

  Result<void> explain(const std::string& log) const {
    if (log.find("overloaded function \"" + last_part(kernel_)) != std::string::npos ||
        log.find("overloaded function \"" + kernel_) != std::string::npos)
      return refuse(fmt::format("{} has several kernels {} with different parameters; rename the kernel that you want, "
                                "so that its name is unique",
                                file_, quote(kernel_)));
    for (const auto& [name, header] : {std::pair{"__half", "cuda_fp16.h"}, std::pair{"__nv_bfloat16", "cuda_bf16.h"},
                                       std::pair{"__nv_fp8_e4m3", "cuda_fp8.h"}})
      if (contains(undefined_names(log), name))
        return refuse(fmt::format("{} needs #include <{}> for the type {}", file_, header, name));
    if (undefined_names(log) == std::vector<std::string>{kernel_})
      return refuse(fmt::format("the compiler does not find {} in {}; if it is in a namespace, give --kernel "
                                "NAMESPACE::{}",
                                quote(kernel_), file_, kernel_));
    return {};
  }

  std::vector<std::string> parameter_names() const {
    for (const KernelText& declared : declared_)
      if (declared.parameters.size() == types_.size()) return declared.parameters;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < types_.size(); ++i) names.push_back("arg" + std::to_string(i + 1));
    return names;
  }

  Result<void> describe_arguments() {
    const std::vector<std::string> names = parameter_names();
    for (std::size_t i = 0; i < types_.size(); ++i) {
      StarterArgument argument{names[i], types_[i], follows_dtype_[i], {}, {}};
      if (!argument.type.dtype)
        return refuse(fmt::format("the parameter {} of {} has the type {}; a kernel folder supports only numbers, "
                                  "and pointers to numbers or to vectors such as float4",
                                  quote(argument.name), kernel_, argument.type.cpp));
      if (argument.type.is_pointer)
        describe_buffer(argument);
      else
        describe_scalar(argument);
      arguments_.push_back(std::move(argument));
    }
    WT_CHECK(refuse_unknown("--input", facts_.inputs, true));
    WT_CHECK(refuse_unknown("--inout", facts_.inouts, true));
    WT_CHECK(refuse_unknown("--buffer", keys(facts_.buffers), true));
    WT_CHECK(refuse_unknown("--scalar", keys(facts_.scalars), false));
    if (std::all_of(arguments_.begin(), arguments_.end(),
                    [](const StarterArgument& a) { return !a.type.is_pointer || a.role == "input"; }))
      return refuse(fmt::format("{} has no output: each of its pointers is const or an --input", kernel_));
    return {};
  }

  void describe_buffer(StarterArgument& argument) {
    argument.role = contains(facts_.inouts, argument.name)                             ? "inout"
                    : argument.type.is_const || contains(facts_.inputs, argument.name) ? "input"
                                                                                       : "output";
    if (const std::string* count = find_entry(facts_.buffers, argument.name))
      argument.text = *count;
    else
      out_.missing.push_back(
          {"--buffer", argument.name,
           fmt::format("how many elements {} ({}, {}) has", argument.name, argument.type.cpp, argument.role), "n"});
  }

  void describe_scalar(StarterArgument& argument) {
    if (const std::string* value = find_entry(facts_.scalars, argument.name))
      argument.text = *value;
    else if (find_entry(facts_.dims, argument.name) && !dtype_is_floating(*argument.type.dtype))
      argument.text = argument.name;
    else if (dtype_is_floating(*argument.type.dtype))
      out_.missing.push_back(
          {"--scalar", argument.name, fmt::format("the value of {} ({})", argument.name, argument.type.cpp), "1.5"});
    else
      out_.missing.push_back({"--dims", argument.name,
                              fmt::format("the value of {} ({}), if it is a size; otherwise --scalar {}=FORMULA",
                                          argument.name, argument.type.cpp, argument.name),
                              "4096"});
  }

  static std::vector<std::string> keys(const Entries& entries) {
    std::vector<std::string> names;
    for (const auto& [name, text] : entries) names.push_back(name);
    return names;
  }

  Result<void> refuse_unknown(const char* option, const std::vector<std::string>& names, bool are_pointers) const {
    std::vector<std::string> known;
    for (const StarterArgument& argument : arguments_)
      if (argument.type.is_pointer == are_pointers) known.push_back(argument.name);
    for (const std::string& name : names)
      if (!contains(known, name))
        return refuse(fmt::format("{} {}: {} has no {} with this name{}", option, name, kernel_,
                                  are_pointers ? "pointer" : "scalar parameter", suggest_name(name, known)));
    return {};
  }

  void add_missing_sizes() {
    const bool has_dim = !facts_.dims.empty() || std::any_of(out_.missing.begin(), out_.missing.end(),
                                                             [](const auto& fact) { return fact.option == "--dims"; });
    if (!has_dim) out_.missing.push_back({"--dims", "n", "a size of the problem, with a value to tune for", "1048576"});
    if (facts_.grid.empty())
      out_.missing.push_back({"--grid", "", "blocks per launch: one to three formulas", "ceil_div(n, BLOCK)"});
    if (facts_.block.empty())
      out_.missing.push_back({"--block", "", "threads per block: one to three formulas", "BLOCK"});
  }

  std::vector<std::string> dtypes() const {
    if (!choices_.dtypes.empty()) return choices_.dtypes;
    for (const char* role : {"output", "inout"})
      for (const StarterArgument& argument : arguments_)
        if (argument.role == role) return {std::string(dtype_name(*argument.type.dtype))};
    return {"fp32"};
  }

  Result<void> write() {
    DescribedKernel kernel{facts_.name.empty() ? operator_name(kernel_) : facts_.name,
                           kernel_,
                           file_,
                           dtypes(),
                           choices_.macros,
                           choices_.template_arguments,
                           arguments_,
                           facts_};
    if (guarded_.files.front().second.find("__constant__") != std::string::npos)
      out_.notes.emplace_back("the source has __constant__ variables: fill them with \"symbols\" (docs/spec.md)");
    const std::string spec = spec_text(kernel);
    WT_CHECK(parse_spec(spec, "spec.json"));
    out_.files = guarded_;
    out_.files.files.emplace_back("reference.cu", reference_text(kernel, guarded_.files.front().second));
    out_.files.files.emplace_back("spec.json", spec);
    for (const auto& [name, value] : facts_.dims) out_.shape += (out_.shape.empty() ? "" : ",") + name + "=" + value;
    return {};
  }

  const SourceFiles& sources_;
  const std::string& file_;
  const StarterFacts& facts_;
  const std::string& arch_;
  std::string kernel_;
  KernelText text_;
  std::vector<KernelText> declared_; // all declarations of this name, such as variants between #if
  StarterChoices choices_;
  SourceFiles guarded_; // sources_ with the guards
  std::vector<std::string> undefined_;
  std::vector<ParameterType> types_;
  std::vector<bool> follows_dtype_;
  std::vector<StarterArgument> arguments_;
  StarterDraft out_;
};

} // namespace

Result<SourceFiles> read_starter_source(const std::filesystem::path& file) {
  auto text = read_source_file(file);
  if (!text) return fail(ErrorKind::bad_input, fmt::format("cannot read {}: {}", file.string(), text.error().message));
  SourceFiles sources{{{kSource, std::move(*text)}}};
  for (std::size_t i = 0; i < sources.files.size(); ++i)
    for (const IncludedName& included : included_names(sources.files[i].second)) {
      const std::string name =
          normal_include((std::filesystem::path(sources.files[i].first).parent_path() / included.name).string());
      if (name.empty() || name.front() == '/' || name.starts_with("..") || find_source(sources, name)) continue;
      if (auto header = read_source_file(file.parent_path() / name))
        sources.files.emplace_back(name, std::move(*header));
    }
  return sources;
}

Result<StarterDraft> draft_kernel_folder(const SourceFiles& sources, const std::string& file, const StarterFacts& facts,
                                         const std::string& arch) {
  return Drafter(sources, file, facts, arch).draft();
}

} // namespace warptune
