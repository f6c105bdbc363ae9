// Sanitising, numbers as text, file names, shell quoting.
#include "cli/option_values.h"
#include "cli/recording_name.h"
#include "cli/sanitize.h"
#include "cli/search_options.h"
#include "cli/units.h"
#include "core/shell_words.h"

#include <gtest/gtest.h>

namespace warptune::cli {
namespace {

TEST(Sanitize, PlainTextStays) {
  EXPECT_EQ(sanitize("NVIDIA H200, 4.8 TB/s"), "NVIDIA H200, 4.8 TB/s");
  EXPECT_EQ(sanitize("\xc2\xb5s \xe2\x86\x92 \xf0\x9f\x98\x80"), "\xc2\xb5s \xe2\x86\x92 \xf0\x9f\x98\x80");
}

TEST(Sanitize, ControlCharactersBecomeVisible) {
  EXPECT_EQ(sanitize("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(sanitize("a\rb\nc\td\x7f"), "a\\rb\\nc\\td\\x7f");
  EXPECT_EQ(sanitize(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(sanitize("\xc2\x9b"
                     "31m"),
            "\\x9b31m")
      << "the C1 escape sequence introducer";
}

TEST(Sanitize, TextDirectionCannotBeTurned) {
  EXPECT_EQ(sanitize("a\xe2\x80\xae"
                     "b"),
            "a\\u202eb");
  EXPECT_EQ(sanitize("a\xe2\x81\xa6"
                     "b"),
            "a\\u2066b");
}

TEST(Sanitize, BrokenUtf8IsShownByteByByte) {
  EXPECT_EQ(sanitize("a\xff"), "a\\xff");
  EXPECT_EQ(sanitize("\xc3"), "\\xc3");
  EXPECT_EQ(sanitize("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(sanitize("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "surrogate";
}

TEST(Sanitize, LogsKeepTheirLines) { EXPECT_EQ(sanitize_lines("a:\n\tb\x1b"), "a:\n\tb\\x1b"); }

TEST(Percent, TheSignMayBeLeftOutWhereNothingElseIsMeant) {
  for (const auto& [text, share] : {std::pair("3%", 0.03),
                                    {"3", 0.03},
                                    {"0.5", 0.005},
                                    {"0.1", 0.001},
                                    {"0.03%", 0.0003},
                                    {"0", 0.0},
                                    {"0%", 0.0},
                                    {"100", 1.0}}) {
    const auto read = parse_percent(text, "cover");
    ASSERT_TRUE(read) << text;
    EXPECT_DOUBLE_EQ(*read, share) << text;
  }
  for (const char* text : {"0.03", ".05", "0.0999"}) {
    const auto read = parse_percent(text, "cover");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("is ambiguous: write "), std::string::npos) << read.error().message;
  }
  for (const char* text : {"", "%", "3%%", "-1", "101", "1e1", "three"})
    EXPECT_FALSE(parse_percent(text, "cover")) << text;
}

TEST(Units, Times) {
  EXPECT_EQ(time_text(0), "-");
  EXPECT_EQ(time_text(12.345), "12.35 us");
  EXPECT_EQ(time_text(1234.5), "1.234 ms");
  EXPECT_EQ(time_text(2.5e6), "2.500 s");
}

TEST(Units, RatesAreNeverScientific) {
  EXPECT_EQ(three_digits(3130.4), "3130");
  EXPECT_EQ(three_digits(123456), "123456");
  EXPECT_EQ(three_digits(41.25), "41.2");
  EXPECT_EQ(three_digits(99.99), "100");
  EXPECT_EQ(three_digits(0.05), "0.05");
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(tflops_text(2250), "2250 TFLOP/s");
}

TEST(Units, Durations) {
  EXPECT_EQ(duration_text(4.2), "4.2 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1m00s");
  EXPECT_EQ(duration_text(65), "1m05s");
  EXPECT_EQ(duration_text(7380), "2h03m");
  EXPECT_EQ(duration_text(-1), "?");
  EXPECT_EQ(duration_text(1e300), "277777h46m");
}

TEST(Units, Sizes) {
  EXPECT_EQ(bytes_text(227 * 1024), "227 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(rate_text(4123.4), "4.12 TB/s");
  EXPECT_EQ(energy_text(0), "-");
  EXPECT_EQ(energy_text(0.8124), "812 uJ");
  EXPECT_EQ(energy_text(83.14), "83.1 mJ");
  EXPECT_EQ(energy_text(1084), "1.08 J");
  EXPECT_EQ(rate_text(812), "812.0 GB/s");
}

TEST(Units, Amounts) {
  EXPECT_EQ(amount_text(4.29e9, "B"), "4.29 GB");
  EXPECT_EQ(amount_text(71565312, ""), "71.6 M");
  EXPECT_EQ(amount_text(1000, "B"), "1 kB");
  EXPECT_EQ(amount_text(999, "B"), "999 B");
  EXPECT_EQ(amount_text(32, ""), "32");
  EXPECT_EQ(amount_text(3.2e13, "op"), "32 Top");
  EXPECT_EQ(amount_text(0, "B"), "-");
}

TEST(Units, Failures) {
  const std::map<TrialStatus, std::int64_t> counts = {
      {TrialStatus::ok, 9}, {TrialStatus::compile_failed, 2}, {TrialStatus::wrong_result, 1}};
  EXPECT_EQ(failure_count(counts), 3);
  EXPECT_EQ(failures_text(counts), "2 compile failed, 1 wrong result");
  EXPECT_EQ(failures_text({{TrialStatus::ok, 9}}), "");
  EXPECT_EQ(failures_text({{TrialStatus::crashed, 0}, {TrialStatus::timed_out, 3}}), "3 timed out");
}

TEST(Budget, Texts) {
  EXPECT_TRUE(parse_budget("")->all());
  EXPECT_EQ(parse_budget("200")->evaluations, 200);
  EXPECT_EQ(parse_budget("30s")->seconds, 30);
  EXPECT_EQ(parse_budget("10%")->percent, 10);
  EXPECT_EQ(parse_budget("10%")->text, "10%");
  for (const char* wrong : {"lots", "-5", "0", "10 apples", "s", "%", "nan", "101%", "1e999s"}) {
    const auto budget = parse_budget(wrong);
    ASSERT_FALSE(budget) << wrong;
    EXPECT_EQ(budget.error().kind, ErrorKind::bad_input);
  }
}

TEST(RecordingName, IsOneHarmlessPathComponent) {
  EXPECT_EQ(recording_name("softmax", "rows=32,cols=8;bf16;log=0", "NVIDIA H200"),
            "softmax__rows=32-cols=8-bf16-log=0__NVIDIA-H200.json");
  EXPECT_EQ(recording_name("../../etc", "a/b", "\x1b[0m"), "-..-etc__a-b__0m.json");
  EXPECT_EQ(recording_name("", "..", ""), "unnamed__unnamed__unnamed.json");
  EXPECT_LT(recording_name("k", std::string(5000, 'x'), std::string(5000, 'y')).size(), 255U);
}

TEST(RecordingName, LongTextsThatBeginAlikeHaveNamesOfTheirOwn) {
  const std::string sizes = "rows=[" + std::string(100, '1');
  const std::string one = recording_name("k", sizes + ",2];fp32", "d"),
                    two = recording_name("k", sizes + ",3];fp32", "d");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.size(), two.size());
  EXPECT_EQ(one.size(), std::string("k__").size() + 80 + std::string("__d.json").size());
  EXPECT_EQ(recording_name("k", std::string(80, 'x'), "d"), "k__" + std::string(80, 'x') + "__d.json") << "not cut";
}

TEST(ShellQuoting, GivesTheWordBack) {
  EXPECT_EQ(quote_for_shell(std::string("rows=1,cols=2")), "rows=1,cols=2");
  EXPECT_EQ(quote_for_shell(std::string("my kernel")), "'my kernel'");
  EXPECT_EQ(quote_for_shell(std::string("it's")), "'it'\\''s'");
  EXPECT_EQ(quote_for_shell(std::string("it's\na\\b")), "$'it\\'s\\x0aa\\\\b'");
  EXPECT_EQ(quote_for_shell(std::string("\xff\xc3\xa9'")), "$'\\xff\\xc3\\xa9\\''");
  EXPECT_EQ(quote_for_shell(std::string("\xc3\xa9")), "'\xc3\xa9'") << "valid UTF-8 can be shown";
  EXPECT_EQ(quote_path_for_shell("-x"), "./-x");
  EXPECT_EQ(quote_path_for_shell("a-x"), "a-x");
  EXPECT_EQ(quote_for_shell(std::string()), "''");
  EXPECT_EQ(quote_for_script("it's\n\xff"), "'it'\\''s\n\xff'") << "all bytes stay";
  EXPECT_EQ(quote_for_shell(std::vector<std::string>{"warptune", "tune", "a b"}), "warptune tune 'a b'");
}

TEST(Ending, ALimitIsNamedAsItWasTyped) {
  SessionOptions options;
  options.budget = parse_budget("1h,10%,20").value();
  EXPECT_EQ(ending_sentence(Ending::seconds, options, 330), "the time budget of 1h is used up");
  EXPECT_EQ(ending_sentence(Ending::evaluations, options, 330), "the budget of 20 configurations is used up");
  EXPECT_EQ(ending_sentence(Ending::evaluations, options, 100),
            "the budget of 10% of the space (10 configurations) is used up");
}

} // namespace
} // namespace warptune::cli
