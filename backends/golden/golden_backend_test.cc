// The golden interpreter behind the interface of backends: a run, its figures, its refusals.
#include "backends/golden/golden_backend.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

constexpr char kSum[] = R"(HloModule m
ENTRY e {
  a = s32[2] parameter(0)
  b = s32[2] parameter(1)
  ROOT s = s32[2] add(a, b)
}
)";

std::unique_ptr<Module> Parse(const char* text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

Literal S32(const std::vector<uint64_t>& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), Element{values[i]});
  }
  return literal;
}

TEST(GoldenBackend, CompilesUploadsExecutesAndDownloads) {
  GoldenBackend backend;
  EXPECT_EQ(backend.name(), "golden");
  const std::unique_ptr<Module> module = Parse(kSum);
  EXPECT_TRUE(backend.Supports(*module).ok());
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->device_count(), 1);
  auto a = backend.Upload(S32({1, 2})), b = backend.Upload(S32({10, 20}));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ((*a)->shape().ToString(), "s32[2]");

  // Arguments stay valid, also in another order and twice.
  const std::vector<std::pair<std::vector<const Buffer*>, Literal>> runs = {
      {{a->get(), b->get()}, S32({11, 22})},
      {{b->get(), b->get()}, S32({20, 40})},
      {{a->get(), b->get()}, S32({11, 22})},
  };
  for (const auto& [arguments, expected] : runs) {
    auto results = (*executable)->Execute({{arguments}});
    ASSERT_TRUE(results.ok()) << results.status();
    ASSERT_EQ(results->size(), 1u);
    EXPECT_EQ(results->front().result->shape().ToString(), "s32[2]");
    auto value = backend.Download(*results->front().result);
    ASSERT_TRUE(value.ok());
    EXPECT_TRUE(Literal::BitEqual(*value, expected));
    EXPECT_GE((*executable)->last_seconds(), 0);
    EXPECT_LT((*executable)->last_seconds(), 60);
  }
  auto back = backend.Download(**a);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(Literal::BitEqual(*back, S32({1, 2})));
}

TEST(GoldenBackend, StatsAreThoseOfTheLastRun) {
  GoldenBackend backend;
  const std::unique_ptr<Module> large = Parse(
      "HloModule m\nENTRY e {\n  a = s32[4096] parameter(0)\n  b = s32[4096] parameter(1)\n"
      "  ROOT s = s32[4096] add(a, b)\n}\n");
  const Literal zeros = Literal::Zeros(Shape(ElementType::kS32, {4096}));
  ASSERT_TRUE(RunOnce(backend, *large, {zeros, zeros}).ok());
  EXPECT_GE(backend.last_stats().steps, 4096);               // one per element at least
  EXPECT_GE(backend.last_stats().peak_bytes, 3 * 4 * 4096);  // arguments and result
  const std::unique_ptr<Module> small = Parse(kSum);
  ASSERT_TRUE(RunOnce(backend, *small, {S32({1, 2}), S32({3, 4})}).ok());
  EXPECT_GE(backend.last_stats().steps, 2);
  EXPECT_LT(backend.last_stats().steps, 4096);
}

TEST(GoldenBackend, RunOnceIsAllInOne) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = Parse(kSum);
  const auto value = RunOnce(backend, *module, {S32({1, 2}), S32({3, 4})});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_TRUE(Literal::BitEqual(*value, S32({4, 6})));
}

TEST(GoldenBackend, NamesTheCustomCallThatItDoesNotKnow) {
  const std::unique_ptr<Module> module = Parse(R"(HloModule m
ENTRY e {
  p = f32[4] parameter(0)
  ROOT secret = f32[4] custom-call(p), custom_call_target="vendor_kernel"
}
)");
  GoldenBackend backend;
  for (const absl::Status& status :
       {backend.Supports(*module), backend.Compile(*module).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    EXPECT_THAT(status.message(), HasSubstr("vendor_kernel"));
    EXPECT_THAT(status.message(), HasSubstr("%secret"));
  }
}

TEST(GoldenBackend, LeavesOutTheUnknownCustomCallThatNobodyUses) {
  for (const bool has_effect : {false, true}) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\n  p = s32[2] parameter(0)\n"
        "  secret = s32[2] custom-call(p), custom_call_target=\"vendor_kernel\"",
        has_effect ? ", custom_call_has_side_effect=true" : "",
        "\n  dead = s32[2] add(secret, p)\n  ROOT r = s32[2] add(p, p)\n}\n");
    const std::unique_ptr<Module> module = Parse(text.c_str());
    GoldenBackend backend;
    EXPECT_EQ(backend.Supports(*module).ok(), !has_effect);
    EXPECT_EQ(backend.Compile(*module).ok(), !has_effect);
  }
}

TEST(GoldenBackend, RunsOnAsManyDevicesAsTheModuleSays) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = Parse(R"(HloModule m, replica_count=2
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY e {
  p = s32[2] parameter(0)
  ROOT everywhere = s32[2] all-reduce(p), replica_groups={}, to_apply=add
}
)");
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->device_count(), 2);
  const auto results = RunOnDevices(backend, **executable, {{{S32({1, 2})}}, {{S32({10, 20})}}});
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 2);
  for (const DeviceOutputs& each : *results) {
    EXPECT_TRUE(Literal::BitEqual(each.result, S32({11, 22})));
  }
}

TEST(GoldenBackend, RefusesWrongArguments) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = Parse(kSum);
  for (const std::vector<Literal>& arguments : {std::vector<Literal>{},
                                                {S32({1, 2})},
                                                {S32({1, 2}), S32({1, 2}), S32({1, 2})},
                                                {S32({1, 2}), S32({1, 2, 3})},
                                                {S32({1, 2}), Literal::Token()}}) {
    EXPECT_EQ(RunOnce(backend, *module, arguments).status().code(),
              absl::StatusCode::kInvalidArgument)
        << arguments.size();
  }
}

TEST(GoldenBackend, RefusesMoreDevicesThanTheModuleSays) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = Parse(kSum);
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok());
  auto a = backend.Upload(S32({1, 2}));
  ASSERT_TRUE(a.ok());
  const ExecuteInputs inputs = {{a->get(), a->get()}};
  const auto results = (*executable)->Execute({inputs, inputs});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(results.status().message(),
              HasSubstr("runs on 1 processes, but there are arguments for 2"));
  EXPECT_EQ((*executable)->Execute({}).status().code(), absl::StatusCode::kInvalidArgument);
}

// Each device has its own, filled anew for each execution; what is not taken is left.
TEST(GoldenBackend, RunsWithQueues) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = Parse(R"(HloModule m, replica_count=2
ENTRY e {
  a = s32[2] parameter(0)
  now = token[] after-all()
  i = (s32[2], token[]) infeed(now)
  x = s32[2] get-tuple-element(i), index=0
  t = token[] get-tuple-element(i), index=1
  o = token[] outfeed(a, t), outfeed_shape=s32[2]
  p = token[] outfeed(x, o), outfeed_shape=s32[2]
  ROOT s = s32[2] add(a, x)
}
)");
  const std::vector<DeviceInputs> inputs = {{{S32({1, 2})}, {S32({10, 20}), S32({5, 5})}},
                                            {{S32({3, 4})}, {S32({30, 40})}}};
  const auto run = backend.Run(*module, inputs, 2);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->outputs.size(), 2u);
  for (const std::vector<DeviceOutputs>& devices : run->outputs) {
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_TRUE(Literal::BitEqual(devices[0].result, S32({11, 22})));
    EXPECT_TRUE(Literal::BitEqual(devices[1].result, S32({33, 44})));
    ASSERT_EQ(devices[1].outfeed.size(), 2u);
    EXPECT_TRUE(Literal::BitEqual(devices[1].outfeed[0], S32({3, 4})));
    EXPECT_TRUE(Literal::BitEqual(devices[1].outfeed[1], S32({30, 40})));
  }
  const auto empty = backend.Run(*module, WithoutFeeds({{S32({1, 2})}, {S32({3, 4})}}), 1);
  EXPECT_EQ(empty.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(empty.status().message(), HasSubstr("infeed exhausted at item 0"));
}

TEST(GoldenBackend, KeepsToItsBudget) {
  GoldenOptions options;
  options.run.budget.steps = 1;
  GoldenBackend backend(options);
  const std::unique_ptr<Module> module = Parse(kSum);
  EXPECT_EQ(RunOnce(backend, *module, {S32({1, 2}), S32({3, 4})}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay
