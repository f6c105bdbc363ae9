#include "cli/output.h"

#include "cli/sanitize.h"
#include "cli/table.h"
#include "core/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warptune::cli {
namespace {

constexpr int kOutputLost = 6;

int failure = 0;            // the errno of the first write that failed
bool closed = false;        // standard output was closed before the program began
bool printed_there = false; // printed to the closed standard output

void note_failure() {
  if (failure == 0) failure = errno == 0 ? EIO : errno;
}

} // namespace

void standard_output_is_closed() { closed = true; }

void print(std::string_view text) {
  if (failure != 0) return;
  if (closed) {
    printed_there = printed_there || !text.empty();
    return;
  }
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_failure();
}

void print_wrapped(std::string_view text, std::size_t indent) {
  const auto limit = static_cast<std::size_t>(terminal_width(1));
  print(std::string_view(wrapped(sanitize(text), limit, indent)).substr(indent));
}

void flush_output() {
  if (failure != 0) return;
  errno = 0;
  if (std::fflush(stdout) != 0) note_failure();
}

void print_now(std::FILE* stream, std::string_view text) {
  if (stream == stdout) {
    print(text);
    flush_output();
  } else {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);
  }
}

bool output_failed() { return failure != 0; }

std::string_view why_output_failed() {
  return failure == EPIPE ? "the output was closed" : "the output cannot be written";
}

int finish_output(int code) {
  flush_output();
  if (printed_there) complain("standard output was closed, so the output is lost; send it to a file or to /dev/null");
  // If the failed write stopped the command, that is the reason, not an interruption by the user.
  const bool is_cause = code == 0 || code == kNotAllWell || code == static_cast<int>(ErrorKind::interrupted);
  const int lost = is_cause ? kOutputLost : code;
  if (printed_there) return lost;
  if (failure == 0) return code;
  // A reader that closes the pipe needs no more output; an earlier failure of the command itself still counts.
  if (failure == EPIPE) return code;
  complain(fmt::format("cannot write the output: {}; free some space, or send the output elsewhere",
                       std::strerror(failure)));
  return lost;
}

int say_interrupted(const std::string& resume_command, bool json) {
  if (output_failed())
    complain(fmt::format("stopped because {}; to resume: {}", why_output_failed(), resume_command));
  else if (json)
    complain("stopped; to resume: " + resume_command);
  return static_cast<int>(ErrorKind::interrupted);
}

void complain(std::string_view sentence) {
  const std::string line = "warptune: " + sanitize_lines(sentence) + "\n";
  std::fflush(stdout); // keeps the order if both go to one place
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_notes(const std::vector<std::string>& notes) {
  constexpr std::string_view kNote = "note: ";
  for (const std::string& note : notes) {
    print(kNote);
    print_wrapped(note, kNote.size());
  }
}

void print_table(const Table& table, bool wide, std::string_view more) {
  const int width = table_width(wide);
  print(std::string_view(table.render(width)));
  print(more);
  if (const std::string note = hidden_note(table.hidden(width)); !note.empty()) print_wrapped(note);
}

int table_width(bool wide) { return wide ? 0 : terminal_width(1); }

bool is_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return ::isatty(fd) == 1 && !(term != nullptr && std::strcmp(term, "dumb") == 0);
}

bool wants_color(int fd) {
  const char* no_color = std::getenv("NO_COLOR"); // no-color.org: present and not empty
  return is_terminal(fd) && (no_color == nullptr || *no_color == '\0');
}

int terminal_width(int fd) {
  winsize size{};
  if (::isatty(fd) != 1) return 0;
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

} // namespace warptune::cli
