// Aligned text tables, with a header and two blanks between columns. Cells are sanitised. A table that is wider than
// the terminal is narrowed in three steps, until it fits: cells with sentences move below their rows; the least
// important columns are dropped, or their cells move below the rows; long cells are cut. Without a terminal, such as in
// a pipe, the table is printed in full. Commands print tables with print_table (output.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::size_t display_width(std::string_view utf8);              // number of code points
std::string shorten(std::string_view utf8, std::size_t width); // if the text is cut, it ends in "..."
std::string brief(const std::string& text);                    // the text as one short line, sanitised
// Breaks the text after blanks and commas into lines of at most `limit` columns (0: no limit). Each line begins with
// `indent` blanks. A word that is longer than a line is not broken.
std::string wrapped(const std::string& text, std::size_t limit, std::size_t indent);

struct Column {
  enum class Align { left, right };
  std::string title;
  Align align = Align::left;
  bool shrinks = false; // whether cells may be cut if the table is too wide
  int left_out = 0; // order in which columns are removed if the table is too wide: 1 first; 0: never, unless is_whole
  // What happens to the cells when the column is removed. true: they are moved below their rows, and wrapped; false:
  // they are dropped. If is_whole is true and `left_out` is 0, the column is removed before all others.
  bool is_whole = false;
};

inline Column left(std::string title) { return {std::move(title), Column::Align::left, false}; }
inline Column right(std::string title) { return {std::move(title), Column::Align::right, false}; }
inline Column text(std::string title) { return {std::move(title), Column::Align::left, true}; }
// A column of sentences, which must not be cut.
inline Column whole(std::string title) { return {std::move(title), Column::Align::left, false, 0, true}; }
// left_out(2, whole("problem")): this column is removed second, and its cells move below their rows.
inline Column left_out(int turn, Column column) {
  column.left_out = turn;
  return column;
}

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // `cells`: one per column. `below`: lines below the row, which are wrapped after commas and blanks, and never cut.
  void add(std::vector<std::string> cells, std::vector<std::string> below = {});
  bool empty() const { return rows_.empty(); }
  std::size_t width() const;                        // width of the widest line if nothing is moved, dropped or cut
  std::string render(int width) const;              // `width`: 0 means no limit
  std::vector<std::string> hidden(int width) const; // the titles of the columns that render(width) drops

 private:
  std::vector<std::size_t> full_widths() const;
  std::vector<std::size_t> shown_columns(const std::vector<std::size_t>& widths, std::size_t limit) const;
  // Returns the columns with text that are moved below the rows.
  std::vector<std::size_t> moved_columns(const std::vector<std::size_t>& shown) const;
  void cut(std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown, std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_, below_;
};

// Returns "hidden columns: device, started; --wide shows them"; empty if there are none.
std::string hidden_note(const std::vector<std::string>& titles);

// Returns lines "  name    value" to print under a heading, with aligned values.
std::string render_facts(const std::vector<std::pair<std::string, std::string>>& facts, int width = 0);

} // namespace warptune::cli
