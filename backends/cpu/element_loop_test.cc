// Loops on arrays of few elements that move, and loops that scan larger arrays, against the same
// loops written in C++; which loops are taken and which are left to the runtime.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/vector/tier.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::cpu {
namespace {

constexpr Tier kTiers[] = {Tier::kBlocks, Tier::kNative, Tier::kAuto};

std::vector<uint32_t> Words(int64_t count, uint32_t seed) {
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < count; ++i) words.push_back(seed += seed * 69069 + 12345);
  return words;
}

Literal WordLiteral(absl::Span<const int64_t> sizes, const std::vector<uint32_t>& words) {
  Literal literal = Literal::Zeros(Shape(ElementType::kU32, sizes));
  for (size_t i = 0; i < words.size(); ++i) literal.Set(static_cast<int64_t>(i), {words[i]});
  return literal;
}

const Instruction* FindLoop(const Module& module) {
  for (const auto& instruction : module.entry()->instructions()) {
    if (instruction->opcode() == Opcode::kWhile) return instruction.get();
  }
  return nullptr;
}

// Returns true if the loop of the module becomes one kernel.
bool IsTaken(const std::string& text) {
  auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return false;
  const KernelOr kernel = PrepareElementLoop(*FindLoop(**module));
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return kernel.ok() && *kernel != nullptr;
}

std::vector<uint32_t> RunWords(const std::string& text, const std::vector<Literal>& arguments,
                               Tier tier) {
  auto module = ParseModule(text);
  CpuOptions options;
  options.tier = tier;
  CpuBackend backend(options);
  const auto result = RunOnce(backend, **module, arguments);
  EXPECT_TRUE(result.ok()) << result.status();
  std::vector<uint32_t> words;
  if (!result.ok()) return words;
  for (const Literal& leaf : Flatten(*result)) {
    for (int64_t i = 0; i < leaf.element_count(); ++i) {
      words.push_back(static_cast<uint32_t>(leaf.Get(i).bits));
    }
  }
  return words;
}

// An iteration reads a row of x, turns and mixes the carry with it, and writes a row of y and two
// elements of z.
constexpr char kScan[] = R"(condition {
  s = (s32[], u32[3], u32[ROWS,3], u32[ROWS,3], u32[4,2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(TURNS)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], u32[3], u32[ROWS,3], u32[ROWS,3], u32[4,2]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  c = u32[3] get-tuple-element(s), index=1
  x = u32[ROWS,3] get-tuple-element(s), index=2
  y = u32[ROWS,3] get-tuple-element(s), index=3
  z = u32[4,2] get-tuple-element(s), index=4
  zero = s32[] constant(0)
  one = s32[] constant(1)
  two = s32[] constant(2)
  six = s32[] constant(6)
  next = s32[] add(i, one)
  READ
  row = u32[1,3] dynamic-slice(x, at, zero), dynamic_slice_sizes={1,3}
  flat = u32[3] reshape(row)
  first = u32[1] slice(c), slice={[0:1]}
  rest = u32[2] slice(c), slice={[1:3]}
  turned = u32[3] concatenate(rest, first), dimensions={0}
  back = u32[3] reverse(turned), dimensions={0}
  mixed = u32[3] multiply(back, flat)
  carry = u32[3] add(mixed, turned)
  out = u32[1,3] broadcast(carry), dimensions={1}
  written = u32[ROWS,3] dynamic-update-slice(y, out, WRITE, zero)
  last = u32[1] slice(carry), slice={[2:3]}
  scalar = u32[] reshape(last)
  pair = u32[1,2] broadcast(scalar), dimensions={}
  left = u32[1,2] slice(z), slice={[0:1], [0:2]}
  below = u32[3,2] slice(z), slice={[1:4], [0:2]}
  changed = u32[1,2] xor(pair, left)
  cells = u32[4,2] concatenate(below, changed), dimensions={0}
  ROOT r = (s32[], u32[3], u32[ROWS,3], u32[ROWS,3], u32[4,2]) tuple(next, carry, x, written, cells)
}
ENTRY e {
  c = u32[3] parameter(0)
  x = u32[ROWS,3] parameter(1)
  y = u32[ROWS,3] parameter(2)
  z = u32[4,2] parameter(3)
  zero = s32[] constant(0)
  start = (s32[], u32[3], u32[ROWS,3], u32[ROWS,3], u32[4,2]) tuple(zero, c, x, y, z)
  ROOT loop = (s32[], u32[3], u32[ROWS,3], u32[ROWS,3], u32[4,2]) while(start), condition=condition, body=body
})";

// How a loop finds its rows.
struct Rows {
  const char *read, *write;  // HLO text
  int64_t (*read_at)(int64_t i, int64_t rows);
  int64_t (*write_at)(int64_t i, int64_t rows);
};

const Rows kRows[] = {
    {"at = s32[] copy(i)", "i", [](int64_t i, int64_t) { return i; },
     [](int64_t i, int64_t) { return i; }},
    // Read backwards by an index that is computed, and written at one outside, which is clamped.
    {"at = s32[] subtract(six, i)", "next", [](int64_t i, int64_t) { return 6 - i; },
     [](int64_t i, int64_t) { return i + 1; }},
    {"at = s32[] multiply(i, i)", "two", [](int64_t i, int64_t) { return i * i; },
     [](int64_t, int64_t) { return int64_t{2}; }}};

std::string ScanText(const Rows& rows, int64_t count, int64_t turns) {
  return absl::StrReplaceAll(kScan, {{"ROWS", absl::StrCat(count)},
                                     {"TURNS", absl::StrCat(turns)},
                                     {"READ", rows.read},
                                     {"WRITE", rows.write}});
}

std::vector<uint32_t> ExpectedScan(const Rows& rows, int64_t count, int64_t turns,
                                   std::vector<uint32_t> c, const std::vector<uint32_t>& x,
                                   std::vector<uint32_t> y, std::vector<uint32_t> z) {
  for (int64_t i = 0; i < turns; ++i) {
    const int64_t from = std::clamp<int64_t>(rows.read_at(i, count), 0, count - 1);
    const int64_t to = std::clamp<int64_t>(rows.write_at(i, count), 0, count - 1);
    const uint32_t turned[] = {c[1], c[2], c[0]};
    for (int k = 0; k < 3; ++k) c[k] = turned[2 - k] * x[3 * from + k] + turned[k];
    std::copy(c.begin(), c.end(), y.begin() + 3 * to);
    const uint32_t changed[] = {c[2] ^ z[0], c[2] ^ z[1]};
    z.erase(z.begin(), z.begin() + 2);
    z.insert(z.end(), changed, changed + 2);
  }
  std::vector<uint32_t> expected = {static_cast<uint32_t>(turns)};
  for (const auto& part : {c, x, y, z}) expected.insert(expected.end(), part.begin(), part.end());
  return expected;
}

TEST(ElementLoop, ScansRowsOfLargerArrays) {
  for (const Rows& rows : kRows) {
    for (const int64_t turns : {0, 1, 6, 9, 400}) {
      constexpr int64_t kCount = 7;  // 21 elements: more than become registers
      const std::string text = ScanText(rows, kCount, turns);
      EXPECT_TRUE(IsTaken(text)) << text;
      const auto c = Words(3, 1), x = Words(3 * kCount, 2), y = Words(3 * kCount, 3);
      const auto z = Words(8, 4);
      const auto expected = ExpectedScan(rows, kCount, turns, c, x, y, z);
      for (const Tier tier : kTiers) {
        EXPECT_EQ(RunWords(text,
                           {WordLiteral({3}, c), WordLiteral({kCount, 3}, x),
                            WordLiteral({kCount, 3}, y), WordLiteral({4, 2}, z)},
                           tier),
                  expected)
            << TierName(tier) << " " << turns << "\n"
            << text;
      }
    }
  }
}

// A loop on u32[20] with a counter; `body` gives the array w from a and the counter i.
std::string CellsText(const std::string& body) {
  return absl::StrCat(R"(ignored {
  v = u32[20] parameter(0)
  i = s32[] parameter(1)
  seven = u32[1] constant({7})
  w = u32[20] dynamic-update-slice(v, seven, i)
  j = s32[] negate(i)
  ROOT r = (u32[20], s32[]) tuple(w, j)
}
condition {
  s = (s32[], u32[20]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(10)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], u32[20]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = u32[20] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
)",
                      body, R"(
  ROOT r = (s32[], u32[20]) tuple(next, w)
}
ENTRY e {
  x = u32[20] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], u32[20]) tuple(zero, x)
  loop = (s32[], u32[20]) while(start), condition=condition, body=body
  ROOT r = u32[20] get-tuple-element(loop), index=1
})");
}

void ExpectCells(const std::string& body, bool is_taken,
                 void (*iterate)(std::vector<uint32_t>& cells, int64_t i)) {
  const std::string text = CellsText(body);
  EXPECT_EQ(IsTaken(text), is_taken) << text;
  const std::vector<uint32_t> x = Words(20, 5);
  std::vector<uint32_t> expected = x;
  for (int64_t i = 0; i < 10; ++i) iterate(expected, i);
  for (const Tier tier : kTiers) {
    EXPECT_EQ(RunWords(text, {WordLiteral({20}, x)}, tier), expected) << TierName(tier) << text;
  }
}

// The cell is read before it is written, and the next iteration reads what was written.
TEST(ElementLoop, ReadsBeforeItWrites) {
  ExpectCells(R"(  here = u32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
  after = u32[1] dynamic-slice(a, next), dynamic_slice_sizes={1}
  sum = u32[1] add(here, after)
  w = u32[20] dynamic-update-slice(a, sum, next))",
              true, [](std::vector<uint32_t>& cells, int64_t i) { cells[i + 1] += cells[i]; });
}

// An index that is read: where the first read is decides the second, which is left to the runtime;
// a place to write may depend on what is read.
TEST(ElementLoop, IndicesMayBeRead) {
  constexpr char kIndex[] = R"(  here = u32[1] dynamic-slice(a, i), dynamic_slice_sizes={1}
  value = u32[] reshape(here)
  mask = u32[] constant(15)
  low = u32[] and(value, mask)
)";
  ExpectCells(absl::StrCat(kIndex, "  w = u32[20] dynamic-update-slice(a, here, low)"), true,
              [](std::vector<uint32_t>& cells, int64_t i) { cells[cells[i] & 15] = cells[i]; });
  ExpectCells(absl::StrCat(kIndex, R"(
  there = u32[1] dynamic-slice(a, low), dynamic_slice_sizes={1}
  w = u32[20] dynamic-update-slice(a, there, i))"),
              false,
              [](std::vector<uint32_t>& cells, int64_t i) { cells[i] = cells[cells[i] & 15]; });
}

TEST(ElementLoop, LeavesReadsOfWhatIsWrittenToTheRuntime) {
  ExpectCells(R"(  seven = u32[1] constant({7})
  v = u32[20] dynamic-update-slice(a, seven, i)
  here = u32[1] dynamic-slice(v, i), dynamic_slice_sizes={1}
  w = u32[20] dynamic-update-slice(v, here, next))",
              false, [](std::vector<uint32_t>& cells, int64_t i) { cells[i] = cells[i + 1] = 7; });
}

// The call writes, and the loop does not use what it writes.
TEST(ElementLoop, WritesOnlyWhatTheStateNeeds) {
  const std::string text =
      absl::StrReplaceAll(CellsText(R"(  t = (u32[20], s32[]) call(a, i), to_apply=ignored
  j = s32[] get-tuple-element(t), index=1
  k = s32[] negate(j)
  after = s32[] add(k, one)
  w = u32[20] copy(a))"),
                          {{"tuple(next, w)", "tuple(after, a)"}});
  EXPECT_TRUE(IsTaken(text));
  const std::vector<uint32_t> x = Words(20, 6);
  auto module = ParseModule(text);
  CpuOptions options;
  options.plain = true;  // passes would drop the update
  CpuBackend backend(options);
  const auto result = RunOnce(backend, **module, {WordLiteral({20}, x)});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(Literal::BitEqual(*result, WordLiteral({20}, x)));
}

TEST(ElementLoop, EndsAtTheBudgetOfSteps) {
  const std::string text =
      absl::StrReplaceAll(ScanText(kRows[0], 7, 10),
                          {{"direction=LT", "direction=NE"}, {"add(i, one)", "add(i, zero)"}});
  EXPECT_TRUE(IsTaken(text));
  auto module = ParseModule(text);
  CpuOptions options;
  options.run.budget.steps = 1 << 20;
  CpuBackend backend(options);
  const auto result =
      RunOnce(backend, **module,
              {WordLiteral({3}, Words(3, 1)), WordLiteral({7, 3}, Words(21, 2)),
               WordLiteral({7, 3}, Words(21, 3)), WordLiteral({4, 2}, Words(8, 4))});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted) << result.status();
}

// Copying 300,000 elements for ten iterations takes longer than the iterations.
TEST(ElementLoop, LeavesFewIterationsBesideLargeArraysToTheRuntime) {
  EXPECT_FALSE(IsTaken(ScanText(kRows[0], 100'000, 10)));
  EXPECT_TRUE(IsTaken(ScanText(kRows[0], 100'000, 100'000)));
}

}  // namespace
}  // namespace assay::cpu
