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

namespace assay {

// The facts about an instruction that do not depend on its operands.
struct PreparedInstruction {
  PreparedInstruction(const Instruction& of, const TargetProfile& profile,
                      GoldenInstructions* goldens);
  const Instruction& instruction;
  const InstructionRules rules;
  GoldenInstruction* const golden;
  // A function of a narrow type in f32, before it is rounded. Null if the instruction is not such a
  // function.
  std::unique_ptr<Module> module;
  std::unique_ptr<const PreparedInstruction> in_f32;
};

// Elementwise operations and moves: they return one array.
bool GivesOneArray(const Instruction& instruction);

// What it is given must outlive it. Operands are boxes by leaf, denormals that may be flushed taken
// in. UNIMPLEMENTED for dynamic sizes, errors of golden and of the meter.
class InstructionEncloser {
 public:
  InstructionEncloser(const TargetProfile& profile, StepMeter* meter, GoldenInstructions* golden,
                      const RadiusFinder& radii)
      : profile_(profile), meter_(*meter), golden_(*golden), radii_(radii) {}

  // Returns boxes by leaf of the result.
  absl::StatusOr<std::vector<Box>> Results(const PreparedInstruction& prepared, Boxes boxes);
  // The same of what GivesOneArray.
  absl::Status OneResult(const PreparedInstruction& prepared, Boxes boxes, Box* result);

  // By the rules alone: nothing that the instruction may do is unspecified, and no result
  // overflows to a NaN.
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

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_ENCLOSER_H_
