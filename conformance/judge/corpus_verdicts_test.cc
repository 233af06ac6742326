// Cases of the corpus, answered as honest targets do: the golden result itself, NaNs of another
// payload, flushed denormals, sums rounded step by step. A profile that grants what was done finds
// nothing wrong and next to nothing that it cannot judge; the profile golden, which does not, finds
// every difference. A sample of the corpus, by the hash of the case.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/judge/allowance.h"
#include "conformance/judge/rounds.h"
#include "conformance/profiles/testing.h"
#include "gtest/gtest.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

// One in so many, and of folds.
constexpr uint64_t kSample = 24, kFoldSample = 2;

absl::StatusOr<Literal> Golden(const Module& module, absl::Span<const Literal> arguments) {
  return Interpret(module, arguments);
}

// Every part of every float or complex element through f(part type, bits).
template <typename F>
Literal MapParts(const Literal& value, F f) {
  if (value.is_tuple()) {
    std::vector<Literal> leaves;
    for (const Literal& leaf : value.elements()) leaves.push_back(MapParts(leaf, f));
    return Literal::Tuple(std::move(leaves));
  }
  if (!value.is_array() || !IsRounded(value.element_type())) return value;
  Literal mapped = value;
  const ElementType part = PartType(value);
  for (int64_t i = 0; i < value.element_count(); ++i) {
    Element element = value.Get(i);
    element.bits = f(part, element.bits);
    if (IsComplex(value.element_type())) element.imag = f(part, element.imag);
    mapped.Set(i, element);
  }
  return mapped;
}

uint64_t OtherNan(ElementType type, uint64_t bits) {
  return IsNan(type, bits) && IsNan(type, bits ^ 1) ? bits ^ 1 : bits;
}

// As XLA CPU does: f32, f64 and bf16, results as well as operands.
uint64_t Flush(ElementType type, uint64_t bits) {
  const bool flushed =
      type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kBF16;
  if (!flushed || !IsSubnormal(type, bits)) return bits;
  return EncodeFloat(type, IsNegative(type, bits) ? -0.0 : 0.0);
}

// A case of one instruction on parameters and constants.
struct Single {
  std::string id;
  std::unique_ptr<Module> module;
  std::vector<Literal> operands;
  Literal golden;
  const Instruction& root() const { return *module->entry()->root(); }
};

std::optional<Single> MakeSingle(const CorpusCase& corpus_case) {
  if (corpus_case.expect == CorpusCase::Expect::kRefused || corpus_case.replicas > 1 ||
      corpus_case.partitions > 1) {
    return std::nullopt;
  }
  absl::StatusOr<ReadyCase> ready = MakeReady(corpus_case);
  if (!ready.ok()) return std::nullopt;
  const Instruction& root = *ready->module->entry()->root();
  if (root.operand_count() == 0 || root.info().family == Family::kCollective ||
      root.info().family == Family::kHost || root.info().family == Family::kControl) {
    return std::nullopt;
  }
  Single single;
  for (const Instruction* operand : root.operands()) {
    if (operand->shape().is_dynamic()) return std::nullopt;
    if (operand->literal() != nullptr) {
      single.operands.push_back(*operand->literal());
    } else if (operand->opcode() == Opcode::kParameter) {
      single.operands.push_back(ready->inputs[0].arguments[operand->parameter_number()]);
    } else {
      return std::nullopt;
    }
  }
  single.id = corpus_case.id;
  single.module = analysis::IsolateInstruction(root);
  absl::StatusOr<Literal> golden = Golden(*single.module, single.operands);
  if (!golden.ok()) return std::nullopt;
  single.golden = *std::move(golden);
  return single;
}

// The fold with its addition written as a - (-b), which runs as written: one rounding a step.
std::optional<Literal> SumStepByStep(const Single& single) {
  const std::unique_ptr<Module> module = analysis::IsolateInstruction(single.root());
  Instruction& root = *module->entry()->root();
  const Computation* region = FoldRegion(root);
  if (region == nullptr || evaluator::FoldKind(root) != analysis::ReducerKind::kAdd)
    return std::nullopt;
  Instruction* sum = region->root();
  if (sum->shape().element_type() == ElementType::kF8E8M0FNU) return std::nullopt;  // has no -b
  if (sum->opcode() != Opcode::kAdd || !IsFloat(sum->shape().element_type())) return std::nullopt;
  Computation* own = sum->parent();
  Instruction* negated = own->Add(std::make_unique<Instruction>(Opcode::kNegate, sum->shape()));
  negated->set_name("negated");
  negated->AppendOperand(sum->operand(1));
  Instruction* step = own->Add(std::make_unique<Instruction>(Opcode::kSubtract, sum->shape()));
  step->set_name("step");
  step->AppendOperand(sum->operand(0));
  step->AppendOperand(negated);
  own->set_root(step);
  absl::StatusOr<Literal> value = Golden(*module, single.operands);
  EXPECT_TRUE(value.ok()) << single.id << ": " << value.status();
  return value.ok() ? std::optional<Literal>(*std::move(value)) : std::nullopt;
}

class CorpusVerdicts : public ::testing::Test {
 protected:
  static const std::vector<Single>& Sample() {
    static const std::vector<Single>* const sample = [] {
      auto* singles = new std::vector<Single>();
      absl::StatusOr<std::vector<CorpusCase>> cases = CorpusCases();
      EXPECT_TRUE(cases.ok()) << cases.status();
      for (const CorpusCase& each : *cases) {
        const uint64_t hash = std::stoull(CaseHash(each).substr(0, 15), nullptr, 16);
        const bool folds = each.Tag("op") == "reduce" || each.Tag("op") == "reduce-window" ||
                           each.Tag("op") == "scatter";
        if (hash % (folds ? kFoldSample : kSample) != 0) continue;
        if (std::optional<Single> single = MakeSingle(each)) {
          singles->push_back(*std::move(single));
        }
      }
      return singles;
    }();
    return *sample;
  }

  // Of all results: at most 2% of them may be not judgeable under a profile.
  static int64_t Elements() {
    int64_t elements = 0;
    for (const Single& single : Sample()) {
      for (const Literal& leaf : Flatten(single.golden)) elements += leaf.element_count();
    }
    return elements;
  }

  // Judges by profiles that grant what was done and by golden, which does not.
  void Expect(const Single& single, const Literal& actual,
              const std::vector<std::string>& granting) {
    if (Literal::BitEqual(single.golden, actual)) return;
    ++differing_;
    for (const std::string& name : granting) {
      const Judgement judgement = Judge(single, actual, name);
      EXPECT_NE(judgement.verdict, Verdict::kWrong)
          << single.id << " by " << name << ": " << Shown(judgement);
      const int64_t open = judgement.counts[static_cast<int>(Verdict::kNotJudgeable)];
      not_judgeable_ += open;
      if (open > 0) open_ += " " + single.id;
    }
    const Judgement strict = Judge(single, actual, "golden");
    EXPECT_EQ(strict.verdict, granting.empty() ? Verdict::kAllowed : Verdict::kWrong) << single.id;
  }

  static Judgement Judge(const Single& single, const Literal& actual, const std::string& name) {
    absl::StatusOr<Judgement> judgement = JudgeInstruction(
        single.root(), single.operands, single.golden, actual, BuiltInProfile(name), Golden);
    EXPECT_TRUE(judgement.ok()) << single.id << ": " << judgement.status();
    return judgement.ok() ? *judgement : Judgement();
  }

  static std::string Shown(const Judgement& judgement) {
    if (judgement.evidence.empty()) return "";
    const Evidence& first = judgement.evidence[0];
    return first.golden + " became " + first.actual + " by " + judgement.rule + " " + first.reason;
  }

  int64_t differing_ = 0, not_judgeable_ = 0;
  std::string open_;  // cases with elements that are not judgeable
};

TEST_F(CorpusVerdicts, GoldenIsExactOrCorrectlyRoundedByEveryProfile) {
  EXPECT_GT(Sample().size(), 500u);
  for (const std::string& name : TargetProfile::BuiltIn()) {
    const TargetProfile profile = *TargetProfile::Find(name);
    for (const Single& single : Sample()) {
      const auto judgement = JudgeInstruction(single.root(), single.operands, single.golden,
                                              single.golden, profile, Golden);
      ASSERT_TRUE(judgement.ok()) << single.id << ": " << judgement.status();
      EXPECT_LE(judgement->verdict, Verdict::kCorrectlyRounded) << single.id << " by " << name;
    }
  }
}

TEST_F(CorpusVerdicts, NanPayloadsAreFreeButInMoves) {
  for (const Single& single : Sample()) {
    if (Moves(single.root())) continue;
    Expect(single, MapParts(single.golden, OtherNan), {});
  }
  EXPECT_GT(differing_, 10);
}

TEST_F(CorpusVerdicts, FlushedDenormalsAreFreeWhereGranted) {
  for (const Single& single : Sample()) {
    if (Moves(single.root())) continue;
    std::vector<Literal> operands;
    for (const Literal& operand : single.operands) operands.push_back(MapParts(operand, Flush));
    const absl::StatusOr<Literal> value = Golden(*single.module, operands);
    if (value.ok()) Expect(single, MapParts(*value, Flush), {"xla-cpu"});
  }
  EXPECT_GT(differing_, 10);
  EXPECT_LE(not_judgeable_ * 50, Elements()) << open_;
}

TEST_F(CorpusVerdicts, SumsRoundedStepByStepAreReassociated) {
  for (const Single& single : Sample()) {
    const std::optional<Literal> value = SumStepByStep(single);
    if (value) Expect(single, *value, {"xla-cpu"});
  }
  EXPECT_GT(differing_, 3) << Sample().size();
  EXPECT_LE(not_judgeable_ * 50, Elements()) << open_;
}

}  // namespace
}  // namespace assay::conformance
