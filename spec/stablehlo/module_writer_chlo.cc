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

// The largest elements of the last dimension are the first of a stable sort in falling order.
std::string TopKText(const Type& operand, absl::Span<const Type* const> results) {
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
      "    %p = stablehlo.compare GT, %a, %b, ", order, " : (", element, ", ", element,
      ") -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }) : (", input, ", ", positions,
      ") -> (", input, ", ", positions, ")\n", "  %v = stablehlo.slice %s#0 ", range, " : (", input,
      ") -> ", values, "\n", "  %n = stablehlo.slice %s#1 ", range, " : (", positions, ") -> ",
      indices, "\n  return %v, %n : ", values, ", ", indices, "\n}");
}

bool IsStatic(absl::Span<const Type* const> types) {
  for (const Type* type : types) {
    for (const int64_t size : type->dimensions) {
      if (size == kDynamic) return false;
    }
  }
  return true;
}

}  // namespace

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
  Fields fields = annotations;
  fields.insert(fields.end(), {{"composite_attributes", Dictionary(std::move(attributes))},
                               {"decomposition", Symbol(decomposition)},
                               {"name", String(name)},
                               {"version", Int(1, ElementType::kS32)}});
  return Emit("stablehlo.composite", operands, std::move(results), std::move(fields));
}

absl::string_view ModuleWriter::DecompositionOf(absl::string_view name, const Types& operands,
                                                const Types& results) {
  std::string text;
  if (name == "chlo.top_k") {
    text = TopKText(*operands[0], results);
  } else if (results.size() == 1) {
    text = FunctionText(name, operands, *results[0]);
  } else {
    return {};
  }
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
