// Groups modules with differing results by their cause: the first error of each module, and the
// modules that have it in common. Tests: triage_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_TRIAGE_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_TRIAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/diagnose/golden_trace.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/judge/verdict.h"
#include "conformance/profiles/profile.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

enum class TriageClass : uint8_t {
  kWrong,           // an instruction, or the whole, is proven wrong
  kNotJudgeable,    // nothing is wrong, but a result is inconclusive
  kKnownDeviation,  // the only errors are known deviations of the profile
  kAllowed,         // every difference is permitted by the profile
  kWithinBound,     // every difference is within a derived bound or interval
  kEqual,           // no difference
  kFailed,          // the target crashed, hung or sent an invalid response
  kUnsupported,     // the target, or this program, does not support it
  // the module cannot be read, files that belong to it are missing, or it exceeds the golden budget
  kBroken
};
inline constexpr int kTriageClasses = 9;
absl::string_view TriageClassName(TriageClass triage_class);
// Returns true if the judge has seen a result of the module.
bool IsJudged(TriageClass triage_class);

struct TriageEntry {
  std::string name;  // the name of the module's file
  int64_t instructions = 0;
  int64_t elements = 0;  // the number of elements of its arguments
  TriageClass triage_class = TriageClass::kEqual;
  // The operation and type of the first wrong or inconclusive instruction, "tanh f32", or of a
  // wrong group whose instructions are right, "negate+add f32". For a stored result it is the
  // instruction that computes the wrong array; among several arrays, the one that depends on the
  // fewest instructions.
  std::string operation;
  std::string instruction;  // Excerpt::Name of the instruction or group
  std::string source;       // its place in the program's source (SourceText); may be empty
  std::string kind;         // the kind of error: "NaN instead of a number"
  std::string detail;       // the first wrong element or the message, for people
};

// A module with its arguments and, optionally, stored results.
struct TriageInput {
  std::string name;
  const Module* module = nullptr;
  std::vector<std::vector<Literal>> arguments;  // by device
  // The stored results of an implementation, by device. If there are none the target runs the
  // module.
  std::optional<std::vector<Literal>> actual;
};

// Triage runs each instruction alone on golden operands on the target, if there is one, to find the
// first wrong instruction, and the groups and iterations that `depth` selects. Then it runs the
// whole program. If only the whole is wrong it also tests groups that the target may fuse and later
// iterations of loops, at least those of `kTriageDepth`. A stored result is judged by the enclosure
// of the whole program, which proves that an array is wrong but not which instruction.
inline constexpr TraceDepth kTriageDepth = {.iterations = 3, .subgraphs = 4};

// Receives every verdict on a module as soon as it is known. Without a target there is only a
// verdict on the whole.
class TriageObserver {
 public:
  virtual ~TriageObserver() = default;
  virtual void TakeInstruction(const InstructionVerdict& verdict, const Excerpt& excerpt) = 0;
  virtual void TakeWhole(const WholeVerdict& whole) = 0;
  // Receives the result of the module, after its verdicts.
  virtual void TakeEntry(const TriageInput& input, const TriageEntry& entry) = 0;
};

// Finds the cause of the module's difference. `observer` may be null.
TriageEntry Triage(const TriageInput& input, Backend* target, const TargetProfile& profile,
                   const RunBudget& budget, const TraceDepth& depth = {},
                   TriageObserver* observer = nullptr);

// Returns the kind of an element's error, as a fixed text for each kind.
std::string KindOfError(const Evidence& evidence);

// The entries with the same class, operation and kind of error, the smallest module first.
// GroupEntries returns groups in the order of classes, the largest group of a class first.
struct TriageGroup {
  TriageClass triage_class = TriageClass::kEqual;
  std::string operation, kind;
  std::vector<TriageEntry> entries;
};
std::vector<TriageGroup> GroupEntries(std::vector<TriageEntry> entries);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_TRIAGE_H_
