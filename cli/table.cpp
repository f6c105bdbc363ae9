#include "cli/table.h"

#include "cli/sanitize.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warptune::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 12; // a column is not cut below this
constexpr std::size_t kBrief = 160;
constexpr std::size_t kIndent = 4; // indent of lines below a row
constexpr std::size_t kMinFact = 24;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void append(std::string& line, const std::string& cell, std::size_t width, Column::Align align) {
  const std::size_t used = display_width(cell);
  const std::string blanks(width > used ? width - used : 0, ' ');
  line += align == Column::Align::right ? blanks + cell : cell + blanks;
}

std::size_t line_width(const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown) {
  std::size_t total = shown.empty() ? 0 : (shown.size() - 1) * kGap;
  for (const std::size_t c : shown) total += widths[c];
  return total;
}

} // namespace

std::size_t display_width(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return !continues(c); }));
}

std::string shorten(std::string_view utf8, std::size_t width) {
  if (display_width(utf8) <= width) return std::string(utf8);
  const std::size_t dots = std::min<std::size_t>(width, 3);
  std::size_t kept = width - dots, end = 0;
  while (end < utf8.size() && (kept > 0 || continues(utf8[end]))) {
    ++end;
    if (end == utf8.size() || !continues(utf8[end])) --kept;
    if (kept == 0 && (end == utf8.size() || !continues(utf8[end]))) break;
  }
  return std::string(utf8.substr(0, end)) + std::string(dots, '.');
}

std::string brief(const std::string& text) { return shorten(sanitize(first_line(text)), kBrief); }

std::string wrapped(const std::string& text, std::size_t limit, std::size_t indent) {
  std::string out, line(indent, ' ');
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = std::min(text.find_first_of(", ", at), text.size() - 1) + 1;
    const std::string word = text.substr(at, end - at);
    if (limit > 0 && line.size() > indent && display_width(line + word) > limit + (word.back() == ' ' ? 1 : 0)) {
      out += line.erase(line.find_last_not_of(' ') + 1) + '\n';
      line.assign(indent, ' ');
    }
    line += word;
  }
  return out + line + '\n';
}

void Table::add(std::vector<std::string> cells, std::vector<std::string> below) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = sanitize(cell);
  for (std::string& line : below) line = sanitize(line);
  rows_.push_back(std::move(cells));
  below_.push_back(std::move(below));
}

std::size_t Table::width() const {
  const std::vector<std::size_t> widths = full_widths();
  return line_width(widths, shown_columns(widths, 0));
}

std::vector<std::size_t> Table::full_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::size_t> Table::shown_columns(const std::vector<std::size_t>& widths, std::size_t limit) const {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c) shown.push_back(c);
  if (limit > 0 && line_width(widths, shown) > limit)
    std::erase_if(shown, [&](std::size_t c) { return columns_[c].is_whole && columns_[c].left_out == 0; });
  while (limit > 0 && line_width(widths, shown) > limit) {
    auto first = shown.end();
    for (auto c = shown.begin(); c != shown.end(); ++c)
      if (columns_[*c].left_out > 0 && (first == shown.end() || columns_[*c].left_out < columns_[*first].left_out))
        first = c;
    if (first == shown.end()) break;
    const int turn = columns_[*first].left_out;
    std::erase_if(shown, [&](std::size_t c) { return columns_[c].left_out == turn; });
  }
  return shown;
}

std::vector<std::size_t> Table::moved_columns(const std::vector<std::size_t>& shown) const {
  std::vector<std::size_t> moved;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].is_whole && std::find(shown.begin(), shown.end(), c) == shown.end() &&
        std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return !row[c].empty(); }))
      moved.push_back(c);
  return moved;
}

void Table::cut(std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown, std::size_t limit) const {
  // Shortens the widest column first.
  for (std::size_t total = line_width(widths, shown); limit > 0 && total > limit; --total) {
    std::size_t widest = columns_.size();
    for (const std::size_t c : shown)
      if (columns_[c].shrinks && widths[c] > kNarrowest && (widest == columns_.size() || widths[c] > widths[widest]))
        widest = c;
    if (widest == columns_.size()) break;
    --widths[widest];
  }
}

std::string Table::render(int width) const {
  const auto limit = static_cast<std::size_t>(std::max(width, 0));
  std::vector<std::size_t> widths = full_widths();
  const std::vector<std::size_t> shown = shown_columns(widths, limit);
  const std::vector<std::size_t> moved = moved_columns(shown);
  cut(widths, shown, limit);
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (const std::size_t c : shown) {
      if (c != shown.front()) line.append(kGap, ' ');
      append(line, shorten(cell_of(c), widths[c]), widths[c], columns_[c].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    add_line([&](std::size_t c) -> const std::string& { return rows_[r][c]; });
    for (const std::size_t c : moved)
      if (const std::string& cell = rows_[r][c]; !cell.empty())
        out += wrapped(moved.size() > 1 ? columns_[c].title + ": " + cell : cell, limit, kIndent);
    for (const std::string& line : below_[r]) out += wrapped(line, limit, kIndent);
  }
  return out;
}

std::vector<std::string> Table::hidden(int width) const {
  const std::vector<std::size_t> shown = shown_columns(full_widths(), static_cast<std::size_t>(std::max(width, 0)));
  std::vector<std::string> titles;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (!columns_[c].is_whole && std::find(shown.begin(), shown.end(), c) == shown.end())
      titles.push_back(columns_[c].title);
  return titles;
}

std::string hidden_note(const std::vector<std::string>& titles) {
  return titles.empty() ? "" : fmt::format("hidden columns: {}; --wide shows them", fmt::join(titles, ", "));
}

std::string render_facts(const std::vector<std::pair<std::string, std::string>>& facts, int width) {
  std::size_t names = 0;
  for (const auto& fact : facts) names = std::max(names, display_width(fact.first));
  const std::size_t indent = names + 4;
  const std::size_t limit = width > 0 ? std::max(static_cast<std::size_t>(width), indent + kMinFact) : 0;
  std::string out;
  for (const auto& [name, value] : facts) {
    out += "  ";
    append(out, sanitize(name), names, Column::Align::left);
    const std::string text = sanitize(value);
    out += text.empty() ? "\n" : "  " + wrapped(text, limit, indent).substr(indent);
  }
  return out;
}

} // namespace warptune::cli
