// Functions of CHLO as formulas: the programs of chlo_expansions.def become instructions.
// Test: lowering_test.cc.
#include "spec/stablehlo/chlo_expansions.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "spec/element/element.h"

namespace assay::stablehlo {
namespace {

struct Expansion {
  absl::string_view function, type, program;
};
constexpr Expansion kExpansions[] = {
#define EXPANSION(function, type, program) {function, type, program},
#include "spec/stablehlo/chlo_expansions.def"
#undef EXPANSION
};

struct Word {
  absl::string_view word;
  Opcode opcode;
};
constexpr Word kWords[] = {
    {"abs", Opcode::kAbs},
    {"add", Opcode::kAdd},
    {"and", Opcode::kAnd},
    {"atan2", Opcode::kAtan2},
    {"cmp", Opcode::kCompare},
    {"complex", Opcode::kComplex},
    {"cosine", Opcode::kCos},
    {"div", Opcode::kDivide},
    {"exp", Opcode::kExp},
    {"exp-minus-one", Opcode::kExpm1},
    {"floor", Opcode::kFloor},
    {"imag", Opcode::kImag},
    {"is-finite", Opcode::kIsFinite},
    {"log", Opcode::kLog},
    {"log1p", Opcode::kLog1p},
    {"max", Opcode::kMaximum},
    {"min", Opcode::kMinimum},
    {"mul", Opcode::kMultiply},
    {"neg", Opcode::kNegate},
    {"not", Opcode::kNot},
    {"or", Opcode::kOr},
    {"power", Opcode::kPower},
    {"real", Opcode::kReal},
    {"rem", Opcode::kRemainder},
    {"rsqrt", Opcode::kRsqrt},
    {"sel", Opcode::kSelect},
    {"sign", Opcode::kSign},
    {"sine", Opcode::kSin},
    {"sqrt", Opcode::kSqrt},
    {"sub", Opcode::kSubtract},
    {"tanh", Opcode::kTanh},
};

// One run of a program over the operands of an operation.
class ExpansionRun {
 public:
  ExpansionRun(OpContext& op, absl::Span<Instruction* const> operands) : op_(op) {
    values_["a"] = operands[0];
    if (operands.size() > 1) values_["b"] = operands[1];
    shape_ = operands[0]->shape();
    if (IsComplex(shape_.element_type())) {
      shape_.set_element_type(Info(shape_.element_type()).component);
    }
  }

  Instruction* Run(absl::string_view program) {
    Instruction* last = nullptr;
    for (absl::string_view statement : absl::StrSplit(program, "; ")) {
      absl::string_view name;
      const size_t assignment = statement.find('=');
      if (assignment != absl::string_view::npos) {
        name = statement.substr(0, assignment);
        statement.remove_prefix(assignment + 1);
      } else {
        statement.remove_prefix(absl::string_view("return ").size());
      }
      last = Evaluate(absl::StrSplit(statement, ' '));
      if (!name.empty()) values_[name] = last;
      if (!op_.ok()) return nullptr;
    }
    return last;
  }

 private:
  // A number, or one that depends on the largest of the type: its half, its square root.
  double NumberOf(absl::string_view token) {
    double number = 0;
    const double largest = DecodeFloat(shape_.element_type(), MaxFinite(shape_.element_type()));
    if (token == "half_max") return largest / 2;
    if (token == "sqrt_max") return std::sqrt(largest);
    if (!absl::SimpleAtod(token, &number)) {
      op_.Fail(absl::StrCat("no value ", token), absl::StatusCode::kInternal);
    }
    return number;
  }

  // A value, or a number of the real type of the program.
  Instruction* ValueOf(absl::string_view token) {
    const auto found = values_.find(token);
    if (found != values_.end()) return found->second;
    const double number = NumberOf(token);
    const ElementType type = shape_.element_type();
    const Element element = {EncodeFloat(type, number), 0};
    return values_[token] = op_.Spread(op_.Constant(Literal::Scalar(type, element)), shape_);
  }

  Instruction* Evaluate(const std::vector<absl::string_view>& tokens) {
    const auto* row = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Word& word) { return word.word == tokens[0]; });
    if (row == std::end(kWords)) return ValueOf(tokens[0]);
    AttributeList attributes;
    size_t count = tokens.size();
    if (row->opcode == Opcode::kCompare) {
      const std::optional<int64_t> direction =
          EnumFromWord(WordsOf(AttrKind::kComparisonDirection), tokens[--count]);
      attributes.push_back({Attr::kDirection, direction.value_or(0)});
    }
    std::vector<Instruction*> operands;
    for (size_t i = 1; i < count; ++i) operands.push_back(ValueOf(tokens[i]));
    Shape shape = operands.back()->shape();
    switch (row->opcode) {
      case Opcode::kCompare:
      case Opcode::kIsFinite:
        shape.set_element_type(ElementType::kPred);
        break;
      case Opcode::kComplex:
        shape.set_element_type(shape.element_type() == ElementType::kF64 ? ElementType::kC128
                                                                         : ElementType::kC64);
        break;
      case Opcode::kAbs:
      case Opcode::kReal:
      case Opcode::kImag:
        shape.set_element_type(Info(shape.element_type()).component);
        break;
      default:
        break;
    }
    return op_.Make(row->opcode, std::move(shape), operands, std::move(attributes));
  }

  OpContext& op_;
  Shape shape_;  // of the numbers
  absl::flat_hash_map<absl::string_view, Instruction*> values_;
};

bool HasFormulaOfOwn(absl::string_view function) {
  static constexpr absl::string_view kOwn[] = {"chlo.acos",  "chlo.acosh", "chlo.asin",
                                               "chlo.asinh", "chlo.atanh", "chlo.square"};
  return std::find(std::begin(kOwn), std::end(kOwn), function) != std::end(kOwn);
}

const Expansion* Find(absl::string_view function, ElementType type) {
  for (const Expansion& expansion : kExpansions) {
    if (expansion.function != function) continue;
    const bool fits = expansion.type == "real"      ? IsFloat(type)
                      : expansion.type == "complex" ? type == ElementType::kC64
                                                    : Name(type) == expansion.type;
    if (fits) return &expansion;
  }
  return nullptr;
}

}  // namespace

bool HasExpansion(absl::string_view function, ElementType type) {
  if (function == "chlo.square" && IsComplex(type)) type = ElementType::kC64;
  return Find(function, IsFloat(type) && Info(type).bits < 32 ? ElementType::kF32 : type) !=
         nullptr;
}

Instruction* Expand(OpContext& op, absl::string_view function, Operands operands) {
  const ElementType type = operands[0]->shape().element_type();
  // Functions of narrow types are computed in f32 and rounded once, unless their formula is good
  // for every type.
  const bool narrow = IsFloat(type) && Info(type).bits < 32;
  std::vector<Instruction*> wide(operands.begin(), operands.end());
  if (narrow && !HasFormulaOfOwn(function)) {
    for (Instruction*& operand : wide) operand = op.Convert(operand, ElementType::kF32);
  }
  const bool square = function == "chlo.square" && IsComplex(type);
  const Expansion* expansion = Find(function, narrow   ? ElementType::kF32
                                              : square ? ElementType::kC64
                                                       : type);
  if (expansion == nullptr) {
    op.Refuse(absl::StrCat("is not understood of ", Name(type)));
    return nullptr;
  }
  Instruction* const value = ExpansionRun(op, wide).Run(expansion->program);
  return value == nullptr ? nullptr : op.Convert(value, type);
}

}  // namespace assay::stablehlo
