// Reads a folder as a spec: the files that describe it, and the order in which their sections are read.
#include "spec/spec_json.h"

#include "core/cpp_types.h"
#include "core/text.h"
#include "spec/source_hash.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <deque>
#include <functional>

namespace warptune {
namespace {

constexpr std::size_t kMaxNames = 256; // dims, flags or params

// "softmax/spec.json" -> "softmax/online/implementation.json"; otherwise both are named.
std::string origin_of(const std::string& origin, const std::string& file) {
  constexpr std::string_view kSpec = "spec.json";
  if (origin.ends_with(kSpec)) return origin.substr(0, origin.size() - kSpec.size()) + file;
  return file + " of " + origin;
}

// A file that is read: its tree and its errors. Cursors point into both.
struct Document {
  explicit Document(const std::string& origin) : errors(origin) {}
  JsonValue tree;
  JsonErrors errors;
  JsonCursor cursor() { return JsonCursor(tree, errors); }
};

} // namespace

std::vector<std::string> all_dtype_names() {
  std::vector<std::string> names;
  names.reserve(kDTypeCount);
  for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(dtype_name(static_cast<DType>(i)));
  return names;
}

std::string suggest_dtype(std::string_view name, const std::vector<std::string>& known) {
  const auto dtype = dtype_of_cpp(name);
  return dtype ? "; did you mean '" + std::string(dtype_name(*dtype)) + "'?" : suggest_name(name, known);
}

std::string optional_text(const JsonCursor& c, std::string_view key) {
  const auto found = c.find(key);
  return found ? found->text() : std::string();
}

void check_count(const JsonCursor& c, std::size_t count) {
  if (count > kMaxNames)
    c.error(std::to_string(count) + " entries, more than the " + std::to_string(kMaxNames) + " allowed; use fewer");
}

std::string text_without_nul(const JsonCursor& c) {
  const std::string& text = c.text();
  if (text.find('\0') != std::string::npos) c.error("this string must not contain a zero character");
  return text;
}

bool is_inside_folder(std::string_view name) {
  return !name.empty() && name[0] != '/' && name.find("..") == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

std::string file_name(const JsonCursor& c, std::string fallback, std::string_view key) {
  const auto found = c.find(key);
  if (!found) return fallback;
  const std::string& name = found->text();
  if (!is_inside_folder(name)) found->expected("the name of a file in the folder");
  return name;
}

void DescriptionReader::begin(ImplementationPart& part) {
  current_ = &spec_.implementations[part.index];
  own_names_ = &part.names;
}

void DescriptionReader::end() {
  current_ = nullptr;
  own_names_ = nullptr;
}

namespace {

Result<KernelSpec> read_spec(const SourceFiles& sources, const std::string& origin,
                             const std::map<std::string, std::string>& elsewhere) {
  std::deque<Document> documents;
  const auto open = [&](const std::string& file, const std::string& text) -> Result<void> {
    const auto known = elsewhere.find(file);
    const std::string name = known != elsewhere.end() ? known->second
                             : file == "spec.json"    ? origin
                                                      : origin_of(origin, file);
    documents.emplace_back(name);
    WT_TRY(documents.back().tree, parse_json(text, name));
    return {};
  };
  const std::string* root_text = find_source(sources, "spec.json");
  if (!root_text) return fail(ErrorKind::bad_input, origin + ": there is no spec.json");
  WT_CHECK(open("spec.json", *root_text));
  const JsonCursor root = documents.front().cursor();
  std::vector<std::pair<std::string, JsonCursor>> files;
  std::vector<std::string> names;
  for (const auto& [name, text] : sources.files)
    if (is_implementation_file(name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    WT_CHECK(open(name, *find_source(sources, name)));
    files.emplace_back(name.substr(0, name.find('/')), documents.back().cursor());
  }

  KernelSpec spec;
  DescriptionReader reader(spec);
  std::vector<ImplementationPart> parts;
  using Read = void (DescriptionReader::*)(const JsonCursor&);
  const auto whole = [&](Read section) { (reader.*section)(root); };
  // Reads a section of each implementation.
  const auto each_part = [&](void (DescriptionReader::*section)(const ImplementationPart&)) {
    for (ImplementationPart& part : parts) {
      reader.begin(part);
      (reader.*section)(part);
      reader.end();
    }
  };
  const auto each = [&](Read section) {
    for (ImplementationPart& part : parts) {
      reader.begin(part);
      (reader.*section)(part.cursor);
      reader.end();
    }
  };
  // Reads a section of the operator, which may use the names of an implementation in the same file.
  const auto shared = [&](Read section) {
    for (ImplementationPart& part : parts)
      if (part.is_inline) reader.begin(part);
    whole(section);
    reader.end();
  };
  const std::function<void()> steps[] = {
      [&] { whole(&DescriptionReader::header); },
      [&] { whole(&DescriptionReader::problem); },
      [&] { parts = reader.find_parts(root, files); },
      [&] { each_part(&DescriptionReader::implementation_header); },
      [&] { each(&DescriptionReader::params); },
      [&] { each(&DescriptionReader::check_former_beside); },
      [&] { reader.add_choice(); },
      [&] { reader.slots(); },
      [&] { reader.scopes(root, parts); },
      [&] { each(&DescriptionReader::conditions); },
      [&] { each(&DescriptionReader::constraints); },
      [&] { each(&DescriptionReader::compile); },
      [&] { each_part(&DescriptionReader::build); },
      [&] { shared(&DescriptionReader::arguments); },
      [&] { each_part(&DescriptionReader::own_arguments); },
      [&] { each(&DescriptionReader::launches); },
      [&] { each(&DescriptionReader::symbols); },
      [&] { each(&DescriptionReader::expected_time); },
      [&] { shared(&DescriptionReader::reference); },
      [&] { shared(&DescriptionReader::prepare); },
      [&] { shared(&DescriptionReader::cost); },
      [&] { whole(&DescriptionReader::tolerance); },
      [&] { whole(&DescriptionReader::suites); },
      [&] { whole(&DescriptionReader::include); },
      [&] { each(&DescriptionReader::include); },
  };
  for (const auto& step : steps) {
    step();
    for (const Document& document : documents)
      if (document.errors.any()) return fail(ErrorKind::bad_input, document.errors.message());
  }
  return spec;
}

} // namespace

Result<KernelSpec> parse_spec(const SourceFiles& sources, const std::string& origin,
                              const std::map<std::string, std::string>& elsewhere) {
  WT_TRY(auto spec, read_spec(sources, origin, elsewhere));
  const std::string& json = *find_source(sources, "spec.json");
  const std::string earlier = as_format_1(without_expected_time(spec, sources, "spec.json", json));
  const bool has_folders = std::any_of(sources.files.begin(), sources.files.end(),
                                       [](const auto& file) { return is_implementation_file(file.first); });
  spec.reads_as_format_1 =
      !has_folders && (earlier == json || read_spec(SourceFiles{{{"spec.json", earlier}}}, origin, {}).has_value());
  return spec;
}

Result<KernelSpec> parse_spec(std::string_view json, const std::string& origin) {
  return parse_spec(SourceFiles{{{"spec.json", std::string(json)}}}, origin);
}

} // namespace warptune
