#include "interchange/gzip.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::HasSubstr;

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 10007) + ",";
  return text;
}

TEST(Gzip, TextsComeBack) {
  for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
    const auto packed = gzip(text);
    ASSERT_TRUE(packed);
    EXPECT_TRUE(is_gzip(*packed));
    const auto back = gunzip(*packed);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->text, text);
    EXPECT_FALSE(back->truncated);
  }
}

TEST(Gzip, SeveralMembersAreOneText) {
  const auto both = gunzip(*gzip("one ") + *gzip("two"));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->text, "one two");
}

TEST(Gzip, ATruncatedFileGivesWhatThereIs) {
  const std::string text = long_text(), packed = *gzip(text);
  const auto part = gunzip(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_TRUE(part->truncated);
  EXPECT_GT(part->text.size(), text.size() / 4);
  EXPECT_TRUE(text.starts_with(part->text));
}

TEST(Gzip, DamageIsRefused) {
  std::string packed = *gzip(long_text());
  packed[packed.size() - 6] ^= 1; // the checksum
  const auto damaged = gunzip(packed);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("damaged"));
}

TEST(Gzip, ABombEndsAtTheLimit) {
  const auto bomb = gzip(std::string(std::size_t{1} << 24, 'x'));
  ASSERT_TRUE(bomb);
  EXPECT_LT(bomb->size(), 20000u);
  const auto refused = gunzip(*bomb, std::size_t{1} << 20);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("more than 1 MiB"));
  EXPECT_TRUE(gunzip(*bomb, std::size_t{1} << 24));
}

// Compressed a thousandfold, as no file of measurements is: refused long before the size limit.
TEST(Gzip, ABombOfManyMembersIsRefused) {
  const std::string member = *gzip(std::string(std::size_t{1} << 23, 'x'));
  const auto fits = gunzip(member + member);
  ASSERT_TRUE(fits) << fits.error().message;
  EXPECT_EQ(fits->text.size(), std::size_t{1} << 24);
  const auto refused = gunzip(member + member + *gzip("x"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("more than 16 MiB of text in "));
}

} // namespace
} // namespace warptune
