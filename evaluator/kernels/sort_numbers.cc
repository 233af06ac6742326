#include "evaluator/kernels/sort_numbers.h"

#include <utility>

#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator::kernels {

std::optional<SortNumbers> SortNumbers::ForComparator(const Computation& comparator) {
  std::optional<analysis::SortKey> key = analysis::RecogniseSortKey(comparator);
  if (!key.has_value()) return std::nullopt;
  SortNumbers numbers{*std::move(key), nullptr};
  if (numbers.function != nullptr) {
    absl::StatusOr<std::unique_ptr<const ScalarProgram>> program =
        ScalarProgram::Compile(*numbers.function);
    if (!program.ok()) return std::nullopt;
    numbers.program = *std::move(program);
  }
  return numbers;
}

std::optional<uint64_t> SortNumbers::Number(Element element, std::vector<Element>& registers,
                                            EvaluationContext& context) const {
  if (program == nullptr) return NumberOf(element.bits);
  registers.resize(program->register_count());
  Element value;
  program->Run(absl::MakeSpan(&element, 1), absl::MakeSpan(&value, 1), absl::MakeSpan(registers),
               context);
  return NumberOf(value.bits);
}

std::optional<uint64_t> SortNumbers::NumberOf(uint64_t bits) const {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  uint64_t number = bits;
  if (IsFloat(type)) {
    if (!total_order) {
      if (IsNan(type, bits)) return std::nullopt;
      if (IsZero(type, bits)) bits = 0;
    }
    number = static_cast<uint64_t>(TotalOrderKey(type, bits)) ^ kSign;
  } else if (IsSigned(type)) {
    number = static_cast<uint64_t>(DecodeSigned(type, bits)) ^ kSign;
  }
  return descending ? ~number : number;
}

}  // namespace assay::evaluator::kernels
