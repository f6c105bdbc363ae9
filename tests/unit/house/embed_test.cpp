// wt_embed: bytes are unchanged and found by name; an empty file works, too.
#include "embedded/house.h"

#include <gtest/gtest.h>

namespace embedded = warptune::embedded::house;

TEST(Embed, KeepsBytesAndOrder) {
  ASSERT_EQ(embedded::files().size(), 2u);
  EXPECT_EQ(embedded::files()[0].name, "plain.txt");
  EXPECT_EQ(embedded::files()[0].text, "first line\n\"quoted\" \\ second\n");
}

TEST(Embed, FindsByName) {
  EXPECT_EQ(embedded::find("empty.txt"), "");
  EXPECT_EQ(embedded::find("absent.txt"), std::nullopt);
}
