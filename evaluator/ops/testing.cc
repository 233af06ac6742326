#include "evaluator/ops/testing.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/ops/op_case_text.h"
#include "evaluator/scalar/scalar_ops.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

[[noreturn]] void BadCase(const std::string& name, const absl::Status& status) {
  std::fprintf(stderr, "case %s: %s\n", name.c_str(), status.ToString().c_str());
  std::abort();
}

template <typename T>
T ValueOrDie(const std::string& name, absl::StatusOr<T> value) {
  if (!value.ok()) BadCase(name, value.status());
  return *std::move(value);
}

// Elements as text in a shape.
Literal ReadElements(const std::string& name, const std::string& text, const Shape& shape) {
  int64_t first = 0;
  const bool sequence = text.size() > 2 && text.substr(text.size() - 2) == ".." &&
                        absl::SimpleAtoi(text.substr(0, text.size() - 2), &first);
  if (!sequence) return ValueOrDie(name, ParseLiteral(text, shape));
  Literal literal = Literal::Zeros(shape);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    literal.Set(i, Convert(ElementType::kS64, Element{static_cast<uint64_t>(first + i)},
                           shape.element_type()));
  }
  return literal;
}

// The pattern that stands for element number `id` of a movement: different ids have different
// patterns where the width allows; odd ids are NaNs with a payload in most float types.
uint64_t PatternOf(int bits, uint64_t id) {
  if (bits == 1) return (id ^ (id >> 1) ^ (id >> 2)) & 1;
  const uint64_t pattern = id % 2 == 1 ? ~id : id;
  return bits == 64 ? pattern : pattern & ((uint64_t{1} << bits) - 1);
}

Literal ReadMoved(const std::string& name, const std::string& text, const Shape& marked,
                  ElementType type) {
  const Literal ids = ReadElements(name, text, Shape(ElementType::kS32, marked.dimensions()));
  Literal literal = Literal::Zeros(Shape(type, marked.dimensions()));
  const int bits = Info(Info(type).component).bits;
  for (int64_t i = 0; i < ids.element_count(); ++i) {
    const uint64_t id = ids.Get(i).bits;
    literal.Set(i, {PatternOf(bits, id), IsComplex(type) ? PatternOf(bits, id + 7) : 0});
  }
  return literal;
}

// The marker of moved values while the shapes of a case are read; no case names it otherwise.
constexpr ElementType kMoved = ElementType::kC128;

OpCase Instantiate(const CaseText& text, const Module& marked, ElementType type) {
  const bool moves = type != ElementType::kInvalid;
  const std::string type_name(moves ? Name(type) : absl::string_view());
  OpCase result{text.name, absl::StrReplaceAll(text.hlo, {{"$T", type_name}}), {}, {}};
  auto read = [&](const std::string& elements, const Shape& shape) {
    return moves && shape.element_type() == kMoved ? ReadMoved(text.name, elements, shape, type)
                                                   : ReadElements(text.name, elements, shape);
  };
  const ProgramShape program = marked.entry()->program_shape();
  const std::vector<const Shape*> leaves = Leaves(program.result);
  if (program.parameters.size() != text.inputs.size() || leaves.size() != text.expected.size()) {
    BadCase(text.name, absl::InvalidArgumentError("wrong number of inputs or results"));
  }
  for (size_t k = 0; k < text.inputs.size(); ++k) {
    result.inputs.push_back(read(text.inputs[k], program.parameters[k]));
  }
  for (size_t k = 0; k < leaves.size(); ++k) {
    result.expected.push_back(read(text.expected[k], *leaves[k]));
  }
  return result;
}

std::string Hex(Element element) {
  return absl::StrCat(absl::Hex(element.bits), ":", absl::Hex(element.imag));
}

absl::Status CompareLeaves(const OpCase& op_case, const std::vector<Literal>& actual) {
  if (actual.size() != op_case.expected.size()) {
    return absl::InternalError(absl::StrCat(op_case.name, ": ", actual.size(), " results"));
  }
  for (size_t leaf = 0; leaf < actual.size(); ++leaf) {
    const Literal& want = op_case.expected[leaf];
    const Literal& got = actual[leaf];
    if (!Shape::Compatible(want.shape(), got.shape())) {
      return absl::InternalError(absl::StrCat(op_case.name, ": result ", leaf, " is ",
                                              got.shape().ToString(), ", not ",
                                              want.shape().ToString()));
    }
    for (int64_t i = 0; i < want.element_count(); ++i) {
      if (want.Get(i) == got.Get(i)) continue;
      return absl::InternalError(
          absl::StrCat(op_case.name, ": result ", leaf, " ", want.shape().ToString(), " element ",
                       i, ": ", Hex(got.Get(i)), ", not ", Hex(want.Get(i)), "\n", op_case.hlo));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> RunInstruction(const Instruction& instruction,
                                                    const std::vector<Literal>& operands,
                                                    const PrepareFunction& prepare,
                                                    EvaluationContext& context) {
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = prepare(instruction);
  if (!kernel.ok()) return kernel.status();
  std::vector<ArrayRef> inputs, zero_inputs;
  std::vector<Literal> zeros;
  for (const Literal& operand : operands) zeros.push_back(Literal::Zeros(operand.shape()));
  for (size_t k = 0; k < operands.size(); ++k) {
    inputs.push_back({&operands[k].shape(), operands[k].data()});
    zero_inputs.push_back({&operands[k].shape(), zeros[k].data()});
  }
  std::vector<Literal> results;
  std::vector<MutableArrayRef> outputs;
  const std::vector<const Shape*> leaves = Leaves(instruction.shape());
  for (const Shape* leaf : leaves) results.push_back(Literal::Zeros(*leaf));
  for (size_t k = 0; k < leaves.size(); ++k) {
    outputs.push_back({leaves[k], results[k].mutable_data()});
  }
  // A kernel runs many times: what it may have kept of the first run must not show in the second.
  for (const auto& run : {zero_inputs, inputs}) {
    for (Literal& result : results) {
      if (result.byte_size() > 0) std::memset(result.mutable_data(), 0xA5, result.byte_size());
    }
    if (absl::Status status = (*kernel)->Run(run, outputs, context); !status.ok()) return status;
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> RunComputation(const Computation& computation,
                                                    absl::Span<const Literal> inputs,
                                                    const PrepareFunction& prepare,
                                                    EvaluationContext& context) {
  std::vector<std::vector<Literal>> values(computation.instruction_count());
  for (int64_t i = 0; i < computation.instruction_count(); ++i) {
    const Instruction& instruction = *computation.instruction(i);
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands()) {
      const std::vector<Literal>& leaves = values[operand->index()];
      operands.insert(operands.end(), leaves.begin(), leaves.end());
    }
    if (instruction.opcode() == Opcode::kParameter) {
      values[i] = Flatten(inputs[instruction.parameter_number()]);
    } else if (instruction.opcode() == Opcode::kTuple) {
      values[i] = std::move(operands);
    } else if (instruction.opcode() == Opcode::kGetTupleElement) {
      values[i] = {operands[instruction.GetInt(Attr::kIndex)]};
    } else {
      absl::StatusOr<std::vector<Literal>> results =
          RunInstruction(instruction, operands, prepare, context);
      if (!results.ok()) return results.status();
      values[i] = *std::move(results);
    }
  }
  return values[computation.root()->index()];
}

}  // namespace

void AppendCase(const CaseText& text, std::vector<OpCase>& cases) {
  const bool moves = text.hlo.find("$T") != std::string::npos;
  const std::string marked_hlo = absl::StrReplaceAll(text.hlo, {{"$T", std::string(Name(kMoved))}});
  const std::unique_ptr<Module> marked = ValueOrDie(text.name, ParseModule(marked_hlo));
  if (!moves) {
    cases.push_back(Instantiate(text, *marked, ElementType::kInvalid));
    cases.back().hlo = text.hlo;
    return;
  }
  for (ElementType type : kArrayTypes) {
    cases.push_back(Instantiate(text, *marked, type));
    absl::StrAppend(&cases.back().name, " ", Name(type));
  }
}

std::string BinaryBody(const std::string& type, const std::string& op) {
  return absl::StrReplaceAll(
      "{ a = $T[] parameter(0) b = $T[] parameter(1) ROOT r = $T[] $op(a, b) }",
      {{"$T", type}, {"$op", op}});
}

std::vector<OpCase> AllOpCases() {
  std::vector<OpCase> cases;
  for (const auto& family : {ElementwiseCases(), MovementCases(), IndexingCases(), ReductionCases(),
                             ContractionCases(), DotFamilyCases(), LinearAlgebraCases()}) {
    for (const CaseText& text : family) AppendCase(text, cases);
  }
  AppendTypeCases(cases);
  AppendRandomCases(cases);
  return cases;
}

absl::StatusOr<Literal> StraightCaller::Call(const Computation& computation,
                                             absl::Span<const Literal> arguments) {
  absl::StatusOr<std::vector<Literal>> leaves =
      RunComputation(computation, arguments, prepare_, context_);
  if (!leaves.ok()) return leaves.status();
  return Unflatten(computation.root()->shape(), *leaves);
}

absl::StatusOr<std::vector<Literal>> RunStraightLine(const Module& module,
                                                     absl::Span<const Literal> inputs,
                                                     const PrepareFunction& prepare,
                                                     EvaluationContext& context) {
  StraightCaller caller(prepare, context);
  context.caller = &caller;
  absl::StatusOr<std::vector<Literal>> results =
      RunComputation(*module.entry(), inputs, prepare, context);
  context.caller = nullptr;
  return results;
}

absl::Status RunOpCase(const OpCase& op_case, const PrepareFunction& prepare) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(op_case.hlo);
  absl::Status status = module.status();
  if (status.ok()) status = CheckModuleShapes(**module);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(op_case.name, ": ", status.message()));
  }
  EvaluationContext context;
  absl::StatusOr<std::vector<Literal>> actual =
      RunStraightLine(**module, op_case.inputs, prepare, context);
  if (!actual.ok()) {
    return absl::Status(actual.status().code(),
                        absl::StrCat(op_case.name, ": ", actual.status().message()));
  }
  return CompareLeaves(op_case, *actual);
}

}  // namespace assay
