#include "spec/spec_json.h"

#include "core/text.h"
#include "spec/source_hash.h"
#include "spec/spec_json_parts.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <tuple>

namespace warptune {
namespace {

constexpr std::int64_t kFirstStringId = std::int64_t{1} << 32; // out of the way of sizes and of integer flags
constexpr std::size_t kMaxNames = 256;                         // dims, flags or params

// "softmax/spec.json" -> "softmax/online/implementation.json"; otherwise both are named.
std::string origin_of(const std::string& origin, const std::string& file) {
  constexpr std::string_view kSpec = "spec.json";
  if (origin.ends_with(kSpec)) return origin.substr(0, origin.size() - kSpec.size()) + file;
  return file + " of " + origin;
}

// A file that is read: its tree and what is wrong with it. Cursors point into both.
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
  if (text.find('\0') != std::string::npos) c.error("this text must not contain a zero character");
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

void SpecReader::header(const JsonCursor& root) {
  const auto given = root.is(JsonValue::Kind::object) ? root.find("format") : std::nullopt;
  format_ = given && given->is(JsonValue::Kind::integer) ? given->integer() : 1;
  std::vector<std::string_view> keys = {"format",    "name",    "summary",     "source",  "problem",   "types",
                                        "params",    "derived", "constraints", "compile", "arguments", "launches",
                                        "reference", "cost",    "tolerance",   "suites"};
  if (format_ >= 2)
    keys.insert(keys.end(),
                {"implementation", "default_implementation", "formerly", "prepare", "symbols", "include", "build"});
  if (format_ < 2) report_format_2(root);
  root.only(keys);
  const JsonCursor format = root.at("format");
  if (format.integer() != 1 && format.integer() != 2)
    format.error("this program reads the formats 1 and 2; write 2, or use a newer warptune");
  const JsonCursor name = root.at("name");
  spec_.name = name.text();
  const bool lower = std::none_of(spec_.name.begin(), spec_.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_identifier(spec_.name) || spec_.name[0] == '_' || !lower)
    name.expected("a name of small letters, digits and '_' that begins with a letter");
  spec_.summary = root.at("summary").text();
  if (spec_.summary.find('\n') != std::string::npos) root.at("summary").expected("one line");
}

void SpecReader::claim(const JsonCursor& where, const std::string& name, const std::string& kind) {
  if (!is_identifier(name))
    return where.error(quote(name) + " is not a valid name; use letters, digits and '_', a letter first");
  if (is_expression_keyword(name)) return where.error(quote(name) + " is a word of the expression language; rename it");
  if (claimed_.empty()) {
    for (const DeviceLimitName& limit : device_limit_names()) claimed_[limit.name] = "a device limit";
    for (int i = 0; i < kDTypeCount; ++i) claimed_[std::string(dtype_name(static_cast<DType>(i)))] = "a dtype";
    claimed_["dtype"] = "the dtype of the problem";
    claimed_["dtype_bytes"] = "the size of the dtype";
    claimed_["i"] = "the element index of fill formulas";
    if (format_ >= 2) claimed_[kImplementation] = "the choice among implementations";
  }
  auto& names = current_ && own_names_ ? *own_names_ : claimed_;
  const auto taken = claimed_.find(name);
  if (taken != claimed_.end())
    return where.error(quote(name) + " is already the name of " + taken->second + "; choose another");
  const auto [it, fresh] = names.emplace(name, kind);
  if (!fresh) where.error(quote(name) + " is already the name of " + it->second + "; choose another");
}

void SpecReader::problem(const JsonCursor& root) {
  const JsonCursor problem = root.at("problem");
  problem.only({"dims", "dtypes", "flags"});
  dims(problem.at("dims"));

  const JsonCursor dtypes = problem.at("dtypes");
  for (const JsonCursor& c : dtypes.items()) {
    const auto dtype = parse_dtype(c.text());
    if (!dtype)
      c.error("unknown dtype " + quote(c.text()) + suggest_name(c.text(), all_dtype_names()));
    else if (std::count(spec_.dtypes.begin(), spec_.dtypes.end(), *dtype))
      c.error(quote(c.text()) + " is listed twice");
    else
      spec_.dtypes.push_back(*dtype);
  }
  if (spec_.dtypes.empty()) dtypes.error("no dtypes; list at least one, the default first");

  if (const auto flags = problem.find("flags")) {
    for (const auto& [name, c] : flags->members()) {
      claim(c, name, "a flag");
      spec_.flags.push_back(flag(name, c));
    }
    check_count(*flags, spec_.flags.size());
  }

  // Claimed here, since params may not take these names; their formulas are read with the scope.
  if (const auto types = root.find("types"))
    for (const auto& [name, c] : types->members()) claim(c, name, "a type");
}

Flag SpecReader::flag(const std::string& name, const JsonCursor& c) {
  if (format_ == 1)
    c.only({"values", "meaning"});
  else
    c.only({"values", "default", "meaning"});
  Flag flag;
  flag.name = name;
  flag.meaning = optional_text(c, "meaning");
  const JsonCursor list = c.at("values");
  std::tie(flag.values, flag.labels) = values(list);
  if (flag.values.empty()) list.error("no values; list at least one, the default first");
  const bool has_numbers = flag.labels.empty();
  if (has_numbers)
    for (const std::int64_t value : flag.values) flag.labels.push_back(std::to_string(value));
  if (const auto standard = c.find("default")) {
    const std::string label = has_numbers ? std::to_string(standard->integer()) : standard->text();
    if (label != flag.labels.front())
      standard->error("the default of a flag is the first of its values, " + quote(flag.labels.front()));
    flag.is_optional = true;
  }
  return flag;
}

// Integers, or texts as labels with an id each.
std::pair<std::vector<std::int64_t>, std::vector<std::string>> SpecReader::values(const JsonCursor& list) {
  std::vector<std::int64_t> values;
  std::vector<std::string> labels;
  std::set<std::int64_t> seen;
  const std::vector<JsonCursor> items = list.items();
  for (const JsonCursor& item : items) {
    const bool is_text = items.front().is(JsonValue::Kind::text);
    if (is_text && !item.is(JsonValue::Kind::text)) {
      item.expected("a text like the first value");
    } else if (is_text) {
      labels.push_back(item.text());
      values.push_back(label_id(item, item.text()));
    } else {
      values.push_back(item.integer());
    }
    if (item.failed()) break;
    if (!seen.insert(values.back()).second)
      item.error("the value " + (is_text ? quote(labels.back()) : std::to_string(values.back())) +
                 " appears twice; keep one");
  }
  return {std::move(values), std::move(labels)};
}

std::int64_t SpecReader::label_id(const JsonCursor& c, const std::string& label) {
  if (!is_label(label)) c.error(quote(label) + " has other characters than letters, digits and _.+-; choose others");
  const auto id = kFirstStringId + static_cast<std::int64_t>(strings_.size());
  return strings_.emplace(label, id).first->second;
}

void SpecReader::begin(ImplementationPart& part) {
  current_ = &spec_.implementations[part.index];
  own_names_ = &part.names;
}

void SpecReader::end() {
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
  SpecReader reader(spec);
  std::vector<ImplementationPart> parts;
  using Read = void (SpecReader::*)(const JsonCursor&);
  const auto whole = [&](Read section) { (reader.*section)(root); };
  // A section of each implementation.
  const auto each_part = [&](void (SpecReader::*section)(const ImplementationPart&)) {
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
  // A section of the operator, which may use the names of the implementation that stands beside it.
  const auto shared = [&](Read section) {
    for (ImplementationPart& part : parts)
      if (part.is_inline) reader.begin(part);
    whole(section);
    reader.end();
  };
  const std::function<void()> steps[] = {
      [&] { whole(&SpecReader::header); },
      [&] { whole(&SpecReader::problem); },
      [&] { parts = reader.find_parts(root, files); },
      [&] { each_part(&SpecReader::implementation_header); },
      [&] { each(&SpecReader::params); },
      [&] { reader.add_choice(); },
      [&] { reader.slots(); },
      [&] { reader.scopes(root, parts); },
      [&] { each(&SpecReader::conditions); },
      [&] { each(&SpecReader::constraints); },
      [&] { each(&SpecReader::compile); },
      [&] { each_part(&SpecReader::build); },
      [&] { shared(&SpecReader::arguments); },
      [&] { each_part(&SpecReader::own_arguments); },
      [&] { each(&SpecReader::launches); },
      [&] { each(&SpecReader::symbols); },
      [&] { shared(&SpecReader::reference); },
      [&] { shared(&SpecReader::prepare); },
      [&] { shared(&SpecReader::cost); },
      [&] { whole(&SpecReader::tolerance); },
      [&] { whole(&SpecReader::suites); },
      [&] { whole(&SpecReader::include); },
      [&] { each(&SpecReader::include); },
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
  const std::string earlier = as_format_1(json);
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
