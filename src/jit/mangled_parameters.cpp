#include "jit/mangled_parameters.h"

#include <array>
#include <cstddef>

namespace warptune {
namespace {

constexpr int kMaxNesting = 64;

// The codes of arithmetic types, and their names in this order.
constexpr std::string_view kCodes = "bcahstijlmxyfd";
constexpr std::array<std::string_view, 14> kNames = {
    "bool", "char",          "signed char", "unsigned char",      "short", "unsigned short", "int", "unsigned int",
    "long", "unsigned long", "long long",   "unsigned long long", "float", "double"};
static_assert(kCodes.size() == kNames.size());

std::string_view arithmetic_type(char code) {
  const std::size_t at = kCodes.find(code);
  return at == std::string_view::npos ? std::string_view() : kNames[at];
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent over the part of the grammar that kernels use. `failed_` stops it, because no types are better than
// wrong ones.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<std::vector<std::string_view>> parameters() {
    const bool is_template = read_function_name();
    if (is_template) read_type(); // the function's return type
    std::vector<std::string_view> types;
    while (!failed_ && !rest_.empty() && rest_.front() != '.') {
      if (rest_ == "v") return std::vector<std::string_view>{}; // (void)
      types.push_back(read_type());
    }
    return failed_ ? std::nullopt : std::optional(types);
  }

 private:
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { failed_ = failed_ || !take(c); }

  std::size_t read_number() {
    std::size_t number = 0;
    if (!is_digit(peek())) failed_ = true;
    while (is_digit(peek()) && number <= rest_.size()) {
      number = 10 * number + static_cast<std::size_t>(peek() - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }

  void read_source_name() {
    const std::size_t size = read_number();
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return;
    }
    rest_.remove_prefix(size);
  }

  // The digits or letters of S0_ and T0_, with the underscore. -1 for S_ and T_.
  int read_sequence() {
    int number = -1;
    while (!failed_ && peek() != '_') {
      const char c = peek();
      const bool is_letter = c >= 'A' && c <= 'Z';
      if ((!is_digit(c) && !is_letter) || number > kMaxNesting) failed_ = true;
      number = (number < 0 ? 0 : number * 36) + (is_letter ? c - 'A' + 10 : c - '0');
      if (!failed_) rest_.remove_prefix(1);
    }
    expect('_');
    return number;
  }

  void read_substitution() { // after the S
    if (take('t')) return read_source_name();
    for (const char known : {'a', 'b', 's', 'i', 'o', 'd'})
      if (take(known)) return;
    read_sequence();
  }

  // "N...E" after the N, of a class or of a function. Returns true if its last part has template arguments.
  bool read_nested_name(bool is_function) {
    bool is_template = false;
    while (!failed_ && !take('E')) {
      if (peek() == 'I') {
        if (is_template && is_function) failed_ = true; // T_ could mean an argument of either template
        read_template_args(is_function);
        is_template = true;
        continue;
      }
      if (take('L')) continue; // a name of internal linkage
      if (take('S'))
        read_substitution();
      else if (take('T'))
        read_sequence();
      else if (take('K') || take('V') || take('r'))
        continue;
      else
        read_source_name();
      if (is_template && is_function) failed_ = true;
    }
    return is_template;
  }

  bool read_function_name() {
    if (take('N')) return read_nested_name(true);
    take('L');
    if (take('S'))
      read_substitution();
    else
      read_source_name();
    if (failed_ || peek() != 'I') return false;
    read_template_args(true);
    return true;
  }

  void read_template_args(bool of_function) {
    expect('I');
    while (!failed_ && !take('E')) {
      const std::string_view type = read_template_arg();
      if (of_function) args_.push_back(type);
    }
  }

  std::string_view read_template_arg() {
    if (++depth_ > kMaxNesting) failed_ = true;
    std::string_view type;
    if (take('L')) {                     // a value: its type, its digits
      if (peek() == '_') failed_ = true; // the address of something
      if (!failed_) read_type();
      while (!failed_ && peek() != 'E')
        if (rest_.empty())
          failed_ = true;
        else
          rest_.remove_prefix(1);
      expect('E');
    } else if (take('J')) { // a pack
      while (!failed_ && !take('E')) read_template_arg();
    } else {
      type = read_type();
    }
    --depth_;
    return type;
  }

  std::string_view read_type() {
    if (++depth_ > kMaxNesting) failed_ = true;
    const std::string_view type = failed_ ? std::string_view() : read_type_within();
    --depth_;
    return type;
  }

  std::string_view read_type_within() {
    if (rest_.empty()) {
      failed_ = true;
      return {};
    }
    if (is_digit(peek())) {
      read_source_name();
      read_args_of_class();
      return {};
    }
    const char code = peek();
    rest_.remove_prefix(1);
    if (const std::string_view name = arithmetic_type(code); !name.empty()) return name;
    switch (code) {
    case 'v':
    case 'w':
    case 'n':
    case 'o':
    case 'e':
    case 'g':
      return {};
    case 'K':
    case 'V':
    case 'r':
      return read_type();
    case 'P':
    case 'R':
    case 'O':
      read_type();
      return {};
    case 'A':
      if (is_digit(peek())) read_number();
      expect('_');
      read_type();
      return {};
    case 'F':
      take('Y');
      while (!failed_ && !take('E')) read_type();
      return {};
    case 'M':
      read_type();
      read_type();
      return {};
    case 'N':
      read_nested_name(false);
      return {};
    case 'S':
      read_substitution();
      read_args_of_class();
      return {};
    case 'T':
      return read_template_parameter();
    case 'u':
      read_source_name();
      return {};
    case 'D':
      return read_extended_type();
    default:
      failed_ = true;
      return {};
    }
  }

  void read_args_of_class() {
    if (peek() == 'I') read_template_args(false);
  }

  std::string_view read_template_parameter() { // after the T
    const auto at = static_cast<std::size_t>(read_sequence() + 1);
    if (peek() == 'I') {
      read_template_args(false);
      return {};
    }
    return at < args_.size() ? args_[at] : std::string_view();
  }

  std::string_view read_extended_type() { // Dh, DF16b, Dn; not a pack or a decltype
    for (const char known : {'h', 'n', 'i', 's', 'u', 'd', 'e', 'f'})
      if (take(known)) return {};
    expect('F');
    read_number();
    if (!take('_') && !take('b')) expect('x');
    return {};
  }

  std::string_view rest_;
  std::vector<std::string_view> args_; // template arguments of the function, once they are read
  int depth_ = 0;
  bool failed_ = false;
};

} // namespace

std::optional<std::vector<std::string_view>> mangled_parameters(std::string_view name) {
  if (!name.starts_with("_Z")) return std::nullopt;
  return Parser(name.substr(2)).parameters();
}

} // namespace warptune
