#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/evaluator.h"
#include "evaluator/facts.h"
#include "evaluator/facts/scan_sums.h"
#include "evaluator/facts/statistics_facts.h"
#include "evaluator/facts/widened_fold.h"
#include "runtime/float_environment.h"
#include "spec/analysis/isolate.h"
#include "spec/element/element.h"

namespace assay::evaluator {
namespace {

// The only instruction of an isolated module, by its kernel or its definition.
absl::StatusOr<Literal> EvaluateAlone(const Module& module, absl::Span<const Literal> arguments) {
  const Instruction& root = *module.entry()->root();
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(root);
  if (absl::IsUnimplemented(kernel.status())) kernel = PrepareStraight(root);
  if (!kernel.ok()) return kernel.status();
  std::vector<ArrayRef> operands;
  for (const Instruction* operand : root.operands()) {
    const Literal& argument = arguments[operand->parameter_number()];
    operands.push_back({&argument.shape(), argument.data()});
  }
  std::vector<Literal> leaves;
  for (const Shape* leaf : Leaves(root.shape())) leaves.push_back(Literal::Zeros(*leaf));
  std::vector<MutableArrayRef> results;
  for (Literal& leaf : leaves) results.push_back({&leaf.shape(), leaf.mutable_data()});
  EvaluationContext context;
  const runtime::FloatEnvironmentGuard guard;
  absl::Status status = (*kernel)->Run(operands, results, context);
  if (!status.ok()) return status;
  return Unflatten(root.shape(), leaves);
}

// Facts of what adds up as a whole.
class FactFinder {
 public:
  // Of leaf `leaf`; a scan has more than one.
  FactFinder(const Instruction& instruction, absl::Span<const Literal> operands,
             const EvaluateModule& evaluate, int64_t leaf)
      : instruction_(instruction),
        operands_(operands),
        evaluate_(evaluate),
        leaf_(leaf),
        scanned_(FindScanFold(instruction, leaf, analysis::ReducerKind::kAdd)) {
    for (const Literal& operand : operands) complex_ |= IsComplex(operand.element_type());
  }

  absl::StatusOr<std::vector<AccumulationFact>> Find(FactsWanted wanted) {
    auto counts =
        scanned_.has_value() ? Fold(OneTerm) : CountTerms(instruction_, operands_, evaluate_);
    if (!counts.ok()) return counts.status();
    auto magnitudes = Fold([](double value, bool) { return std::fabs(value); });
    if (!magnitudes.ok()) return magnitudes.status();
    facts_.resize(counts->size());
    bool overflows = false;
    for (size_t i = 0; i < facts_.size(); ++i) {
      facts_[i].terms = (*counts)[i];
      facts_[i].magnitudes = RoundedUp((*magnitudes)[i]);
      overflows |= std::isinf((*magnitudes)[i]);
    }
    absl::Status status = overflows ? FindBeyondDouble() : absl::OkStatus();
    if (status.ok() && wanted == FactsWanted::kCondition) status = FindCondition();
    if (!status.ok()) return status;
    return std::move(facts_);
  }

 private:
  // Every operand is scaled by this where sums are beyond the largest double: far enough for
  // products of them, and what underflows is nothing beside such sums.
  static constexpr int kScale = 600;

  absl::StatusOr<std::vector<double>> Fold(const TermMap& map) const {
    return Fold(operands_, map);
  }
  absl::StatusOr<std::vector<double>> Fold(absl::Span<const Literal> operands,
                                           const TermMap& map) const {
    if (scanned_.has_value()) return AddScanned(instruction_, *scanned_, operands, map);
    return FoldWidened(instruction_, operands, Opcode::kAdd, map, evaluate_);
  }
  int factors() const { return instruction_.info().family == Family::kContraction ? 2 : 1; }

  // Sums of exact terms are rounded once; complex ones were added before they were multiplied.
  double RoundedUp(double value) const { return complex_ ? Up(value * (1 + 0x1p-50)) : Up(value); }

  absl::Status FindBeyondDouble() {
    // The parts of a complex number may be beyond the largest double once they are added.
    const int before = complex_ ? -kScale : 0, behind = -kScale - before;
    const auto scaled = Fold(ScaleComplex(operands_, before), [behind](double value, bool) {
      return std::ldexp(std::fabs(value), behind);
    });
    if (!scaled.ok()) return scaled.status();
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (!std::isinf(facts_[i].magnitudes) || std::isinf((*scaled)[i])) continue;
      facts_[i].magnitudes = Up(RoundedUp((*scaled)[i]));
      facts_[i].exponent = kScale * factors();
    }
    return absl::OkStatus();
  }

  absl::Status FindCondition() {
    if (complex_) return FindComplexCondition();
    const auto sums = Fold([](double value, bool) { return value; });
    const auto scaled = Fold([](double value, bool) { return std::ldexp(value, -kScale); });
    if (!sums.ok()) return sums.status();
    if (!scaled.ok()) return scaled.status();
    for (size_t i = 0; i < facts_.size(); ++i) {
      AccumulationFact& fact = facts_[i];
      SetCondition(fact.exponent == 0 ? (*sums)[i] : (*scaled)[i], fact);
    }
    return absl::OkStatus();
  }
  // By the golden value itself, whose parts are rounded.
  absl::Status FindComplexCondition() {
    const std::unique_ptr<Module> module = analysis::IsolateInstruction(instruction_);
    const absl::StatusOr<Literal> results = evaluate_(*module, operands_);
    if (!results.ok()) return results.status();
    const Literal golden = Flatten(*results)[leaf_];
    const ElementType part = Info(golden.element_type()).component;
    for (size_t i = 0; i < facts_.size(); ++i) {
      const Element element = golden.Get(static_cast<int64_t>(i));
      const double value =
          std::hypot(DecodeFloat(part, element.bits), DecodeFloat(part, element.imag));
      SetCondition(std::ldexp(value, -facts_[i].exponent), facts_[i]);
    }
    return absl::OkStatus();
  }
  static void SetCondition(double sum, AccumulationFact& fact) {
    if (fact.magnitudes == 0) return;
    const double condition = fact.magnitudes / std::fabs(sum);
    fact.condition = condition < 1 ? 1 : condition;
  }

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  const EvaluateModule& evaluate_;
  const int64_t leaf_;
  const std::optional<ScanFold> scanned_;
  bool complex_ = false;
  std::vector<AccumulationFact> facts_;
};

// sqrt(sum |x|^2 of a block), upwards: the squares of parts scaled so that they neither overflow
// nor vanish. `both_halves`: of a spectrum of which half is given.
double BlockNorm(const Literal& operand, int64_t first, int64_t count, bool both_halves,
                 int& exponent) {
  const ElementType type = operand.element_type(), part = Info(type).component;
  std::vector<double> parts;
  double largest = 0;
  for (int64_t i = first; i < first + count; ++i) {
    const Element x = operand.Get(i);
    parts.push_back(DecodeFloat(part, x.bits));
    if (IsComplex(type)) parts.push_back(DecodeFloat(part, x.imag));
  }
  for (const double x : parts) largest = std::max(largest, std::fabs(x));
  exponent = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
  double square = 0;
  for (const double x : parts) square += std::ldexp(x, -exponent) * std::ldexp(x, -exponent);
  // Each square is off by an ulp and each addition by another.
  square *= 1 + static_cast<double>(parts.size() + 4) * 0x1p-52;
  return Up(std::sqrt(both_halves ? 2 * square : square));
}

absl::StatusOr<std::vector<AccumulationFact>> FourierFacts(const Instruction& fft,
                                                           const Literal& operand,
                                                           FactsWanted wanted,
                                                           const EvaluateModule& evaluate) {
  const auto kind = fft.GetEnum<FftType>(Attr::kFftType);
  const bool inverse = kind == FftType::kIfft || kind == FftType::kIrfft;
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  double size = 1;
  int64_t from = 1, to = 1;  // elements of a block of the operand, and of the result
  for (size_t d = 0; d < lengths.size(); ++d) {
    const auto behind = static_cast<int64_t>(lengths.size() - d);
    size *= static_cast<double>(lengths[d]);
    from *= operand.shape().dimension(operand.shape().rank() - behind);
    to *= fft.shape().dimension(fft.shape().rank() - behind);
  }
  std::vector<AccumulationFact> facts(fft.shape().element_count());
  absl::StatusOr<Literal> golden = Literal::Zeros(fft.shape());
  if (wanted == FactsWanted::kCondition) {
    golden = evaluate(*analysis::IsolateInstruction(fft), absl::MakeConstSpan(&operand, 1));
    if (!golden.ok()) return golden.status();
  }
  const ElementType type = fft.shape().element_type(), part = Info(type).component;
  for (size_t i = 0; i < facts.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    if (position % to == 0) {
      int exponent;
      const double norm =
          BlockNorm(operand, position / to * from, from, kind == FftType::kIrfft, exponent);
      const double factor = inverse ? std::sqrt(1 / size) : std::sqrt(size);
      const double scaled = norm * factor * (1 + 0x1p-50);
      const double plain = std::ldexp(scaled, exponent);
      facts[i].terms = size;
      facts[i].magnitudes = std::isinf(plain) ? scaled : Up(plain);
      facts[i].exponent = std::isinf(plain) ? exponent : 0;
    } else {
      facts[i] = facts[i - 1];
    }
    if (wanted != FactsWanted::kCondition || facts[i].magnitudes == 0) continue;
    const Element x = golden->Get(position);
    const double re = DecodeFloat(part, x.bits);
    const double im = IsComplex(type) ? DecodeFloat(part, x.imag) : 0;
    const double value = std::ldexp(std::hypot(re, im), -facts[i].exponent);
    facts[i].condition = std::max(1.0, facts[i].magnitudes / value);
  }
  return facts;
}

}  // namespace

absl::StatusOr<std::vector<AccumulationFact>> FindAccumulationFacts(
    const Instruction& instruction, absl::Span<const Literal> operands, FactsWanted wanted,
    const EvaluateModule& evaluate, int64_t leaf) {
  const EvaluateModule alone = EvaluateAlone;
  const EvaluateModule& evaluation = evaluate ? evaluate : alone;
  if (instruction.opcode() == Opcode::kFft) {
    return FourierFacts(instruction, operands[0], wanted, evaluation);
  }
  if (instruction.opcode() == Opcode::kBatchNormTraining && (leaf == 1 || leaf == 2)) {
    return StatisticsFacts(instruction, operands[0], leaf == 2);
  }
  const bool folds =
      FoldKind(instruction) == analysis::ReducerKind::kAdd && instruction.shape().is_array();
  if (!folds && !FindScanFold(instruction, leaf, analysis::ReducerKind::kAdd).has_value()) {
    return absl::UnimplementedError(
        absl::StrCat(instruction.Describe(), " adds no floats up: there are no facts of a sum"));
  }
  return FactFinder(instruction, operands, evaluation, leaf).Find(wanted);
}

}  // namespace assay::evaluator
