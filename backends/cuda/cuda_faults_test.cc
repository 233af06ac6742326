// Any call of the runtime may fail while a program runs: the run ends with one error that names the
// call and the device, nothing is leaked, and the next run of the same backend is right.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/device/errors.h"
#include "backends/cuda/testing/programs.h"
#include "gmock/gmock.h"

namespace assay::cuda {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

struct FaultProgram {
  const char* text;
  int devices;
};
const FaultProgram kFaultPrograms[] = {
    // Constants, scratch memory, a sort by a program, a fusion and a reduce.
    {"less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT p = pred[] compare(x, y), "
     "direction=LT }\n"
     "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
     "ENTRY e { x = f32[3] parameter(0) c = f32[3] constant({1, 2, 3}) d = f32[3] add(x, c)\n"
     "  s = f32[3] sort(d), dimensions={0}, to_apply=less z = f32[] constant(0)\n"
     "  t = f32[] reduce(s, z), dimensions={0}, to_apply=sum\n"
     "  ROOT r = (f32[3], f32[]) tuple(s, t) }\n",
     1},
    // A loop, a branch, an update in place and random bits.
    {"cond { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  n = s32[] constant(3) ROOT p = pred[] compare(i, n), direction=LT }\n"
     "body { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
     "  x = f32[3] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)\n"
     "  u = f32[1] constant({7}) y = f32[3] dynamic-update-slice(x, u, i)\n"
     "  ROOT t = (s32[], f32[3]) tuple(j, y) }\n"
     "left { x = f32[3] parameter(0) ROOT r = f32[3] negate(x) }\n"
     "right { x = f32[3] parameter(0) ROOT r = f32[3] abs(x) }\n"
     "ENTRY e { z = s32[] constant(0) x = f32[3] parameter(0)\n"
     "  t = (s32[], f32[3]) tuple(z, x) w = (s32[], f32[3]) while(t), condition=cond, body=body\n"
     "  i = s32[] get-tuple-element(w), index=0 y = f32[3] get-tuple-element(w), index=1\n"
     "  b = f32[3] conditional(i, y, y), branch_computations={left, right}\n"
     "  q = u64[2] constant({1, 2}) g = (u64[2], u32[4]) rng-bit-generator(q), "
     "algorithm=rng_philox\n"
     "  ROOT r = (f32[3], (u64[2], u32[4])) tuple(b, g) }\n",
     1},
    // Two replicas on two devices.
    {"sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
     "ENTRY e { x = f32[3] parameter(0) d = f32[3] add(x, x)\n"
     "  s = f32[3] all-reduce(d), replica_groups={}, to_apply=sum\n"
     "  p = f32[3] collective-permute(d), source_target_pairs={{0,1},{1,0}}\n"
     "  ROOT r = f32[3] subtract(s, p) }\n",
     2},
};

class CudaFaults : public ::testing::TestWithParam<Error> {
 protected:
  // Runs a program whose n-th call fails, and then without a fault. Returns false if it makes fewer
  // calls than n.
  bool RunWithFault(const FaultProgram& program, const Module& module, int64_t n) {
    EmulatorOptions options;
    options.devices = program.devices;
    options.seed = static_cast<uint64_t>(n);
    const std::shared_ptr<EmulatedRuntime> runtime = EmulatedRuntime::Create(options);
    bool fails = false;
    {
      const auto backend = testing::BackendOver(runtime, /*fuse=*/true);
      const auto executable = *backend->Compile(module);
      const std::vector<std::vector<Literal>> arguments(program.devices,
                                                        {testing::Floats({3, -2, 5})});
      const int64_t before = runtime->counts().calls;
      runtime->Inject(n, GetParam());
      const auto failed = testing::Execute(*backend, *executable, arguments);
      fails = runtime->counts().calls - before >= n;
      runtime->Inject(0, Error::kSuccess);
      const auto again = testing::Execute(*backend, *executable, arguments);
      if (!again.ok()) {
        ADD_FAILURE() << "after " << failed.status() << ": " << again.status();
        return false;
      }
      if (n == 1) expected_ = *again;
      EXPECT_TRUE(testing::AreEqual(*again, expected_));
      if (failed.ok()) {
        EXPECT_TRUE(testing::AreEqual(*failed, expected_));
      } else {
        ++failures_;
        const std::string message(failed.status().message());
        EXPECT_THAT(message, HasSubstr("CUDA device "));
        // A device that waits for a lost one is lost, too, and may be the first to be asked.
        EXPECT_THAT(message, AnyOf(HasSubstr(NameOf(GetParam())),
                                   HasSubstr(program.devices > 1 ? "cudaErrorLaunchFailure"
                                                                 : NameOf(GetParam()))));
      }
    }
    // Memory is freed in the order of streams.
    for (int device = 0; device < program.devices; ++device) {
      runtime->SetDevice(device);
      EXPECT_EQ(runtime->DeviceSynchronize(), Error::kSuccess);
    }
    const EmulatorCounts counts = runtime->counts();
    EXPECT_EQ(counts.live_bytes, 0);
    EXPECT_EQ(counts.live_allocations, 0);
    EXPECT_EQ(counts.live_streams, 0);
    EXPECT_EQ(counts.live_events, 0);
    EXPECT_EQ(counts.live_graphs, 0);
    return fails;
  }

  std::vector<Literal> expected_;  // of the program
  int64_t failures_ = 0;
};

TEST_P(CudaFaults, GiveOneErrorAndLeakNothing) {
  for (const FaultProgram& program : kFaultPrograms) {
    const auto module = testing::ParsedModule(
        absl::StrCat("HloModule m, replica_count=", program.devices, "\n", program.text));
    failures_ = 0;
    int64_t n = 1;
    while (RunWithFault(program, *module, n) && !HasFailure()) ++n;
    EXPECT_GT(n, 20);
    EXPECT_GT(failures_, n / 2);
    ASSERT_FALSE(HasFailure()) << "call " << n << " of\n" << program.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Errors, CudaFaults,
                         ::testing::Values(Error::kMemoryAllocation, Error::kLaunchFailure,
                                           Error::kInvalidValue, Error::kDevicesUnavailable),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

}  // namespace
}  // namespace assay::cuda
