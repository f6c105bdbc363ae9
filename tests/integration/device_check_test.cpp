// The answers of a device process become findings: wrong results, a crash, a hang, and examinations that do not apply.
// The name of the toy device selects its faults.
#include "support/paths.h"
#include "support/temp_dir.h"
#include "support/toy.h"
#include "tuner/device_check.h"

#include <gmock/gmock.h>

namespace warptune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DeviceChecks : public testing::Test {
 protected:
  DeviceCheck check(const std::string& faults, const std::vector<std::string>& configs = {"A=1,B=1,C=0"}) {
    DeviceCheckOptions options;
    options.worker = {test::program_dir() / "test_worker", "toy:" + faults, dir_.path().string()};
    options.evaluate_timeout_s = 2;
    std::vector<Config> all;
    for (const std::string& text : configs) all.push_back(parse_config(kernel_.spec, text).value());
    const auto found = check_on_device(
        kernel_, test::toy_problem(kernel_), all, options,
        [this](const Progress& p) {
          EXPECT_GE(p.done, shown_);
          EXPECT_LE(p.done, p.total);
          shown_ = p.done;
        },
        stop_);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(DeviceCheck{});
  }
  static std::vector<std::string> kinds(const DeviceCheck& found) {
    std::vector<std::string> all;
    for (const Finding& finding : found.findings) all.push_back(finding.kind);
    return all;
  }

  Kernel kernel_ = test::toy_kernel();
  test::TempDir dir_;
  std::atomic<bool> stop_ = false;
  std::int64_t shown_ = 0;
};

TEST_F(DeviceChecks, ASoundKernelHasOnlyNotes) {
  const DeviceCheck found = check("");
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_THAT(
      found.notes,
      ElementsAre("with buffers at the smallest offset that the spec allows, the configuration was not examined: "
                  "the toy has no buffers"));
}

TEST_F(DeviceChecks, EachExaminationHasItsKindAndRemedy) {
  for (const ExaminationName& one : examinations()) {
    if (one.what == Examination::bare) continue;
    shown_ = 0;
    const DeviceCheck found = check("examine/wrong " + std::string(one.name));
    ASSERT_EQ(found.findings.size(), 1U) << one.name;
    const Finding& finding = found.findings.front();
    EXPECT_EQ(finding.kind, one.kind);
    EXPECT_EQ(finding.level, FindingLevel::warning);
    EXPECT_EQ(finding.place.file, "kernel.cu");
    EXPECT_EQ(finding.config, "A=1,B=1,C=0");
    EXPECT_THAT(finding.sentence, AllOf(HasSubstr(std::string(one.with)), HasSubstr("y[4] is 3, expected 2"),
                                        HasSubstr(std::string(one.remedy))));
  }
}

// The next examination, and the next configuration, get a fresh process.
TEST_F(DeviceChecks, ACrashIsAFindingAndTheOthersGoOn) {
  const DeviceCheck found =
      check("examine/crash nan/A=1,B=1,C=0;crash/segv/A=1,B=1,C=0;examine/wrong zeros/A=4,B=4,C=0",
            {"A=1,B=1,C=0", "A=4,B=4,C=0"});
  ASSERT_THAT(kinds(found), ElementsAre("crash", "zero-input"));
  EXPECT_THAT(found.findings[0].sentence,
              AllOf(HasSubstr("with a NaN in its inputs, the launch kills its process"), HasSubstr("signal 11")));
  EXPECT_EQ(found.findings[1].config, "A=4,B=4,C=0");
}

TEST_F(DeviceChecks, AHangIsAFinding) {
  const DeviceCheck found = check("examine/crash large;crash/hang");
  ASSERT_THAT(kinds(found), ElementsAre("hang"));
  EXPECT_THAT(found.findings[0].sentence, HasSubstr("on large values, the launch does not finish"));
}

TEST_F(DeviceChecks, WhatIsWrongOnUsualInputsIsExaminedNoFurther) {
  const DeviceCheck found = check("examine/wrong usual");
  EXPECT_THAT(kinds(found), ElementsAre("wrong-result"));
  EXPECT_THAT(found.notes, IsEmpty());
}

TEST_F(DeviceChecks, AReferenceThatCannotRunIsANote) {
  const DeviceCheck found = check("examine/error infinity");
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_THAT(found.notes, testing::Contains("with an infinity in its inputs, the configuration was not examined: the "
                                             "reference has no value there"));
}

TEST_F(DeviceChecks, AStoppedCheckReturnsWhatItHas) {
  stop_ = true;
  EXPECT_THAT(check("examine/wrong usual").findings, IsEmpty());
}

TEST_F(DeviceChecks, WithoutADeviceThereIsAnError) {
  DeviceCheckOptions options;
  options.worker = {test::program_dir() / "test_worker", "toy:device/error", dir_.path().string()};
  const auto found = check_on_device(
      kernel_, test::toy_problem(kernel_), {}, options, [](const Progress&) {}, stop_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::no_device);
}

} // namespace
} // namespace warptune
