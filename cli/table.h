// Aligned text tables: two blanks between columns, a header, no lines. Cells are sanitised. A table wider than the
// terminal moves its sentences below their rows, loses the columns that matter least and is then narrowed in its long
// ones, never in a pipe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::size_t display_width(std::string_view utf8);              // code points
std::string shorten(std::string_view utf8, std::size_t width); // ends in "..." where it was cut
std::string brief(const std::string& text);                    // for a line among others: one line, cut and sanitised

struct Column {
  enum class Align { left, right };
  std::string title;
  Align align = Align::left;
  bool shrinks = false;  // may be cut to fit
  int left_out = 0;      // to fit: before any is cut, the one with 1 first; 0: never
  bool is_whole = false; // to fit: before all else, its cells go below their rows, wrapped
};

inline Column left(std::string title) { return {std::move(title), Column::Align::left, false}; }
inline Column right(std::string title) { return {std::move(title), Column::Align::right, false}; }
inline Column text(std::string title) { return {std::move(title), Column::Align::left, true}; }
// For what is read as a sentence and may not be cut.
inline Column whole(std::string title) { return {std::move(title), Column::Align::left, false, 0, true}; }
inline Column left_out(int turn, Column column) {
  column.left_out = turn;
  return column;
}

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // As many cells as columns. `below`: lines under the row, wrapped after commas and blanks, never cut.
  void add(std::vector<std::string> cells, std::vector<std::string> below = {});
  bool empty() const { return rows_.empty(); }
  std::size_t width() const;           // of the widest line when nothing is left out or cut
  std::string render(int width) const; // `width` 0: as wide as it gets

 private:
  std::vector<std::size_t> full_widths() const;
  std::vector<std::size_t> shown_columns(const std::vector<std::size_t>& widths, std::size_t limit) const;
  std::vector<std::string> moved(std::size_t row) const; // the cells that go below it
  void cut(std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown, std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_, below_;
};

// "  name    value" lines under a heading, the values aligned.
std::string render_facts(const std::vector<std::pair<std::string, std::string>>& facts, int width = 0);

} // namespace warptune::cli
