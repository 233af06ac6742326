// `pjrt:PLUGIN.so` on files that are not plug-ins and on plug-ins that are faulty: whatever they
// do, one message says it. What working plug-ins give is the matter of plugin_suite_test.
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "backends/factory/factory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

class DriverTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("ASSAY_PJRT_DRIVER", ASSAY_PJRT_DRIVER, 1); }
  void TearDown() override { unsetenv("FAULT"); }

  // What compiling a module ends in.
  static absl::Status Ask(const std::string& target, double seconds = 30) {
    BackendOptions options;
    options.budget.seconds = seconds;
    const absl::StatusOr<std::unique_ptr<Backend>> backend =
        MakeBackend(BuiltInBackends(), "pjrt:" + target, options);
    if (!backend.ok()) return backend.status();
    const absl::StatusOr<std::unique_ptr<Module>> module =
        ParseModule("HloModule m\nENTRY e {\n ROOT x = f32[2] parameter(0)\n}\n");
    if (!module.ok()) return module.status();
    return (*backend)->Compile(**module).status();
  }

  static void Expect(const std::string& fault, absl::StatusCode code, const std::string& message) {
    setenv("FAULT", fault.c_str(), 1);
    // What one faulty plug-in answers is stored for no other.
    setenv("ASSAY_PJRT_CACHE", (::testing::TempDir() + "/faulty_plugin/" + fault).c_str(), 1);
    const absl::Status status = Ask(ASSAY_FAULTY_PLUGIN, fault == "hang" ? 1 : 30);
    EXPECT_EQ(status.code(), code) << fault << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << fault;
  }
};

TEST_F(DriverTest, SaysWhyAFileIsNoPlugin) {
  EXPECT_THAT(Ask("/nowhere/plugin.so").ToString(),
              HasSubstr("'/nowhere/plugin.so' is not a PJRT plug-in: "));
  EXPECT_THAT(Ask(ASSAY_PJRT_DRIVER).ToString(), HasSubstr("is not a PJRT plug-in: "));
  EXPECT_THAT(Ask("libz.so.1").ToString(),
              HasSubstr("is not a PJRT plug-in: it exports no function GetPjrtApi"));
  EXPECT_THAT(Ask(std::string(ASSAY_FAULTY_PLUGIN) + "?option").ToString(),
              HasSubstr("'option' is not an option of the form NAME=VALUE"));
}

TEST_F(DriverTest, SaysWhatIsWrongWithTheTable) {
  using enum absl::StatusCode;
  Expect("null_table", kAborted, "is not a PJRT plug-in: GetPjrtApi returned null");
  Expect("huge_table", kAborted, "its table of functions claims a size of 1099511627776 bytes");
  Expect("tiny_table", kAborted, "its table of functions claims a size of 8 bytes");
  Expect("major", kAborted, "has version 1.114 of PJRT's interface");
  Expect("minor", kAborted, "has version 0.20 of PJRT's interface");
  Expect("null_slot", kAborted, "the plug-in has no function PJRT_Client_PlatformVersion");
  Expect("short_table", kAborted, "the plug-in has no function PJRT_Device_GetDescription");
}

TEST_F(DriverTest, SurvivesPluginsThatCrashAndHang) {
  using enum absl::StatusCode;
  Expect("abort", kAborted, "was killed by signal 6 (Aborted) before it answered");
  Expect("hang", kAborted, "hung: it did not answer in time");
  Expect("crash_at_compile", kAborted, "was killed by signal 6 (Aborted) before it answered");
}

TEST_F(DriverTest, SaysWhatAClientRefuses) {
  using enum absl::StatusCode;
  Expect("client_refused", kAborted, "makes no client: not today");
  Expect("null_client", kAborted, "makes no client: the plug-in made a null client");
  Expect("many_devices", kAborted, "the plug-in says that it has 1152921504606846976 devices");
  // An error for every type is no word on types.
  Expect("none", kAborted, "the plug-in compiles neither HLO nor StableHLO: not today");
}

}  // namespace
}  // namespace assay
