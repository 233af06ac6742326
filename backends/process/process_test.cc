// Well-behaved and misbehaving processes behind the backend interface.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "backends/process/process_backend.h"
#include "backends/process/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::process {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Process, ExampleTargetComputes) {
  auto backend = Backend(ASSAY_EXAMPLE_TARGET);
  constexpr absl::string_view module =
      "ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) s = f32[3] add(x, y) "
      "ROOT d = f32[3] divide(s, y) }";
  EXPECT_EQ(RunText(*backend, module, {"f32[3]{0} {1, 2, 3}", "f32[3]{0} {1, -1, 2}"}),
            "f32[3]{0} {2, -1, 2.5}");
  EXPECT_THAT(RunText(*backend, "ENTRY e { x = f32[3] parameter(0) ROOT y = f32[3] abs(x) }",
                      {"f32[3]{0} {1, 2, 3}"}),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("example does not support abs")));
  EXPECT_THAT(RunText(*backend, "ENTRY e { ROOT x = s32[] parameter(0) }", {"s32[] 1"}),
              HasSubstr("does not support s32"));
}

TEST(Process, RefusesAModuleThatLacksAParameterOrTheEntry) {
  Module module("gap");
  Computation* entry = module.Add(std::make_unique<Computation>("e"));
  auto second = std::make_unique<Instruction>(Opcode::kParameter, *ParseShape("f32[3]"));
  second->set_name("second");
  second->set_parameter_number(1);
  entry->Add(std::move(second));
  auto negation = std::make_unique<Instruction>(Opcode::kNegate, *ParseShape("f32[3]"));
  negation->set_name("negated");
  negation->set_operands({entry->Find("second")});
  entry->set_root(entry->Add(std::move(negation)));
  module.set_entry(entry);
  auto backend = Backend(ASSAY_EXAMPLE_TARGET);
  EXPECT_EQ(
      backend->Compile(module).status(),
      absl::InvalidArgumentError("computation e has no parameter 0, although it has parameter 1"));
  const Module empty("empty");
  EXPECT_EQ(backend->Compile(empty).status(),
            absl::InvalidArgumentError("module empty has no entry computation to run"));
}

TEST(Process, CompilesOnceAndExecutesOften) {
  auto backend = Backend(ASSAY_EXAMPLE_TARGET);
  auto module = *ParseModule("ENTRY e { x = f32[] parameter(0) ROOT n = f32[] negate(x) }");
  auto executable = backend->Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  for (int i = 0; i < 20; ++i) {
    auto buffer = backend->Upload(*ParseTypedLiteral(absl::StrCat("f32[] ", i + 1)), 0);
    const std::vector<Argument> arguments = {buffer->get()};
    auto results = (*executable)->Execute({{arguments}});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(PrintLiteral(*backend->Download(*results->devices[0].results[0])),
              absl::StrCat("-", i + 1));
  }
}

TEST(Process, SaysItsNameAndItsDevicesOnceStarted) {
  auto backend = Backend(Misbehaving("nothing"));
  EXPECT_EQ(backend->capabilities().devices, 1);
  EXPECT_EQ(backend->display_name(), "misbehaving 0");
  EXPECT_EQ(backend->capabilities().devices, 2);
  EXPECT_FALSE(backend->capabilities().modules_are_verified);
  auto absent = Backend("exit 3");
  EXPECT_EQ(absent->display_name(), absent->name());
}

TEST(Process, CompileOptionsLimitTheTimeOfACompile) {
  auto backend = Backend(Scripted(absl::StrCat("[", kHello, R"(,{"@sleep":1}])")));
  auto module = *ParseModule(kEcho);
  EXPECT_THAT(backend->Compile(*module, {.seconds = 0.5}).status().ToString(),
              AllOf(HasSubstr("ABORTED"), HasSubstr("hung")));
}

// Both versions of the protocol say the same, whatever the number of executions.
TEST(Process, AModuleRunsInOneRequestOrStepByStep) {
  auto backend = Backend(ASSAY_EXAMPLE_TARGET);
  EXPECT_EQ(backend->Capabilities()->protocol, 4);
  auto module = *ParseModule("ENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }");
  const std::vector<DeviceInputs> inputs = {{{*ParseTypedLiteral("f32[2]{0} {1, 2}")}}};
  for (int repeat : {1, 3}) {
    for (const auto& run :
         {backend->Run(*module, inputs, repeat),
          backend->Backend::RunSets(*module, {{inputs}, std::vector<size_t>(repeat, 0)})}) {
      ASSERT_TRUE(run.ok()) << run.status();
      ASSERT_EQ(run->outputs.size(), static_cast<size_t>(repeat));
      for (const auto& devices : run->outputs) {
        ASSERT_EQ(devices.size(), 1u);
        EXPECT_EQ(PrintTypedLiteral(devices[0].result), "f32[2]{0} {-1, -2}");
      }
    }
  }
}

TEST(Process, SeveralDevicesInOneRequest) {
  auto backend = Backend(Misbehaving("two_devices"));
  auto module = *ParseModule(absl::StrCat("HloModule m, replica_count=2\n", kEcho));
  const std::vector<DeviceInputs> inputs = {{{*ParseTypedLiteral("f32[3]{0} {1, 2, 3}")}},
                                            {{*ParseTypedLiteral("f32[3]{0} {4, 5, 6}")}}};
  const auto run = backend->Run(*module, inputs, 2);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->outputs.size(), 2u);
  for (const auto& devices : run->outputs) {
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(PrintLiteral(devices[0].result), "{1, 2, 3}");
    EXPECT_EQ(PrintLiteral(devices[1].result), "{4, 5, 6}");
  }
  EXPECT_EQ(run->seconds, 0.25);
}

constexpr char kFeedOut[] =
    "ENTRY e { x = f32[3] parameter(0) now = token[] after-all() "
    "o = token[] outfeed(x, now), outfeed_shape=f32[3] ROOT n = f32[3] negate(x) }";
constexpr char kFeeds[] =
    "ENTRY e { now = token[] after-all() i = (f32[3], token[]) infeed(now) "
    "x = f32[3] get-tuple-element(i), index=0 t = token[] get-tuple-element(i), index=1 "
    "j = (f32[3], token[]) infeed(t) y = f32[3] get-tuple-element(j), index=0 "
    "o = token[] outfeed(y, t), outfeed_shape=f32[3] p = token[] outfeed(x, o), "
    "outfeed_shape=f32[3] "
    "ROOT d = f32[3] subtract(x, y) }";

std::vector<Literal> Queue() {
  return {*ParseTypedLiteral("f32[3]{0} {1, 2, 3}"), *ParseTypedLiteral("f32[3]{0} {10, 20, 40}")};
}

// In one request and step by step, as payload and in files, twice: the queue is filled anew.
TEST(Process, QueuesOfADevice) {
  const auto module = *ParseModule(kFeeds);
  for (const int64_t threshold : {1000, 8}) {
    ProcessOptions options;
    options.command = ASSAY_EXAMPLE_TARGET;
    options.file_threshold = threshold;
    ProcessBackend backend(options);
    const std::vector<DeviceInputs> inputs = {{{}, Queue()}};
    for (const auto& run :
         {backend.Run(*module, inputs, 2), backend.Backend::RunSets(*module, {{inputs}, {0, 0}})}) {
      ASSERT_TRUE(run.ok()) << run.status();
      ASSERT_EQ(run->outputs.size(), 2u);
      for (const auto& devices : run->outputs) {
        ASSERT_EQ(devices.size(), 1u);
        EXPECT_EQ(PrintLiteral(devices[0].result), "{-9, -18, -37}");
        ASSERT_EQ(devices[0].outfeed.size(), 2u);
        EXPECT_EQ(PrintTypedLiteral(devices[0].outfeed[0]), "f32[3]{0} {10, 20, 40}");
        EXPECT_EQ(PrintTypedLiteral(devices[0].outfeed[1]), "f32[3]{0} {1, 2, 3}");
      }
    }
  }
}

// Each device feeds out what came into it, and one of them has nothing.
TEST(Process, QueuesOfSeveralDevices) {
  auto backend = Backend(Misbehaving("feeds"));
  const auto module = *ParseModule(absl::StrCat("HloModule m, replica_count=2\n", kFeedOut));
  const Literal x = *ParseTypedLiteral("f32[3]{0} {1, 2, 3}");
  const auto run = backend->Run(*module, std::vector<DeviceInputs>{{{x}}, {{x}, Queue()}}, 2);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->outputs.size(), 2u);
  for (const auto& devices : run->outputs) {
    EXPECT_EQ(devices[0].outfeed.size(), 0u);
    ASSERT_EQ(devices[1].outfeed.size(), 2u);
    EXPECT_EQ(PrintLiteral(devices[1].outfeed[1]), "{10, 20, 40}");
  }
}

// Who knows nothing of queues is not asked, and runs what has none.
TEST(Process, OlderTargetsHaveNoQueues) {
  const auto module = *ParseModule(kFeedOut);
  auto older = Backend(Scripted(R"([{"type":"hello","protocol":2,"formats":["hlo-text"]}])"));
  EXPECT_THAT(older->Supports(*module).ToString(),
              AllOf(HasSubstr("UNIMPLEMENTED"),
                    HasSubstr("speaks version 2 of the protocol, which has no infeeds")));
  EXPECT_THAT(Backend(Misbehaving("nothing"))->Supports(*module).ToString(),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("does not support infeeds")));
  EXPECT_EQ(RunEcho(Misbehaving("nothing")), "f32[3]{0} {1, 2, 3}");
}

// Modules for those who read StableHLO alone; what it cannot say is not the target's fault.
TEST(Process, ModulesAsStablehlo) {
  auto backend = Backend(Scripted(R"([{"type":"hello","protocol":4,"formats":["stablehlo"]},)"
                                  R"({"type":"compiled","handle":1,"devices":1}])"));
  const auto narrow = *ParseModule("ENTRY e { x = s1[2] parameter(0) ROOT n = s1[2] not(x) }");
  EXPECT_THAT(backend->Compile(*narrow).status().ToString(),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("no equivalent in StableHLO")));
  const auto module = *ParseModule("ENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }");
  EXPECT_TRUE(backend->Compile(*module).ok());
}

constexpr char kDynamic[] = "ENTRY e { x = s32[<=4] parameter(0) ROOT n = s32[<=4] negate(x) }";

TEST(Process, NoCurrentSizesForThoseWhoDoNotSayThatTheyTakeThem) {
  const auto module = *ParseModule(kDynamic);
  EXPECT_THAT(Backend(Scripted(R"([{"type":"hello","protocol":3,"formats":["hlo-text"]}])"))
                  ->Supports(*module)
                  .ToString(),
              HasSubstr("version 3 of the protocol, which carries no current sizes: an array that "
                        "goes in or comes out is s32[<=4]"));
  EXPECT_THAT(Backend(ASSAY_EXAMPLE_TARGET)->Supports(*module).ToString(),
              HasSubstr("does not support"));
  // Inside a module no size crosses the channel.
  const auto inside = *ParseModule(
      "ENTRY e { x = s32[4] parameter(0) n = s32[] parameter(1) "
      "d = s32[<=4] set-dimension-size(x, n), dimensions={0} "
      "ROOT m = s32[] get-dimension-size(d), dimensions={0} }");
  EXPECT_TRUE(Backend(Misbehaving("nothing"))->Supports(*inside).ok());
}

TEST(Process, CurrentSizesOfResults) {
  const auto answer = [](absl::string_view sizes) {
    auto backend = Backend(Scripted(absl::StrCat(
        R"([{"type":"hello","protocol":4,"formats":["hlo-text"],"dynamic_sizes":true},)",
        R"({"type":"result","results":[[{"shape":"s32[<=4]","bytes":16)", sizes,
        R"(}]],"payload":16,"@payload":"aaaabbbbccccdddd"}])")));
    Literal x = Literal::Zeros(*ParseShape("s32[<=4]"));
    x.set_dynamic_size(0, 3);
    const auto run = backend->Run(**ParseModule(kDynamic), std::vector<DeviceInputs>{{{x}}}, 1);
    return run.ok() ? PrintLiteral(ValidBox(run->outputs[0][0].result)) : run.status().ToString();
  };
  EXPECT_EQ(answer(R"(,"sizes":[2])"), "{1633771873, 1650614882}");
  EXPECT_EQ(answer(R"(,"sizes":[0])"), "{}");
  for (const char* nonsense : {"", R"(,"sizes":[5])", R"(,"sizes":[-1])", R"(,"sizes":[2,2])",
                               R"(,"sizes":["2"])", R"(,"sizes":2)"}) {
    EXPECT_THAT(answer(nonsense), HasSubstr("without current sizes that fit s32[<=4]"));
  }
}

// Otherwise the user would be asked for the arguments of devices that there are not.
TEST(Process, TheNumberOfDevicesOfAModuleIsChecked) {
  const auto compiled = [](absl::string_view devices) {
    return RunEcho(Scripted(
        absl::StrCat("[", kHello, R"(,{"type":"compiled","handle":1,"devices":)", devices, "}]")));
  };
  for (const char* devices : {"2", "0", "18446744073709551615", "1.5"}) {
    EXPECT_THAT(compiled(devices), AllOf(HasSubstr("ABORTED"), HasSubstr("not one of 1 to 1: {")));
  }
}

TEST(Process, TruthValuesAreZeroOrOne) {
  const auto answer = [](absl::string_view payload) {
    const std::string script = absl::StrCat(
        "[", kHello, ",", kCompiled,
        R"(,{"type":"result","results":[[{"shape":"pred[2]","bytes":2}]],"payload":2,"@payload":")",
        payload, R"("}])");
    return RunText(*Backend(Scripted(script)),
                   "ENTRY e { x = f32[2] parameter(0) ROOT f = pred[2] is-finite(x) }",
                   {"f32[2]{0} {1, 2}"});
  };
  EXPECT_EQ(answer("\\u0000\\u0001"), "pred[2]{0} {0, 1}");
  EXPECT_THAT(answer("\\u0001A"),
              AllOf(HasSubstr("ABORTED"), HasSubstr("the byte 65 as element 1 of pred[2]")));
  EXPECT_THAT(answer("\\u0002\\u0001"), HasSubstr("the byte 2 as element 0 of pred[2]"));
}

TEST(Process, NamesThatDoNotExistAreRefusedAtTheHandshake) {
  const auto hello = [](absl::string_view lists) {
    return RunEcho(Scripted(
        absl::StrCat(R"([{"type":"hello","protocol":4,"formats":["hlo-text"],)", lists, "}]")));
  };
  EXPECT_THAT(hello(R"("operations":["parameter","exp"])"),
              AllOf(HasSubstr("ABORTED"),
                    HasSubstr("operations that do not exist: 'exp' (did you mean exponential?)")));
  EXPECT_THAT(hello(R"("types":["float32","f32","int8"])"),
              HasSubstr("'float32' (did you mean f32?), 'int8' (did you mean s8?)"));
  EXPECT_THAT(hello(R"("types":["a","b","c","d","e","f","g"])"), HasSubstr("'e', and 2 more"));
  EXPECT_THAT(hello(R"("types":7)"), HasSubstr("types that are not a list"));
}

// In one request, and step by step to targets of older versions.
TEST(Process, SeveralSetsOfArguments) {
  const auto module = *ParseModule("ENTRY e { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }");
  const std::vector<DeviceInputs> first = {{{*ParseTypedLiteral("f32[2]{0} {1, 2}")}}};
  const std::vector<DeviceInputs> second = {{{*ParseTypedLiteral("f32[2]{0} {3, 4}")}}};
  const InputSets sets{{first, second}, {0, 1, 0}};
  auto backend = Backend(ASSAY_EXAMPLE_TARGET);
  for (const auto& run :
       {backend->RunSets(*module, sets), backend->Backend::RunSets(*module, sets)}) {
    ASSERT_TRUE(run.ok()) << run.status();
    std::vector<std::string> results;
    for (const auto& devices : run->outputs) results.push_back(PrintLiteral(devices[0].result));
    EXPECT_THAT(results, testing::ElementsAre("{-1, -2}", "{-3, -4}", "{-1, -2}"));
  }
}

TEST(Process, TheExampleFeedsNoTuples) {
  EXPECT_THAT(RunText(*Backend(ASSAY_EXAMPLE_TARGET),
                      "ENTRY e { now = token[] after-all() i = ((f32[3]), token[]) infeed(now) "
                      "ROOT t = token[] get-tuple-element(i), index=1 }",
                      {}),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("infeeds and outfeeds of tuples")));
}

TEST(Process, NonsenseThatIsFedOut) {
  const auto answer = [&](absl::string_view outfeed, const char* module = kFeedOut) {
    auto backend = Backend(Scripted(absl::StrCat(
        R"([{"type":"hello","protocol":3,"formats":["hlo-text"]},{"type":"result","results":)",
        R"([[{"shape":"f32[3]","bytes":12}]],"outfeed":)", outfeed,
        R"(,"payload":24,"@payload":"000000000000111111111111"}])")));
    const Literal x = *ParseTypedLiteral("f32[3]{0} {1, 2, 3}");
    const auto run = backend->Run(**ParseModule(module), std::vector<DeviceInputs>{{{x}}}, 1);
    if (!run.ok()) return run.status().ToString();
    std::string text;
    for (const Literal& array : run->outputs[0][0].outfeed) text += PrintTypedLiteral(array);
    return text;
  };
  const std::string right = R"({"shape":"f32[3]","bytes":12})";
  EXPECT_EQ(answer("[[" + right + "]]"), "f32[3]{0} {2.5784852e-09, 2.5784852e-09, 2.5784852e-09}");
  EXPECT_THAT(answer("[[" + right + "]]", kEcho), HasSubstr("no outfeed of the module has"));
  EXPECT_THAT(answer("[[],[" + right + "]]"), HasSubstr("outfeeds of other than 1 devices"));
  EXPECT_THAT(answer("{\"0\":[]}"), HasSubstr("outfeeds of other than 1 devices"));
  EXPECT_THAT(answer("[7]"), HasSubstr("no arrays"));
  EXPECT_THAT(answer("[[7]]"), HasSubstr("no outfeed of the module has"));
  EXPECT_THAT(answer(R"([[{"shape":"f32[77]","bytes":308}]])"), HasSubstr("'f32[77]', which no"));
  EXPECT_THAT(answer(R"([[{"shape":"f32[3]","bytes":11}]])"), HasSubstr("announced 11 bytes"));
  EXPECT_THAT(answer("[[]]"), HasSubstr("announced a payload of 24 bytes for arrays of 12"));
  EXPECT_THAT(answer("[[" + right + "," + right + "]]"), HasSubstr("bytes for arrays of 36"));
}

// More than is wanted of what an outfeed gives: nothing of it is made.
TEST(Process, AnOutfeedWithoutEnd) {
  constexpr char kLarge[] =
      "ENTRY e { x = f32[3] parameter(0) z = f32[] constant(0) "
      "a = f32[67108864] broadcast(z), dimensions={} now = token[] after-all() "
      "o = token[] outfeed(a, now), outfeed_shape=f32[67108864] ROOT n = f32[3] negate(x) }";
  std::string arrays;
  for (int i = 0; i < 100000; ++i) {
    absl::StrAppend(&arrays, i > 0 ? "," : "", R"({"shape":"f32[67108864]","bytes":268435456})");
  }
  EXPECT_THAT(
      RunText(*Backend(Scripted(absl::StrCat(
                  R"([{"type":"hello","protocol":3,"formats":["hlo-text"]},{"type":"result",)",
                  R"("results":[[{"shape":"f32[3]","bytes":12}]],"outfeed":[[)", arrays, "]]}]"))),
              kLarge, {"f32[3]{0} {1, 2, 3}"}),
      AllOf(HasSubstr("ABORTED"), HasSubstr("fed out more than 1073741824 bytes")));
}

TEST(Process, LargePayloadsTravelAsFiles) {
  ProcessOptions options;
  options.command = Misbehaving("nothing");
  options.file_threshold = 8;
  ProcessBackend backend(options);
  EXPECT_EQ(RunText(backend, kEcho, {"f32[3]{0} {1, 2, 3}"}), "f32[3]{0} {1, 2, 3}");
}

TEST(Process, ArgumentsByDevice) {
  auto backend = Backend(Misbehaving("nothing"));
  auto module = *ParseModule(absl::StrCat("HloModule m, replica_count=2\n", kEcho));
  auto executable = backend->Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  auto first = backend->Upload(*ParseTypedLiteral("f32[3]{0} {1, 2, 3}"), 0);
  auto second = backend->Upload(*ParseTypedLiteral("f32[3]{0} {4, 5, 6}"), 1);
  const std::vector<ExecuteInputs> inputs = {{{first->get()}}, {{second->get()}}};
  auto results = (*executable)->Execute(inputs);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->devices.size(), 2);
  EXPECT_EQ(PrintLiteral(*backend->Download(*results->devices[1].results[0])), "{4, 5, 6}");
  EXPECT_EQ(results->seconds, 0.25);
  auto too_many = *ParseModule(absl::StrCat("HloModule m, replica_count=3\n", kEcho));
  EXPECT_THAT(backend->Supports(*too_many).ToString(), HasSubstr("has 2 devices"));
}

TEST(Process, RunsOnAsManyDevicesAsTheModuleHas) {
  auto backend = Backend(Misbehaving("two_devices"));
  auto module = *ParseModule(absl::StrCat("HloModule m, replica_count=2\n", kEcho));
  auto executable = backend->Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->device_count(), 2);
  const DeviceInputs first = {{*ParseTypedLiteral("f32[3]{0} {1, 2, 3}")}};
  const DeviceInputs second = {{*ParseTypedLiteral("f32[3]{0} {4, 5, 6}")}};
  double seconds = 0;
  auto values = RunOnDevices(*backend, **executable, {first, second}, /*repeat=*/2, &seconds);
  ASSERT_TRUE(values.ok()) << values.status();
  ASSERT_EQ(values->size(), 2u);
  EXPECT_EQ(PrintLiteral((*values)[0].result), "{1, 2, 3}");
  EXPECT_EQ(PrintLiteral((*values)[1].result), "{4, 5, 6}");
  EXPECT_EQ(seconds, 0.25);
  const auto refused = RunOnDevices(*backend, **executable, {first});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().ToString(), AllOf(HasSubstr("arguments for 1 device;"),
                                                 HasSubstr("on 2"), HasSubstr("arg0.dev0")));
}

TEST(Process, OutputMayBeLarge) {
  EXPECT_EQ(RunEcho(Misbehaving("chatty")), "f32[3]{0} {1, 2, 3}");
}

TEST(Process, CrashesBecomeErrors) {
  EXPECT_THAT(RunEcho("sh -c 'echo broken; exit 3'"),
              AllOf(HasSubstr("ABORTED"), HasSubstr("exited with code 3"), HasSubstr("broken")));
  EXPECT_THAT(RunEcho("/no/such/program"),
              AllOf(HasSubstr("ABORTED"), HasSubstr("exited with code 127")));
  EXPECT_THAT(RunEcho(Misbehaving("crash_in_compile")),
              AllOf(HasSubstr("ABORTED"), HasSubstr("killed by signal 6")));
  EXPECT_THAT(RunEcho(Misbehaving("exit")), HasSubstr("exited with code 3"));
}

TEST(Process, TheReasonOfACrashIsShownRatherThanItsStackTrace) {
  EXPECT_THAT(
      RunEcho("sh -c 'echo Check failed: a == b; echo \"*** Check failure stack trace: ***\"; "
              "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo \"    @ 0x7f80 (unknown)\"; done; "
              "exit 3'"),
      AllOf(HasSubstr("Check failed: a == b"), Not(HasSubstr("\n        @ 0x7f80"))));
  EXPECT_THAT(RunEcho("sh -c 'echo \"    @ 0x7f80 (unknown)\"; exit 3'"),
              HasSubstr("\n        @ 0x7f80"));
}

TEST(Process, WhatALogSaysForInformationHidesNoReasonOfACrash) {
  const std::string started =
      "echo \"WARNING: All log messages before absl::InitializeLog() is called are written to "
      "STDERR\"; echo \"I0000 00:00:1795976373.035296 11067 client.cc:74] devices: 8\"; ";
  EXPECT_THAT(
      RunEcho(absl::StrCat("sh -c '", started,
                           "echo \"F0000 00:00:1795976374.269016 11067 pass.cc:67] Check failed: "
                           "a == b\"; exit 3'")),
      AllOf(HasSubstr("Check failed: a == b"), Not(HasSubstr("\n    WARNING")),
            Not(HasSubstr("\n    I0000"))));
  EXPECT_THAT(RunEcho(absl::StrCat("sh -c '", started, "exit 3'")), HasSubstr("\n    I0000"));
  EXPECT_THAT(RunEcho(absl::StrCat("sh -c '", started, "echo \"    @     0x7f main\"; exit 3'")),
              AllOf(HasSubstr("0x7f main"), Not(HasSubstr("\n    I0000"))));
}

TEST(Process, NonsenseBecomesErrors) {
  EXPECT_THAT(RunEcho(Misbehaving("rubbish")),
              AllOf(HasSubstr("ABORTED"), HasSubstr("hello there")));
  EXPECT_THAT(RunEcho(Misbehaving("endless")), HasSubstr("endless line"));
  EXPECT_THAT(RunEcho(Misbehaving("other_protocol")), HasSubstr("version 99 of the protocol"));
  EXPECT_THAT(RunEcho(Misbehaving("wrong_shape")), HasSubstr("'f32[77]'"));
  EXPECT_THAT(RunEcho(Misbehaving("wrong_size")), HasSubstr("announced 11 bytes"));
  EXPECT_THAT(RunEcho(Misbehaving("wrong_count")), HasSubstr("2 result arrays instead of 1"));
  EXPECT_THAT(RunEcho(Misbehaving("wrong_devices")), HasSubstr("answered a run request"));
}

TEST(Process, RefusalsKeepTheirKind) {
  EXPECT_THAT(RunEcho(Misbehaving("refuse")),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("not on a Saturday")));
  EXPECT_THAT(RunEcho(Misbehaving("throw")), AllOf(HasSubstr("ABORTED"), HasSubstr("no idea")));
}

TEST(Process, TheNextRequestGetsAFreshChild) {
  const std::string marker = TestPath("crash_once");
  auto backend = Backend(Misbehaving("crash_once", marker));
  auto module = *ParseModule(kEcho);
  auto executable = backend->Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  auto buffer = backend->Upload(*ParseTypedLiteral("f32[3]{0} {1, 2, 3}"), 0);
  const std::vector<Argument> arguments = {buffer->get()};
  EXPECT_THAT((*executable)->Execute({{arguments}}).status().ToString(),
              AllOf(HasSubstr("killed by signal 11"), HasSubstr("about to fall")));
  auto results = (*executable)->Execute({{arguments}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(PrintLiteral(*backend->Download(*results->devices[0].results[0])), "{1, 2, 3}");
}

TEST(Process, CommandsAreThoseOfAShell) {
  const std::string target = Misbehaving("nothing");
  for (const std::string& command :
       {absl::StrCat("FOO=1 ", target), absl::StrCat("exec ", target),
        absl::StrCat("( ", target, " )"), absl::StrCat("if true; then ", target, "; fi"),
        absl::StrCat("export A=1; ", target)}) {
    EXPECT_EQ(RunEcho(command), "f32[3]{0} {1, 2, 3}") << command;
  }
  EXPECT_THAT(RunEcho(absl::StrCat("true; ", Misbehaving("crash_in_compile"), "; exit $?")),
              HasSubstr("exited with code 134, as a shell does for a command killed by signal 6"));
}

TEST(Process, ACommandThatEndsIsNotWaitedFor) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(RunEcho("sleep 60 & exit 3"), HasSubstr("exited with code 3"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

// The processes that run with this word in their command line.
int Running(const std::string& word) {
  const std::string command = absl::StrCat("ps -eo args | grep -c '^sleep ", word, "$'");
  FILE* pipe = popen(command.c_str(), "r");
  int count = -1;
  EXPECT_EQ(fscanf(pipe, "%d", &count), 1);
  pclose(pipe);
  return count;
}

TEST(Process, NothingOutlivesTheChild) {
  const std::string seconds = absl::StrCat("78", getpid());
  EXPECT_THAT(RunEcho(absl::StrCat("sleep ", seconds, " 3>&- 4>&- & exit 3")),
              HasSubstr("exited with code 3"));
  EXPECT_EQ(Running(seconds), 0);
}

TEST(Process, NothingOutlivesASignal) {
  const std::string seconds = absl::StrCat("79", getpid());
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    RunEcho(absl::StrCat("true; sleep ", seconds, "; true"), 50);
    _exit(0);
  }
  for (int i = 0; i < 1000 && Running(seconds) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(Running(seconds), 1);
  kill(pid, SIGTERM);
  int state = 0;
  ASSERT_EQ(waitpid(pid, &state, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM);
  for (int i = 0; i < 100 && Running(seconds) != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(Running(seconds), 0);
}

TEST(Process, ARefusedHelloIsAskedAgain) {
  auto backend = Backend(Misbehaving("no_licence"));
  auto module = *ParseModule(kEcho);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(backend->Compile(*module).status().ToString(),
                AllOf(HasSubstr("ABORTED"), HasSubstr("no licence today")));
  }
}

TEST(Process, AnswersHaveAnIdAndTheirPayload) {
  auto answer = [&](absl::string_view result) {
    return RunEcho(Scripted(absl::StrCat("[", kHello, ",", kCompiled, ",", result, "]")));
  };
  EXPECT_THAT(answer(R"({"type":"result","@no_id":true,"results":[[]]})"),
              AllOf(HasSubstr("ABORTED"), HasSubstr("without an id")));
  const std::string arrays = R"("results":[[{"shape":"f32[3]","bytes":12}]])";
  EXPECT_EQ(answer(absl::StrCat(R"({"type":"result",)", arrays,
                                R"(,"payload":12,"@payload":"000000000000"})")),
            "f32[3]{0} {6.40969056e-10, 6.40969056e-10, 6.40969056e-10}");
  for (const char* payload : {R"("payload":13,"@payload":"0000000000000")", R"("payload":0)",
                              R"("@payload":"000000000000")"}) {
    EXPECT_THAT(answer(absl::StrCat(R"({"type":"result",)", arrays, ",", payload, "}")),
                AllOf(HasSubstr("ABORTED"), HasSubstr("announced a payload of")));
  }
  // The payload of an error is skipped: the next answer is read from its beginning.
  auto backend = Backend(Scripted(absl::StrCat(
      "[", kHello,
      R"(,{"type":"error","kind":"invalid","message":"m","payload":3,"@payload":"abc"},)",
      kCompiled, "]")));
  auto module = *ParseModule(kEcho);
  EXPECT_EQ(backend->Compile(*module).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(backend->Compile(*module).ok());
}

TEST(Process, TheExampleReadsFiles) {
  ProcessOptions options;
  options.command = ASSAY_EXAMPLE_TARGET;
  options.file_threshold = 8;
  ProcessBackend backend(options);
  EXPECT_EQ(RunText(backend, "ENTRY e { x = f32[3] parameter(0) ROOT n = f32[3] negate(x) }",
                    {"f32[3]{0} {1, 2, 3}"}),
            "f32[3]{0} {-1, -2, -3}");
}

TEST(Process, ByeIsHeard) {
  const std::string path = TestPath("bye");
  EXPECT_EQ(RunEcho(Misbehaving("slow_bye", path)), "f32[3]{0} {1, 2, 3}");
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Process, LongLinesAreCut) {
  const std::string message = RunEcho("head -c 20000 /dev/zero | tr '\\0' x; exit 1");
  EXPECT_THAT(message, HasSubstr("exited with code 1"));
  EXPECT_LT(message.size(), 600u);
  const std::string refusal = RunEcho(
      Scripted(absl::StrCat("[", kHello, R"(,{"type":"error","kind":"unsupported","message":"no )",
                            std::string(1 << 20, 'x'), R"("}])")));
  EXPECT_THAT(refusal, AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("no xxx")));
  EXPECT_LT(refusal.size(), 5000u);
}

TEST(Process, ModulesGoAsProtosToThoseWhoWantThem) {
  EXPECT_EQ(RunEcho(Misbehaving("proto")), "f32[3]{0} {1, 2, 3}");
}

}  // namespace
}  // namespace assay::process
