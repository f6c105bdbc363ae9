#include "spec/json_members.h"

#include <algorithm>

namespace warptune {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class Scanner {
 public:
  Scanner(std::string_view json, const std::function<bool(const MemberPath&)>& is_left_out)
      : json_(json), is_left_out_(is_left_out) {}

  struct Span {
    std::size_t begin, end;
  };

  std::vector<Span> scan() {
    for (at_ = skip(0); at_ < json_.size(); at_ = skip(at_)) step();
    return std::move(left_out_);
  }

 private:
  struct Level { // an object or an array that is open
    bool is_object = false;
    std::size_t comma = std::string_view::npos; // position of the comma before the current member
  };

  void step() {
    const char c = json_[at_];
    if (c == '{' || c == '[') {
      open_.push_back({c == '{'});
      path_.emplace_back();
      ++at_;
    } else if (c == '}' || c == ']') {
      if (!open_.empty()) {
        open_.pop_back();
        path_.pop_back();
      }
      ++at_;
    } else if (c == ',') {
      if (!open_.empty()) open_.back().comma = at_;
      ++at_;
    } else if (c == '"') {
      string();
    } else {
      ++at_; // a character of a number, a literal or a colon
    }
  }

  void string() {
    const std::size_t begin = at_, end = end_of_string(at_), next = skip(end);
    at_ = end;
    const bool is_key = !open_.empty() && open_.back().is_object && next < json_.size() && json_[next] == ':';
    if (!is_key) return;
    path_.back() = json_.substr(begin + 1, end - begin - 2);
    if (is_left_out_(path_)) leave_out(begin, end_of_value(skip(next + 1)));
  }

  void leave_out(std::size_t begin, std::size_t end) {
    Level& object = open_.back();
    if (object.comma != std::string_view::npos) {
      left_out_.push_back({object.comma, end});
      at_ = end;
      return;
    }
    const std::size_t comma = skip(end);
    if (comma == json_.size() || json_[comma] != ',') return; // the only member: it is not left out
    at_ = std::min(json_.find_first_not_of(kBlanks, comma + 1), json_.size());
    left_out_.push_back({begin, at_});
  }

  // The position after blanks and comments.
  std::size_t skip(std::size_t at) const {
    for (;;) {
      at = std::min(json_.find_first_not_of(kBlanks, at), json_.size());
      const std::string_view rest = json_.substr(at);
      if (rest.starts_with("//"))
        at = std::min(json_.find_first_of("\n\r", at), json_.size()); // as the parser does
      else if (rest.starts_with("/*"))
        at = std::min(json_.find("*/", at + 2), json_.size() - 2) + 2;
      else
        return at;
    }
  }
  std::size_t end_of_string(std::size_t at) const {
    for (++at; at < json_.size() && json_[at] != '"'; ++at)
      if (json_[at] == '\\') ++at;
    return std::min(at + 1, json_.size());
  }
  std::size_t end_of_value(std::size_t at) const {
    if (at == json_.size()) return at;
    if (json_[at] == '"') return end_of_string(at);
    int depth = 0;
    for (; at < json_.size(); at = skip(at)) {
      const char c = json_[at];
      if (c == '"') {
        at = end_of_string(at);
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') {
        if (depth == 0) return at;
        if (--depth == 0) return at + 1;
      }
      if (depth == 0) return std::min(json_.find_first_of(" \t\r\n,}]/", at), json_.size()); // a number, a literal
      ++at;
    }
    return at;
  }

  const std::string_view json_;
  const std::function<bool(const MemberPath&)>& is_left_out_;
  std::size_t at_ = 0;
  std::vector<Level> open_;
  MemberPath path_; // has as many elements as open_
  std::vector<Span> left_out_;
};

} // namespace

std::string without_members(const std::string& json, const std::function<bool(const MemberPath&)>& is_left_out,
                            std::optional<std::ptrdiff_t> count) {
  if (count == 0) return json;
  const auto spans = Scanner(json, is_left_out).scan();
  if (count && static_cast<std::ptrdiff_t>(spans.size()) != *count) return json;
  std::string out;
  std::size_t at = 0;
  for (const auto& [begin, end] : spans) {
    out.append(json, at, begin - at);
    at = end;
  }
  return out.append(json, at);
}

} // namespace warptune
