// Writes computations and instructions (hlo_text_format.md 9.1, 9.2), driven by the attribute
// schemas of the catalogue. Private to the printer. Tests: printer_test.cc.
#ifndef ASSAY_SPEC_TEXT_PRINTER_BODY_H_
#define ASSAY_SPEC_TEXT_PRINTER_BODY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"
#include "spec/text/printer_async.h"

namespace assay::printing {

class BodyPrinter {
 public:
  // Appends to `out`; both must outlive the printer.
  BodyPrinter(const PrintOptions& options, std::string* out) : options_(options), out_(out) {}

  // "%name (signature) -> shape {", the instructions, "}".
  void Computation(const assay::Computation& computation);
  // One line without indentation, not in a body: canonical names are left out.
  void Instruction(const assay::Instruction& instruction);

  // A shape, with layouts if they are wanted.
  void Shape(const assay::Shape& shape, bool with_layout);
  AsyncSugar& sugar() { return sugar_; }

 private:
  // Canonical numbers of the instructions of one body, by first appearance.
  struct CanonicalNames {
    std::vector<int64_t> numbers;  // -1: none yet
    int64_t next = 0;
  };

  void Body(const assay::Computation& computation, int indent);
  void Line(const assay::Instruction& instruction, CanonicalNames* names, int indent);
  void Signature(const assay::Computation& computation);
  void Name(absl::string_view name);
  void CanonicalName(const assay::Instruction& instruction, CanonicalNames* names);
  void Operands(const assay::Instruction& instruction, CanonicalNames* names);
  void Operand(const assay::Instruction& operand, CanonicalNames* names);
  void Constant(const assay::Instruction& instruction);

  // ", name="
  void Key(absl::string_view name);
  void OwnAttributes(const assay::Instruction& instruction, int indent);
  void OwnAttribute(const assay::Instruction& instruction, const AttributeUse& use, int indent);
  void SugaredStart(const assay::Instruction& start, const assay::Instruction& wrapped, int indent);
  void Value(const AttributeUse& use, const AttributeValue& value);
  void DefaultValue(const assay::Instruction& instruction, const AttributeUse& use);
  void Callees(const assay::Instruction& instruction, const AttributeUse& use,
               const AttributeValue& value, int indent);
  bool WantsBodies(const assay::Instruction& instruction) const;
  void CommonAttributes(const assay::Instruction& instruction, const assay::Instruction* wrapped);
  void MetadataAttribute(const Metadata& metadata);
  void BackendConfig(const std::string& config);

  const PrintOptions& options_;
  std::string* out_;
  AsyncSugar sugar_;
  int inlined_ = 0;  // bodies inside bodies, now
};

}  // namespace assay::printing

#endif  // ASSAY_SPEC_TEXT_PRINTER_BODY_H_
