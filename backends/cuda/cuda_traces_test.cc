// What the kernels' accesses to memory would cost on a GPU, by the traces of the checked build:
// whole sectors where elements lie side by side, no conflicts of banks in transposes, and fusions
// that move little more than their arguments and results.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/kernel_groups.h"
#include "backends/cuda/testing/programs.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

using emulator::AccessTrace;
using emulator::KernelTrace;

// Runs an entry computation without parameters, and returns the traces of its kernels.
std::vector<KernelTrace> TracesOf(const std::string& program, bool fuse = false) {
  EmulatorOptions options;
  options.groups = checked::KernelGroups();
  options.checked = true;
  options.traced = true;
  const auto backend = testing::BackendOver(EmulatedRuntime::Create(options), fuse);
  const auto module = testing::ParsedModule(absl::StrCat(
      "HloModule m\n"
      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e { ",
      program, " }\n"));
  const auto executable = *backend->Compile(*module);
  const auto result = testing::Execute(*backend, *executable, {{}});
  EXPECT_TRUE(result.ok()) << result.status();
  return dynamic_cast<const CudaStats*>(backend->last_stats())->traces;
}

const KernelTrace& Find(const std::vector<KernelTrace>& traces, const std::string& prefix) {
  static const KernelTrace none;
  for (const KernelTrace& trace : traces) {
    if (trace.kernel.rfind(prefix, 0) == 0) return trace;
  }
  ADD_FAILURE() << "no kernel " << prefix;
  return none;
}

// A warp whose lane i accesses `bytes` bytes at address i * stride.
KernelTrace TraceOfWarp(uint64_t stride, int64_t bytes, bool is_shared) {
  static const char instruction = 0;
  AccessTrace trace;
  for (int32_t lane = 0; lane < 32; ++lane) {
    trace.Record({&instruction, lane, 0x1000 + lane * stride, bytes, false, is_shared});
  }
  trace.EndBlock();
  return trace.Finish();
}

// Expected values by the rules of the CUDA C++ programming guide, counted by hand.
TEST(CudaTraces, CountSectorsAndBanks) {
  EXPECT_EQ(TraceOfWarp(4, 4, false).sectors, 4);
  EXPECT_EQ(TraceOfWarp(4, 4, false).used_share(), 1);
  EXPECT_EQ(TraceOfWarp(8, 4, false).sectors, 8);
  EXPECT_EQ(TraceOfWarp(8, 4, false).used_share(), 0.5);
  EXPECT_EQ(TraceOfWarp(4096, 4, false).sectors, 32);
  EXPECT_EQ(TraceOfWarp(4096, 4, false).moved_bytes, 1024);
  EXPECT_EQ(TraceOfWarp(0, 4, false).requests, 0);  // one address for all lanes
  EXPECT_EQ(TraceOfWarp(4, 4, true).worst_conflict, 1);
  EXPECT_EQ(TraceOfWarp(8, 4, true).worst_conflict, 2);
  EXPECT_EQ(TraceOfWarp(128, 4, true).worst_conflict, 32);
  EXPECT_EQ(TraceOfWarp(132, 4, true).worst_conflict, 1);  // a column of padding
  EXPECT_EQ(TraceOfWarp(0, 4, true).worst_conflict, 1);    // a broadcast
  EXPECT_EQ(TraceOfWarp(8, 8, true).worst_conflict, 1);    // half a warp at a time
  EXPECT_EQ(TraceOfWarp(16, 16, true).worst_conflict, 1);  // a quarter
  EXPECT_EQ(TraceOfWarp(40, 40, true).worst_conflict, 1);  // a struct, by parts of 8 bytes
  EXPECT_EQ(TraceOfWarp(64, 40, true).worst_conflict, 8);
}

struct ContiguousCase {
  const char* program;
  const char* kernel;
};

TEST(CudaTraces, ContiguousAccessesUseTheirSectors) {
  const ContiguousCase cases[] = {
      {"x = f32[1024] iota(), iota_dimension=0 ROOT r = f32[1024] negate(x)", "Elementwise"},
      {"x = bf16[1024] iota(), iota_dimension=0 ROOT r = bf16[1024] add(x, x)", "Elementwise"},
      {"x = s8[1024] iota(), iota_dimension=0 ROOT r = s8[1024] multiply(x, x)", "Elementwise"},
      {"x = c64[512] iota(), iota_dimension=0 ROOT r = c64[512] add(x, x)", "Elementwise"},
      {"x = f32[64,64] iota(), iota_dimension=0 ROOT r = f32[64,32] slice(x), "
       "slice={[0:64],[16:48]}",
       "Copy4"},
      {"x = f32[4,512] iota(), iota_dimension=1 z = f32[] constant(1) ROOT r = f32[4] "
       "reduce(x, z), dimensions={1}, to_apply=add",
       "FoldTree"},
      {"x = f32[256,64] iota(), iota_dimension=1 z = f32[] constant(1) ROOT r = f32[64] "
       "reduce(x, z), dimensions={0}, to_apply=add",
       "FoldColumns"},
      {"x = f32[2,256,32] iota(), iota_dimension=1 z = f32[] constant(1) ROOT r = f32[2,32] "
       "reduce(x, z), dimensions={1}, to_apply=add",
       "FoldColumns"},
      {"x = f32[4,1024] iota(), iota_dimension=1 z = f32[] constant(1) ROOT r = f32[1024] "
       "reduce(x, z), dimensions={0}, to_apply=add",
       "FoldWindows"},
      {"x = f32[64,96] iota(), iota_dimension=1 ROOT r = f32[96,64] transpose(x), "
       "dimensions={1,0}",
       "Transpose4"},
  };
  for (const ContiguousCase& each : cases) {
    const KernelTrace trace = Find(TracesOf(each.program), each.kernel);
    EXPECT_GT(trace.requests, 0) << each.program;
    EXPECT_GE(trace.used_share(), 0.9) << each.program;
    EXPECT_EQ(trace.dropped, 0) << each.program;
  }
}

TEST(CudaTraces, TransposesHaveNoConflictsOfBanks) {
  for (const char* type : {"s8", "bf16", "f32", "f64", "c128"}) {
    const std::string program =
        absl::StrCat("x = ", type, "[64,96] iota(), iota_dimension=1 ROOT r = ", type,
                     "[96,64] transpose(x), dimensions={1,0}");
    const KernelTrace trace = Find(TracesOf(program), "Transpose");
    EXPECT_GT(trace.shared_requests, 0) << type;
    EXPECT_LE(trace.worst_conflict, 2) << type;
  }
}

TEST(CudaTraces, FusionsMoveLittleMoreThanArgumentsAndResults) {
  const std::string chain =
      "x = f32[2048] iota(), iota_dimension=0 y = f32[2048] negate(x) z = f32[2048] add(y, x) "
      "w = f32[2048] exponential(z) ROOT r = f32[2048] maximum(w, x)";
  const int64_t least = 2 * 2048 * 4;
  EXPECT_LE(Find(TracesOf(chain, /*fuse=*/true), "Elementwise").moved_bytes, least * 11 / 10);
  // The control: a launch for each operation moves several times as much.
  EXPECT_GT(Find(TracesOf(chain, /*fuse=*/false), "Elementwise").moved_bytes, 3 * least);
}

}  // namespace
}  // namespace assay::cuda
