// Custom calls on the CUDA backend: those of the host take their place in the order of the device's
// work, and modules with them make no graphs; those that are launches are part of graphs.
// custom_call_test.cc of the factory has what each target means.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/testing/programs.h"
#include "gmock/gmock.h"
#include "runtime/custom_calls/custom_call.h"

namespace assay::cuda::calls_test {
namespace {

using runtime::CustomCall;
using runtime::CustomCallRegistry;
using testing::Floats;
using ::testing::HasSubstr;

// Backends over one emulated runtime, with targets of a user.
struct Bench {
  explicit Bench(const CustomCallRegistry* registry = nullptr, int64_t bytes = -1) {
    CudaOptions options;
    options.custom_calls = registry;
    options.run.budget.bytes = bytes;
    backend = *CudaBackend::Create("cuda-emulated", EmulatedRuntime::Create({}), options);
  }
  DeviceCounts counts() const {
    const auto* const stats = dynamic_cast<const CudaStats*>(backend->last_stats());
    return stats == nullptr ? DeviceCounts() : stats->device;
  }
  std::unique_ptr<CudaBackend> backend;
};

// Returns the reversed elements of the operand.
absl::StatusOr<Literal> Reverse(const CustomCall& call) {
  absl::StatusOr<Literal> result = call.Zeros(call.instruction.shape());
  if (!result.ok()) return result;
  const auto* const from = reinterpret_cast<const float*>(call.operands[0].data());
  auto* const to = reinterpret_cast<float*>(result->mutable_data());
  const int64_t count = result->element_count();
  for (int64_t i = 0; i < count; ++i) to[i] = from[count - 1 - i];
  return result;
}

TEST(CudaCalls, OfUsersRunInTheOrderOfTheDevice) {
  CustomCallRegistry registry;
  registry.Register("mine", Reverse);
  const Bench bench(&registry);
  const auto module = testing::ParsedModule(R"(HloModule m
ENTRY e { x = f32[3] parameter(0) y = f32[3] add(x, x)
  c = f32[3] custom-call(y), custom_call_target="mine" ROOT r = f32[3] subtract(c, x) })");
  ASSERT_TRUE(bench.backend->Supports(*module).ok());
  const auto executable = *bench.backend->Compile(*module);
  for (int run = 1; run <= 4; ++run) {
    const auto a = static_cast<float>(run);
    const auto results = testing::Execute(*bench.backend, *executable, {{Floats({a, 2, 30})}});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_TRUE(testing::AreEqual(*results, {Floats({60 - a, 2, 2 * a - 30})})) << run;
    EXPECT_EQ(bench.counts().graph_launches, 0);
  }
}

TEST(CudaCalls, OfUsersReplaceLaunches) {
  CustomCallRegistry registry;
  registry.Register("Sharding", Reverse);
  const Bench bench(&registry), plain;
  const auto module = testing::ParsedModule(R"(HloModule m
ENTRY e { x = f32[2] parameter(0) ROOT c = f32[2] custom-call(x), custom_call_target="Sharding" })");
  const auto run = [&](const Bench& on) {
    return *testing::Execute(*on.backend, **on.backend->Compile(*module), {{Floats({1, 2})}});
  };
  EXPECT_TRUE(testing::AreEqual(run(bench), {Floats({2, 1})}));
  EXPECT_TRUE(testing::AreEqual(run(plain), {Floats({1, 2})}));
}

// The body of a loop on two devices calls the host.
TEST(CudaCalls, InLoopsOnSeveralDevices) {
  CustomCallRegistry registry;
  registry.Register("mine", Reverse);
  const Bench bench(&registry);
  const auto module = testing::ParsedModule(R"(HloModule m, replica_count=2
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
cond { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT p = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  c = f32[2] custom-call(x), custom_call_target="mine"
  y = f32[2] all-reduce(c), replica_groups={}, to_apply=sum
  ROOT t = (s32[], f32[2]) tuple(j, y) }
ENTRY e { x = f32[2] parameter(0) z = s32[] constant(0) t = (s32[], f32[2]) tuple(z, x)
  w = (s32[], f32[2]) while(t), condition=cond, body=body
  ROOT r = f32[2] get-tuple-element(w), index=1 })");
  const auto executable = *bench.backend->Compile(*module);
  // {1, 2} and {10, 20} become {22, 11} on both, then {22, 44}, then {88, 44}.
  for (int run = 0; run < 2; ++run) {
    const auto results =
        testing::Execute(*bench.backend, *executable, {{Floats({1, 2})}, {Floats({10, 20})}});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_TRUE(testing::AreEqual(*results, {Floats({88, 44}), Floats({88, 44})}));
  }
}

TEST(CudaCalls, ThatFailEndTheRunAndNoOtherOne) {
  CustomCallRegistry registry;
  registry.Register("mine", [](const CustomCall& call) -> absl::StatusOr<Literal> {
    if (call.operands[0].Get(0).bits == 0) return absl::AbortedError("the user says no");
    return Reverse(call);
  });
  const Bench bench(&registry);
  const auto module = testing::ParsedModule(R"(HloModule m
ENTRY e { x = f32[1] parameter(0) ROOT c = f32[1] custom-call(x), custom_call_target="mine" })");
  const auto executable = *bench.backend->Compile(*module);
  for (int run = 0; run < 2; ++run) {
    const auto failed = testing::Execute(*bench.backend, *executable, {{Floats({0})}});
    EXPECT_EQ(failed.status().code(), absl::StatusCode::kAborted);
    EXPECT_THAT(failed.status().message(), HasSubstr("the user says no"));
    EXPECT_TRUE(testing::AreEqual(*testing::Execute(*bench.backend, *executable, {{Floats({7})}}),
                                  {Floats({7})}));
  }
}

TEST(CudaCalls, CountArraysOfTheHost) {
  CustomCallRegistry registry;
  registry.Register("mine", [](const CustomCall& call) -> absl::StatusOr<Literal> {
    absl::StatusOr<Literal> large = call.Zeros(Shape(ElementType::kF32, {1 << 20}));
    if (!large.ok()) return large;
    return Reverse(call);
  });
  const Bench bench(&registry, 1 << 20);
  const auto module = testing::ParsedModule(R"(HloModule m
ENTRY e { x = f32[1] parameter(0) ROOT c = f32[1] custom-call(x), custom_call_target="mine" })");
  const auto executable = *bench.backend->Compile(*module);
  EXPECT_EQ(testing::Execute(*bench.backend, *executable, {{Floats({7})}}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(CudaCalls, ThatAreLaunchesArePartsOfGraphs) {
  const Bench bench;
  const auto module = testing::ParsedModule(R"(HloModule m
ENTRY e { x = f32[3] parameter(0) n = f32[3] negate(x)
  s = f32[3] custom-call(n), custom_call_target="Sharding"
  t = (f32[2], s32[2]) custom-call(s), custom_call_target="TopK"
  ROOT v = f32[2] get-tuple-element(t), index=0 })");
  const auto executable = *bench.backend->Compile(*module);
  for (int run = 0; run < 4; ++run) {
    const auto a = static_cast<float>(run);
    EXPECT_TRUE(
        testing::AreEqual(*testing::Execute(*bench.backend, *executable, {{Floats({a, 10, -5})}}),
                          {Floats({5, -a})}));
    EXPECT_EQ(bench.counts().graph_launches, run > 0 ? 1 : 0);
  }
}

// Of four elements three count.
TEST(CudaCalls, KeepDynamicSizes) {
  const Bench bench;
  const auto module = testing::ParsedModule(R"(HloModule m
ENTRY e { x = f32[4] parameter(0) n = s32[] constant(3)
  d = f32[<=4] set-dimension-size(x, n), dimensions={0}
  s = f32[<=4] custom-call(d), custom_call_target="Sharding"
  ROOT g = s32[] get-dimension-size(s), dimensions={0} })");
  const auto results =
      testing::Execute(*bench.backend, **bench.backend->Compile(*module), {{Floats({1, 2, 3, 4})}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Get(0).bits, 3u);
}

}  // namespace
}  // namespace assay::cuda::calls_test
