// A reduction ends where no single simplification of an attribute shows the finding. The
// simplifications of this test are its own: each number of a padding, a window and a slice becomes
// plain, or nearer to it by one, and each flag is left out.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "conformance/mutants/mutant_backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/programs/grammar.h"
#include "fuzz/reduce/reduction.h"
#include "gtest/gtest.h"
#include "spec/builder/copy_module.h"
#include "spec/ops/shape_inference.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace fixpoint_test {
namespace {

using conformance::MutantBackend;
using Change = std::function<void(Instruction*)>;

// Adds what makes a number plain, or nearer to it by one.
void Nearer(int64_t now, int64_t plain, const std::function<Change(int64_t)>& with,
            std::vector<Change>* changes) {
  if (now == plain) return;
  changes->push_back(with(plain));
  const int64_t nearer = now < plain ? now + 1 : now - 1;
  if (nearer != plain) changes->push_back(with(nearer));
}

void OfPadding(const Instruction& op, std::vector<Change>* changes) {
  for (size_t d = 0; d < op.padding().dimensions.size(); ++d) {
    for (int64_t PaddingDimension::*const member :
         {&PaddingDimension::low, &PaddingDimension::high, &PaddingDimension::interior}) {
      const auto with = [d, member](int64_t number) -> Change {
        return [d, member, number](Instruction* copy) {
          PaddingConfig padding = copy->padding();
          padding.dimensions[d].*member = number;
          copy->SetAttribute(Attr::kPadding, padding);
        };
      };
      Nearer(op.padding().dimensions[d].*member, 0, with, changes);
    }
  }
}

void OfWindow(const Instruction& op, std::vector<Change>* changes) {
  struct Member {
    int64_t WindowDimension::*member;
    int64_t plain;
  };
  std::vector<Member> members = {{&WindowDimension::padding_low, 0},
                                 {&WindowDimension::padding_high, 0},
                                 {&WindowDimension::stride, 1},
                                 {&WindowDimension::window_dilation, 1},
                                 {&WindowDimension::base_dilation, 1}};
  if (op.opcode() != Opcode::kConvolution) members.push_back({&WindowDimension::size, 1});
  for (size_t d = 0; d < op.window().dimensions.size(); ++d) {
    for (const Member& each : members) {
      const auto with = [d, member = each.member](int64_t number) -> Change {
        return [d, member, number](Instruction* copy) {
          Window window = copy->window();
          window.dimensions[d].*member = number;
          copy->SetAttribute(Attr::kWindow, window);
        };
      };
      Nearer(op.window().dimensions[d].*each.member, each.plain, with, changes);
    }
    if (!op.window().dimensions[d].reversal) continue;
    changes->push_back([d](Instruction* copy) {
      Window window = copy->window();
      window.dimensions[d].reversal = false;
      copy->SetAttribute(Attr::kWindow, window);
    });
  }
}

void OfSlice(const Instruction& op, std::vector<Change>* changes) {
  for (size_t d = 0; d < op.slices().size(); ++d) {
    for (int64_t SliceRange::*const member : {&SliceRange::start, &SliceRange::stride}) {
      const auto with = [d, member](int64_t number) -> Change {
        return [d, member, number](Instruction* copy) {
          Slices slices = copy->slices();
          slices[d].*member = number;
          copy->SetAttribute(Attr::kSlice, slices);
        };
      };
      Nearer(op.slices()[d].*member, member == &SliceRange::stride ? 1 : 0, with, changes);
    }
  }
}

std::vector<Change> SingleChanges(const Instruction& op) {
  std::vector<Change> changes;
  if (op.opcode() == Opcode::kPad) OfPadding(op, &changes);
  if (op.opcode() == Opcode::kSlice) OfSlice(op, &changes);
  if (op.HasAttribute(Attr::kWindow)) OfWindow(op, &changes);
  for (const Attr attr : {Attr::kOperandPrecision, Attr::kAlgorithm, Attr::kResultAccuracy,
                          Attr::kUniqueIndices, Attr::kIndicesAreSorted, Attr::kIsStable}) {
    if (!op.HasAttribute(attr)) continue;
    changes.push_back([attr](Instruction* copy) { copy->EraseAttribute(attr); });
  }
  return changes;
}

// A copy of the module with one instruction changed, and the shapes that follow from it. Null if it
// is not valid.
std::unique_ptr<Module> Changed(const Module& module, const Instruction& chosen,
                                const Change& change) {
  auto copy = std::make_unique<Module>(module.name());
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  CalleeMap callees;
  bool found = false;
  for (const auto& computation : module.computations()) {
    std::unique_ptr<Computation> own = EmptyCopy(*computation);
    InstructionMap instructions;
    for (const auto& each : computation->instructions()) {
      std::unique_ptr<Instruction> other = CopyInstruction(*each, instructions, callees);
      if (each.get() == &chosen) change(other.get());
      found |= each.get() == &chosen;
      if (found && each->operand_count() > 0) {
        const absl::StatusOr<Shape> shape = InferShape(*other);
        if (!shape.ok()) return nullptr;
        other->set_shape(*shape);
      }
      instructions[each.get()] = own->Add(std::move(other));
    }
    own->set_root(instructions.at(computation->root()));
    callees[computation.get()] = copy->Add(std::move(own));
  }
  copy->set_entry(callees.at(module.entry()));
  return VerifyModule(*copy, {Rules::kStrict}).ok() ? std::move(copy) : nullptr;
}

std::string TypeOf(const Examination& found) {
  return found.signature.operation.substr(found.signature.operation.rfind(' ') + 1);
}

bool HasSameError(const Examination& found, const Examination& first) {
  return found.outcome == Outcome::kFinding && found.signature.kind == first.signature.kind &&
         found.signature.error == first.signature.error && TypeOf(found) == TypeOf(first);
}

constexpr const char* kMutants[] = {
    "pad/low_counted_twice",
    "pad/low_and_high_exchanged",
    "pad/with_zero",
    "pad/negative_low_is_zero",
    "pad/interior_before_the_element",
    "pad/interior_repeats_element",
    "pad/repeats_the_edge",
    "pad/interior_beside_negative_low",
    "pad/interior_and_negative_edge",
    "reduce-window/dilation_ignored",
    "reduce-window/base_dilation_filled",
    "reduce-window/low_padding_off_by_one",
    "reduce-window/padding_sides_exchanged",
    "reduce-window/window_one_short",
    "reduce-window/initial_value_skipped",
    "reduce-window/maximum_is_minimum",
    "reduce-window/padding_of_more_than_a_window",
    "reduce-window/stride_and_window_dilation",
    "reduce-window/negative_padding_and_base_dilation",
    "convolution/low_padding_off_by_one",
    "convolution/padding_sides_exchanged",
    "convolution/kernel_always_reversed",
    "convolution/reversal_ignored",
    "convolution/kernel_dilation_ignored",
    "convolution/input_dilation_off_by_one",
    "convolution/stride_from_the_end",
    "convolution/last_term_dropped",
    "convolution/negative_padding_and_stride",
    "convolution/stride_and_window_dilation",
    "convolution/reversal_with_dilation",
    "select-and-scatter/picks_last_of_equals",
    "select-and-scatter/selects_least",
    "select-and-scatter/overlaps_overwrite",
    "select-and-scatter/low_padding_off_by_one",
};

// Reduces the first finding of some programs of the operation, and expects that no change is left.
// Returns false if no program has one.
bool ReducesToTheEnd(const std::string& name, const conformance::TargetProfile& profile) {
  const absl::StatusOr<const conformance::Mutant*> mutant =
      conformance::FindMutant("mutant:" + name);
  EXPECT_TRUE(mutant.ok()) << mutant.status();
  if (!mutant.ok()) return false;
  MutantBackend target(**mutant);
  GrammarOptions options;
  options.operations = {name.substr(0, name.find('/')), "negate"};
  options.collectives = options.effects = false;
  const absl::StatusOr<Grammar> grammar = Grammar::Create(options);
  if (!grammar.ok()) return false;
  Examiner examiner(&target, profile, {});
  for (int64_t index = 0; index < 3000; ++index) {
    const FuzzProgram program = DecodeProgram(*grammar, RandomBytes(29, index, 3));
    const absl::StatusOr<std::vector<DeviceInputs>> inputs = MakeInputs(program);
    if (!inputs.ok() || examiner.AskTarget(*program.module, *inputs).outcome != Outcome::kFinding) {
      continue;
    }
    ReductionOptions reduction;
    reduction.target = &target;
    reduction.profile = &profile;
    reduction.limits = {.questions = 100000, .seconds = -1};
    const absl::StatusOr<Reduction> reduced = ReduceFinding(*program.module, *inputs, reduction);
    if (!reduced.ok()) continue;
    EXPECT_TRUE(reduced->reduced.complete);
    const Module& module = *reduced->reduced.module;
    for (const auto& computation : module.computations()) {
      for (const auto& each : computation->instructions()) {
        for (const Change& change : SingleChanges(*each)) {
          const std::unique_ptr<Module> simpler = Changed(module, *each, change);
          if (simpler == nullptr) continue;
          EXPECT_FALSE(
              HasSameError(examiner.AskTarget(*simpler, reduced->reduced.inputs), reduced->last))
              << name << ": of\n"
              << PrintModule(module) << "the simpler\n"
              << PrintModule(*simpler) << "shows the finding, too";
        }
      }
    }
    return true;
  }
  return false;
}

TEST(FixpointTest, NoSimplerAttributeShowsTheFinding) {
  const absl::StatusOr<conformance::TargetProfile> profile =
      conformance::TargetProfile::Find("golden");
  ASSERT_TRUE(profile.ok());
  int64_t reduced = 0;
  for (const char* const name : kMutants) {
    const bool found = ReducesToTheEnd(name, *profile);
    EXPECT_TRUE(found) << name << ": no program has a finding";
    reduced += found ? 1 : 0;
  }
  EXPECT_GE(reduced, 30);
}

}  // namespace
}  // namespace fixpoint_test
}  // namespace assay::fuzz
