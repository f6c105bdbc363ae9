// All output of warptune. If the reader of the output is gone (| head), the program ends quietly, but a full disk is an
// error. If standard output was closed from the beginning, printing is also an error: the work is still done, and the
// error is reported at the end of the work. After the first failure, all further output is dropped.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::cli {

class Table;

inline constexpr int kNotAllWell = 1; // exit code of a completed command that found problems or differences

void standard_output_is_closed(); // call it at the start if standard output is closed

void print(std::string_view text); // prints to standard output without changes
template <class First, class... Rest>
void print(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) {
  print(std::string_view(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)));
}
// Prints the text, sanitised, and a line end. On a terminal, wraps the text so that all lines begin at column `indent`;
// the caller must have printed the first line up to this column.
void print_wrapped(std::string_view text, std::size_t indent = 0);
void flush_output();
void print_now(std::FILE* stream, std::string_view text); // prints to stdout or stderr without buffering
bool output_failed();
std::string_view why_output_failed(); // "the output was closed"

// Call it when all output is written. Returns the exit code: `code`, even if the reader is gone. If output failed, the
// codes 0, kNotAllWell and 130 (interrupted) become 6, and a sentence says why.
int finish_output(int code);

// Says how to resume a stopped command if its text cannot: if standard output holds JSON, or its reader is gone.
// Returns the exit code.
int say_interrupted(const std::string& resume_command, bool json);

void complain(std::string_view sentence);                // prints "warptune: ..." on standard error, sanitised
void print_notes(const std::vector<std::string>& notes); // prints "note: ...", sanitised and wrapped

// Prints a table that fits the terminal, then `more`, then a note that names the hidden columns. `wide`: --wide, which
// prints the whole table.
void print_table(const Table& table, bool wide, std::string_view more = {});
int table_width(bool wide); // the width for a table on standard output; 0: no limit

// The following functions are about terminals. `fd`: 1 or 2.
bool is_terminal(int fd);   // false for a terminal that cannot redraw a line (TERM=dumb)
bool wants_color(int fd);   // whether it is a terminal and NO_COLOR is not set
int terminal_width(int fd); // in columns; 0: not a terminal

} // namespace warptune::cli
