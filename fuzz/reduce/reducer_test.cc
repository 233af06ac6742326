// What is left of programs that a known defect spoils.
#include "fuzz/reduce/reducer.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/mutants/mutant_backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/differential/ways.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/reduce/artifacts.h"
#include "fuzz/reduce/lax_program.h"
#include "fuzz/reduce/module_cuts.h"
#include "fuzz/reduce/module_edits.h"
#include "fuzz/reduce/simpler_values.h"
#include "gtest/gtest.h"
#include "spec/arrays/arrays.h"
#include "spec/files/file_io.h"
#include "spec/testing/must_parse.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

Literal Value(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseTypedLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return *std::move(literal);
}

bool Has(const Module& module, Opcode opcode) {
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() == opcode) return true;
    }
  }
  return false;
}

void ExpectValid(const Module& module, absl::Span<const DeviceInputs> inputs) {
  const Verification verification = VerifyModule(module, {Rules::kStrict});
  EXPECT_TRUE(verification.ok()) << VerificationStatus(verification) << PrintModule(module);
  EXPECT_TRUE(RunByKernels(module, inputs, RunBudget{}).ok());
}

constexpr char kProgram[] =
    "twice { a = f32[4] parameter(0) ROOT r = f32[4] multiply(a, a) }\n"
    "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) s = f32[4] add(x, y)\n"
    "  n = f32[4] negate(s) c = f32[4] call(n), to_apply=twice z = f32[4] exponential(c)\n"
    "  w = f32[4] subtract(z, y) ROOT t = (f32[4], f32[4], f32[4]) tuple(s, w, z) }";

std::vector<DeviceInputs> ProgramInputs() {
  return {{{Value("f32[4] {1, 2, 3, 4}"), Value("f32[4] {5, 6, 7, 8}")}}};
}

TEST(ReducerTest, OneInstructionIsLeft) {
  const auto module = MustParse(kProgram);
  const auto shows = [](const Module& candidate, absl::Span<const DeviceInputs>) {
    return Has(candidate, Opcode::kNegate);
  };
  const ReducedModule reduced = ReduceModule(*module, ProgramInputs(), shows, {});
  ExpectValid(*reduced.module, reduced.inputs);
  EXPECT_EQ(reduced.module->computations().size(), 1);
  EXPECT_EQ(reduced.module->entry()->root()->opcode(), Opcode::kNegate);
  EXPECT_EQ(reduced.module->instruction_count(), 2) << PrintModule(*reduced.module);
  // On one element, which is zero.
  EXPECT_EQ(reduced.module->entry()->root()->shape().element_count(), 1);
  EXPECT_TRUE(Literal::BitEqual(reduced.inputs[0].arguments[0], Value("f32[1] {0}")));
}

TEST(ReducerTest, CalledInstructionsStandAlone) {
  const auto module = MustParse(kProgram);
  const auto shows = [](const Module& candidate, absl::Span<const DeviceInputs>) {
    return Has(candidate, Opcode::kMultiply);
  };
  const ReducedModule reduced = ReduceModule(*module, ProgramInputs(), shows, {});
  ExpectValid(*reduced.module, reduced.inputs);
  EXPECT_EQ(reduced.module->entry()->root()->opcode(), Opcode::kMultiply);
  EXPECT_EQ(reduced.module->instruction_count(), 2) << PrintModule(*reduced.module);
}

// Two instructions that only show together; the value that one needs is kept.
TEST(ReducerTest, PairsAndTheirValuesAreKept) {
  const auto module = MustParse(kProgram);
  const auto shows = [](const Module& candidate, absl::Span<const DeviceInputs> inputs) {
    if (!Has(candidate, Opcode::kExp) || !Has(candidate, Opcode::kSubtract)) return false;
    const auto outputs = RunByKernels(candidate, inputs, RunBudget{});
    return outputs.ok();
  };
  const ReducedModule reduced = ReduceModule(*module, ProgramInputs(), shows, {});
  ExpectValid(*reduced.module, reduced.inputs);
  EXPECT_EQ(reduced.module->instruction_count(), 4) << PrintModule(*reduced.module);
}

// What is not elementwise gets smaller, too: sizes, windows, and the bound of a loop.
TEST(ReducerTest, SizesAttributesAndLoopsGetSmaller) {
  const auto reduced = [](const char* text, std::vector<Literal> arguments, Opcode kept) {
    const auto module = MustParse(text);
    ExpectValid(*module, std::vector<DeviceInputs>{{arguments}});
    const auto shows = [&](const Module& candidate, absl::Span<const DeviceInputs>) {
      return Has(candidate, kept);
    };
    ReducedModule small =
        ReduceModule(*module, std::vector<DeviceInputs>{{arguments}}, shows, {.questions = 200});
    ExpectValid(*small.module, small.inputs);
    return small;
  };
  const ReducedModule window = reduced(
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[6,8] parameter(0) z = f32[] constant(0)\n"
      "  ROOT r = f32[5,9] reduce-window(x, z), window={size=3x1 pad=0_1x0_1 stride=1x1 "
      "lhs_dilate=1x1}, to_apply=f }",
      {Literal::Zeros(Shape(ElementType::kF32, {6, 8}))}, Opcode::kReduceWindow);
  const Instruction& root = *window.module->entry()->root();
  EXPECT_LE(root.shape().element_count(), 2) << PrintModule(*window.module);
  for (const WindowDimension& d : root.window().dimensions) {
    EXPECT_EQ(d.padding_low + d.padding_high, 0) << PrintModule(*window.module);
  }
  const ReducedModule loop = reduced(
      "body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
      "  v = f32[4] get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one)\n"
      "  w = f32[4] negate(v) ROOT t = (s32[], f32[4]) tuple(n, w) }\n"
      "cond { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
      "  m = s32[] constant(100) ROOT c = pred[] compare(i, m), direction=LT }\n"
      "ENTRY e { z = s32[] constant(0) x = f32[4] parameter(0) t = (s32[], f32[4]) tuple(z, x)\n"
      "  w = (s32[], f32[4]) while(t), condition=cond, body=body\n"
      "  ROOT r = f32[4] get-tuple-element(w), index=1 }",
      {Literal::Zeros(Shape(ElementType::kF32, {4}))}, Opcode::kWhile);
  int64_t bound = 0;
  for (const auto& computation : loop.module->computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() == Opcode::kConstant && each->name() == "m") {
        bound = static_cast<int64_t>(each->literal()->Get(0).bits);
      }
    }
  }
  EXPECT_LE(bound, 12) << PrintModule(*loop.module);
  EXPECT_EQ(DimensionSizes(*loop.module), std::vector<int64_t>{}) << PrintModule(*loop.module);
}

TEST(ReducerTest, TypesBecomeNarrow) {
  const auto module = MustParse(
      "ENTRY e { x = f64[2] parameter(0) i = s64[2] parameter(1) k = s64[2] constant({300, 2})\n"
      "  j = s64[2] add(i, k) r = f64[2] negate(x) ROOT t = (f64[2], s64[2]) tuple(r, j) }");
  const std::vector<DeviceInputs> inputs = {{{Value("f64[2] {0.5, 3}"), Value("s64[2] {-1, 7}")}}};
  const auto floats = WithNarrowerTypes(*module, inputs, 0);
  ASSERT_TRUE(floats);
  ExpectValid(*floats->module, floats->inputs);
  EXPECT_TRUE(Literal::BitEqual(floats->inputs[0].arguments[0], Value("f32[2] {0.5, 3}")));
  EXPECT_EQ(floats->module->entry()->root()->shape().tuple_shape(0).element_type(),
            ElementType::kF32);
  const auto integers = WithNarrowerTypes(*module, inputs, 1);
  ASSERT_TRUE(integers);
  ExpectValid(*integers->module, integers->inputs);
  EXPECT_TRUE(Literal::BitEqual(integers->inputs[0].arguments[1], Value("s32[2] {-1, 7}")));
  // s8 has no 300, and there is no u64.
  EXPECT_FALSE(WithNarrowerTypes(*integers->module, integers->inputs, 3));
  EXPECT_FALSE(WithNarrowerTypes(*module, inputs, 2));
}

TEST(ReducerTest, ValuesBecomeSimple) {
  struct Row {
    const char *before, *integer, *power, *denormal;
  };
  for (const Row& row :
       {Row{"f32[] -6.75", "f32[] -6", "f32[] -4", "f32[] -6.75"},
        Row{"f32[] 0.75", "f32[] 0.75", "f32[] 0.5", "f32[] 0.75"},
        Row{"f32[] 1e-40", "f32[] 1e-40", "f32[] 9.18355e-41", "f32[] 1.4e-45"},
        Row{"f32[] -1e-40", "f32[] -1e-40", "f32[] -9.18355e-41", "f32[] -1.4e-45"},
        Row{"f32[] nan", "f32[] nan", "f32[] nan", "f32[] nan"},
        Row{"f32[] 1", "f32[] 1", "f32[] 1", "f32[] 1"},
        Row{"s8[] -7", "s8[] -7", "s8[] -4", "s8[] -7"},
        Row{"s8[] -128", "s8[] -128", "s8[] -128", "s8[] -128"},
        Row{"u8[] 200", "u8[] 200", "u8[] 128", "u8[] 200"},
        Row{"c64[] (2.5, 0)", "c64[] (2, 0)", "c64[] (2, 0)", "c64[] (2.5, 0)"}}) {
    const Literal before = Value(row.before);
    for (const auto& [simpler, after] :
         {std::pair(&NearestInteger, row.integer), std::pair(&NearestPowerOfTwo, row.power),
          std::pair(&LeastDenormal, row.denormal)}) {
      EXPECT_EQ(SimplerElement(before.element_type(), before.Get(0), *simpler), Value(after).Get(0))
          << row.before << " " << after;
    }
  }
  const auto module = MustParse("ENTRY e { x = f32[4] parameter(0) ROOT r = f32[4] negate(x) }");
  const auto reduced = ReduceModule(*module, {{{{Value("f32[4] {5.3, -12.5, 1e-41, 0.3}")}}}},
                                    [](const Module&, absl::Span<const DeviceInputs> inputs) {
                                      const Literal& x = inputs[0].arguments[0];
                                      return x.element_count() == 4 &&
                                             DecodeFloat(ElementType::kF32, x.Get(0).bits) > 4 &&
                                             DecodeFloat(ElementType::kF32, x.Get(1).bits) < -8.5 &&
                                             IsSubnormal(ElementType::kF32, x.Get(2).bits);
                                    },
                                    {});
  EXPECT_TRUE(
      Literal::BitEqual(reduced.inputs[0].arguments[0], Value("f32[4] {5, -12, 1.4e-45, 0}")));
  EXPECT_TRUE(reduced.complete);
}

TEST(ReducerTest, TheBudgetOfQuestionsIsKept) {
  const auto module = MustParse(kProgram);
  int64_t asked = 0;
  const auto shows = [&](const Module&, absl::Span<const DeviceInputs>) {
    ++asked;
    return false;
  };
  EXPECT_FALSE(ReduceModule(*module, ProgramInputs(), shows, {.questions = 3}).complete);
  EXPECT_EQ(asked, 3);
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(ReduceModule(*module, ProgramInputs(), shows, {.stop = &stop}).complete);
  EXPECT_EQ(asked, 3);
}

TEST(ReducerTest, CutsKeepGoldenValues) {
  const auto module = MustParse(kProgram);
  const std::vector<DeviceInputs> inputs = ProgramInputs();
  const EntryValues values = TraceEntry(*module, inputs);
  ASSERT_EQ(values.size(), 1);
  const Instruction* const negated = module->entry()->Find("n");
  const Instruction* const root = module->entry()->Find("z");
  const Cut cut = CutModule(*module, inputs, *root, {negated}, values);
  ExpectValid(*cut.module, cut.inputs);
  ASSERT_EQ(cut.inputs[0].arguments.size(), 1);
  EXPECT_TRUE(Literal::BitEqual(cut.inputs[0].arguments[0], Value("f32[4] {-6, -8, -10, -12}")));
}

TEST(ReducerTest, BytesBecomeFewer) {
  std::vector<uint8_t> bytes = RandomBytes(1, 1, 1);
  bytes.resize(11 * kRecordBytes, 7);
  bytes[5 * kRecordBytes] = 200;
  const auto shows = [](absl::Span<const uint8_t> candidate) {
    for (size_t i = kRecordBytes; i < candidate.size(); i += kRecordBytes) {
      if (candidate[i] >= 100) return true;
    }
    return false;
  };
  const std::vector<uint8_t> reduced = ReduceBytes(bytes, shows, {});
  ASSERT_EQ(reduced.size(), 2 * kRecordBytes);
  EXPECT_EQ(reduced[kRecordBytes], 100);
  EXPECT_EQ(std::count(reduced.begin(), reduced.end(), 0), 2 * kRecordBytes - 1);
}

TEST(LaxProgramTest, TenLinesThatPrintBothResults) {
  const auto module = MustParse(
      "ENTRY e { x = f32[2] parameter(0) n = f32[2] negate(x) m = f32[2] multiply(n, n) "
      "ROOT r = f32[2] reverse(m), dimensions={0} }");
  const std::vector<Literal> arguments = {Value("f32[2] {1, 2}")};
  EXPECT_EQ(LaxProgram(*module, arguments, Value("f32[2] {4, 1}")),
            "import jax, ml_dtypes, numpy as np\n"
            "jax.config.update('jax_enable_x64', True)\n"
            "def program(p0):\n"
            "    v0 = jax.lax.neg(p0)\n"
            "    return [jax.lax.rev(jax.lax.mul(v0, v0), (0,))]\n"
            "expected = [np.array([0x40800000, 0x3f800000], np.uint32).view(np.float32)"
            ".reshape((2,))]\n"
            "actual = [np.asarray(each) for each in jax.jit(program)(np.array([0x3f800000, "
            "0x40000000], np.uint32).view(np.float32).reshape((2,)))]\n"
            "print('expected', *map(np.ndarray.tolist, expected))\n"
            "print('actual  ', *map(np.ndarray.tolist, actual))\n"
            "raise SystemExit([each.tobytes() for each in expected] != [each.tobytes() for each "
            "in actual])\n");
}

TEST(LaxProgramTest, AttributesAreArguments) {
  for (const auto& [root, written] :
       {std::pair("f32[4] concatenate(x, x), dimensions={0}", "jax.lax.concatenate([p0, p0], 0)"),
        std::pair("f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                  "jax.lax.dot_general(p0, p0, (((0,), (0,)), ((), ())), "
                  "preferred_element_type=np.float32)"),
        std::pair("pred[2] compare(x, x), direction=GE", "jax.lax.ge(p0, p0)"),
        std::pair("f32[1] slice(x), slice={[1:2]}", "jax.lax.slice(p0, (1,), (2,), (1,))")}) {
    const auto module =
        MustParse(absl::StrCat("ENTRY e { x = f32[2] parameter(0) ROOT r = ", root, " }"));
    const std::vector<Literal> arguments = {Value("f32[2] {1, 2}")};
    const auto text =
        LaxProgram(*module, arguments, Literal::Zeros(module->entry()->root()->shape()));
    ASSERT_TRUE(text) << root;
    EXPECT_TRUE(absl::StrContains(*text, absl::StrCat("return [", written, "]"))) << *text;
  }
}

// Two reductions that had been read from module.hlo: a sum broadcast along another dimension, and
// an update whose operand is read later.
TEST(LaxProgramTest, FoldsAndUpdatesAreWritten) {
  const auto module = MustParse(
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
      "ENTRY e { p = f32[2,2] parameter(0) z = f32[] parameter(1) k = s8[] parameter(2)\n"
      "  r = f32[2] reduce(p, z), dimensions={1}, to_apply=f\n"
      "  w = f32[2,2] broadcast(r), dimensions={0}\n"
      "  u = f32[2,2] dynamic-update-slice(p, w, k, k)\n"
      "  ROOT s = f32[2,2] add(u, p) }");
  const std::vector<Literal> arguments = {Value("f32[2,2] {{1, 2}, {3, 4}}"), Value("f32[] 0"),
                                          Value("s8[] 0")};
  const auto text = LaxProgram(*module, arguments, Value("f32[2,2] {{3, 4}, {7, 8}}"));
  ASSERT_TRUE(text);
  EXPECT_TRUE(absl::StrContains(
      *text,
      "return [jax.lax.add(jax.lax.dynamic_update_slice(p0, jax.lax.broadcast_in_dim("
      "jax.lax.reduce(p0, p1, jax.lax.max, (1,)), (2, 2), (0,)), (p2, p2), "
      "allow_negative_indices=False), p0)]"))
      << *text;
  // A computation that is no single operation stays HLO text.
  const auto other = MustParse(
      "f { a = f32[] parameter(0) b = f32[] parameter(1) n = f32[] negate(b)\n"
      "  ROOT r = f32[] maximum(a, n) }\n"
      "ENTRY e { p = f32[2] parameter(0) z = f32[] parameter(1)\n"
      "  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=f }");
  EXPECT_FALSE(LaxProgram(*other, std::vector<Literal>{Value("f32[2] {1, 2}"), Value("f32[] 0")},
                          Value("f32[] 0")));
}

TEST(LaxProgramTest, WhatJaxWouldChangeIsNotWritten) {
  for (const char* root : {"add(x, x), metadata={op_name=\"a\"}", "copy(x)",
                           "sqrt(x), result_accuracy={tolerance={ulps=2}}",
                           "tanh(x), result_accuracy={mode=highest}"}) {
    const auto module =
        MustParse(absl::StrCat("ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] ", root, " }"));
    const std::vector<Literal> arguments = {Value("f32[2] {1, 2}")};
    const bool is_written = absl::StartsWith(root, "add");
    EXPECT_EQ(LaxProgram(*module, arguments, Value("f32[2] {4, 1}")).has_value(), is_written)
        << root;
  }
}

TEST(ArtifactsTest, AFolderStandsForItself) {
  const absl::StatusOr<const conformance::Mutant*> mutant =
      conformance::FindMutant("mutant:reverse/two_dimensions_apart");
  ASSERT_TRUE(mutant.ok()) << mutant.status();
  conformance::MutantBackend target(**mutant);
  const absl::StatusOr<conformance::TargetProfile> profile =
      conformance::TargetProfile::Find("golden");
  ASSERT_TRUE(profile.ok());
  const auto module = MustParse(
      "ENTRY e { x = s32[2,1,2] parameter(0) ROOT r = s32[2,1,2] reverse(x), dimensions={0,2} }");
  const std::vector<DeviceInputs> inputs = {{{Value("s32[2,1,2] {{{1, 2}}, {{3, 4}}}")}}};
  ExaminerOptions options;
  Examiner examiner(&target, *profile, options);
  const Examination examination = examiner.AskTarget(*module, inputs);
  ASSERT_EQ(examination.outcome, Outcome::kFinding);
  FindingFolder folder;
  folder.module = module.get();
  folder.inputs = inputs;
  folder.examination = &examination;
  folder.target = "mutant:reverse/two_dimensions_apart";
  folder.profile = "golden";
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / FolderName(examination.signature)).string();
  ASSERT_TRUE(WriteFindingFolder(folder, path).ok());
  for (const char* name : {"module.hlo", "inputs.npz", "expected.npz", "actual.npz",
                           "finding.cases", "finding.json", "repro.py"}) {
    EXPECT_TRUE(std::filesystem::exists(path + "/" + name)) << name;
  }
  const auto cases = ReadFile(path + "/finding.cases");
  ASSERT_TRUE(cases.ok());
  const auto read = conformance::ReadCases(*cases, "finding.cases");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 1);
  const auto actual = ReadArrays(path + "/actual.npz");
  ASSERT_TRUE(actual.ok()) << actual.status();
  // Of the two dimensions the first alone is reversed.
  EXPECT_TRUE(Literal::BitEqual((*actual)[0].value, Value("s32[2,1,2] {{{3, 4}}, {{1, 2}}}")));
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace assay::fuzz
