// The golden interpreter behind the interface of backends: a run, its figures, its refusals.
#include "backends/golden/golden_backend.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"
#include "spec/text/printer.h"

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

Literal S32(const std::vector<uint64_t>& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), Element{values[i]});
  }
  return literal;
}

// An executable of a backend that verifies nothing.
class Unverified : public SynchronousExecutable {
 public:
  using SynchronousExecutable::SynchronousExecutable;

 protected:
  absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> /*inputs*/) override {
    return absl::InternalError("ran");
  }
};

TEST(Executable, RefusesModulesWithoutEntryOrParameter) {
  const ExecuteInputs nothing;
  const Module empty("empty");
  EXPECT_EQ(Unverified(empty).Execute({&nothing, 1}).status(),
            absl::InvalidArgumentError("module empty has no entry computation to run"));
  const std::unique_ptr<Module> module = MustParse(kSum);
  module->entry()->instruction(0)->set_parameter_number(2);
  EXPECT_EQ(
      Unverified(*module).Execute({&nothing, 1}).status(),
      absl::InvalidArgumentError("computation e has no parameter 0, although it has parameter 2"));
}

TEST(GoldenBackend, CompilesUploadsExecutesAndDownloads) {
  GoldenBackend backend;
  EXPECT_EQ(backend.name(), "golden");
  const std::unique_ptr<Module> module = MustParse(kSum);
  EXPECT_TRUE(backend.Supports(*module).ok());
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->device_count(), 1);
  auto a = backend.Upload(S32({1, 2}), 0), b = backend.Upload(S32({10, 20}), 0);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ((*a)->shape().ToString(), "s32[2]");
  const int64_t devices = backend.capabilities().devices;
  EXPECT_TRUE(backend.Upload(S32({1, 2}), devices - 1).ok());
  for (const int64_t device : {int64_t{-1}, devices}) {
    const absl::Status status = backend.Upload(S32({1, 2}), device).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), testing::HasSubstr(absl::StrCat("no device ", device)));
  }

  // Arguments stay valid, also in another order and twice.
  const std::vector<std::pair<std::vector<Argument>, Literal>> runs = {
      {{a->get(), b->get()}, S32({11, 22})},
      {{b->get(), b->get()}, S32({20, 40})},
      {{a->get(), b->get()}, S32({11, 22})},
  };
  for (const auto& [arguments, expected] : runs) {
    auto results = (*executable)->Execute({{arguments}});
    ASSERT_TRUE(results.ok()) << results.status();
    ASSERT_EQ(results->devices.size(), 1u);
    ASSERT_EQ(results->devices[0].results.size(), 1u);
    const Buffer& sum = *results->devices[0].results[0];
    EXPECT_EQ(sum.shape().ToString(), "s32[2]");
    EXPECT_EQ(sum.device(), 0);
    auto value = backend.Download(sum);
    ASSERT_TRUE(value.ok());
    EXPECT_TRUE(Literal::BitEqual(*value, expected));
    EXPECT_GE(results->seconds, 0);
    EXPECT_LT(results->seconds, 60);
  }
  auto back = backend.Download(**a);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(Literal::BitEqual(*back, S32({1, 2})));
}

TEST(GoldenBackend, StatsAreThoseOfTheLastRun) {
  GoldenBackend backend;
  EXPECT_EQ(backend.last_stats(), nullptr);
  const std::unique_ptr<Module> large = MustParse(
      "HloModule m\nENTRY e {\n  a = s32[4096] parameter(0)\n  b = s32[4096] parameter(1)\n"
      "  ROOT s = s32[4096] add(a, b)\n}\n");
  const Literal zeros = Literal::Zeros(Shape(ElementType::kS32, {4096}));
  ASSERT_TRUE(RunOnce(backend, *large, {zeros, zeros}).ok());
  EXPECT_GE(backend.last_stats()->steps, 4096);               // one per element at least
  EXPECT_GE(backend.last_stats()->peak_bytes, 3 * 4 * 4096);  // arguments and result
  const std::unique_ptr<Module> small = MustParse(kSum);
  ASSERT_TRUE(RunOnce(backend, *small, {S32({1, 2}), S32({3, 4})}).ok());
  EXPECT_GE(backend.last_stats()->steps, 2);
  EXPECT_LT(backend.last_stats()->steps, 4096);
  EXPECT_NE(dynamic_cast<const RunStats*>(backend.last_stats()), nullptr);
}

TEST(GoldenBackend, RunOnceIsAllInOne) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(kSum);
  const auto value = RunOnce(backend, *module, {S32({1, 2}), S32({3, 4})});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_TRUE(Literal::BitEqual(*value, S32({4, 6})));
}

TEST(GoldenBackend, NamesTheCustomCallThatItDoesNotKnow) {
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m
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

TEST(GoldenBackend, LeavesOutAnUnknownCustomCallWithoutUsers) {
  for (const bool has_effect : {false, true}) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\n  p = s32[2] parameter(0)\n"
        "  secret = s32[2] custom-call(p), custom_call_target=\"vendor_kernel\"",
        has_effect ? ", custom_call_has_side_effect=true" : "",
        "\n  dead = s32[2] add(secret, p)\n  ROOT r = s32[2] add(p, p)\n}\n");
    const std::unique_ptr<Module> module = MustParse(text.c_str());
    GoldenBackend backend;
    EXPECT_EQ(backend.Supports(*module).ok(), !has_effect);
    EXPECT_EQ(backend.Compile(*module).ok(), !has_effect);
  }
}

TEST(GoldenBackend, RunsOnAsManyDevicesAsTheModuleSays) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m, replica_count=2
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
  const std::unique_ptr<Module> module = MustParse(kSum);
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
  const std::unique_ptr<Module> module = MustParse(kSum);
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok());
  auto a = backend.Upload(S32({1, 2}), 0);
  ASSERT_TRUE(a.ok());
  const ExecuteInputs inputs = {{a->get(), a->get()}};
  const auto results = (*executable)->Execute({inputs, inputs});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(results.status().message(),
              HasSubstr("runs on 1 devices, but there are arguments for 2"));
  EXPECT_EQ((*executable)->Execute({}).status().code(), absl::StatusCode::kInvalidArgument);
}

// Each device has its own, filled anew for each execution; what is not taken is left.
TEST(GoldenBackend, RunsWithQueues) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m, replica_count=2
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

constexpr char kStep[] = R"(HloModule step
ENTRY e {
  state = (s32[2], s32[]) parameter(0)
  rate = s32[2] parameter(1)
  x = s32[2] get-tuple-element(state), index=0
  n = s32[] get-tuple-element(state), index=1
  one = s32[] constant(1)
  y = s32[2] add(x, rate)
  m = s32[] add(n, one)
  ROOT r = (s32[2], s32[]) tuple(y, m)
}
)";

class CountingBackend : public GoldenBackend {
 public:
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override {
    ++uploads;
    return GoldenBackend::Upload(array, device);
  }
  absl::StatusOr<Literal> Download(const Buffer& buffer) override {
    ++downloads;
    return GoldenBackend::Download(buffer);
  }
  int uploads = 0, downloads = 0;
};

// The state of a training loop stays where it is, whether its buffers are donated or not.
TEST(GoldenBackend, ResultsAreArgumentsOfTheNextExecutionWithoutDownload) {
  constexpr int kSteps = 1000;
  for (const bool donates : {false, true}) {
    CountingBackend backend;
    const std::unique_ptr<Module> module = MustParse(kStep);
    auto executable = backend.Compile(*module);
    ASSERT_TRUE(executable.ok()) << executable.status();
    auto state = UploadValue(
        backend, Literal::Tuple({S32({5, 7}), Literal::Zeros(Shape(ElementType::kS32, {}))}), 0);
    auto rate = backend.Upload(S32({2, 3}), 0);
    ASSERT_TRUE(state.ok() && rate.ok());
    ASSERT_EQ(state->size(), 2u);
    for (int step = 0; step < kSteps; ++step) {
      ExecuteInputs inputs;
      for (const BufferHandle& leaf : *state) {
        inputs.arguments.push_back(donates ? Argument::Donated(leaf.get()) : Argument(leaf.get()));
      }
      inputs.arguments.emplace_back(rate->get());
      auto results = (*executable)->Execute({inputs});
      ASSERT_TRUE(results.ok()) << results.status();
      for (const BufferHandle& leaf : *state) EXPECT_EQ(leaf->is_deleted(), donates);
      *state = std::move(results->devices[0].results);
    }
    EXPECT_EQ(backend.uploads, 3);
    EXPECT_EQ(backend.downloads, 0);
    const auto value = DownloadValue(backend, module->entry()->root()->shape(), *state);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(Literal::BitEqual(value->element(0), S32({2005, 3007})));
    EXPECT_EQ(value->element(1).Get(0).bits, 1000u);
    EXPECT_FALSE((*rate)->is_deleted());
  }
}

TEST(GoldenBackend, ADonatedBufferIsGone) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(kSum);
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok());
  auto a = backend.Upload(S32({1, 2}), 0), b = backend.Upload(S32({10, 20}), 0);
  ASSERT_TRUE(a.ok() && b.ok());
  const ExecuteInputs donating = {{a->get(), Argument::Donated(b->get())}};
  ASSERT_TRUE((*executable)->Execute({donating}).ok());
  EXPECT_FALSE((*a)->is_deleted());
  EXPECT_TRUE((*b)->is_deleted());
  EXPECT_EQ((*b)->shape().ToString(), "s32[2]");
  const ExecuteInputs again = {{a->get(), b->get()}};
  const absl::Status status = (*executable)->Execute({again}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("the argument of %b"));
  EXPECT_THAT(status.message(), HasSubstr("donated"));
  EXPECT_EQ(backend.Download(**b).status().code(), absl::StatusCode::kFailedPrecondition);
}

// One buffer for several devices, of which the module has one.
TEST(GoldenBackend, DonatesToTheDevicesOfTheModuleAlone) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(kSum);
  auto executable = backend.Compile(*module);
  auto a = backend.Upload(S32({1, 2}), 0), b = backend.Upload(S32({10, 20}), 0);
  ASSERT_TRUE(executable.ok() && a.ok() && b.ok());
  const ExecuteInputs donating = {{a->get(), Argument::Donated(b->get())}};
  const absl::Status status = (*executable)->Execute({donating, donating}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("buffers are donated on 2 devices"));
  EXPECT_FALSE((*b)->is_deleted());
}

// An execution that is refused takes nothing.
TEST(GoldenBackend, RefusesBuffersThatDoNotFit) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(kSum);
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok());
  auto a = backend.Upload(S32({1, 2}), 0), elsewhere = backend.Upload(S32({1, 2}), 1);
  ASSERT_TRUE(a.ok() && elsewhere.ok());
  const std::pair<ExecuteInputs, const char*> refused[] = {
      {{{a->get()}}, "takes 2 arrays or tokens on each device, 1 were given"},
      {{{Argument::Donated(a->get()), elsewhere->get()}}, "lies on device 1"},
      {{{Argument::Donated(a->get()), a->get()}}, "also another argument"},
      {{{Argument::Donated(a->get()), Argument::Donated(a->get())}}, "also another argument"},
  };
  for (const auto& [inputs, message] : refused) {
    const absl::Status status = (*executable)->Start({inputs}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_FALSE((*a)->is_deleted());
  }
  EXPECT_EQ(backend.Upload(Literal::Tuple({}), 0).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(backend.Upload(S32({1}), -1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(GoldenBackend, ErrorsOfARunComeWhenItIsWaitedFor) {
  GoldenOptions options;
  options.run.budget.steps = 1;
  GoldenBackend backend(options);
  const std::unique_ptr<Module> module = MustParse(kSum);
  auto executable = backend.Compile(*module);
  ASSERT_TRUE(executable.ok());
  auto a = backend.Upload(S32({1, 2}), 0);
  ASSERT_TRUE(a.ok());
  const ExecuteInputs inputs = {{a->get(), a->get()}};
  auto execution = (*executable)->Start({inputs});
  ASSERT_TRUE(execution.ok()) << execution.status();
  EXPECT_EQ((*execution)->Await().status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(GoldenBackend, ExecutionsAtTheSameTime) {
  GoldenBackend backend;
  ASSERT_TRUE(backend.capabilities().executes_at_once);
  const std::unique_ptr<Module> module = MustParse(kSum);
  std::vector<std::vector<DeviceInputs>> inputs;
  InputSets sets;
  for (uint64_t k = 0; k < 8; ++k) inputs.push_back({{{S32({k, 2}), S32({3, 4})}, {}}});
  for (size_t k = 0; k < inputs.size(); ++k) {
    sets.sets.emplace_back(inputs[k]);
    sets.order.push_back(k);
  }
  sets.at_once = 7;
  const absl::StatusOr<ModuleRun> run = backend.RunSets(*module, sets);
  ASSERT_TRUE(run.ok()) << run.status();
  for (uint64_t k = 0; k < 8; ++k) {
    const Literal& sum = run->outputs[k][0].result;
    EXPECT_TRUE(Literal::BitEqual(sum, S32({k + 3, 6}))) << k;
  }
  EXPECT_GE(backend.last_stats()->steps, 2);
}

// Each draws its own numbers, and all of them are those of as many executions in a row.
TEST(GoldenBackend, ExecutionsAtTheSameTimeShareTheRandomStream) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(
      "HloModule m\nENTRY e {\n  ROOT s = u64[2] rng-get-and-update-state(), delta=1\n}\n");
  const std::vector<DeviceInputs> none(1);
  const auto states = [&](size_t at_once) {
    const absl::StatusOr<ModuleRun> run =
        backend.RunSets(*module, {{none}, std::vector<size_t>(6, 0), at_once});
    EXPECT_TRUE(run.ok()) << run.status();
    std::set<std::string> texts;
    if (!run.ok()) return texts;
    for (const auto& devices : run->outputs) texts.insert(PrintLiteral(devices[0].result));
    return texts;
  };
  EXPECT_EQ(states(0).size(), 6u);
  EXPECT_EQ(states(0), states(6));
}

TEST(GoldenBackend, CompileOptionsSayTheFormOfTheModule) {
  GoldenBackend backend;
  const std::unique_ptr<Module> module = MustParse(
      "HloModule m, num_partitions=2\n"
      "ENTRY e {\n  p = s32[2] parameter(0)\n  ROOT r = s32[2] add(p, p)\n}\n");
  for (const auto& [form, devices] :
       {std::pair(runtime::ModuleForm::kPartitioned, 2), {runtime::ModuleForm::kLogical, 1}}) {
    const auto executable = backend.Compile(*module, {.form = form});
    ASSERT_TRUE(executable.ok()) << executable.status();
    EXPECT_EQ((*executable)->device_count(), devices);
  }
}

TEST(GoldenBackend, KeepsToItsBudget) {
  GoldenOptions options;
  options.run.budget.steps = 1;
  GoldenBackend backend(options);
  const std::unique_ptr<Module> module = MustParse(kSum);
  EXPECT_EQ(RunOnce(backend, *module, {S32({1, 2}), S32({3, 4})}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace assay
