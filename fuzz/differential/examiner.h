// One program put to the oracles: the ways of the reference interpreter against one another, a
// target against it under the target's profile, executions of the target against one another, and
// metamorphic rewrites. What is found has a signature, by which findings of one cause are grouped.
// Tests: examiner_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_EXAMINER_H_
#define ASSAY_FUZZ_DIFFERENTIAL_EXAMINER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/illegal.h"
#include "fuzz/differential/joined_programs.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

enum class Outcome : uint8_t {
  kAgrees,        // every oracle is content
  kInconclusive,  // nothing is wrong, and of some elements the judge can say nothing
  kUnsupported,   // the target, or its profile, says that it does not run the program
  kOverBudget,    // of the reference interpreter, or of the judge
  kFinding
};
inline constexpr int kOutcomes = 5;
absl::string_view OutcomeName(Outcome outcome);

enum class FindingKind : uint8_t {
  kWrong,     // a value that no conforming target of the profile returns
  kCrash,     // the target ended, or answered nonsense
  kHang,      // the target did not answer in time
  kRefused,   // the target refuses a valid program
  kUnstable,  // the same program and values gave other bits
  kAccepted,  // the target runs an illegal program
  kReference  // the reference interpreter disagrees with itself, or refuses a valid program
};
absl::string_view FindingKindName(FindingKind kind);
std::optional<FindingKind> FindingKindFromName(absl::string_view name);

// Findings with the same signature have one cause, as far as can be told.
struct Signature {
  FindingKind kind = FindingKind::kWrong;
  std::string operation;  // "tanh f32", "negate+add f32": the first that shows it
  std::string error;      // "NaN instead of a number", or the message without its numbers
  std::string relation;   // the metamorphic rewrite that shows it; empty: the program itself does

  std::string Text() const;  // "wrong: tanh f32, NaN instead of a number"
  friend bool operator==(const Signature&, const Signature&) = default;
};

struct Examination {
  Outcome outcome = Outcome::kAgrees;
  Signature signature;  // of a finding
  std::string detail;   // for people
  std::vector<DeviceOutputs> golden;
  std::vector<DeviceOutputs> actual;  // empty: the target gave none
};

struct ExaminerOptions {
  RunBudget budget;       // of one golden evaluation, and of the judge
  bool ways = true;       // oracle 1; of each program the definitions, one other way in turn
  bool all_ways = false;  // every way
  bool repeat = true;     // oracle 4: a second execution, behind one with other values
  bool relations = true;  // oracle 3; of each program one rewrite in turn
  bool localize = true;   // ask for the instructions alone, to tell which is wrong
};

class Examiner {
 public:
  // The target may be null: then the reference interpreter is examined. The profile must outlive
  // the examiner.
  Examiner(Backend* target, const TargetProfile& profile, const ExaminerOptions& options)
      : target_(target), profile_(profile), options_(options) {}

  // `turn` says which of the ways and rewrites that take turns are asked.
  Examination Examine(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn);

  // The same of several programs that may be joined (joined_programs.h): the target is asked once
  // for all of them, without repetitions and rewrites. What fails is asked alone; what is wrong
  // only beside the others has the relation "joined".
  std::vector<Examination> ExamineJoined(absl::Span<const ProgramToJoin> programs, int64_t turn);

  // A program that is illegal (illegal.h): a target that is asked for such must refuse it.
  Examination ExamineIllegal(const IllegalProgram& program, absl::Span<const DeviceInputs> inputs);

  // Oracle 2 alone: for reductions, where a program is asked hundreds of times.
  Examination AskTarget(const Module& module, absl::Span<const DeviceInputs> inputs);

 private:
  bool ExamineReference(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn,
                        Examination* result);
  void RunTarget(const Module& module, absl::Span<const DeviceInputs> inputs, bool repeat,
                 Examination* result);
  void JudgeTarget(const Module& module, absl::Span<const DeviceInputs> inputs,
                   Examination* result);
  void ExamineRelation(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn,
                       Examination* result);
  void Localize(const Module& module, absl::Span<const DeviceInputs> inputs,
                const Judgement& judgement, Examination* result);
  void LocalizeFailure(const Module& module, absl::Span<const DeviceInputs> inputs,
                       Examination* result);

  Backend* const target_;
  const TargetProfile& profile_;
  const ExaminerOptions options_;
};

// A message without its numbers, paths and quotations: what messages of one cause have in common.
std::string WithoutNumbers(absl::string_view message);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_EXAMINER_H_
