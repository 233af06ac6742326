// Writes modules as HLO text that this project and XLA read back. The form, the order of
// everything and the options are those of reference hlo_text_format.md section 9; the text of a
// printed module, read by XLA and printed by it, is what XLA prints for the original. Different
// from XLA, because its own form cannot be read back: negative zero is -0.0, f8e8m0fnu's 2^-127 is
// 5.8e-39, axis and thread names are escaped, callees always come before their callers, statistics
// stand once, and asynchronous wrappers are sugared only where the sugar means the same.
// Tests: printer_test.cc, printer_literal_test.cc, round_trip_test.cc, text_peer_test.py.
#ifndef ASSAY_SPEC_TEXT_PRINTER_H_
#define ASSAY_SPEC_TEXT_PRINTER_H_

#include <cstdint>
#include <string>

#include "spec/ir/module.h"

namespace assay {

// Names and defaults as in hlo_text_format.md 9.3.
struct PrintOptions {
  bool percent = true;
  bool program_shape = true;
  bool operand_shape = false;
  bool operand_names = true;
  int operand_index_interval = 5;  // 0: no /*index=N*/ in operand lists
  bool large_constants = false;
  enum class Subcomputations { kOff, kNames, kFullBodies, kNonSequentialBodies };
  Subcomputations subcomputations = Subcomputations::kNames;
  bool metadata = true;
  bool metadata_only_op_name = false;
  bool backend_config = true;
  bool sort_backend_config = false;
  bool control_dependencies = true;
  bool original_value = true;
  bool frontend_attributes = true;
  bool extra_attributes = true;
  bool layouts = true;
  bool result_shape = true;
  bool canonicalize_names = false;  // tmp_0, tmp_1, ...
  bool async_sugar = true;
  bool compact_operands = false;
  bool compact_gte = false;
  bool full_replica_group_list = false;
  bool ids = true;
  // Beyond XLA's: what it takes to read the very same module back.
  bool exact = false;
  // Bodies in place of names stop, in favour of names, when the text is this long: that of a module
  // whose every computation calls another one twice doubles with each level.
  int64_t max_inlined_bytes = int64_t{1} << 28;

  // Everything needed to rebuild the module exactly: names with %, constants in full, asynchronous
  // wrappers as computations of their own, computations and instructions in the order in which they
  // are stored (where operands and callees come first there), numbers in full, metadata without
  // exception.
  static PrintOptions Lossless();
  // XLA's default form with constants in full: for files that another implementation reads.
  static PrintOptions Complete();
  // XLA's presets.
  static PrintOptions Default() { return {}; }
  static PrintOptions ShortParsable();
  static PrintOptions Canonical();
};

std::string PrintModule(const Module& module, const PrintOptions& options = {});
std::string PrintComputation(const Computation& computation, const PrintOptions& options = {});
// One line, without indentation.
std::string PrintInstruction(const Instruction& instruction, const PrintOptions& options = {});
std::string PrintSharding(const Sharding& sharding, bool with_metadata = true);
std::string PrintReplicaGroups(const ReplicaGroups& groups, bool expand_to_list = false);
// The elements as inside constant(...), never elided.
std::string PrintLiteral(const Literal& literal);
// With shapes in front, as in `literal=`.
std::string PrintTypedLiteral(const Literal& literal);
// One element as text: digits, nan and inf by hlo_text_format.md 5.4, negative zero as -0.0.
std::string PrintElement(ElementType type, Element element);
// A quoted string with its escapes.
std::string QuoteString(absl::string_view text);

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_PRINTER_H_
