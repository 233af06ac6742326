// Encloses one instruction whose operands or results may have excess precision in f32
// (excess_precision.h). Tests: excess_precision_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_EXCESS_PRECISION_ENCLOSER_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_EXCESS_PRECISION_ENCLOSER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/instruction_encloser.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The f32 form of an instruction, prepared when it is first enclosed.
struct F32Instruction {
  std::unique_ptr<Module> module;
  std::unique_ptr<const PreparedInstruction> prepared;
};

// All arguments of the constructor must outlive the object.
class ExcessPrecisionEncloser {
 public:
  ExcessPrecisionEncloser(const TargetProfile& profile, InstructionEncloser* encloser,
                          GoldenInstructions* golden, const RadiusFinder& radii)
      : profile_(profile), encloser_(*encloser), golden_(*golden), radii_(radii) {}

  // Encloses the f32 form of the instruction if it has one, otherwise the instruction itself on
  // values of its types. Operands and results are boxes by leaf; boxes of narrow types are in f32.
  absl::StatusOr<std::vector<Box>> Results(const PreparedInstruction& prepared,
                                           F32Instruction* form, BoxPointers leaves);

 private:
  const PreparedInstruction& FormOf(const Instruction& instruction, F32Instruction* form);
  absl::StatusOr<std::vector<Box>> SumsInF32(const Instruction& instruction,
                                             const PreparedInstruction& prepared, Boxes operands);
  void Narrow(const PreparedInstruction& prepared, const Shape& shape, Boxes operands,
              Box* box) const;

  const TargetProfile& profile_;
  InstructionEncloser& encloser_;
  GoldenInstructions& golden_;
  const RadiusFinder& radii_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_EXCESS_PRECISION_ENCLOSER_H_
