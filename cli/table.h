// Aligned text tables: two blanks between columns, a header, no lines. Cells are sanitised. A table wider than the
// terminal is narrowed in its long columns, never in a pipe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::size_t display_width(std::string_view utf8);              // code points
std::string shorten(std::string_view utf8, std::size_t width); // ends in "..." where it was cut

struct Column {
  enum class Align { left, right };
  std::string title;
  Align align = Align::left;
  bool shrinks = false; // may be cut to fit
};

inline Column left(std::string title) { return {std::move(title), Column::Align::left, false}; }
inline Column right(std::string title) { return {std::move(title), Column::Align::right, false}; }
inline Column text(std::string title) { return {std::move(title), Column::Align::left, true}; }

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells); // as many as columns
  bool empty() const { return rows_.empty(); }
  std::string render(int width) const; // `width` 0: as wide as it gets

 private:
  std::vector<std::size_t> widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// "  name    value" lines under a heading, the values aligned.
std::string render_facts(const std::vector<std::pair<std::string, std::string>>& facts);

} // namespace warptune::cli
