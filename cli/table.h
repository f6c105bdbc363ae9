// Aligned text tables: two blanks between columns, a header, no lines. Cells are sanitised. If a table is wider than
// the terminal, it first moves its sentences below their rows, then drops the least important columns, then cuts the
// long ones. Output to a pipe is never changed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::cli {

std::size_t display_width(std::string_view utf8);              // code points
std::string shorten(std::string_view utf8, std::size_t width); // ends in "..." if it was cut
std::string brief(const std::string& text);                    // returns the text cut to one short, sanitised line
// Breaks the text after blanks and commas into lines of at most `limit` columns (0: one line), each after `indent`
// blanks. A word that is longer stays whole.
std::string wrapped(const std::string& text, std::size_t limit, std::size_t indent);

struct Column {
  enum class Align { left, right };
  std::string title;
  Align align = Align::left;
  bool shrinks = false;  // whether the column may be cut to fit
  int left_out = 0;      // order in which columns are dropped if the table is too wide, 1 first; 0: never dropped
  bool is_whole = false; // whether the cells are moved below their rows first, and wrapped, if the table is too wide
};

inline Column left(std::string title) { return {std::move(title), Column::Align::left, false}; }
inline Column right(std::string title) { return {std::move(title), Column::Align::right, false}; }
inline Column text(std::string title) { return {std::move(title), Column::Align::left, true}; }
// Adds a column for sentences, which must not be cut.
inline Column whole(std::string title) { return {std::move(title), Column::Align::left, false, 0, true}; }
inline Column left_out(int turn, Column column) {
  column.left_out = turn;
  return column;
}

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell per column. `below`: lines under the row, wrapped after commas and blanks, never cut.
  void add(std::vector<std::string> cells, std::vector<std::string> below = {});
  bool empty() const { return rows_.empty(); }
  std::size_t width() const;                        // width of the widest line if nothing is dropped or cut
  std::string render(int width) const;              // `width` 0: no limit
  std::vector<std::string> hidden(int width) const; // titles of the columns that render() drops

 private:
  std::vector<std::size_t> full_widths() const;
  std::vector<std::size_t> shown_columns(const std::vector<std::size_t>& widths, std::size_t limit) const;
  std::vector<std::string> moved(std::size_t row) const; // the cells that are moved below the row
  void cut(std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown, std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_, below_;
};

// "hidden columns: device, started; --wide shows them"; empty if there are none.
std::string hidden_note(const std::vector<std::string>& titles);

// Lines "  name    value" for use under a heading, with aligned values.
std::string render_facts(const std::vector<std::pair<std::string, std::string>>& facts, int width = 0);

} // namespace warptune::cli
