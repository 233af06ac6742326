#include "tools/cli/graph.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/text/printer.h"

namespace assay::cli {
namespace {

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

absl::string_view FillColour(const Instruction& instruction) {
  switch (instruction.info().family) {
    case Family::kElementwise:
      return "#fff4cc";
    case Family::kContraction:
    case Family::kLinearAlgebra:
      return "#ffd6d6";
    case Family::kReduction:
      return "#e0d4f7";
    case Family::kControl:
      return "#e8e8e8";
    default:
      return "#d4e8f7";
  }
}

// The computations that an instruction calls, each with the attribute that names it.
std::vector<std::pair<std::string, const Computation*>> Callees(const Instruction& instruction) {
  std::vector<std::pair<std::string, const Computation*>> callees;
  for (const auto& [attr, value] : instruction.attributes().entries()) {
    const absl::string_view name = Info(attr).name;
    if (Computation* const* callee = std::get_if<Computation*>(&value)) {
      callees.emplace_back(name, *callee);
    } else if (const auto* list = std::get_if<std::vector<Computation*>>(&value)) {
      for (size_t i = 0; i < list->size(); ++i) {
        callees.emplace_back(absl::StrCat(name, "[", i, "]"), (*list)[i]);
      }
    }
  }
  return callees;
}

std::string Label(const Instruction& instruction) {
  std::string label = absl::StrCat(instruction.name(), "\n", instruction.info().name);
  if (instruction.opcode() == Opcode::kParameter) {
    absl::StrAppend(&label, "(", instruction.parameter_number(), ")");
  }
  const Literal* literal = instruction.literal();
  if (literal != nullptr && literal->is_array() && literal->element_count() == 1) {
    absl::StrAppend(&label, " ", PrintLiteral(*literal));
  }
  std::string shape = instruction.shape().ToString();
  constexpr size_t kLongest = 60;
  if (shape.size() > kLongest) shape = absl::StrCat(shape.substr(0, kLongest), "...");
  return absl::StrCat(label, "\n", shape);
}

}  // namespace

std::string GraphText(const Module& module) {
  absl::flat_hash_map<const Instruction*, int64_t> numbers;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      numbers.emplace(instruction.get(), static_cast<int64_t>(numbers.size()));
    }
  }
  std::string text = absl::StrCat("digraph \"", Escaped(module.name()),
                                  "\" {\n  node [shape=box, style=filled, fontname=Helvetica, "
                                  "fontsize=10];\n");
  std::string edges;
  int64_t cluster = 0;
  for (const auto& computation : module.computations()) {
    absl::StrAppend(&text, "  subgraph cluster_", cluster++, " {\n    label=\"",
                    computation.get() == module.entry() ? "ENTRY " : "",
                    Escaped(computation->name()), "\";\n");
    for (const auto& instruction : computation->instructions()) {
      const int64_t number = numbers[instruction.get()];
      absl::StrAppend(&text, "    n", number, " [label=\"", Escaped(Label(*instruction)),
                      "\", fillcolor=\"", FillColour(*instruction), "\"",
                      instruction.get() == computation->root() ? ", penwidth=2.5" : "", "];\n");
      for (const Instruction* operand : instruction->operands()) {
        absl::StrAppend(&edges, "  n", numbers[operand], " -> n", number, ";\n");
      }
      for (const auto& [attribute, callee] : Callees(*instruction)) {
        if (callee == nullptr || callee->root() == nullptr) continue;
        absl::StrAppend(&edges, "  n", numbers[callee->root()], " -> n", number, " [label=\"",
                        attribute, "\", style=dashed, color=gray, fontsize=9, arrowhead=open];\n");
      }
    }
    text += "  }\n";
  }
  return absl::StrCat(text, edges, "}\n");
}

}  // namespace assay::cli
