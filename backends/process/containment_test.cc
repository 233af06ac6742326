// What a target does wrong stays with the request that met it: every kind of misbehaviour at every
// stage of both versions of the protocol, and the request after it.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/process/process_backend.h"
#include "backends/process/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::process {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr char kHello2[] = R"({"type":"hello","protocol":2,"formats":["hlo-text"]})";
constexpr char kZeros[] =
    R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12}]],"payload":12,)"
    R"("@payload":"\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000"})";

// The answers of a well-behaved target to hello and what follows.
const std::vector<std::vector<std::string>>& Conversations() {
  static const auto& conversations =
      *new std::vector<std::vector<std::string>>{{kHello, kCompiled, kZeros}, {kHello2, kZeros}};
  return conversations;
}

std::string Script(const std::vector<std::string>& answers) {
  return absl::StrCat("[", absl::StrJoin(answers, ","), "]");
}

struct Fault {
  std::string answer;    // instead of the right one
  std::string expected;  // in the message
};

const std::vector<Fault>& Faults() {
  static const auto& faults = *new std::vector<Fault>{
      {R"({"@exit":3})", "exited with code 3 before it answered"},
      {R"({"@signal":11})", "killed by signal 11"},
      {R"({"@raw":"no JSON\n"})", "answered no JSON object but 'no JSON'"},
      {R"({"@raw":"{\"id\":2,\"ty","@then_exit":0})", "exited with code 0 before it answered"},
      {R"({"type":"result","results":7,"payload":"x"})", ""},
      {R"({"@nested":1000000,"@in":"type"})", ""},
  };
  return faults;
}

// Members of the wrong type, a billion elements, other arrays than asked for.
const std::vector<Fault>& ResultFaults() {
  static const auto& faults = *new std::vector<Fault>{
      {R"({"@raw":"\n"})", "answered no JSON object but ''"},
      {R"({"@raw":"[1]\n"})", "answered no JSON object but '[1]'"},
      {R"({"id":"two"})", "without an id"},
      {R"({"id":12345678901234567890123})", "without an id"},
      {R"({"id":77})", "answered request 77"},
      {R"({"type":7})", "with {"},
      {R"({"type":"result"})", "with {"},
      {R"({"type":"result","results":[7]})", "with no arrays in"},
      {R"({"type":"result","results":[[7]]})", "with shape ''"},
      {R"({"type":"released","payload":1000000000000000000})", "announced a payload of"},
      {R"({"type":"released","payload":-1})", "announced a payload of -1"},
      {R"({"type":"result","results":[[{"shape":"f32[1000000000]","bytes":4000000000}]],)"
       R"("payload":4000000000})",
       "'f32[1000000000]' for result array 0, which is f32[3]"},
      {R"({"type":"result","results":[[{"shape":"f32[3]","bytes":4000000000}]],)"
       R"("payload":4000000000})",
       "announced 4000000000 bytes for f32[3], which has 12"},
      {R"({"type":"result","results":[[{"shape":"s32[3]","bytes":12}]],"payload":12})", "'s32[3]'"},
      {R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12}]],"payload":4000000000})",
       "announced a payload of 4000000000 bytes for arrays of 12"},
      {R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12,"file":"/nowhere"}]]})",
       "did not leave 12 bytes in /nowhere"},
      {R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12,"file":3}]]})",
       "announced a payload of 0 bytes for arrays of 12"},
      {R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12}]],"payload":12,)"
       R"("@nested":1000000,"@in":"outfeed"})",
       "'', which no outfeed of the module has"},
      {R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12}]],"payload":12,)"
       R"("@payload":"half"})",
       "hung"},
      // The shell that runs the command holds the channel open.
      {R"({"@close":true})", "hung"},
  };
  return faults;
}

// Runs a module on a target that commits the fault at that stage of its first process; a second
// time on the same backend: whatever went wrong, that is well.
void ExpectContained(const std::vector<std::string>& well, size_t stage, const Fault& fault,
                     double seconds) {
  SCOPED_TRACE(
      absl::StrCat("version ", well.size() == 2 ? 2 : 1, ", stage ", stage, ": ", fault.answer));
  std::vector<std::string> bad(well.begin(), well.begin() + stage);
  bad.push_back(fault.answer);
  ProcessOptions options;
  options.command =
      Scripted(absl::StrCat(R"({"first":)", Script(bad), R"(,"later":)", Script(well), "}"));
  options.compile_seconds = options.execute_seconds = options.run_seconds = seconds;
  ProcessBackend backend(options);
  const std::vector<std::string> arguments = {"f32[3]{0} {1, 2, 3}"};
  EXPECT_THAT(RunText(backend, kEcho, arguments),
              AllOf(HasSubstr("ABORTED"), HasSubstr(fault.expected)));
  EXPECT_EQ(RunText(backend, kEcho, arguments), "f32[3]{0} {0, 0, 0}");
}

// The sanitizers ask one half and the other builds the other half: a fault that is left out at one
// stage, or in one version of the protocol, is asked at the next.
bool IsAsked(size_t number) { return number % 2 == (kScheduleStride == 1 ? 1 : 0); }

TEST(Containment, EveryFaultAtEveryStage) {
  size_t number = 0;
  for (const std::vector<std::string>& well : Conversations()) {
    for (size_t stage = 0; stage < well.size(); ++stage) {
      for (const Fault& fault : Faults()) {
        if (IsAsked(number++)) ExpectContained(well, stage, fault, 30);
      }
      ++number;
    }
    for (const Fault& fault : ResultFaults()) {
      if (IsAsked(number++)) ExpectContained(well, well.size() - 1, fault, 0.5);
    }
    ++number;
  }
}

// A result may be in a file, but not in what only has a name: reading a pipe or a device would wait
// for ever. What is not a file of the right size is not deleted either.
TEST(Containment, FilesOfResultsAreFiles) {
  const std::string pipe = TestPath("pipe"), shorter = TestPath("shorter");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(shorter) << "eleven byte";
  for (const std::string& path : {pipe, shorter, std::string("/dev/zero"), TestPath("")}) {
    const Fault fault = {
        absl::StrCat(R"({"type":"result","results":[[{"shape":"f32[3]","bytes":12,"file":")", path,
                     R"("}]]})"),
        absl::StrCat("did not leave 12 bytes in ", path)};
    for (const std::vector<std::string>& well : Conversations()) {
      ExpectContained(well, well.size() - 1, fault, 5);
    }
    EXPECT_EQ(access(path.c_str(), F_OK), 0) << path;
  }
}

TEST(Containment, EveryDeadlineHolds) {
  const auto start = Clock::now();
  for (const std::vector<std::string>& well : Conversations()) {
    for (size_t stage = 1; stage < well.size(); ++stage) {
      ExpectContained(well, stage, {R"({"@sleep":1})", "hung"}, 0.5);
      // Half of a message, and no more.
      ExpectContained(well, stage, {R"({"@raw":"{\"id\":"})", "hung"}, 0.5);
    }
  }
  EXPECT_THAT(RunEcho("sleep 60", 0.5), AllOf(HasSubstr("ABORTED"), HasSubstr("hung")));
  // The answer of a target that hangs in release is there, and nobody waits longer than for bye.
  EXPECT_THAT(RunEcho(Scripted(Script({kHello, kCompiled,
                                       R"({"type":"error","kind":"invalid","message":"so"})",
                                       R"({"@sleep":1})"})),
                      20),
              HasSubstr("so"));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(25));
}

TEST(Containment, AllThatItPrintsCostsNoDeadline) {
  const auto start = Clock::now();
  EXPECT_THAT(RunEcho("yes & yes >&2 & sleep 60", 0.5), HasSubstr("hung"));
  EXPECT_THAT(RunEcho("yes & exit 3", 30), HasSubstr("exited with code 3"));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

TEST(Containment, MemoryIsLimitedWhereOneSaysSo) {
  constexpr absl::string_view kDone = "f32[3]{0} {1, 2, 3}";
  ProcessOptions options;
  options.command = Misbehaving("greedy");
  options.memory_bytes = int64_t{1} << 27;
  ProcessBackend limited(options);
  EXPECT_THAT(RunText(limited, kEcho, {std::string(kDone)}),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("out of memory")));
  options.memory_bytes = int64_t{1} << 30;
  ProcessBackend enough(options);
  EXPECT_EQ(RunText(enough, kEcho, {std::string(kDone)}), kDone);
}

TEST(Containment, TheStubbornAreKilledWithTheirChildren) {
  const std::string path = TestPath("stubborn");
  const auto start = Clock::now();
  EXPECT_EQ(RunEcho(Misbehaving("stubborn", path)), "f32[3]{0} {1, 2, 3}");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
  ASSERT_TRUE(std::ifstream(path).good());
  // Its group is gone, but for zombies that nobody has waited for yet.
  const std::string command =
      absl::StrCat("ps -eo args,stat | grep -v grep | grep ", path, " | grep -vc ' Z'");
  int alive = -1;
  for (int i = 0; i < 100 && alive != 0; ++i) {
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_EQ(fscanf(pipe, "%d", &alive), 1);
    pclose(pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(alive == 0 ? 0 : 20));
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace assay::process
