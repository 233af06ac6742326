// Passes: what each makes of a small module, and that golden gives the same bits before and after
// each pass alone, over the samples and a part of the quick tier. With ASSAY_ALL_CASES=1 the whole
// quick tier is asked.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/cpu_engine.h"
#include "backends/passes/pass.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/corpus/selection.h"
#include "conformance/passes/after.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interpreter/golden_engine.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::passes {
namespace {

using conformance::After;
using conformance::CountOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const runtime::Engine& Folder() {
  static const auto* const engine = new cpu::CpuEngine();
  return *engine;
}

// Each pass of the pipeline, in a list of its own.
std::vector<PassList> EveryPass(const runtime::Engine& folder) {
  PassList all = CpuPipeline(folder);
  // The arrays of the corpus are small.
  for (std::unique_ptr<Pass>& pass : all) {
    if (pass->name() == "recompute") pass = Recompute(/*fewest_elements=*/1);
  }
  all.push_back(AlgebraicSimplification(Exactness::kBitExact));
  std::vector<PassList> alone;
  for (std::unique_ptr<Pass>& pass : all) alone.emplace_back().push_back(std::move(pass));
  return alone;
}

TEST(Passes, DeadCode) {
  const std::string text = After(DeadCode(), R"(  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  unused = f32[4] exponential(a)
  ROOT r = f32[4] negate(a)
)",
                                 "never { p = f32[] parameter(0) }\n");
  EXPECT_THAT(text, Not(HasSubstr("exponential")));
  EXPECT_THAT(text, Not(HasSubstr("never")));
  EXPECT_THAT(text, HasSubstr("parameter(1)"));
}

TEST(Passes, CommonSubexpressions) {
  const std::string text = After(CommonSubexpressions(), R"(  a = f32[4] parameter(0)
  x = f32[4] exponential(a)
  y = f32[4] exponential(a)
  z = f32[4] log(a)
  s = f32[4] add(x, y)
  ROOT r = f32[4] add(s, z)
)");
  EXPECT_THAT(text, HasSubstr("s = f32[4]{0} add(x, x)"));
  EXPECT_THAT(text, HasSubstr("log"));
}

// The difference from the mean of a row: the sum of its squares gets one of its own, the quotient
// keeps the other.
TEST(Passes, Recompute) {
  const std::string sum =
      "sum { x = f32[] parameter(0) y = f32[] parameter(1) "
      "ROOT s = f32[] add(x, y) }\n";
  const std::string text = After(Recompute(8), R"(  a = f32[2,4] parameter(0)
  m = f32[2] parameter(1)
  zero = f32[] constant(0)
  b = f32[2,4] broadcast(m), dimensions={0}
  d = f32[2,4] subtract(a, b)
  q = f32[2,4] multiply(d, d)
  v = f32[2] reduce(q, zero), dimensions={1}, to_apply=sum
  w = f32[2,4] broadcast(v), dimensions={0}
  ROOT r = f32[2,4] divide(d, w)
)",
                                 sum);
  EXPECT_THAT(text, HasSubstr("d.1 = f32[2,4]{1,0} subtract(a, b)"));
  EXPECT_THAT(text, AnyOf(HasSubstr("multiply(d.1, d.1)"), HasSubstr("divide(d.1, w)")));
  EXPECT_THAT(text, AnyOf(HasSubstr("multiply(d, d)"), HasSubstr("divide(d, w)")));
  // Two arrays are read, the array is small, or no reduction reads it.
  const std::string two = R"(  a = f32[2,4] parameter(0)
  b = f32[2,4] parameter(1)
  zero = f32[] constant(0)
  d = f32[2,4] subtract(a, b)
  v = f32[2] reduce(d, zero), dimensions={1}, to_apply=sum
  ROOT r = (f32[2,4], f32[2]) tuple(d, v)
)";
  const std::string one = R"(  a = f32[2,4] parameter(0)
  zero = f32[] constant(0)
  d = f32[2,4] negate(a)
  v = f32[2] reduce(d, zero), dimensions={1}, to_apply=sum
  ROOT r = (f32[2,4], f32[2]) tuple(d, v)
)";
  const std::string none = R"(  a = f32[2,4] parameter(0)
  d = f32[2,4] negate(a)
  e = f32[2,4] exponential(d)
  ROOT r = (f32[2,4], f32[2,4]) tuple(d, e)
)";
  EXPECT_THAT(After(Recompute(8), two, sum), Not(HasSubstr("d.1")));
  EXPECT_THAT(After(Recompute(9), one, sum), Not(HasSubstr("d.1")));
  EXPECT_THAT(After(Recompute(8), one, sum), HasSubstr("d.1 = f32[2,4]{1,0} negate(a)"));
  EXPECT_THAT(After(Recompute(8), none, sum), Not(HasSubstr("d.1")));
}

TEST(Passes, ConstantFolding) {
  const std::string text = After(ConstantFolding(Folder()), R"(  a = s32[2] parameter(0)
  c = s32[2] constant({3, 4})
  d = s32[2] multiply(c, c)
  n = s32[2] negate(d)
  ROOT r = s32[2] add(a, n)
)");
  EXPECT_THAT(text, HasSubstr("constant({-9, -16})"));
  EXPECT_THAT(text, Not(HasSubstr("multiply")));
}

TEST(Passes, DotOperands) {
  const std::string text = After(DotOperands(), R"(  a = f32[3,2] parameter(0)
  b = f32[5,3] parameter(1)
  t = f32[2,3] transpose(a), dimensions={1,0}
  u = f32[3,5] transpose(b), dimensions={1,0}
  ROOT r = f32[2,5] dot(t, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}
)");
  EXPECT_THAT(text, HasSubstr("dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}"));
  EXPECT_THAT(text, Not(HasSubstr("transpose")));
  // The free dimensions would change places.
  EXPECT_THAT(After(DotOperands(), R"(  a = f32[3,2,4] parameter(0)
  b = f32[4] parameter(1)
  t = f32[2,3,4] transpose(a), dimensions={1,0,2}
  ROOT r = f32[2,3] dot(t, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}
)"),
              HasSubstr("transpose"));
}

// A transposition of the result exchanges the operands; batch dimensions stay in front.
TEST(Passes, DotOperandsOfATransposedResult) {
  EXPECT_THAT(After(DotOperands(), R"(  a = f32[3,2] parameter(0)
  b = f32[3,5] parameter(1)
  d = f32[2,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={high,highest}
  ROOT r = f32[5,2] transpose(d), dimensions={1,0}
)"),
              HasSubstr("ROOT d = f32[5,2]{1,0} dot(b, a), lhs_contracting_dims={0}, "
                        "rhs_contracting_dims={0}, operand_precision={highest,high}"));
  EXPECT_THAT(After(DotOperands(), R"(  a = f32[7,2,3,4] parameter(0)
  b = f32[3,7,5] parameter(1)
  d = f32[7,2,4,5] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[7,5,2,4] transpose(d), dimensions={0,3,1,2}
)"),
              HasSubstr("ROOT d = f32[7,5,2,4]{3,2,1,0} dot(b, a), lhs_batch_dims={1}, "
                        "lhs_contracting_dims={0}, rhs_batch_dims={0}, rhs_contracting_dims={2}"));
  // The free dimensions of one operand change places, or others read the dot.
  EXPECT_THAT(After(DotOperands(), R"(  a = f32[2,3,4] parameter(0)
  b = f32[3,5] parameter(1)
  d = f32[2,4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[5,4,2] transpose(d), dimensions={2,1,0}
)"),
              HasSubstr("transpose"));
  EXPECT_THAT(After(DotOperands(), R"(  a = f32[3,2] parameter(0)
  b = f32[3,5] parameter(1)
  d = f32[2,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  t = f32[5,2] transpose(d), dimensions={1,0}
  ROOT r = (f32[2,5], f32[5,2]) tuple(d, t)
)"),
              HasSubstr("transpose"));
}

// One transposition of a dot that another dot reads is folded once.
TEST(Passes, DotOperandsOfATransposedResultThatADotReads) {
  const std::string text = After(DotOperands(), R"(  a = f32[3,2] parameter(0)
  b = f32[3,5] parameter(1)
  c = f32[7,2] parameter(2)
  d = f32[2,5] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  t = f32[5,2] transpose(d), dimensions={1,0}
  ROOT r = f32[5,7] dot(t, c), lhs_contracting_dims={1}, rhs_contracting_dims={1}
)");
  EXPECT_THAT(text, HasSubstr("d = f32[2,5]{1,0} dot(a, b), lhs_contracting_dims={0}"));
  EXPECT_THAT(text, HasSubstr("dot(d, c), lhs_contracting_dims={0}, rhs_contracting_dims={1}"));
}

TEST(Passes, DotOperandsKeepsAnOrderedTransposition) {
  // The outer transposition may go. The inner one is ordered after `first`, which stays, too.
  const std::string text = After(DotOperands(), R"(  a = f32[3,2] parameter(0)
  b = f32[3,5] parameter(1)
  first = f32[3,5] negate(b)
  inner = f32[2,3] transpose(a), dimensions={1,0}, control-predecessors={first}
  outer = f32[3,2] transpose(inner), dimensions={1,0}
  ROOT r = f32[2,5] dot(outer, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
)");
  EXPECT_THAT(text, HasSubstr("dot(inner, b), lhs_contracting_dims={1}"));
  EXPECT_THAT(text, HasSubstr("negate(b)"));
  EXPECT_THAT(text, Not(HasSubstr("outer")));
}

TEST(Passes, InlineCalls) {
  const std::string text = After(InlineCalls(), R"(  a = f32[4] parameter(0)
  c = f32[4] call(a), to_apply=twice
  ROOT r = f32[4] call(c), to_apply=twice
)",
                                 R"(twice {
  p = f32[4] parameter(0)
  ROOT s = f32[4] add(p, p)
}
)");
  EXPECT_THAT(text, Not(HasSubstr("call")));
  EXPECT_THAT(text, Not(HasSubstr("to_apply")));
}

TEST(Passes, LoopConstants) {
  const std::string text = After(LoopConstants(), R"(  a = s32[] parameter(0)
  limit = s32[] constant(7)
  t = (s32[], s32[]) tuple(a, limit)
  w = (s32[], s32[]) while(t), condition=cond, body=body
  ROOT r = s32[] get-tuple-element(w), index=0
)",
                                 R"(cond {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  j = s32[] add(i, n)
  ROOT t = (s32[], s32[]) tuple(j, n)
}
)");
  EXPECT_THAT(text, Not(HasSubstr("index=1")));
}

TEST(Passes, Fusion) {
  const std::string text = After(Fusion(), R"(  a = f32[16,8] parameter(0)
  b = f32[8] parameter(1)
  c = f32[8,8] parameter(2)
  z = f32[] constant(0)
  d = f32[16,8] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[16,8] broadcast(b), dimensions={1}
  x = f32[16,8] add(d, s)
  y = f32[16,8] tanh(x)
  e = f32[16,8] exponential(y)
  q = f32[16,8] multiply(e, e)
  m = f32[16] reduce(q, z), dimensions={1}, to_apply=sum
  ROOT r = (f32[16,8], f32[16]) tuple(y, m)
)",
                                 R"(sum {
  p = f32[] parameter(0)
  o = f32[] parameter(1)
  ROOT s = f32[] add(p, o)
}
)");
  EXPECT_THAT(text, HasSubstr("kind=kOutput"));
  EXPECT_THAT(text, HasSubstr("kind=kInput"));
  EXPECT_THAT(After(Fusion(), R"(  a = f32[64] parameter(0)
  x = f32[64] add(a, a)
  ROOT y = f32[64] tanh(x)
)"),
              HasSubstr("kind=kLoop"));
  // The sum is worth no fusion of its own, but joins the other with the broadcast that it reads.
  const std::string joined = After(Fusion(), R"(  a = f32[64] parameter(0)
  s = f32[] parameter(1)
  b = f32[64] broadcast(s), dimensions={}
  x = f32[64] tanh(a)
  y = f32[64] add(x, b)
  z = f32[64] multiply(x, x)
  w = f32[64] sine(z)
  ROOT r = (f32[64], f32[64]) tuple(y, w)
)");
  EXPECT_THAT(joined, HasSubstr("fusion(s, a)"));
  EXPECT_EQ(CountOf(joined, " fusion("), 1);
  // A constant that is broadcast belongs to the fusion, the initial value of a reduction does not.
  EXPECT_THAT(After(Fusion(), R"(  a = f32[64] parameter(0)
  c = f32[] constant(2)
  b = f32[64] broadcast(c), dimensions={}
  x = f32[64] multiply(a, b)
  ROOT y = f32[64] tanh(x)
)"),
              HasSubstr("fusion(a)"));
  EXPECT_THAT(
      After(Fusion(), R"(  a = f32[64] parameter(0)
  z = f32[] constant(0)
  x = f32[64] tanh(a)
  ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=sum
)",
            "sum { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }\n"),
      AnyOf(HasSubstr("fusion(z, a)"), HasSubstr("fusion(a, z)")));
  // Nobody uses what the other two compute.
  EXPECT_THAT(After(Fusion(), R"(  a = f32[64] parameter(0)
  x = f32[64] add(a, a)
  y = f32[64] tanh(x)
  ROOT z = f32[64] sine(a)
)"),
              HasSubstr("ROOT z = f32[64]{0} sine(a)"));
}

struct Row {
  std::string instruction, gone;
};
const std::vector<Row>& AlgebraicRows() {
  static const auto* const rows = new std::vector<Row>{
      {"s32[4] add(i, zeros)", "add("},
      {"s32[4] multiply(ones, i)", "multiply("},
      {"s32[4] multiply(i, zeros)", "multiply("},
      {"s32[4] subtract(i, i)", "subtract("},
      {"s32[4] subtract(i, zeros)", "subtract("},
      {"s32[4] divide(i, ones)", "divide("},
      {"f32[4] power(x, fones)", "power("},
      {"f32[4] multiply(x, fones)", "multiply("},
      {"f32[4] divide(x, fours)", "divide("},
      {"f32[4] power(x, twos)", "power("},
      {"s32[4] and(i, i)", "and("},
      {"f32[4] maximum(x, x)", "maximum("},
      {"s32[4] xor(i, zeros)", "xor("},
      {"f32[4] copy(x)", "copy("},
      {"s32[4] convert(i)", "convert("},
      {"f32[4] transpose(x), dimensions={0}", "transpose("},
      {"f32[4] select(yes, x, fones)", "select("},
  };
  return *rows;
}

// An entry computation of s32[4] and f32[4] parameters whose root is the row's instruction.
std::string EntryOf(const Row& row) {
  return R"(  i = s32[4] parameter(0)
  x = f32[4] parameter(1)
  zero = s32[] constant(0)
  zeros = s32[4] broadcast(zero), dimensions={}
  one = s32[] constant(1)
  ones = s32[4] broadcast(one), dimensions={}
  fone = f32[] constant(1)
  fones = f32[4] broadcast(fone), dimensions={}
  four = f32[] constant(4)
  fours = f32[4] broadcast(four), dimensions={}
  two = f32[] constant(2)
  twos = f32[4] broadcast(two), dimensions={}
  truth = pred[] constant(true)
  yes = pred[4] broadcast(truth), dimensions={}
  ROOT r = )" +
         row.instruction + "\n";
}

TEST(Passes, AlgebraicRules) {
  for (const Row& row : AlgebraicRows()) {
    const std::string text = After(AlgebraicSimplification(Exactness::kAnyNan), EntryOf(row));
    EXPECT_THAT(text, Not(HasSubstr(row.gone))) << row.instruction;
    EXPECT_THAT(text, HasSubstr("ENTRY")) << row.instruction;
  }
}

// The reference interpreter gives one NaN for all. The cpu engine keeps payloads in arithmetic, but
// not in functions, so that it shows a rule that changes the bits of a NaN.
TEST(Passes, BitExactRulesKeepNansOfTheCpuEngine) {
  cpu::CpuBackend engine(cpu::CpuOptions{.plain = true});
  Literal integers = Literal::Zeros(Shape(ElementType::kS32, {4}));
  Literal floats = Literal::Zeros(Shape(ElementType::kF32, {4}));
  const uint64_t patterns[] = {0x7fc12345, 0xff812345, 0x3fc00000, 0x80000000};
  for (int64_t i = 0; i < 4; ++i) {
    integers.Set(i, Element{static_cast<uint64_t>(7 - i)});
    floats.Set(i, Element{patterns[i]});
  }
  for (const Row& row : AlgebraicRows()) {
    auto module = ParseModule("HloModule m\nENTRY e {\n" + EntryOf(row) + "}\n");
    ASSERT_TRUE(module.ok()) << module.status();
    const auto before = RunOnce(engine, **module, {integers, floats});
    ASSERT_TRUE(before.ok()) << before.status();
    PassList passes;
    passes.push_back(AlgebraicSimplification(Exactness::kBitExact));
    const absl::Status status = RunPasses(passes, *module);
    ASSERT_TRUE(status.ok()) << status;
    const auto after = RunOnce(engine, **module, {integers, floats});
    ASSERT_TRUE(after.ok()) << after.status();
    EXPECT_TRUE(Literal::BitEqual(*before, *after)) << row.instruction;
  }
}

// Whether two results differ in the bits of NaN at most.
bool SameButForNan(const Literal& a, const Literal& b) {
  if (a.is_tuple()) {
    for (size_t i = 0; i < a.elements().size(); ++i) {
      if (!SameButForNan(a.element(i), b.element(i))) return false;
    }
    return true;
  }
  if (!a.is_array() || Literal::BitEqual(a, b)) return true;
  const ElementType part = Info(a.element_type()).component;
  const auto same = [&](uint64_t x, uint64_t y) {
    return x == y || (IsFloat(part) && IsNan(part, x) && IsNan(part, y));
  };
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (!same(a.Get(i).bits, b.Get(i).bits) || !same(a.Get(i).imag, b.Get(i).imag)) return false;
  }
  return true;
}

// Whether devices return the same and feed out the same.
bool AreSame(const std::vector<DeviceOutputs>& a, const std::vector<DeviceOutputs>& b,
             Exactness exactness) {
  const auto same = exactness == Exactness::kBitExact ? Literal::BitEqual : SameButForNan;
  if (a.size() != b.size()) return false;
  for (size_t d = 0; d < a.size(); ++d) {
    if (!same(a[d].result, b[d].result) || a[d].outfeed.size() != b[d].outfeed.size()) return false;
    for (size_t i = 0; i < a[d].outfeed.size(); ++i) {
      if (!same(a[d].outfeed[i], b[d].outfeed[i])) return false;
    }
  }
  return true;
}

bool IsSample(const conformance::CorpusCase& each) { return absl::EndsWith(each.where, ".hlo"); }

// Whether a case is asked: all samples are, and a part of the others; all programs of the form that
// alone has loops with constants in their state.
bool IsAsked(const conformance::CorpusCase& each, size_t i) {
  if (each.expect == conformance::CorpusCase::Expect::kRefused) return false;
  const bool is_program = absl::StartsWith(each.id, "program/");
  const size_t step = std::getenv("ASSAY_ALL_CASES") != nullptr ? 1 : is_program ? 5 : 31;
  return IsSample(each) || absl::StrContains(each.id, "loop_that_carries_constants") ||
         absl::StrContains(each.id, "array_that_folds_and_others_read") || i % step == 0;
}

// Runs each pass alone and holds what golden makes of the module before and after it. Counts the
// modules that each pass changed.
void AskPasses(const conformance::CorpusCase& each, const std::vector<PassList>& passes,
               std::vector<int64_t>& changed) {
  absl::StatusOr<conformance::ReadyCase> ready = conformance::MakeReady(each);
  if (!ready.ok()) return;
  const RunBudget budget;
  std::optional<std::vector<DeviceOutputs>> before;
  for (size_t k = 0; k < passes.size(); ++k) {
    const Pass& pass = *passes[k].front();
    std::unique_ptr<Module> module = CopyModule(*ready->module);
    const Module* const unchanged = module.get();
    const absl::Status status = RunPasses(passes[k], module);
    ASSERT_TRUE(status.ok()) << each.id << " " << pass.name() << ": " << status;
    if (module.get() == unchanged) continue;
    const absl::Status legal = VerificationStatus(VerifyModule(*module));
    ASSERT_TRUE(legal.ok()) << each.id << " " << pass.name() << ": " << legal << "\n"
                            << PrintModule(*module, PrintOptions::ShortParsable());
    if (!before.has_value()) {
      auto outputs = conformance::RunGolden(*ready, budget);
      if (!outputs.ok()) return;
      before = *std::move(outputs);
    }
    const auto after = conformance::RunGolden(*module, ready->inputs, budget);
    ASSERT_TRUE(after.ok()) << each.id << " " << pass.name() << ": " << after.status();
    EXPECT_TRUE(AreSame(*before, *after, pass.exactness())) << each.id << " " << pass.name();
    ++changed[k];
  }
}

TEST(Passes, GoldenGivesTheSameBeforeAndAfterEach) {
  conformance::CaseFilter quick;
  quick.tier = conformance::Tier::kQuick;
  // The sanitizers, under which making the cases takes longer than running them, ask programs
  // alone.
  if (kScheduleStride > 1) quick.globs = {"program/*"};
  const absl::StatusOr<std::vector<conformance::CorpusCase>> cases =
      conformance::SelectCorpusCases(quick);
  ASSERT_TRUE(cases.ok()) << cases.status();
  // Constants are folded by the engine that would compute them.
  const GoldenEngine golden{PlanOptions()};
  const std::vector<PassList> passes = EveryPass(golden);
  std::vector<int64_t> changed(passes.size());
  int64_t samples = 0;
  for (size_t i = 0; i < cases->size(); ++i) {
    const conformance::CorpusCase& each = (*cases)[i];
    if (!IsAsked(each, i)) continue;
    samples += IsSample(each);
    AskPasses(each, passes, changed);
  }
  EXPECT_GE(samples, 15);
  for (size_t k = 0; k < passes.size(); ++k) {
    EXPECT_GE(changed[k], 3) << passes[k].front()->name();
  }
}

}  // namespace
}  // namespace assay::passes
