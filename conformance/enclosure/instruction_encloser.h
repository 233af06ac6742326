// Encloses one instruction: selects its rule, and joins the values that the profile permits around
// golden values and interval ends. Tests: enclosure_test.cc, containment_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_ENCLOSER_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_ENCLOSER_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/golden_instructions.h"
#include "conformance/enclosure/instruction_rules.h"
#include "conformance/enclosure/radii.h"
#include "conformance/enclosure/step_meter.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The facts about an instruction that do not depend on its operands.
struct PreparedInstruction {
  PreparedInstruction(const Instruction& of, const TargetProfile& profile,
                      GoldenInstructions* goldens);
  const Instruction& instruction;
  const InstructionRules rules;
  GoldenInstruction* const golden;
  // The instruction in f32, before the result is rounded, if it is a function of a narrow type;
  // otherwise null.
  std::unique_ptr<Module> module;
  std::unique_ptr<const PreparedInstruction> in_f32;
};

// Returns true for elementwise operations and moves, which return one array.
bool GivesOneArray(const Instruction& instruction);

// All arguments of the constructor must outlive the object. Operands are boxes by leaf, to which
// zeros are joined for denormals that may be flushed. Methods return UNIMPLEMENTED for dynamic
// sizes, and the errors of the interpreter and of the meter.
class InstructionEncloser {
 public:
  InstructionEncloser(const TargetProfile& profile, StepMeter* meter, GoldenInstructions* golden,
                      const RadiusFinder& radii)
      : profile_(profile), meter_(*meter), golden_(*golden), radii_(radii) {}

  // Returns boxes by leaf of the result.
  absl::StatusOr<std::vector<Box>> Results(const PreparedInstruction& prepared, Boxes boxes);
  // Encloses an instruction for which GivesOneArray is true.
  absl::Status OneResult(const PreparedInstruction& prepared, Boxes boxes, Box* result);

  // Encloses by the rules alone. The caller makes sure that the result is not unspecified and does
  // not overflow to NaN.
  absl::StatusOr<std::vector<Box>> ByRule(const PreparedInstruction& prepared, Boxes boxes);

 private:
  absl::Status OneByRule(const PreparedInstruction& prepared, Boxes boxes, Box* result);
  absl::Status Elementwise(const PreparedInstruction& prepared, Boxes operands, Box* box);
  absl::Status JoinNarrowFunction(const PreparedInstruction& prepared, Boxes operands, Box* box);
  absl::Status AtValues(const PreparedInstruction& prepared, Boxes operands, Box* box);
  absl::Status Move(const PreparedInstruction& prepared, Boxes operands, Box* box);
  absl::Status MoveSomewhere(const PreparedInstruction& prepared, Boxes operands, Box* box);
  absl::StatusOr<std::vector<Box>> OfPoints(const PreparedInstruction& prepared, Boxes operands);
  absl::Status WidenPoint(const Instruction& instruction, absl::Span<const Literal> operands,
                          const Reach& reach, Box* box) const;
  absl::StatusOr<std::vector<Box>> OfBoxes(const PreparedInstruction& prepared, Boxes operands);

  const TargetProfile& profile_;
  StepMeter& meter_;
  GoldenInstructions& golden_;
  const RadiusFinder& radii_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_ENCLOSER_H_
