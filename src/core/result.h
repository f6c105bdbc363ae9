// Result<T>: the return type of every operation that can fail. A candidate that fails is not an error but a result
// (core/trial.h). An error's message is one sentence for the user. The sentence says what failed, on which object, why,
// and what to do.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace warptune {

// Kinds of errors. The values are the documented exit codes of the command line; the runtime library returns them too.
enum class ErrorKind : int {
  bad_input = 2,     // wrong usage, or an error in the user's spec, shape or file
  no_device = 3,     // no driver, no such device, device unusable
  no_candidate = 4,  // no valid or no correct configuration was found
  database = 5,      // cannot open, read or write the database
  internal = 6,      // a bug or an exhausted host resource
  not_ready = 7,     // only from the runtime library: the caller should try again later
  interrupted = 130, // the user asked to stop; everything measured is stored
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
};

template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::make_unexpected(Error{kind, std::move(message)});
}

inline tl::unexpected<Error> fail(Error error) { return tl::make_unexpected(std::move(error)); }

} // namespace warptune

// WT_TRY(const auto device, describe()) declares `device` as the value of a Result, or returns its error from the
// enclosing function. It moves the value out of an rvalue and copies it from an lvalue. Because it expands to several
// statements, it cannot be the body of an `if` without braces.
#define WT_TRY(declaration, ...) WT_TRY_AS_(WT_JOIN_(wt_result_, __COUNTER__), declaration, __VA_ARGS__)

// WT_CHECK(open()) returns the error of a Result from the enclosing function; on success it discards the value.
#define WT_CHECK(...) WT_CHECK_AS_(WT_JOIN_(wt_result_, __COUNTER__), __VA_ARGS__)

#define WT_JOIN_(a, b) WT_JOIN_NOW_(a, b)
#define WT_JOIN_NOW_(a, b) a##b
#define WT_TRY_AS_(result, declaration, ...)                                                                           \
  auto&& result = __VA_ARGS__;                                                                                         \
  if (!result) return tl::make_unexpected(std::forward<decltype(result)>(result).error());                             \
  declaration = *std::forward<decltype(result)>(result)
#define WT_CHECK_AS_(result, ...)                                                                                      \
  do {                                                                                                                 \
    if (auto&& result = __VA_ARGS__; !result)                                                                          \
      return tl::make_unexpected(std::forward<decltype(result)>(result).error());                                      \
  } while (false)
