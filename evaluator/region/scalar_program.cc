// Binds the evaluator's scalar functions to the steps of a flat region.
#include "evaluator/region/scalar_program.h"

#include <array>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/analysis/flat_region.h"

namespace assay::evaluator {
namespace {

// Complex functions in one program: an element of one may take milliseconds, and the clock is read
// between two runs.
constexpr int64_t kMaxComplexFunctions = 256;

bool IsComplexFunction(const Instruction& instruction) {
  if (!IsComplex(instruction.operand(0)->shape().element_type())) return false;
  switch (instruction.opcode()) {
    case Opcode::kAdd:
    case Opcode::kCompare:
    case Opcode::kConvert:
    case Opcode::kImag:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kReal:
    case Opcode::kSubtract:
      return false;
    default:
      return true;
  }
}

// Stores an element in one piece. A function returns it in two registers; stored one after the
// other they would hold up whoever reads the element as a whole next.
inline void Store(Element value, Element& to) {
  typedef uint64_t Pair __attribute__((vector_size(sizeof(Element))));
  const Pair pair = {value.bits, value.imag};
  std::memcpy(static_cast<void*>(&to), &pair, sizeof(to));
}

class BoundProgram : public ScalarProgram {
 public:
  BoundProgram(analysis::FlatRegion region, absl::Span<const ScalarFunction> functions)
      : constants_(std::move(region.constants)),
        results_(std::move(region.results)),
        parameter_types_(std::move(region.parameter_types)),
        result_types_(std::move(region.result_types)),
        register_count_(region.register_count) {
    for (size_t i = 0; i < functions.size(); ++i) {
      const analysis::FlatRegion::Step& step = region.steps[i];
      steps_.push_back({functions[i], step.operands, step.result});
    }
    is_one_binary_step_ = steps_.size() == 1 && steps_[0].function.arity == 2 &&
                          constants_.empty() && results_.size() == 1 &&
                          results_[0] == steps_[0].result;
  }

  int64_t parameter_count() const override { return parameter_types_.size(); }
  int64_t result_count() const override { return results_.size(); }
  ElementType parameter_type(int64_t i) const override { return parameter_types_[i]; }
  ElementType result_type(int64_t i) const override { return result_types_[i]; }
  int64_t register_count() const override { return register_count_; }
  int64_t step_count() const override { return static_cast<int64_t>(steps_.size()); }

  void Run(absl::Span<const Element> arguments, absl::Span<Element> results,
           absl::Span<Element> registers, EvaluationContext& context) const override {
    const RealContext real{.stats = &context.real_stats};
    if (is_one_binary_step_) {
      const Step& step = steps_[0];
      const Element& a = arguments[step.operands[0]];
      const Element& b = arguments[step.operands[1]];
      return Store(step.function(a, b, real), results[0]);
    }
    for (size_t i = 0; i < arguments.size(); ++i) registers[i] = arguments[i];
    for (const auto& [position, value] : constants_) registers[position] = value;
    for (const Step& step : steps_) {
      const ScalarFunction& function = step.function;
      auto argument = [&](int k) { return registers[step.operands[k]]; };
      Element& result = registers[step.result];
      switch (function.arity) {
        case 1:
          Store(function(argument(0), real), result);
          break;
        case 2:
          Store(function(argument(0), argument(1), real), result);
          break;
        default:
          Store(function(argument(0), argument(1), argument(2), real), result);
      }
    }
    for (size_t i = 0; i < results_.size(); ++i) results[i] = registers[results_[i]];
  }

 private:
  struct Step {
    ScalarFunction function;
    std::array<int32_t, 3> operands;
    int32_t result;
  };
  std::vector<Step> steps_;
  std::vector<std::pair<int32_t, Element>> constants_;
  std::vector<int32_t> results_;
  std::vector<ElementType> parameter_types_;
  std::vector<ElementType> result_types_;
  int64_t register_count_;
  bool is_one_binary_step_ = false;  // of parameters: most comparators and reducers
};

}  // namespace

absl::StatusOr<std::unique_ptr<const ScalarProgram>> ScalarProgram::Compile(
    const Computation& computation, absl::Span<const int64_t> lanes) {
  absl::StatusOr<analysis::FlatRegion> region = analysis::FlattenRegion(computation, lanes);
  if (!region.ok()) return region.status();
  std::vector<ScalarFunction> functions;
  int64_t complex_functions = 0;
  for (const analysis::FlatRegion::Step& step : region->steps) {
    absl::StatusOr<ScalarFunction> function = PrepareScalarFunction(*step.instruction);
    if (!function.ok()) return function.status();
    complex_functions += IsComplexFunction(*step.instruction) ? 1 : 0;
    if (complex_functions > kMaxComplexFunctions) {
      return absl::UnimplementedError(absl::StrCat(
          "not a scalar program: too many complex functions in ", step.instruction->Describe()));
    }
    functions.push_back(*function);
  }
  return std::make_unique<const BoundProgram>(*std::move(region), functions);
}

}  // namespace assay::evaluator
