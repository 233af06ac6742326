// The table of planted defects; that each shows, and only where it stands. What the judge says of
// them is tools/mutation_score's.
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/corpus/selection.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/mutant_backend.h"
#include "conformance/mutants/mutant_cases.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

TEST(MutantsTest, TheTableIsWellFormed) {
  std::set<std::string> targets;
  std::set<Family> families;
  int64_t defects = 0;
  for (const Mutant& mutant : Mutants()) {
    EXPECT_TRUE(targets.insert(mutant.target()).second) << mutant.name;
    EXPECT_FALSE(mutant.description.empty()) << mutant.name;
    ASSERT_FALSE(mutant.opcodes.empty()) << mutant.name;
    auto found = FindMutant(mutant.target());
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(*found, &mutant);
    if (mutant.conforming()) continue;
    ++defects;
    EXPECT_TRUE(absl::StartsWith(mutant.name, absl::StrCat(Name(mutant.opcodes[0]), "/")) ||
                absl::StartsWith(mutant.name, "programs/"))
        << mutant.name;
    for (Opcode opcode : mutant.opcodes) families.insert(Info(opcode).family);
  }
  EXPECT_GE(defects, 150);
  EXPECT_EQ(families.size(), 10);  // all there are
  EXPECT_FALSE(FindMutant("mutant:pad/nothing").ok());
  EXPECT_FALSE(FindMutant("conforming:pad/with_zero").ok());
}

// Texts of modules and what a mutant makes of them, worked out by hand.
struct Example {
  const char* mutant;
  const char* module;
  const char* golden;
  const char* wrong;
};
constexpr Example kExamples[] = {
    {"mutant:pad/low_counted_twice",
     "ENTRY e { a = s32[2] constant({1, 2}) p = s32[] constant(9) "
     "ROOT r = s32[4] pad(a, p), padding=1_1 }",
     "{9, 1, 2, 9}", "{9, 9, 1, 2}"},
    {"mutant:reduce/arguments_exchanged",
     "f { x = s32[] parameter(0) y = s32[] parameter(1) ROOT d = s32[] subtract(x, y) } "
     "ENTRY e { a = s32[2] constant({5, 7}) i = s32[] constant(1) "
     "ROOT r = s32[] reduce(a, i), dimensions={0}, to_apply=f }",
     "-11", "3"},
    {"mutant:while/one_turn_too_many",
     "c { x = s32[] parameter(0) n = s32[] constant(3) ROOT l = pred[] compare(x, n), direction=LT "
     "} b { x = s32[] parameter(0) o = s32[] constant(1) ROOT s = s32[] add(x, o) } "
     "ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=c, body=b }",
     "3", "4"},
    // What a region computes is its own: a sum of three terms has no defective addition in it.
    {"mutant:add/integers_saturate",
     "f { x = s8[] parameter(0) y = s8[] parameter(1) ROOT d = s8[] add(x, y) } "
     "ENTRY e { a = s8[3] constant({100, 100, 1}) i = s8[] constant(0) "
     "r = s8[] reduce(a, i), dimensions={0}, to_apply=f ROOT s = s8[] add(r, r) }",
     "-110", "-110"},
    // Numbers near e lie 2^-22 apart in f32. An accuracy of an instruction's own forbids another
    // one than the nearest.
    {"conforming:functions/one_ulp_off",
     "ENTRY e { a = f32[] constant(1) x = f32[] exponential(a), "
     "result_accuracy={tolerance={atol=0,rtol=0,ulps=1}} y = f32[] exponential(a) "
     "ROOT r = f32[] subtract(x, y) }",
     "0", "2.38418579e-07"},
    // In the second term 2^24 + 1 + 1 stays 2^24 when it is added up in f32.
    {"conforming:sums/one_after_the_other",
     "ENTRY e { a = f32[3] constant({16777216, 1, 1}) b = f32[3] constant({1, 1, 1}) "
     "ROOT r = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
     "16777218", "16777216"},
    {"conforming:sums/pairwise",
     "f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT d = f32[] add(x, y) } "
     "ENTRY e { a = f32[3] constant({16777216, 1, 1}) i = f32[] constant(0) "
     "ROOT r = f32[] reduce(a, i), dimensions={0}, to_apply=f }",
     "16777218", "16777218"},
    {"conforming:programs/multiply_add_contracted",
     "ENTRY e { a = f32[] constant(4097) n = f32[] constant(-16785408) "
     "m = f32[] multiply(a, a) ROOT r = f32[] add(m, n) }",
     "0", "1"},
    {"mutant:programs/remainder_is_a_mask",
     "ENTRY e { a = s32[] constant(-7) k = s32[] constant(4) ROOT r = s32[] remainder(a, k) }",
     "-3", "1"},
    {"mutant:programs/times_zero_is_zero",
     "ENTRY e { a = f32[] constant(-1) z = f32[] constant(0) ROOT r = f32[] multiply(a, z) }",
     "-0.0", "0"},
    {"mutant:programs/trip_count_is_rounded_down",
     "c { s = (s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(7) "
     "ROOT l = pred[] compare(i, n), direction=LT } b { s = (s32[]) parameter(0) i = s32[] "
     "get-tuple-element(s), index=0 k = s32[] constant(3) j = s32[] add(i, k) ROOT t = (s32[]) "
     "tuple(j) } ENTRY e { z = s32[] constant(0) t = (s32[]) tuple(z) w = (s32[]) while(t), "
     "condition=c, body=b ROOT r = s32[] get-tuple-element(w), index=0 }",
     "9", "6"},
    {"conforming:programs/loops_are_unrolled",
     "c { s = (s8[]) parameter(0) i = s8[] get-tuple-element(s), index=0 n = s8[] constant(120) "
     "ROOT l = pred[] compare(i, n), direction=LT } b { s = (s8[]) parameter(0) i = s8[] "
     "get-tuple-element(s), index=0 k = s8[] constant(60) j = s8[] add(i, k) ROOT t = (s8[]) "
     "tuple(j) } ENTRY e { z = s8[] constant(70) t = (s8[]) tuple(z) w = (s8[]) while(t), "
     "condition=c, body=b ROOT r = s8[] get-tuple-element(w), index=0 }",
     "126", "126"},
    // The body's fusion needs a fused computation of its own.
    {"conforming:programs/loops_are_unrolled",
     "f { x = s32[] parameter(0) ROOT d = s32[] add(x, x) } "
     "c { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] "
     "constant(3) ROOT l = pred[] compare(i, n), direction=LT } "
     "b { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 v = s32[] "
     "get-tuple-element(s), index=1 k = s32[] constant(1) j = s32[] add(i, k) "
     "w = s32[] fusion(v), kind=kLoop, calls=f ROOT t = (s32[], s32[]) tuple(j, w) } "
     "ENTRY e { z = s32[] constant(0) o = s32[] constant(5) t = (s32[], s32[]) tuple(z, o) "
     "w = (s32[], s32[]) while(t), condition=c, body=b ROOT r = s32[] get-tuple-element(w), "
     "index=1 }",
     "40", "40"},
    // An update of a scalar has no start.
    {"mutant:dynamic-update-slice/start_by_low_word",
     "ENTRY e { a = s32[] constant(3) b = s32[] constant(5) c = s32[] dynamic-update-slice(a, b) "
     "u = s32[1] reshape(c) x = s32[2] constant({1, 2}) i = s64[] constant(4294967296) "
     "ROOT r = s32[2] dynamic-update-slice(x, u, i) }",
     "{1, 5}", "{5, 2}"},
    // A dot of no contracting dimensions with a scalar is no product of matrices.
    {"conforming:programs/product_of_matrices_is_transposed",
     "ENTRY e { a = s32[2,2] constant({{1, 2}, {3, 4}}) o = s32[] constant(1) "
     "p = s32[2,2] dot(a, o) "
     "ROOT r = s32[2,2] dot(p, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
     "{ { 7, 10 }, { 15, 22 } }", "{ { 7, 10 }, { 15, 22 } }"},
    // An algorithm, the highest precision or wider operands say how a dot is computed: 4097 has 13
    // bits.
    {"conforming:dot/tf32_operands",
     "ENTRY e { a = f32[1] constant({4097}) o = f32[1] constant({1}) "
     "x = f32[] dot(a, o), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "algorithm=dot_f32_f32_f32 "
     "y = f32[] dot(a, o), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "operand_precision={highest,highest} "
     "z = f32[] dot(a, o), lhs_contracting_dims={0}, rhs_contracting_dims={0} "
     "b = f64[1] constant({4097}) q = f64[1] constant({1}) "
     "w = f32[] dot(b, q), lhs_contracting_dims={0}, rhs_contracting_dims={0} "
     "s = f32[] add(x, y) d = f32[] add(z, w) ROOT r = f32[] subtract(s, d) }",
     "0", "1"},
    {"conforming:dot/bf16_partial_sums",
     "ENTRY e { a = bf16[3] constant({256, 1, 1}) o = bf16[3] constant({1, 1, 1}) "
     "x = bf16[] dot(a, o), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
     "algorithm=dot_bf16_bf16_f32 "
     "z = bf16[] dot(a, o), lhs_contracting_dims={0}, rhs_contracting_dims={0} "
     "ROOT r = bf16[] subtract(x, z) }",
     "0", "2"},
    {"conforming:programs/excess_precision",
     "ENTRY e { a = bf16[] constant(256) o = bf16[] constant(1) "
     "s = bf16[] add(a, o) ROOT r = bf16[] subtract(s, a) }",
     "0", "1"},
};

TEST(MutantsTest, ExamplesComeOutAsWorkedOut) {
  for (const Example& example : kExamples) {
    auto module = ParseModule(example.module);
    ASSERT_TRUE(module.ok()) << module.status();
    GoldenBackend golden;
    auto right = RunOnce(golden, **module, {});
    ASSERT_TRUE(right.ok()) << right.status();
    EXPECT_EQ(PrintLiteral(*right), example.golden) << example.mutant;
    MutantBackend mutant(**FindMutant(example.mutant));
    auto wrong = RunOnce(mutant, **module, {});
    ASSERT_TRUE(wrong.ok()) << wrong.status();
    EXPECT_EQ(PrintLiteral(*wrong), example.wrong) << example.mutant;
    EXPECT_EQ(mutant.sites(), 1) << example.mutant;
  }
}

TEST(MutantsTest, IllegalModulesAreRefusedAsByGolden) {
  auto module = ParseModule("ENTRY e { a = s32[2] parameter(0) ROOT r = s32[3] negate(a) }");
  ASSERT_TRUE(module.ok()) << module.status();
  MutantBackend mutant(**FindMutant("mutant:negate/least_integer_saturates"));
  EXPECT_EQ(mutant.Compile(**module).status(), GoldenBackend().Compile(**module).status());
}

// Whether the mutant gives another answer than golden; its own mistakes are failures of the test.
bool Shows(const Mutant& mutant, const ReadyCase& ready, const std::vector<DeviceOutputs>& golden) {
  MutantBackend backend(mutant);
  auto executable = backend.Compile(*ready.module);
  EXPECT_TRUE(executable.ok()) << mutant.name << ": " << executable.status();
  if (!executable.ok() || backend.sites() == 0) return false;
  // A legal rewrite gives golden's values.
  if (mutant.profile == "golden" && absl::StartsWith(mutant.name, "programs/")) return true;
  auto results = RunOnDevices(backend, **executable, ready.inputs);
  EXPECT_TRUE(results.ok()) << mutant.name << ": " << results.status();
  if (!results.ok()) return false;
  for (size_t i = 0; i < golden.size(); ++i) {
    const DeviceOutputs& own = (*results)[i];
    if (!Literal::BitEqual(own.result, golden[i].result)) return true;
    if (!Literal::BitEqual(Literal::Tuple(own.outfeed), Literal::Tuple(golden[i].outfeed))) {
      return true;
    }
  }
  return false;
}

// Whether the mutant shows in one execution of a case of the quick tier; score_test has the others.
// The sanitizers, for which each is a long run over memory that others have shown, ask one in 29.
constexpr int64_t kMutantStride = kScheduleStride == 1 ? 1 : 29;

bool IsAskedAlone(const Mutant& mutant) {
  return mutant.state == StateDefect::kNone && mutant.tier == Tier::kQuick &&
         (&mutant - Mutants().data()) % kMutantStride == 0;
}

// Whose cases the mutants that are asked need. Making a case is slow under the sanitizers, which
// ask a few mutants: their operations and programs are enough.
CaseGroups GroupsOfAsked() {
  if (kMutantStride == 1) return std::nullopt;
  std::set<std::string> groups = {"program"};
  for (const Mutant& mutant : Mutants()) {
    if (!IsAskedAlone(mutant)) continue;
    for (const Opcode opcode : mutant.opcodes) groups.insert(std::string(Name(opcode)));
  }
  return groups;
}

TEST(MutantsTest, EachShowsInTheQuickTier) {
  auto all = CorpusCases(GroupsOfAsked());
  ASSERT_TRUE(all.ok()) << all.status();
  CaseFilter quick;
  quick.tier = Tier::kQuick;
  const auto cases = SelectCases(*std::move(all), quick);
  ASSERT_TRUE(cases.ok()) << cases.status();
  const MutantCases choice(*cases);
  // A golden result serves all mutants that a case examines.
  std::map<const CorpusCase*, std::vector<const Mutant*>> examined;
  for (const Mutant& mutant : Mutants()) {
    if (!IsAskedAlone(mutant)) continue;
    for (const CorpusCase* each : choice.Of(mutant)) examined[each].push_back(&mutant);
  }
  std::set<const Mutant*> shown;
  for (auto& [corpus_case, mutants] : examined) {
    std::erase_if(mutants, [&](const Mutant* mutant) { return shown.contains(mutant); });
    if (mutants.empty()) continue;
    auto ready = MakeReady(*corpus_case);
    ASSERT_TRUE(ready.ok()) << ready.status();
    auto golden = RunGolden(*ready, RunBudget());
    ASSERT_TRUE(golden.ok()) << corpus_case->id << golden.status();
    for (const Mutant* mutant : mutants) {
      if (Shows(*mutant, *ready, *golden)) shown.insert(mutant);
    }
  }
  for (const Mutant& mutant : Mutants()) {
    if (!IsAskedAlone(mutant)) continue;
    EXPECT_TRUE(shown.contains(&mutant)) << mutant.target() << ": " << mutant.description;
  }
}

}  // namespace
}  // namespace assay::conformance
