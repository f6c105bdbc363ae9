// Everything that warptune prints. A reader that went away (| head) is noticed here and ends the program quietly; a
// full disk is an error, and so is what should be printed where standard output was closed from the beginning: the work
// is done all the same, and the error said at its end. After the first failure further output is dropped.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::cli {

inline constexpr int kNotAllWell = 1; // the exit code of what was done and found something, as of diff

void standard_output_is_closed(); // for the beginning of the program

void print(std::string_view text); // to standard output, as it is
template <class First, class... Rest>
void print(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) {
  print(std::string_view(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)));
}
void flush_output();
void print_now(std::FILE* stream, std::string_view text); // stdout or stderr; nothing of it waits in a buffer
bool output_failed();
std::string_view why_output_failed(); // "the output was closed"

// The exit code after all output is out: `code`, also when the reader went away. What was done but not told, 0 and
// kNotAllWell, becomes 6 with a sentence.
int finish_output(int code);

void complain(std::string_view sentence);                // "warptune: ..." on standard error, sanitised
void print_notes(const std::vector<std::string>& notes); // "note: ..." lines, sanitised

// Terminals. `fd` is 1 or 2.
bool is_terminal(int fd);   // one that can redraw a line: not TERM=dumb
bool wants_color(int fd);   // a terminal, and no NO_COLOR
int terminal_width(int fd); // columns; 0 when it is no terminal

} // namespace warptune::cli
