// A reader with a kernel's spec: returns rows with problems and configurations as values. A row that the spec cannot
// read, because it belongs to other sources, is returned with the reason; the caller decides how to use it.
#pragma once

#include "db/reader.h"
#include "db/stored_values.h"

#include <string>
#include <vector>

namespace warptune {

struct SpecTrial {
  TrialRow row; // row.config: the text, which is unique among the rows of a session
  Result<Config> config;
};

struct SpecBest {
  BestRecord row;
  Result<Problem> problem;
  Result<Config> config;
};

class SpecReader {
 public:
  SpecReader(const Reader& reader, const KernelSpec& spec)
      : reader_(&reader), values_(spec) {} // both must outlive this
  const Reader& reader() const { return *reader_; }

  Result<std::vector<SpecTrial>> trials(RowId session); // as Reader::trials
  Result<std::vector<SpecBest>> best(); // the best results of the spec's kernel, as Reader::best returns them
  const Result<Problem>& problem(const SessionIdentity& identity) { return values_.problem(identity.problem); }

 private:
  const Reader* reader_;
  StoredValues values_;
};

} // namespace warptune
