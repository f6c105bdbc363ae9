// The state that the names of claims describe, whatever the order of the listing.
#include "cluster/claim_board.h"

#include <gtest/gtest.h>

namespace warptune {
namespace {

using State = ClaimBoard::State;

const ClaimSubject kSubject{17, "ab12"};

TEST(ClaimBoard, NamesAreReadAsWritten) {
  const ClaimName name{kSubject, 3};
  EXPECT_EQ(name.text(), "00017-ab12.3");
  EXPECT_EQ(ClaimName::parse(name.text()), name);
  EXPECT_EQ(ClaimName::parse("123456-ab12.1")->subject.job, 123456u);
  for (const char* wrong :
       {"", "00017", "00017-ab12", "00017-ab12.", "00017-ab12.0", "-ab12.1", "00017-ab12.1x", "00017.1-ab12",
        "x-ab12.1", "00017-ab12.1.finished", "17-ab12.1", "00017-ab12.01", "00017-ab12~.1", "00017-.1",
        "00017-ab12.2147483647", "99999999999999999999-ab12.1", "00017-ab12.-1"})
    EXPECT_FALSE(ClaimName::parse(wrong)) << wrong;
}

TEST(ClaimBoard, JobsThatTheRunDoesNotHaveAreIgnored) {
  EXPECT_EQ(ClaimBoard({"00017-ab12.1"}, 18).running().size(), 1u);
  EXPECT_TRUE(ClaimBoard({"00017-ab12.1"}, 17).running().empty());
}

TEST(ClaimBoard, TheLastAttemptDecides) {
  EXPECT_EQ(ClaimBoard({}).state(kSubject), State::free);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1"}).state(kSubject), State::running);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1", "00017-ab12.1.back"}).state(kSubject), State::free);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1.back", "00017-ab12.2", "00017-ab12.1"}).state(kSubject), State::running);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1", "00017-ab12.1.failed"}).state(kSubject), State::failed);
  EXPECT_EQ(ClaimBoard({"00017-ab12.10", "00017-ab12.2", "00017-ab12.2.failed"}).state(kSubject), State::running);
  EXPECT_EQ(ClaimBoard({"00017-ab12.10", "00017-ab12.9"}).last_attempt(kSubject), 10);
}

TEST(ClaimBoard, AJobIsFinishedIfAnyAttemptIs) {
  EXPECT_EQ(ClaimBoard({"00017-ab12.1", "00017-ab12.2", "00017-ab12.1.finished"}).state(kSubject), State::finished);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1.finished", "00017-ab12.1.failed"}).state(kSubject), State::finished)
      << "others gave it up before its own process finished it";
  EXPECT_EQ(ClaimBoard({"00017-ab12.1.failed", "00017-ab12.1.finished"}).state(kSubject), State::finished);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1.finished"}).state(kSubject), State::finished) << "an old view of the folder";
}

TEST(ClaimBoard, AJobWhoseResultWasLostIsAvailable) {
  EXPECT_EQ(ClaimBoard({"00017-ab12.1", "00017-ab12.1.finished", "00017-ab12.1.lost"}).state(kSubject), State::free);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1.lost", "00017-ab12.1.finished", "00017-ab12.2"}).state(kSubject), State::running);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1.lost", "00017-ab12.1.finished", "00017-ab12.2.finished"}).state(kSubject),
            State::finished)
      << "another attempt has the result";
}

TEST(ClaimBoard, AJobWithoutANumberForAnotherAttemptHasFailed) {
  EXPECT_EQ(ClaimBoard({"00017-ab12.999999.back"}).state(kSubject), State::free);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1000000.back"}).state(kSubject), State::failed);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1000000.lost"}).state(kSubject), State::failed);
}

TEST(ClaimBoard, ModelsAndJobsAreApart) {
  const ClaimBoard board({"00017-ab12.1", "00018-ab12.1", "00017-cd34.1", "00017-cd34.1.finished", "junk", ".nfs0001"});
  EXPECT_EQ(board.state(kSubject), State::running);
  EXPECT_EQ(board.state({17, "cd34"}), State::finished);
  EXPECT_EQ(board.running(), (std::vector<ClaimName>{{kSubject, 1}, {{18, "ab12"}, 1}}));
  EXPECT_EQ(board.subjects().size(), 3u);
}

TEST(ClaimBoard, AttemptsWithoutAnOutcomeAreCountedFromTheLast) {
  EXPECT_EQ(ClaimBoard({}).open_attempts(kSubject), 0);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1", "00017-ab12.2", "00017-ab12.2.back", "00017-ab12.3", "00017-ab12.4"})
                .open_attempts(kSubject),
            2);
  EXPECT_EQ(ClaimBoard({"00017-ab12.1", "00017-ab12.1.back"}).open_attempts(kSubject), 0);
}

TEST(ClaimBoard, TheNewestEndOfAKind) {
  const ClaimBoard board({"00017-ab12.1.back", "00017-ab12.2.back", "00017-ab12.3.failed", "00017-ab12.4"});
  EXPECT_EQ(board.last_with(kSubject, ClaimOutcome::back), (ClaimName{kSubject, 2}));
  EXPECT_EQ(board.last_with(kSubject, ClaimOutcome::failed), (ClaimName{kSubject, 3}));
  EXPECT_FALSE(board.last_with(kSubject, ClaimOutcome::finished));
}

} // namespace
} // namespace warptune
