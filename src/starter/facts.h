// The facts that the user states about a kernel, and those that are still missing. The texts of formulas are checked by
// the reader of spec.json (spec/spec_json.h), not here.
#pragma once

#include "starter/entries.h"

#include <string>
#include <vector>

namespace warptune {

struct StarterFacts {
  std::string kernel;              // "scale", "ns::scale"; empty: the only one of the file
  std::string name;                // name of the new folder's operator; empty: made from the kernel's
  Entries dims;                    // n -> 1048576
  Entries buffers;                 // x -> n: elements of the parameter's type
  Entries scalars;                 // alpha -> 1.5
  Entries values;                  // BLOCK -> 64,128
  Entries types;                   // T -> fp32,bf16
  std::vector<std::string> inputs; // pointers that are not const but only read
  std::vector<std::string> inouts;
  std::vector<std::string> grid, block;
  std::string shared; // bytes
  std::vector<std::string> constraints;
  std::string tolerance;            // relative; empty: default per dtype
  Entries defaults;                 // BLOCK -> 128: the default value; if missing, the source's value or the first
  Entries fills;                    // x -> {"integers": [0, 9]}: JSON
  std::vector<std::string> options; // compiler options
  std::vector<Entries> shapes;      // the suite's shapes, each with a value for every dim; empty: the values of `dims`
  std::string maker;                // "warptune new" if empty
};

// A fact that only the user knows.
struct MissingFact {
  std::string option; // "--buffer"
  std::string name;   // NAME of the option's entry; empty: the option takes no NAME=
  std::string meaning;
  std::string example;      // "n"
  std::string text() const; // "--buffer x=n"
};

// Adds the user's answer, as if the option had been given.
Result<void> answer(const MissingFact& fact, const std::string& text, StarterFacts& facts);

} // namespace warptune
