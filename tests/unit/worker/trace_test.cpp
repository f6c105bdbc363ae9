// Perfetto can read the trace's file: JSON in the Trace Event Format, complete or cut by a kill.
#include "support/temp_dir.h"
#include "worker/trace.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace warptune {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Trace, SpansStandOnNamedTracks) {
  const test::TempDir dir;
  {
    auto trace = Trace::open(dir / "t.json");
    ASSERT_TRUE(trace) << trace.error().message;
    const TraceTrack a = (*trace)->track("compile", "worker 0"), b = (*trace)->track("cuda:0", "device");
    const auto now = TraceTrack::Clock::now();
    a.span("compile", now, now + std::chrono::microseconds(1500), {{"status", "ok \"quoted\" \xff"}});
    b.span("evaluate", now, now);
    ASSERT_TRUE((*trace)->close());
  }
  const auto events = nlohmann::json::parse(text_of(dir / "t.json"));
  ASSERT_EQ(events.size(), 6u) << "two names for each track, two events";
  EXPECT_EQ(events[0]["args"]["name"], "compile");
  EXPECT_EQ(events[1]["args"]["name"], "worker 0");
  EXPECT_EQ(events[4]["ph"], "X");
  EXPECT_DOUBLE_EQ(events[4]["dur"], 1500);
  EXPECT_EQ(events[4]["pid"], events[0]["pid"]);
  EXPECT_NE(events[5]["pid"], events[4]["pid"]);
}

TEST(Trace, WithoutAFileNothingHappens) {
  const TraceTrack track;
  EXPECT_FALSE(track.active());
  track.span("compile", {}, {});
  const TraceSpan span(track, "more");
}

TEST(Trace, SeveralThreadsWriteWholeEvents) {
  const test::TempDir dir;
  auto trace = Trace::open(dir / "t.json");
  ASSERT_TRUE(trace);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([track = (*trace)->track("g", std::to_string(i))] {
      for (int k = 0; k < 200; ++k) track.span("event", {}, {});
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE((*trace)->close());
  EXPECT_EQ(nlohmann::json::parse(text_of(dir / "t.json")).size(), 4u * 200 + 5);
}

TEST(Trace, ATraceIsWrittenOverAndNothingElseIs) {
  const test::TempDir dir;
  for (int i = 0; i < 2; ++i) {
    auto trace = Trace::open(dir / "t.json");
    ASSERT_TRUE(trace) << trace.error().message;
    (*trace)->track("a", "b").span("c", {}, {});
  }
  std::ofstream(dir / "my.db") << "SQLite format 3";
  const auto refused = Trace::open(dir / "my.db");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("exists and is not a trace"));
  EXPECT_EQ(text_of(dir / "my.db"), "SQLite format 3");
}

TEST(Trace, AFileThatCannotBeWritten) {
  EXPECT_EQ(Trace::open("/proc/nowhere/t.json").error().kind, ErrorKind::bad_input);
  auto full = Trace::open("/dev/full");
  ASSERT_TRUE(full);
  (*full)->track("a", "b").span("c", {}, {});
  const auto closed = (*full)->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().kind, ErrorKind::internal);
  EXPECT_THAT(closed.error().message, testing::HasSubstr("could not be written completely"));
}

TEST(Trace, APipeIsWrittenIfItHasAReader) {
  const test::TempDir dir;
  const auto pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refused = Trace::open(pipe);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("this pipe has no reader; start the reader first"));
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  auto trace = Trace::open(pipe);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_TRUE((*trace)->close());
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 3);
  EXPECT_STREQ(text, "[]\n");
  ::close(reader);
}

} // namespace
} // namespace warptune
