// An operator with library calls among its implementations through whole sessions.
#include "recording/recorded_params.h"
#include "support/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class LibraryCallSession : public test::SessionFixture {
 protected:
  LibraryCallSession() { kernel_ = test::toy_kernel("duplicate"); }
};

// The toy's formula makes the implementation of odd number, copy, the fastest.
TEST_F(LibraryCallSession, AreTunedResumedAndNamed) {
  const SessionResult r = tuned();
  EXPECT_EQ(r.space_size, 21 + 1 + 2);
  EXPECT_EQ(r.measured, r.space_size);
  EXPECT_EQ(r.best.config, "implementation=copy");
  EXPECT_EQ(r.best.default_config, "implementation=plain,A=1,B=1");
  EXPECT_TRUE(r.best.certified);
  EXPECT_THAT(r.notes, Contains(HasSubstr("calls driver.copy")));
  options_.resume = true;
  const SessionResult again = tuned();
  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.best.config, r.best.config);
}

TEST_F(LibraryCallSession, AsABaselineTheyTakePartWhateverIsProposed) {
  options_.strategy = "random";
  options_.budget = *parse_budget("4");
  options_.baseline = true;
  const SessionResult r = tuned();
  EXPECT_EQ(trials(r.session).count("implementation=copy"), 1u);
  EXPECT_THAT(r.best.outcome, HasSubstr("1.000 times as fast as implementation=copy"));
}

TEST_F(LibraryCallSession, AreReplayed) {
  replay(test::toy_recording(kernel_, test::toy_problem(kernel_)));
  EXPECT_EQ(tuned().best.config, "implementation=copy");
}

} // namespace
} // namespace warptune
