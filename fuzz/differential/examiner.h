// Tests one program with four oracles: (1) the evaluation paths of the reference interpreter agree,
// (2) a target agrees with it under the target's profile, (3) metamorphic rewrites give the same
// results, (4) repeated executions of the target agree, one after the other and, if the target
// declares it, at the same time. A finding has a signature, by which
// findings with the same cause are grouped. Tests: examiner_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_EXAMINER_H_
#define ASSAY_FUZZ_DIFFERENTIAL_EXAMINER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/illegal.h"
#include "fuzz/differential/joined_programs.h"
#include "fuzz/differential/refused_features.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

enum class Outcome : uint8_t {
  kAgrees,        // every oracle passes
  kInconclusive,  // nothing is wrong, but some elements are inconclusive
  kUnsupported,   // the target or its profile does not support the program
  kOverBudget,    // the program exceeds the budget of the reference interpreter or of the judge
  kFinding
};
inline constexpr int kOutcomes = 5;
absl::string_view OutcomeName(Outcome outcome);

enum class FindingKind : uint8_t {
  kWrong,     // the target returned a value that the profile does not permit
  kCrash,     // the target crashed or sent an invalid response
  kHang,      // the target did not respond in time
  kRefused,   // the target rejects a valid program
  kUnstable,  // the same program and values gave different bits
  kLeak,      // one execution changes the result of another; alone, executions agree
  kAccepted,  // the target runs an illegal program
  kReference  // the reference interpreter disagrees with itself or rejects a valid program
};
absl::string_view FindingKindName(FindingKind kind);
std::optional<FindingKind> FindingKindFromName(absl::string_view name);

// The operation in the signature of a target that fails at a module which returns its parameter.
inline constexpr absl::string_view kEveryProgram = "every program";

// Findings with the same signature are assumed to have the same cause.
struct Signature {
  FindingKind kind = FindingKind::kWrong;
  std::string operation;  // the first operation that shows the error: "tanh f32", "negate+add f32"
  std::string error;      // "NaN instead of a number", or the message without its numbers
  // the metamorphic rewrite that shows the error; empty if the program itself does
  std::string relation;

  std::string Text() const;  // "wrong: tanh f32, NaN instead of a number"
  friend bool operator==(const Signature&, const Signature&) = default;
};

struct Examination {
  Outcome outcome = Outcome::kAgrees;
  Signature signature;  // set for a finding
  std::string detail;   // for people
  std::vector<DeviceOutputs> golden;
  std::vector<DeviceOutputs> actual;  // empty if the target returned none
  absl::string_view relation;         // the rewrite that was examined; empty if none applies
};

struct ExaminerOptions {
  RunBudget budget;  // the budget of one golden evaluation and of the judge
  bool ways = true;  // oracle 1, for each program: the definitions and, in turn, one other path
  bool all_ways = false;  // all paths
  bool repeat = true;     // oracle 4: further executions, with other values too
  bool relations = true;  // oracle 3, for each program: one rewrite, in turn
  bool localize = true;   // runs the instructions alone to find the wrong one
};

class Examiner {
 public:
  // If `target` is null only the reference interpreter is examined. The profile must outlive the
  // examiner.
  Examiner(Backend* target, const conformance::TargetProfile& profile,
           const ExaminerOptions& options)
      : target_(target), profile_(profile), options_(options) {}

  // Examines a program. `turn` selects the path and the rewrite.
  Examination Examine(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn);

  // Examines several programs that may be joined (joined_programs.h). The target runs all of them
  // once, without repetitions and rewrites. Where it fails, each half is run, and so on. A program
  // that fails or is wrong is run again alone; what is wrong only together with others is a finding
  // with the relation "joined". Programs with a feature that the target has refused so far are run
  // alone at once.
  std::vector<Examination> ExamineJoined(absl::Span<const ProgramToJoin> programs, int64_t turn);

  // Examines an illegal program (illegal.h), which the target must reject.
  Examination ExamineIllegal(const IllegalProgram& program);

  // Applies only oracle 2, for reductions, which run a program hundreds of times.
  Examination AskTarget(const Module& module, absl::Span<const DeviceInputs> inputs);

 private:
  // Runs the programs of these numbers in one module.
  void AskJoined(absl::Span<const ProgramToJoin> programs, absl::Span<const size_t> which,
                 std::vector<Examination>* results);
  // Runs them in one module; false if the target fails at it.
  bool RunJoined(absl::Span<const ProgramToJoin> programs, absl::Span<const size_t> which,
                 std::vector<Examination>* results, absl::Status* failure);
  void AskAlone(const ProgramToJoin& program, Examination* result);
  bool ExamineReference(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn,
                        Examination* result);
  void RunTarget(const Module& module, absl::Span<const DeviceInputs> inputs, bool repeat,
                 Examination* result);
  // Oracle 4. The executions of a run are those of RunTarget; the second is `result->actual`.
  void CompareExecutions(const Module& module, absl::Span<const DeviceInputs> inputs,
                         const ModuleRun& run, Examination* result);
  // Replaces the finding if the target gives other bits for the module alone, which are not wrong.
  void CompareWithAlone(const Module& module, absl::Span<const DeviceInputs> inputs,
                        Examination* result);
  // Returns true if executions of newly compiled modules give the same bits as `expected`.
  bool RepeatsAlone(const Module& module, absl::Span<const DeviceInputs> inputs,
                    absl::Span<const DeviceOutputs> expected);
  void JudgeTarget(const Module& module, absl::Span<const DeviceInputs> inputs, bool localize,
                   Examination* result);
  void ExamineRelation(const Module& module, absl::Span<const DeviceInputs> inputs, int64_t turn,
                       Examination* result);
  void Localize(const Module& module, absl::Span<const DeviceInputs> inputs,
                const conformance::Judgement& judgement, bool localize, Examination* result);
  bool FailsAtEveryModule(FindingKind kind);
  void LocalizeFailure(const Module& module, absl::Span<const DeviceInputs> inputs,
                       Examination* result);

  Backend* const target_;
  const conformance::TargetProfile& profile_;
  const ExaminerOptions options_;
  RefusedFeatures refused_;
};

// The module that a target which fails at every program fails at: it returns its parameter.
struct PlainProgram {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;
};
PlainProgram MakePlainProgram();

// Returns the operation and the type that give an array of the result, counted as the leaves of its
// shape are: "add f32".
std::string OperationOf(const Module& module, int64_t leaf);

// Returns a message without its numbers, paths and quotations, so that messages with the same cause
// are equal.
std::string WithoutNumbers(absl::string_view message);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_EXAMINER_H_
