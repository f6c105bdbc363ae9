// A reader that has the kernel's spec and returns problems and configurations as values. A row that the spec cannot
// read belongs to other sources. It is returned with the reason, and the caller decides what to do.
#pragma once

#include "db/reader.h"
#include "db/stored_values.h"

#include <string>
#include <vector>

namespace warptune {

struct SpecTrial {
  TrialRow row; // row.config is the text, which is unique within a session
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
      : reader_(&reader), values_(spec) {} // both must outlive this object
  const Reader& reader() const { return *reader_; }

  Result<std::vector<SpecTrial>> trials(RowId session); // the trials that Reader::trials returns
  Result<std::vector<SpecBest>> best();                 // the results that Reader::best returns for the spec's kernel
  const Result<Problem>& problem(const SessionIdentity& identity) { return values_.problem(identity.problem); }

 private:
  const Reader* reader_;
  StoredValues values_;
};

} // namespace warptune
