#include "cli/device_list.h"
#include "core/text.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const std::string& text) {
  auto devices = parse_devices(text);
  if (!devices) ADD_FAILURE() << devices.error().message;
  return devices ? *devices : std::vector<std::string>();
}

TEST(DeviceList, ANumberIsAGpu) {
  EXPECT_THAT(names("cuda:0"), ElementsAre("cuda:0"));
  EXPECT_THAT(names("cuda:0,1,3"), ElementsAre("cuda:0", "cuda:1", "cuda:3"));
  EXPECT_THAT(names("cuda:0, cuda:2"), ElementsAre("cuda:0", "cuda:2"));
  EXPECT_THAT(names("auto"), ElementsAre("auto"));
  EXPECT_THAT(names("0,2"), ElementsAre("cuda:0", "cuda:2"));
  EXPECT_THAT(names("auto,1"), ElementsAre("auto", "cuda:1"));
}

TEST(DeviceList, ARecordingsPathMayHoldCommas) {
  EXPECT_THAT(names("replay"), ElementsAre("replay"));
  EXPECT_THAT(names("replay:a,b/1,2.json,cuda:1"), ElementsAre("replay:a,b/1,2.json", "cuda:1"));
  EXPECT_THAT(names("replay:a,replay:a"), ElementsAre("replay:a", "replay:a")) << "two workers of one recording";
}

TEST(DeviceList, WhatIsNoDeviceIsRefused) {
  const std::string_view all = "|,|cuda:0,|gpu|cuda:0,,1|:0|cuda:-1|cuda:x|cuda:|cuda:0,cuda:-1|auto:1|gpu:0|H200|"
                               "cuda:0,NVIDIA H200|cuda0|cud|autos|replays|replay_1:a";
  for (const std::string_view piece : split(all, '|')) {
    const std::string wrong(piece);
    const auto devices = parse_devices(wrong);
    ASSERT_FALSE(devices) << wrong;
    EXPECT_EQ(devices.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(devices.error().message, HasSubstr("rite all, cuda:0,1 or recorded:PATH"));
  }
  EXPECT_THAT(parse_devices("recored").error().message,
              HasSubstr("'recored' is not a device; did you mean 'recorded'? Write all, cuda:0,1 or recorded:PATH"));
  EXPECT_THAT(parse_devices("cuda:0,1,cuda:0").error().message, HasSubstr("'cuda:0' is listed twice"));
  for (const char* first : {"auto,cuda:0", "cuda,0", "0,auto"}) EXPECT_FALSE(parse_devices(first)) << first;
}

} // namespace
} // namespace warptune::cli
