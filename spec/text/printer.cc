// The presets of the printer and its entry points. Tests: printer_test.cc, round_trip_test.cc.
#include "spec/text/printer.h"

#include "spec/text/printer_body.h"
#include "spec/text/printer_header.h"
#include "spec/text/printer_order.h"
#include "spec/text/printer_values.h"

namespace assay {

PrintOptions PrintOptions::Lossless() {
  PrintOptions options;
  options.large_constants = true;
  options.async_sugar = false;
  options.exact = true;
  return options;
}

PrintOptions PrintOptions::Complete() {
  PrintOptions options;
  options.large_constants = true;
  return options;
}

PrintOptions PrintOptions::ShortParsable() {
  PrintOptions options;
  options.percent = false;
  options.program_shape = false;
  options.operand_index_interval = 0;
  options.large_constants = true;
  options.metadata = false;
  options.control_dependencies = false;
  return options;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions options;
  options.percent = false;
  options.program_shape = false;
  options.operand_shape = true;
  options.operand_names = false;
  options.operand_index_interval = 0;
  options.subcomputations = Subcomputations::kFullBodies;
  options.metadata = false;
  options.backend_config = false;
  options.control_dependencies = false;
  options.canonicalize_names = true;
  return options;
}

std::string PrintModule(const Module& module, const PrintOptions& options) {
  std::string text;
  printing::AppendHeader(module, options, &text);
  printing::BodyPrinter body(options, &text);
  absl::flat_hash_set<const Computation*> hidden;
  if (options.async_sugar) hidden = body.sugar().HiddenWrappers(module);
  const Computation* entry = module.entry();
  for (const Computation* computation : printing::ComputationOrder(module, options.exact)) {
    if (hidden.contains(computation)) continue;
    if (computation == entry) text.append("ENTRY ");
    body.Computation(*computation);
    text.append("\n\n");
  }
  return text;
}

std::string PrintComputation(const Computation& computation, const PrintOptions& options) {
  std::string text;
  printing::BodyPrinter(options, &text).Computation(computation);
  return text;
}

std::string PrintInstruction(const Instruction& instruction, const PrintOptions& options) {
  std::string text;
  printing::BodyPrinter(options, &text).Instruction(instruction);
  return text;
}

std::string PrintSharding(const Sharding& sharding, bool with_metadata) {
  std::string text;
  printing::AppendSharding(sharding, with_metadata, &text);
  return text;
}

std::string PrintReplicaGroups(const ReplicaGroups& groups, bool expand_to_list) {
  std::string text;
  printing::AppendReplicaGroups(groups, expand_to_list, &text);
  return text;
}

std::string PrintLiteral(const Literal& literal) {
  std::string text;
  printing::AppendLiteral(literal, &text);
  return text;
}

std::string PrintTypedLiteral(const Literal& literal) {
  std::string text;
  printing::AppendTypedLiteral(literal, &text);
  return text;
}

std::string PrintElement(ElementType type, Element element) {
  std::string text;
  printing::AppendElement(type, element, &text);
  return text;
}

std::string QuoteString(absl::string_view text) {
  std::string quoted;
  printing::AppendQuoted(text, &quoted);
  return quoted;
}

}  // namespace assay
