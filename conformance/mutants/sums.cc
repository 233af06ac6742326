#include "conformance/mutants/sums.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "evaluator/ops/definition.h"

namespace assay::conformance {
namespace {

// Terms that one instruction may have; larger ones stay as they are.
constexpr int64_t kMostTerms = 4'000'000;

// Hands elements to a definition and writes down which it asks for.
class Recorder : public evaluator::OperandElements {
 public:
  explicit Recorder(absl::Span<const Literal> operands) : operands_(operands) {}
  absl::StatusOr<Element> At(int64_t operand, absl::Span<const int64_t> index) override {
    const Literal& literal = operands_[operand];
    const Element element = literal.Get(evaluator::PositionOf(index, literal.shape().dimensions()));
    reads_.emplace_back(operand, DecodeOf(literal.element_type(), element));
    return element;
  }
  // What was read since the last call, as terms. Operands from 2 on only say what is to be read.
  std::vector<SumTerm> TakeTerms(bool products) {
    std::vector<SumTerm> terms;
    for (size_t i = 0; i < reads_.size(); ++i) {
      if (!products) {
        terms.push_back({reads_[i].second, 1, false});
      } else if (reads_[i].first == 0) {
        terms.push_back({reads_[i].second, reads_[i + 1].second, true});
      }
    }
    reads_.clear();
    return terms;
  }

 private:
  static double DecodeOf(ElementType type, Element element) {
    return IsFloat(type) ? DecodeFloat(type, element.bits) : 0;
  }
  const absl::Span<const Literal> operands_;
  std::vector<std::pair<int64_t, double>> reads_;
};

bool IsAddition(const Computation& computation) {
  const Instruction& root = *computation.root();
  return root.opcode() == Opcode::kAdd && computation.instruction_count() == 3 &&
         root.operand(0)->opcode() == Opcode::kParameter &&
         root.operand(1)->opcode() == Opcode::kParameter && root.operand(0) != root.operand(1);
}

bool Multiplies(Opcode opcode) {
  return opcode == Opcode::kDot || opcode == Opcode::kConvolution || opcode == Opcode::kRaggedDot;
}

bool IsSum(const Instruction& instruction) {
  if (!instruction.shape().is_array() || !IsFloat(instruction.shape().element_type()) ||
      !IsFloat(instruction.operand(0)->shape().element_type()) ||
      !IsFloat(instruction.operand(1)->shape().element_type())) {
    return false;
  }
  if (Multiplies(instruction.opcode())) return instruction.operand_count() <= 3;
  return instruction.operand_count() == 2 && IsAddition(*instruction.to_apply());
}

absl::StatusOr<Literal> SumElements(const Instruction& instruction,
                                    absl::Span<const Literal> operands, const SumRule& rule,
                                    const CustomCall& call) {
  absl::StatusOr<std::unique_ptr<evaluator::Definition>> definition =
      evaluator::PrepareDefinition(instruction);
  if (!definition.ok()) return definition.status();
  Literal result = Literal::Zeros(instruction.shape());
  const ElementType type = result.element_type();
  Recorder recorder(operands);
  int64_t terms = 0;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const absl::StatusOr<Element> golden =
        (*definition)
            ->At(0, evaluator::IndexAt(i, instruction.shape().dimensions()), recorder,
                 GoldenContext(call));
    if (!golden.ok()) return golden.status();
    const std::vector<SumTerm> found = recorder.TakeTerms(Multiplies(instruction.opcode()));
    terms += static_cast<int64_t>(found.size());
    const bool sums = terms <= kMostTerms && !found.empty();
    result.Set(i, sums ? Element{EncodeFloat(type, rule(found, type)), 0} : *golden);
    if (IsNan(type, result.Get(i).bits)) result.Set(i, {CanonicalNan(type), 0});
  }
  return result;
}

double Term(const SumTerm& term, ElementType accumulator) {
  return term.product ? RoundedTo(accumulator, term.a * term.b) : term.a;
}

}  // namespace

Defect SumBy(SumRule rule, Where where) {
  return Instead(
      [rule = std::move(rule)](const Instruction& instruction, absl::Span<const Literal> operands,
                               const CustomCall& call) {
        return SumElements(instruction, operands, rule, call);
      },
      [where = std::move(where)](const Instruction& instruction) {
        return IsSum(instruction) && (where == nullptr || where(instruction));
      });
}

double SumForward(const std::vector<SumTerm>& terms, ElementType accumulator) {
  double sum = Term(terms.front(), accumulator);
  for (size_t i = 1; i < terms.size(); ++i) {
    sum = RoundedTo(accumulator, sum + Term(terms[i], accumulator));
  }
  return sum;
}

double SumContracted(const std::vector<SumTerm>& terms, ElementType accumulator) {
  double sum = Term(terms.front(), accumulator);
  for (size_t i = 1; i < terms.size(); ++i) {
    sum = RoundedTo(accumulator, std::fma(terms[i].a, terms[i].b, sum));
  }
  return sum;
}

double SumPairwise(const std::vector<SumTerm>& terms, ElementType accumulator) {
  std::vector<double> sums;
  for (const SumTerm& term : terms) sums.push_back(Term(term, accumulator));
  while (sums.size() > 1) {
    for (size_t i = 0; i < sums.size() / 2; ++i) {
      sums[i] = RoundedTo(accumulator, sums[2 * i] + sums[2 * i + 1]);
    }
    if (sums.size() % 2 == 1) sums[sums.size() / 2] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.front();
}

double SumByLanes(const std::vector<SumTerm>& terms, ElementType accumulator, int lanes) {
  std::vector<SumTerm> sums(std::min<size_t>(lanes, terms.size()));
  for (size_t i = 0; i < terms.size(); ++i) {
    double& sum = sums[i % lanes].a;
    const double term = Term(terms[i], accumulator);
    sum = i < sums.size() ? term : RoundedTo(accumulator, sum + term);
  }
  return SumForward(sums, accumulator);
}

ElementType WideAccumulator(ElementType type) {
  return type == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
}

}  // namespace assay::conformance
