// Operations that CHLO has and StableHLO has not: as they are, or as composites that name them and
// have beside them the program that computes the same with StableHLO's operations, which artifacts
// need. Tests: from_module_test.cc, conformance/corpus/stablehlo_round_trip_test.cc.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/element/element_type.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/to_module.h"

namespace assay::stablehlo {
namespace {

// What CHLO does not have but a decomposition computes: topk of the smallest elements.
constexpr absl::string_view kSmallest = "topk_smallest";

// "(T, U)"
std::string TypeList(absl::Span<const Type* const> types) {
  return absl::StrCat("(",
                      absl::StrJoin(types, ", ",
                                    [](std::string* out, const Type* type) {
                                      absl::StrAppend(out, PrintType(*type));
                                    }),
                      ")");
}

// The program of a function of elements: the operation itself, which its reader expands.
std::string FunctionText(absl::string_view name, absl::Span<const Type* const> operands,
                         const Type& result) {
  std::vector<std::string> parameters, values;
  for (size_t i = 0; i < operands.size(); ++i) {
    values.push_back(absl::StrCat("%a", i));
    parameters.push_back(absl::StrCat(values.back(), ": ", PrintType(*operands[i])));
  }
  const std::string type = PrintType(result);
  return absl::StrCat("func.func @main(", absl::StrJoin(parameters, ", "), ") -> ", type,
                      " {\n  %r = \"", name, "\"(", absl::StrJoin(values, ", "),
                      ") : ", TypeList(operands), " -> ", type, "\n  return %r : ", type, "\n}");
}

// The largest elements of the last dimension are the first of a stable sort in falling order, the
// smallest those of one in rising order (`before` is LT).
std::string TopKText(const Type& operand, absl::Span<const Type* const> results,
                     absl::string_view before) {
  const size_t last = operand.dimensions.size() - 1;
  const std::string input = PrintType(operand);
  Type positions_type = operand;
  positions_type.types = {results[1]->types[0]};
  const std::string positions = PrintType(positions_type);
  const std::string element = absl::StrCat("tensor<", PrintType(*operand.types[0]), ">");
  std::vector<std::string> ranges;
  for (const int64_t size : results[0]->dimensions) ranges.push_back(absl::StrCat("0:", size));
  const std::string range = absl::StrCat("[", absl::StrJoin(ranges, ", "), "]");
  const std::string values = PrintType(*results[0]), indices = PrintType(*results[1]);
  const ElementType type = operand.element_type();
  const absl::string_view order = IsFloat(type)                      ? "TOTALORDER"
                                  : IsUnsigned(type) || IsPred(type) ? "UNSIGNED"
                                                                     : "SIGNED";
  return absl::StrCat(
      "func.func @main(%x: ", input, ") -> (", values, ", ", indices, ") {\n",
      "  %i = stablehlo.iota dim = ", last, " : ", positions, "\n",
      "  %s:2 = \"stablehlo.sort\"(%x, %i) <{dimension = ", last, " : i64, is_stable = true}> ({\n",
      "  ^bb0(%a: ", element, ", %b: ", element, ", %c: tensor<i32>, %d: tensor<i32>):\n",
      "    %p = stablehlo.compare ", before, ", %a, %b, ", order, " : (", element, ", ", element,
      ") -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }) : (", input, ", ", positions,
      ") -> (", input, ", ", positions, ")\n", "  %v = stablehlo.slice %s#0 ", range, " : (", input,
      ") -> ", values, "\n", "  %n = stablehlo.slice %s#1 ", range, " : (", positions, ") -> ",
      indices, "\n  return %v, %n : ", values, ", ", indices, "\n}");
}

// The upper half of a product of up to 32 bits: that of the product in 64 bits.
std::string NarrowMulhiText(const Type& operand) {
  const ElementType element = operand.element_type();
  const std::string type = PrintType(operand);
  const std::string wide = TensorText(operand.dimensions, IsSigned(element) ? "i64" : "ui64");
  return absl::StrCat("func.func @main(%a: ", type, ", %b: ", type, ") -> ", type, " {\n",
                      "  %n = stablehlo.constant dense<", Info(element).bits, "> : ", wide, "\n",
                      "  %x = stablehlo.convert %a : (", type, ") -> ", wide, "\n",
                      "  %y = stablehlo.convert %b : (", type, ") -> ", wide, "\n",
                      "  %p = stablehlo.multiply %x, %y : ", wide, "\n",
                      "  %s = stablehlo.shift_right_", IsSigned(element) ? "arithmetic" : "logical",
                      " %p, %n : ", wide, "\n", "  %r = stablehlo.convert %s : (", wide, ") -> ",
                      type, "\n  return %r : ", type, "\n}");
}

// The upper half of a product of 64 bits, from products of halves. A negative factor counts as
// 2^64 more without its sign, which adds the other factor to the upper half.
std::string WideMulhiText(const Type& operand) {
  const bool is_signed = IsSigned(operand.element_type());
  const std::string type = PrintType(operand), bits = TensorText(operand.dimensions, "ui64");
  std::string text = absl::StrCat("func.func @main(%a: ", type, ", %b: ", type, ") -> ", type,
                                  " {\n  %m = stablehlo.constant dense<4294967295> : ", bits,
                                  "\n  %n = stablehlo.constant dense<32> : ", bits, "\n");
  const auto add = [&](absl::string_view result, absl::string_view operation,
                       absl::string_view operands, absl::string_view of) {
    absl::StrAppend(&text, "  ", result, " = stablehlo.", operation, " ", operands, " : ", of,
                    "\n");
  };
  const std::string to_bits = absl::StrCat("(", type, ") -> ", bits);
  add("%x", "bitcast_convert", "%a", to_bits);
  add("%y", "bitcast_convert", "%b", to_bits);
  add("%xl", "and", "%x, %m", bits);
  add("%xh", "shift_right_logical", "%x, %n", bits);
  add("%yl", "and", "%y, %m", bits);
  add("%yh", "shift_right_logical", "%y, %n", bits);
  add("%low", "multiply", "%xl, %yl", bits);
  add("%carry", "shift_right_logical", "%low, %n", bits);
  add("%left", "multiply", "%xh, %yl", bits);
  add("%u", "add", "%left, %carry", bits);
  add("%ul", "and", "%u, %m", bits);
  add("%uh", "shift_right_logical", "%u, %n", bits);
  add("%right", "multiply", "%xl, %yh", bits);
  add("%v", "add", "%right, %ul", bits);
  add("%vh", "shift_right_logical", "%v, %n", bits);
  add("%high", "multiply", "%xh, %yh", bits);
  add("%sum", "add", "%high, %uh", bits);
  add("%h", "add", "%sum, %vh", bits);
  add("%r", "bitcast_convert", "%h", absl::StrCat("(", bits, ") -> ", type));
  if (is_signed) {
    absl::StrAppend(&text, "  %k = stablehlo.constant dense<63> : ", type, "\n");
    add("%sa", "shift_right_arithmetic", "%a, %k", type);
    add("%sb", "shift_right_arithmetic", "%b, %k", type);
    add("%ca", "and", "%sa, %b", type);
    add("%cb", "and", "%sb, %a", type);
    add("%d", "subtract", "%r, %ca", type);
    add("%e", "subtract", "%d, %cb", type);
  }
  const absl::string_view result = is_signed ? "%e" : "%r";
  return absl::StrCat(text, "  return ", result, " : ", type, "\n}");
}

}  // namespace

std::string TensorText(absl::Span<const int64_t> sizes, absl::string_view element) {
  std::string text = "tensor<";
  for (const int64_t size : sizes) absl::StrAppend(&text, size, "x");
  return absl::StrCat(text, element, ">");
}

bool IsStatic(absl::Span<const Type* const> types) {
  for (const Type* type : types) {
    for (const int64_t size : type->dimensions) {
      if (size == kDynamic) return false;
    }
  }
  return true;
}

Operation* ModuleWriter::EmitChlo(absl::string_view name, const Values& operands, Types results,
                                  Fields attributes, const Fields& annotations) {
  Types operand_types;
  for (const Value* operand : operands) operand_types.push_back(operand->type());
  absl::string_view decomposition;
  // What a decomposition itself needs of CHLO has none.
  if (composites_ && !decomposing_ && IsStatic(operand_types) && IsStatic(results)) {
    decomposition = DecompositionOf(name, operand_types, results);
  }
  if (decomposition.empty()) {
    attributes.insert(attributes.end(), annotations.begin(), annotations.end());
    return Emit(name, operands, std::move(results), std::move(attributes));
  }
  return EmitComposite(name, decomposition, operands, std::move(results), std::move(attributes),
                       annotations);
}

Operation* ModuleWriter::EmitComposite(absl::string_view name, absl::string_view decomposition,
                                       const Values& operands, Types results, Fields attributes,
                                       Fields annotations, size_t regions) {
  annotations.insert(annotations.end(),
                     {{"composite_attributes", Dictionary(std::move(attributes))},
                      {"decomposition", Symbol(decomposition)},
                      {"name", String(name)},
                      {"version", Int(1, ElementType::kS32)}});
  return Emit("stablehlo.composite", operands, std::move(results), std::move(annotations), regions);
}

// CHLO has the largest elements only.
ModuleWriter::Node ModuleWriter::Smallest(const Instruction& instruction) {
  const Values operands = OperandValues(instruction);
  Types results;
  AppendTypes(instruction.shape(), &results);
  if (!IsStatic({operands[0]->type()}) || !IsStatic(results)) {
    return Refuse(instruction, "the smallest of a dynamic size are asked for");
  }
  const absl::string_view symbol = DecompositionOf(kSmallest, {operands[0]->type()}, results);
  if (!ok()) return {};
  if (symbol.empty()) return Refuse(instruction, "complex numbers have no order");
  Fields fields = {{"callee", Symbol(symbol)}};
  AddAnnotations(instruction, &fields);
  return AllOf(Emit("func.call", operands, results, std::move(fields)), instruction.shape());
}

absl::string_view ModuleWriter::DecompositionOf(absl::string_view name, const Types& operands,
                                                const Types& results) {
  std::string text;
  if (name == "chlo.top_k" || name == kSmallest) {
    if (IsComplex(operands[0]->element_type())) return {};
    text = TopKText(*operands[0], results, name == kSmallest ? "LT" : "GT");
  } else if (name == "chlo.mulhi") {
    text = Info(operands[0]->element_type()).bits <= 32 ? NarrowMulhiText(*operands[0])
                                                        : WideMulhiText(*operands[0]);
  } else if (results.size() == 1) {
    text = FunctionText(name, operands, *results[0]);
  } else {
    return {};
  }
  return FunctionOfText(name, text);
}

absl::string_view ModuleWriter::FunctionOfText(absl::string_view name, const std::string& text) {
  if (const auto known = decompositions_.find(text); known != decompositions_.end()) {
    return known->second;
  }
  ToModuleOptions options;
  options.expand_chlo = options.expand_all_chlo = true;
  absl::StatusOr<std::unique_ptr<Program>> program = ParseText(text, "decomposition");
  if (!program.ok()) {
    status_ = absl::InternalError(program.status().message());
    return {};
  }
  absl::StatusOr<ConvertedProgram> converted = ToModule(**program, options);
  if (!converted.ok()) {
    status_ = absl::InternalError(converted.status().message());
    return {};
  }
  Computation* entry = converted->module->entry();
  entry->set_name(absl::StrCat(name, ".impl"));
  decomposed_.push_back(std::move(converted->module));
  decomposing_ = true;
  const Location* outer = std::exchange(location_, nullptr);
  const absl::string_view symbol = FunctionOf(*entry, /*flat=*/true);
  location_ = outer;
  decomposing_ = false;
  return decompositions_[text] = symbol;
}

}  // namespace assay::stablehlo
