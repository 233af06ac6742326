// Mutants: implementations that are the golden one but for one operation, wrong as real
// ones are, by which the suite itself is examined; and conforming variants, legal under a profile,
// which it must not accuse. A defect changes modules before the golden interpreter runs them
// (site.h): the golden code knows nothing of it. Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_MUTANT_H_
#define ASSAY_CONFORMANCE_MUTANTS_MUTANT_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/corpus/tiers.h"
#include "conformance/mutants/site.h"
#include "spec/op_info.h"

namespace assay::conformance {

// What an execution leaves behind for the next one of the same compiled module.
enum class StateDefect : uint8_t {
  kNone,
  kFirstResultKept,     // every execution gives the result of the first
  kAccumulatorKept,     // results are added to those of the execution before
  kArgumentOverwritten  // the first argument of the result's shape becomes the result
};

struct Mutant {
  std::string name;             // "pad/low_counted_twice": operation/defect
  std::vector<Opcode> opcodes;  // whose row it replaces
  std::string description;      // as a bug tracker has it
  Defect defect;
  // Of a conforming variant: the profile under which nothing may be wrong. Empty: a defect.
  std::string profile = {};
  // Instead of `defect`, which is empty: of modules that have one of the opcodes.
  StateDefect state = StateDefect::kNone;
  // The smallest tier of the corpus whose cases must find the defect.
  Tier tier = Tier::kQuick;

  bool conforming() const { return !profile.empty(); }
  // How targets are called: "mutant:pad/low_counted_twice", "conforming:dot/reversed_sum".
  std::string target() const;
};

// The rows of several tables, one after the other.
std::vector<Mutant> Joined(std::initializer_list<std::vector<Mutant> (*)()> tables);

// The rows, of which those with these names show in cases of the standard tier alone.
std::vector<Mutant> InStandardTier(std::vector<Mutant> rows,
                                   std::initializer_list<absl::string_view> names);

// All of them, sorted by name; defects and conforming variants.
const std::vector<Mutant>& Mutants();

// By the name of a target, "mutant:NAME" or "conforming:NAME". NOT_FOUND says where names are
// listed.
absl::StatusOr<const Mutant*> FindMutant(absl::string_view target);

// The rows of a family, in its file (*_mutants.cc); conforming variants stand in
// conforming_variants.cc.
std::vector<Mutant> ArithmeticMutants();
std::vector<Mutant> IntegerMutants();
std::vector<Mutant> FunctionMutants();
std::vector<Mutant> ConversionMutants();
std::vector<Mutant> ComparisonMutants();
std::vector<Mutant> MovementMutants();
std::vector<Mutant> IndexingMutants();
std::vector<Mutant> ReductionMutants();
std::vector<Mutant> OrderMutants();
std::vector<Mutant> ContractionMutants();
std::vector<Mutant> LinearAlgebraMutants();
std::vector<Mutant> RandomMutants();
std::vector<Mutant> ControlMutants();
std::vector<Mutant> CollectiveMutants();
std::vector<Mutant> FeedMutants();
std::vector<Mutant> SizeMutants();
std::vector<Mutant> StateMutants();
std::vector<Mutant> ThresholdMutants();
std::vector<Mutant> CombinationMutants();
std::vector<Mutant> RangeMutants();
std::vector<Mutant> NarrowMutants();
std::vector<Mutant> TypedMutants();
std::vector<Mutant> GeometryMutants();
std::vector<Mutant> PackedMutants();
std::vector<Mutant> UnitMutants();
std::vector<Mutant> ListMutants();
// Rewrites of programs, in *_rewrites.cc. Each shows in no instruction alone.
std::vector<Mutant> PredicateRewrites();
std::vector<Mutant> AlgebraRewrites();
std::vector<Mutant> MovementRewrites();
std::vector<Mutant> FoldRewrites();
std::vector<Mutant> LoopRewrites();
std::vector<Mutant> ExchangeRewrites();
std::vector<Mutant> CompilerRewrites();
std::vector<Mutant> LegalRewrites();
std::vector<Mutant> ConformingVariants();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_MUTANT_H_
