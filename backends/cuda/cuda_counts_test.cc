// What a program asks of devices: no more launches than it has operations, copies of arguments and
// results alone, waits of the host where it looks. Values of several processes are right whatever
// the order in which their streams run.
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_stats.h"
#include "backends/cuda/testing/programs.h"
#include "gtest/gtest.h"

namespace assay::cuda {
namespace {

using cuda::testing::Floats;
using cuda::testing::ParsedModule;

std::unique_ptr<CudaBackend> EmulatedBackend(int devices, uint64_t seed, bool fuse = false,
                                             GraphUse graphs = GraphUse::kFromSecondRun) {
  cuda::EmulatorOptions options;
  options.devices = devices;
  options.seed = seed;
  return cuda::testing::BackendOver(cuda::EmulatedRuntime::Create(options), fuse, graphs);
}

// Runs the module once more and returns what the devices were asked for.
cuda::DeviceCounts CountsOf(CudaBackend& backend, Executable& executable,
                            const std::vector<std::vector<Literal>>& arguments,
                            std::vector<Literal>* results) {
  auto ran = cuda::testing::Execute(backend, executable, arguments);
  EXPECT_TRUE(ran.ok()) << ran.status();
  if (!ran.ok()) return {};
  results->insert(results->end(), ran->begin(), ran->end());
  return dynamic_cast<const CudaStats*>(backend.last_stats())->device;
}

TEST(CudaCounts, ValuesStayOnTheDevice) {
  const auto backend = EmulatedBackend(1, 3, false, GraphUse::kNever);
  const auto module = ParsedModule(
      "HloModule m\n"
      "less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT p = pred[] compare(x, y), "
      "direction=LT }\n"
      "ENTRY e { a = f32[4] parameter(0) b = f32[4] parameter(1)\n"
      "  c = f32[4] constant({1, 2, 3, 4}) d = f32[4] add(a, b) i = f32[4] multiply(d, c)\n"
      "  u = f32[2] slice(i), slice={[1:3]} v = f32[2] negate(u)\n"
      "  s = f32[4] sort(i), dimensions={0}, to_apply=less\n"
      "  ROOT r = (f32[2], f32[4]) tuple(v, s) }\n");
  const auto executable = *backend->Compile(*module);
  std::vector<cuda::DeviceCounts> runs;
  for (int run = 0; run < 2; ++run) {
    std::vector<Literal> results;
    const cuda::DeviceCounts& counts = runs.emplace_back(
        CountsOf(*backend, *executable, {{Floats({4, 3, 2, 1}), Floats({1, 1, 1, -9})}}, &results));
    ASSERT_EQ(results.size(), 2u);
    EXPECT_TRUE(Literal::BitEqual(results[0], Floats({-8, -9})));
    EXPECT_TRUE(Literal::BitEqual(results[1], Floats({-32, 5, 8, 9})));
    EXPECT_EQ(counts.copies_out, 2);
    EXPECT_EQ(counts.copies_on, 0);
    EXPECT_EQ(counts.waits, 1);
    EXPECT_LE(counts.launches, 5 + 1);  // a sort orders and permutes
  }
  // The arguments; the first run also brings the constant and the programs of kernels.
  EXPECT_GT(runs[0].copies_in, 2);
  EXPECT_EQ(runs[1].copies_in, 2);
}

// The number of iterations is known if the bound is a constant, and not if it is an argument.
void ExpectLoop(const std::string& first, bool is_known) {
  const auto backend = EmulatedBackend(1, 5);
  const auto module = ParsedModule(
      "HloModule m\n"
      "cond { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant(5) ROOT p = pred[] compare(i, n), direction=LT }\n"
      "body { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[2] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)\n"
      "  y = f32[2] add(x, x) ROOT t = (s32[], f32[2]) tuple(j, y) }\n"
      "left { x = f32[2] parameter(0) ROOT r = f32[2] negate(x) }\n"
      "right { x = f32[2] parameter(0) ROOT r = f32[2] abs(x) }\n"
      "ENTRY e { x = f32[2] parameter(0) a = s32[] parameter(1) z = s32[] " +
      first +
      "\n"
      "  t = (s32[], f32[2]) tuple(z, x) w = (s32[], f32[2]) while(t), condition=cond, body=body\n"
      "  i = s32[] get-tuple-element(w), index=0 y = f32[2] get-tuple-element(w), index=1\n"
      "  k = s32[] constant(6) b = s32[] subtract(i, k)\n"
      "  ROOT r = f32[2] conditional(b, y, y), branch_computations={left, right} }\n");
  const auto executable = *backend->Compile(*module);
  std::vector<Literal> results;
  const cuda::DeviceCounts counts =
      CountsOf(*backend, *executable, {{Floats({1, -2}), Literal::Scalar(ElementType::kS32, {0})}},
               &results);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(Literal::BitEqual(results[0], Floats({32, 64})));  // -1 selects the last branch
  const int conditions = is_known ? 0 : 6;
  EXPECT_EQ(counts.waits, conditions + 1 + 1);       // and the selector, the result
  EXPECT_EQ(counts.copies_out, conditions + 1 + 1);  // of the same
  EXPECT_EQ(counts.launches - (is_known ? 0 : 1), conditions + 5 * 2 + 1 + 1);
}

TEST(CudaCounts, LoopsWaitForConditionsThatAreNotKnown) {
  ExpectLoop("constant(0)", true);
  ExpectLoop("abs(a)", false);
}

// Programs with as many launches as they have fusions and operations outside of them. Their bits
// are those of a launch for every operation, special values included.
TEST(CudaCounts, FusionsAreOneLaunchAndChangeNoBit) {
  const struct {
    const char* entry;
    int64_t launches;
  } kPrograms[] = {
      {"a = f32[8] add(x, y) b = f32[8] exponential(a) c = f32[8] multiply(b, x) ROOT r = f32[8] "
       "tanh(c)",
       1},
      // Scalars, comparisons, other types, what is used twice.
      {"k = f32[] constant(2.5) h = f32[8] broadcast(k), dimensions={} a = f32[8] divide(x, y) p = "
       "pred[8] compare(a, h), direction=GT b = f16[8] convert(a) c = f32[8] convert(b) d = f32[8] "
       "select(p, c, a) e = f32[8] clamp(k, d, k) ROOT r = f32[8] atan2(d, e)",
       1},
      // Movement that inputs are read through, beyond the inputs that have strides.
      {"a = f32[2,4] reshape(x) b = f32[4,2] transpose(a), dimensions={1,0} c = f32[4,2] "
       "reshape(y) d = f32[4] slice(y), slice={[0:8:2]} e = f32[4,2] broadcast(d), dimensions={0} "
       "f = f32[4,2] add(b, c) g = f32[4,2] multiply(f, e) i = f32[4,2] reverse(c), dimensions={0} "
       "ROOT r = f32[4,2] subtract(g, i)",
       2},
      // A reduce of what is computed, and what is computed of its result.
      {"z = f32[] constant(0) a = f32[8] multiply(x, y) b = f32[] reduce(a, z), dimensions={0}, "
       "to_apply=sum c = f32[] sqrt(b) ROOT r = f32[] negate(c)",
       3},
      {"a = f32[2,4] reshape(x) b = f32[4,2] reshape(y) c = f32[2,2] dot(a, b), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0} d = f32[2,2] exponential(c) ROOT r = "
       "f32[2,2] negate(d)",
       4},
      {"i = s32[8] iota(), iota_dimension=0 j = f32[8] convert(i) q = f32[] constant(7) a = "
       "f32[12] "
       "pad(x, q), padding=2_2 b = f32[8] slice(a), slice={[3:11]} c = f32[8] add(b, j) ROOT r = "
       "f32[8] maximum(c, y)",
       4},
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<Literal> arguments = {
      Floats({1, -2, 0, -0.0f, infinity, 0x1p-140f, 3e38f, std::nanf("")}),
      Floats({3, 0, 0, 7, -infinity, 5, 1e38f, 1})};
  for (const auto& program : kPrograms) {
    const auto module = ParsedModule(absl::StrCat(
        "HloModule m\nsum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) "
        "}\nENTRY e { x = f32[8] parameter(0) y = f32[8] parameter(1) ",
        program.entry, " }\n"));
    std::vector<Literal> results;
    for (const bool fuse : {false, true}) {
      const auto backend = EmulatedBackend(1, 1, fuse);
      const auto executable = *backend->Compile(*module);
      const cuda::DeviceCounts counts = CountsOf(*backend, *executable, {arguments}, &results);
      EXPECT_LE(counts.launches, fuse ? program.launches : 12) << program.entry;
    }
    ASSERT_EQ(results.size(), 2u);
    EXPECT_TRUE(Literal::BitEqual(results[0], results[1])) << program.entry;
  }
}

// Two replicas on two devices: a sum, a permutation and values that one stream gives another, by
// every order of the streams.
TEST(CudaCounts, ProcessesExchangeValuesInStreamOrder) {
  const auto module = ParsedModule(
      "HloModule m, replica_count=2\n"
      "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
      "ENTRY e { x = f32[3] parameter(0) d = f32[3] add(x, x)\n"
      "  s = f32[3] all-reduce(d), replica_groups={}, to_apply=sum\n"
      "  p = f32[3] collective-permute(d), source_target_pairs={{0,1},{1,0}}\n"
      "  q = f32[3] multiply(s, p) t = f32[3] all-reduce(q), replica_groups={}, to_apply=sum\n"
      "  ROOT r = f32[3] subtract(t, p) }\n");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const int devices : {1, 2}) {
      const auto backend = EmulatedBackend(devices, seed);
      const auto executable = *backend->Compile(*module);
      std::vector<Literal> results;
      const cuda::DeviceCounts counts =
          CountsOf(*backend, *executable, {{Floats({1, 2, 3})}, {Floats({10, 20, 30})}}, &results);
      ASSERT_EQ(results.size(), 2u);
      // d: 2 4 6 and 20 40 60; s: 22 44 66; q: 22 (20 + 2), ...; t: their sums.
      EXPECT_TRUE(Literal::BitEqual(results[0], Floats({464, 1896, 4296}))) << seed;
      EXPECT_TRUE(Literal::BitEqual(results[1], Floats({482, 1932, 4350}))) << seed;
      EXPECT_EQ(counts.copies_out, 2);
      EXPECT_EQ(counts.waits, 2);
      EXPECT_GT(counts.copies_on, 0);
    }
  }
}

}  // namespace
}  // namespace assay::cuda
