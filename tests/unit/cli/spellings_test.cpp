// Accepted alternative spellings of devices and types.
#include "cli/spellings.h"

#include <gmock/gmock.h>

namespace warptune::cli {
namespace {

using testing::ElementsAre;

TEST(Spellings, ABareNumberIsAGpu) {
  EXPECT_THAT(with_usual_spellings({"warptune", "tune", "--device", "1"}),
              ElementsAre("warptune", "tune", "--device", "cuda:1"));
  EXPECT_THAT(with_usual_spellings({"warptune", "--device=0"}), ElementsAre("warptune", "--device=cuda:0"));
  EXPECT_THAT(with_usual_spellings({"warptune", "--devices", "0,1"}), ElementsAre("warptune", "--devices", "cuda:0,1"));
  EXPECT_THAT(with_usual_spellings({"warptune", "--device", "NVIDIA H200"}),
              ElementsAre("warptune", "--device", "NVIDIA H200"));
  EXPECT_THAT(with_usual_spellings({"warptune", "--seed", "0"}), ElementsAre("warptune", "--seed", "0"));
}

TEST(Spellings, RecordedIsTheReplayedDevice) {
  EXPECT_THAT(with_usual_spellings({"warptune", "--device", "recorded"}),
              ElementsAre("warptune", "--device", "replay"));
  EXPECT_THAT(with_usual_spellings({"warptune", "--devices=recorded:a/b"}),
              ElementsAre("warptune", "--devices=replay:a/b"));
  EXPECT_EQ(shown_device("replay:a/b"), "recorded:a/b");
  EXPECT_EQ(shown_device("replay"), "recorded");
  EXPECT_EQ(shown_device("replayed"), "replayed");
}

TEST(Spellings, TheNameOfAMeasuredGpuIsNotADevice) {
  for (const char* command : {"report", "import"})
    for (const char* name : {"recorded", "0"}) {
      EXPECT_EQ(with_usual_spellings({"warptune", command, "--device", name}).back(), name) << command;
      EXPECT_EQ(with_usual_spellings({"warptune", command, std::string("--device=") + name}).back(),
                std::string("--device=") + name);
    }
}

TEST(Spellings, ARecordingWithoutAPathIsRefused) {
  EXPECT_TRUE(pathless_recording({"tune", "--device", "replay:"}));
  EXPECT_TRUE(pathless_recording({"tune", "--device=replay:"}));
  EXPECT_TRUE(pathless_recording({"sweep", "--devices", "replay:a,replay:"}));
  EXPECT_FALSE(pathless_recording({"tune", "--device", "replay"}));
  EXPECT_FALSE(pathless_recording({"tune", "--device", "replay:a,replay:"})) << "the comma is part of the path";
  EXPECT_FALSE(pathless_recording({"tune", "replay:", "--", "--device", "replay:"}));
}

TEST(Spellings, ASweepTakesSeveralDevices) {
  EXPECT_THAT(with_usual_spellings({"warptune", "sweep", "--device", "0"}),
              ElementsAre("warptune", "sweep", "--devices", "cuda:0"));
  EXPECT_THAT(with_usual_spellings({"warptune", "sweep", "--device=1"}),
              ElementsAre("warptune", "sweep", "--devices=cuda:1"));
  EXPECT_THAT(with_usual_spellings({"warptune", "tune", "--device", "0"}),
              ElementsAre("warptune", "tune", "--device", "cuda:0"));
}

TEST(Spellings, TypesOfOtherPrograms) {
  const auto dtype = [](const char* text) { return with_usual_spellings({"warptune", "--dtype", text}).back(); };
  for (const char* text : {"half", "float16", "FP16", "torch.float16"}) EXPECT_EQ(dtype(text), "fp16") << text;
  for (const char* text : {"BF16", "bfloat16"}) EXPECT_EQ(dtype(text), "bf16") << text;
  for (const char* text : {"float", "float32", "fp32"}) EXPECT_EQ(dtype(text), "fp32") << text;
  EXPECT_EQ(dtype("double"), "fp64");
  EXPECT_EQ(dtype("no_type"), "no_type");
}

} // namespace
} // namespace warptune::cli
