// Lists of sizes: their texts, their numbers, and the values of generators. The values must not change, because
// databases hold the texts of generators.
#include "spec/size_list.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <numeric>

namespace warptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Elements = std::vector<std::int64_t>;

Elements elements_of(const std::string& text) {
  const auto list = parse_size_list(text);
  EXPECT_TRUE(list) << text << ": " << list.error().message;
  return list ? list->elements : Elements();
}

std::string text_of(const std::string& text) { return parse_size_list(text).value_or(SizeList()).text; }

std::string error_of(const std::string& text) {
  const auto list = parse_size_list(text);
  EXPECT_FALSE(list) << text;
  return list ? "" : list.error().message;
}

TEST(SizeList, HasOneTextForEachSpelling) {
  EXPECT_EQ(text_of(" [ 128, +64 ,007 ] "), "[128,64,7]");
  EXPECT_EQ(text_of("equal( 8 , 512 )"), "equal(8,512)");
  EXPECT_EQ(text_of("zipf(64,4096,1,1.0)"), "zipf(64,4096,1)");
  EXPECT_EQ(text_of("zipf(64,4096,1,1.20)"), "zipf(64,4096,1,1.2)");
  EXPECT_EQ(text_of("zipf(64,4096,1,0.05)"), "zipf(64,4096,1,0.05)");
  for (const char* text : {"[0]", "equal(3,0)", "uniform(4,0,9,7)", "zipf(4,100,3,2.5)", "spread(4,100,40,10)"})
    EXPECT_EQ(text_of(text), text);
}

TEST(SizeList, GeneratorsYieldTheSameOnEveryMachine) {
  EXPECT_THAT(elements_of("equal(3,512)"), ElementsAre(512, 512, 512));
  EXPECT_THAT(elements_of("spread(5,100,40,10)"), ElementsAre(40, 17, 17, 16, 10));
  EXPECT_THAT(elements_of("spread(1,7,7,7)"), ElementsAre(7));
  EXPECT_THAT(elements_of("uniform(6,0,1024,7)"), ElementsAre(896, 932, 462, 857, 1003, 806));
  EXPECT_THAT(elements_of("zipf(8,1000,1)"), ElementsAre(52, 123, 62, 92, 45, 74, 368, 184));
  EXPECT_THAT(elements_of("zipf(8,1000,2)"), ElementsAre(62, 92, 123, 368, 45, 184, 74, 52));
  EXPECT_THAT(elements_of("zipf(8,1000,1,2.5)"), ElementsAre(5, 49, 8, 24, 4, 14, 761, 135));
  EXPECT_THAT(elements_of("zipf(4,10,1,0)"), testing::UnorderedElementsAre(3, 3, 2, 2));
}

TEST(SizeList, ZipfIsTheLawOfItsName) {
  Elements sizes = elements_of("zipf(1000,1000000000,5)");
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), 1000000000);
  std::sort(sizes.rbegin(), sizes.rend());
  for (const std::size_t rank : {2U, 10U, 100U, 1000U})
    EXPECT_NEAR(static_cast<double>(sizes[0]) / static_cast<double>(sizes[rank - 1]), static_cast<double>(rank),
                1e-3 * static_cast<double>(rank));
  EXPECT_EQ(elements_of("zipf(65536,1099511627776,9,4)").size(), 65536U); // no overflow at the limits
}

TEST(SizeList, TheLargestSumIsAllowedHoweverItIsWritten) {
  const std::string most = std::to_string(kMaxListSum), less = std::to_string(kMaxListSum - 1);
  for (const std::string& text :
       {"[" + most + "]", "[" + less + ",1]", "equal(1," + most + ")", "zipf(2," + most + ",1)",
        "uniform(1," + most + "," + most + ",1)", "spread(2," + most + "," + less + ",1)"})
    EXPECT_EQ(parse_size_list(text).value_or(SizeList()).numbers().sum, kMaxListSum) << text;
  EXPECT_THAT(error_of("[" + most + ",1]"), HasSubstr("the sum of the sizes is above " + most));
}

TEST(SizeList, NumbersSayWhatFormulasSee) {
  EXPECT_EQ(parse_size_list("[128,64,0,256]")->numbers(), (ListNumbers{4, 448, 256, 0}));
  EXPECT_TRUE((ListNumbers{4, 448, 256, 0}.exist()));
  EXPECT_TRUE((ListNumbers{1, 5, 5, 5}.exist()));
  for (const ListNumbers none : {ListNumbers{0, 0, 0, 0},
                                 {1, 5, 5, 4},
                                 {2, 5, 5, 4},
                                 {3, 10, 2, 1},
                                 {2, 3, 1, 2},
                                 {65537, 65537, 1, 1},
                                 {2, 1, -1, -1}}) {
    EXPECT_FALSE(none.exist());
    EXPECT_TRUE(existing_numbers(none).exist());
  }
  for (const char* text : {"spread(7,100,40,3)", "spread(2,9,5,4)", "spread(3,3,1,1)"}) {
    const ListNumbers numbers = parse_size_list(text)->numbers();
    EXPECT_EQ(spread_text(numbers), text);
    EXPECT_EQ(existing_numbers(numbers), numbers);
  }
}

TEST(SizeList, RefusalsSayWhatToWrite) {
  EXPECT_THAT(error_of("5"), HasSubstr("is not a list; write [128,64,0], equal(COUNT,SIZE)"));
  EXPECT_THAT(error_of("[]"), HasSubstr("empty"));
  EXPECT_THAT(error_of("[1,,2]"), HasSubstr("a size is missing"));
  EXPECT_THAT(error_of("[1,x]"), HasSubstr("the size is 'x'; it must be a whole number from 0 to"));
  EXPECT_THAT(error_of("equal(0,4)"), HasSubstr("equal: the count is '0'; it must be a whole number from 1 to 65536"));
  EXPECT_THAT(error_of("equal(2,)"), HasSubstr("equal: the size is missing"));
  EXPECT_THAT(error_of("[-1]"), HasSubstr("from 0 to"));
  EXPECT_THAT(error_of("[1099511627776,1]"), HasSubstr("sum of the sizes"));
  EXPECT_THAT(error_of("zipff(1,2,3)"), HasSubstr("did you mean 'zipf'?"));
  EXPECT_THAT(error_of("zipf(4,100)"), HasSubstr("2 numbers"));
  EXPECT_THAT(error_of("zipf(4,100,1,1.234)"), HasSubstr("exponent"));
  EXPECT_THAT(error_of("zipf(4,100,1,5)"), HasSubstr("zipf: the exponent is '5'; it must be a number from 0 to 4"));
  EXPECT_THAT(error_of("equal(65537,1)"), HasSubstr("1 to 65536"));
  EXPECT_THAT(error_of("uniform(4,9,3,1)"), HasSubstr("highest"));
  EXPECT_THAT(error_of("spread(2,9,3,1)"), HasSubstr("no list can have the count 2"));
  EXPECT_THAT(error_of("[1,\xff]"), AllOf(HasSubstr("the size is"), Not(HasSubstr("\xff")))) << "not even UTF-8";
  EXPECT_THAT(error_of("zipf(4,100,1,\xff)"), Not(HasSubstr("\xff")));
  std::string many = "[0";
  for (int i = 0; i < 4096; ++i) many += ",0";
  EXPECT_THAT(error_of(many + "]"), HasSubstr("4097 sizes are written out"));
}

TEST(SizeList, CommasInBracketsDoNotSplit) {
  EXPECT_THAT(split_sizes("rows=[1,2] , n=zipf(1,2,3),k=4"), ElementsAre("rows=[1,2]", "n=zipf(1,2,3)", "k=4"));
  EXPECT_THAT(split_sizes("a=[1,2"), ElementsAre("a=[1,2")); // the reader of the part refuses it
  EXPECT_THAT(split_sizes("a=1),b=2"), ElementsAre("a=1)", "b=2"));
  EXPECT_THAT(split_sizes(""), ElementsAre(""));
}

} // namespace
} // namespace warptune
