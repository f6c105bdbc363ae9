// The parser of Python-like formulas, by recursive descent. It accepts the part of Python's expression grammar that
// tuning files use. Private to python_parser.cpp (operators), python_terms.cpp (their operands) and python_tree.cpp
// (the nodes that result).
#pragma once

#include "core/text.h"
#include "interchange/python_lexer.h"
#include "interchange/python_program.h"

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune {

class PyParser {
 public:
  using Op = PyNode::Op;
  using Program = PythonExpr::Program;

  PyParser(std::string_view text, std::shared_ptr<PyNames> names, Program& program);

  std::int32_t parse(); // returns the index of the root; meaningless if there is an error
  const std::string& error() const { return error_; }

 private:
  static constexpr int kMaxDepth = 100; // maximum nesting of parentheses, brackets, calls and signs

  // --- errors. Only the first error is kept; after an error the parser sees an empty token, as at the end of the text.
  bool ok() const { return error_.empty(); }
  std::int32_t fail(const std::string& what, std::size_t begin);
  std::int32_t unexpected(const std::string& expected);
  void unknown_name(const PyNode& node);
  std::int32_t too_deep(std::size_t begin) {
    return fail("nested more than " + std::to_string(kMaxDepth) + " deep", begin);
  }

  // --- tokens.
  void advance() { token_ = next_py_token(text_, at_); }
  bool is(std::string_view symbol) const {
    return (token_.kind == PyToken::symbol || token_.kind == PyToken::name) && token_.text == symbol;
  }
  bool accept(std::string_view symbol) {
    if (!is(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) unexpected(quote(symbol));
  }

  // --- nodes.
  PyNode& node(std::int32_t n) { return p_.nodes[static_cast<std::size_t>(n)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(p_.nodes.size()); }
  bool is_list(std::int32_t n) { return ok() && node(n).is_list; }
  // For Op::compare, `operands` alternates: node, comparison, node, comparison, ..., node.
  std::int32_t make(Op op, std::size_t begin, std::int32_t first_node, std::vector<std::int32_t> operands,
                    std::int32_t index = 0);
  std::int32_t leaf(Op op, std::size_t begin, std::int32_t index);
  std::int32_t constant(const PyValue& value, std::size_t begin);
  std::int32_t scalar(std::int32_t n, std::size_t begin);
  void claim(std::string_view name, std::int32_t from, std::int32_t to, std::int32_t local);
  bool all_fixed(Op op, const std::vector<std::int32_t>& operands);
  bool is_closed(std::int32_t begin) const;
  std::int32_t fold(const PyNode& top);

  // --- grammar, from the lowest precedence to the highest.
  std::int32_t expression();
  std::int32_t logical(Op op, std::string_view word, std::int32_t (PyParser::*operand)());
  std::int32_t any_of();
  std::int32_t all_of();
  std::int32_t logical_not();
  std::int32_t comparison_sign();
  std::int32_t comparison();
  std::int32_t binary(std::initializer_list<std::pair<std::string_view, PyOperator>> table,
                      std::int32_t (PyParser::*operand)());
  std::int32_t sum();
  std::int32_t product();
  std::int32_t sign();
  std::int32_t power();
  std::int32_t primary();
  std::int32_t parentheses();
  std::int32_t list(std::string_view close);
  std::int32_t items(std::size_t begin, std::int32_t first, std::int32_t inner, std::string_view close);
  std::int32_t comprehension(std::size_t begin, std::int32_t first, std::int32_t element, std::string_view close);
  std::int32_t name(const PyToken& token);
  std::int32_t call(const PyToken& token);

  std::string_view text_;
  const std::vector<PyParam>& params_;
  std::set<std::string, std::less<>>& texts_;
  Program& p_;
  std::vector<std::string> names_; // names in Op::unknown nodes
  std::string error_;
  PyToken token_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::int32_t locals_ = 0;
  std::int64_t fold_steps_ = 0;
  std::size_t listed_ = 0;
};

} // namespace warptune
