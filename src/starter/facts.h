// The facts about a kernel that the user states, and those that are still missing. Formulas are kept as texts here; the
// reader of spec.json (spec/spec_json.h) checks them.
#pragma once

#include "starter/entries.h"

#include <string>
#include <vector>

namespace warptune {

struct StarterFacts {
  std::string kernel;              // "scale", "ns::scale"; empty: the file's only kernel
  std::string name;                // the operator's name; empty: derived from the kernel's name
  Entries dims;                    // n -> 1048576
  Entries buffers;                 // x -> n: buffer x has n elements of the type of the kernel's parameter x
  Entries scalars;                 // alpha -> 1.5
  Entries values;                  // BLOCK -> 64,128
  Entries types;                   // T -> fp32,bf16
  std::vector<std::string> inputs; // pointers that the kernel only reads although they are not const
  // Pointers that the kernel reads and writes.
  std::vector<std::string> inouts;
  std::vector<std::string> grid, block;
  std::string shared; // bytes of dynamic shared memory; a formula
  std::vector<std::string> constraints;
  std::string tolerance;            // relative; empty: the default of each dtype
  Entries defaults;                 // BLOCK -> 128; without an entry: the source's value, or else BLOCK's first value
  Entries fills;                    // x -> {"integers": [0, 9]}; the text is JSON
  std::vector<std::string> options; // options of the compiler
  std::vector<Entries> shapes; // the suite's shapes, each with a value for every dim; empty: one shape, from `dims`
  std::string maker;           // the program that writes the folder; empty: "warptune new"
};

// A fact that only the user can state.
struct MissingFact {
  std::string option; // "--buffer"
  std::string name;   // NAME in the option's NAME=VALUE; empty: the option takes only a value
  std::string meaning;
  std::string example;      // "n"
  std::string text() const; // "--buffer x=n"
};

// Adds the user's answer, as if the user had given it as an option.
Result<void> answer(const MissingFact& fact, const std::string& text, StarterFacts& facts);

} // namespace warptune
