#include "starter/signature.h"

#include "core/cpp_types.h"
#include "core/text.h"
#include "jit/compiler.h"
#include "jit/demangled.h"
#include "spec/source_hash.h"

#include <algorithm>
#include <utility>

namespace warptune {
namespace {

constexpr double kTimeoutS = 120;
constexpr std::string_view kProbe = "warptune_signature"; // its mangled name contains the type of another kernel

struct Element {
  DType dtype;
  int lanes;
};

std::optional<Element> element_of(std::string_view cpp) {
  if (const auto dtype = dtype_of_cpp(cpp)) return Element{*dtype, 1};
  if (cpp.empty() || cpp.back() < '1' || cpp.back() > '4') return std::nullopt; // such as float4
  const auto dtype = dtype_of_cpp(cpp.substr(0, cpp.size() - 1));
  return dtype ? std::optional(Element{*dtype, cpp.back() - '0'}) : std::nullopt;
}

bool drop_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

ParameterType type_of(std::string_view cpp) {
  ParameterType type;
  type.cpp = cpp;
  type.is_pointer = drop_end(cpp, "*");
  while (drop_end(cpp, " volatile") || (drop_end(cpp, " const") && (type.is_const = true))) continue;
  if (const auto element = element_of(cpp)) {
    type.dtype = element->dtype;
    type.lanes = element->lanes;
  }
  if (!type.is_pointer && type.lanes > 1) type.dtype.reset();
  return type;
}

} // namespace

std::vector<ParameterType> parameter_types(std::string_view list) {
  std::vector<ParameterType> types;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '(' || c == '<') ++depth;
    if (c == ')' || c == '>') --depth;
    if (c != ',' || depth > 0) continue;
    if (const std::string_view one = trim(list.substr(begin, at - begin)); !one.empty()) types.push_back(type_of(one));
    begin = at + 1;
  }
  return types;
}

// The mangled name of an extern "C" kernel contains no types, so instantiate a template with the kernel's type.
Result<KernelSignature> read_signature(const KernelSignatureQuery& query) {
  CompileRequest request;
  request.source_name = query.sources.files.front().first;
  request.source = query.sources.files.front().second + "\ntemplate <typename Kernel> __global__ void " +
                   std::string(kProbe) + "() {}\n";
  request.headers = included_files(query.sources, request.source_name);
  request.options = {"-arch=" + query.arch, "--std=c++17", "-default-device"};
  for (const std::string& macro : query.macros) request.options.push_back("-D" + macro);
  request.name_expressions = {std::string(kProbe) + "<decltype(&" + query.kernel + ")>"};
  WT_TRY(const auto compiled, compile(request, kTimeoutS));
  if (!compiled)
    return KernelSignature{{}, compiled.error().log.empty() ? "the compiler failed" : compiled.error().log};
  const std::string name = demangled(compiled->lowered_names.front());
  constexpr std::string_view kPointer = "<void (*)(";
  const std::size_t begin = name.find(kPointer);
  const std::size_t end = name.rfind(")>");
  if (begin == std::string::npos || end == std::string::npos)
    return fail(ErrorKind::internal, "the compiler did not report the type of the kernel " + quote(name) +
                                         " as expected; please report this with the source");
  const std::size_t first = begin + kPointer.size();
  return KernelSignature{parameter_types(std::string_view(name).substr(first, end - first)), {}};
}

std::vector<std::string> undefined_names(std::string_view log) {
  constexpr std::string_view kBefore = "identifier \"", kAfter = "\" is undefined";
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = log.find(kBefore, at)) != std::string_view::npos;) {
    at += kBefore.size();
    const std::size_t end = log.find('"', at);
    if (end == std::string_view::npos) break;
    std::string name(log.substr(at, end - at));
    if (log.substr(end).starts_with(kAfter) && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

} // namespace warptune
