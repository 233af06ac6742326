// Many modules that differ, sorted by why: what goes wrong first in each, and which of them have
// that in common. Tests: triage_test.cc.
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

namespace assay {

enum class TriageClass : uint8_t {
  kWrong,           // some instruction, or the whole, is proven wrong
  kNotJudgeable,    // nothing is wrong, and of something nothing is known
  kKnownDeviation,  // nothing is wrong but for deviations that the profile lists
  kAllowed,         // every difference is one that the profile allows
  kWithinBound,     // every difference is inside a derived bound or interval
  kEqual,           // no difference
  kFailed,          // the target crashed, hung or answered nonsense
  kUnsupported,     // the target, or this program, does not support it
  kBroken  // it cannot be read, what belongs to it is missing, or golden's budget does not suffice
};
inline constexpr int kTriageClasses = 9;
absl::string_view TriageClassName(TriageClass triage_class);
// Returns true if the judge has seen a result of the module.
bool IsJudged(TriageClass triage_class);

struct TriageEntry {
  std::string name;  // of the module's file
  int64_t instructions = 0;
  int64_t elements = 0;  // of its arguments
  TriageClass triage_class = TriageClass::kEqual;
  // "tanh f32": of the first instruction that is wrong, or undecided; "negate+add f32": of a group
  // that is wrong though none of its instructions is; of a stored result that which
  // gives the wrong array, as one that comes from fewer instructions is nearer to the first.
  std::string operation;
  std::string instruction;  // its name, of a group as Excerpt::Name has it
  std::string source;       // where the program's author wrote it (SourceText); may be empty
  std::string kind;         // of error: "NaN instead of a number"
  std::string detail;       // the first wrong element, or the message, for people
};

// What is known of one module beside the module itself.
struct TriageInput {
  std::string name;
  const Module* module = nullptr;
  std::vector<std::vector<Literal>> arguments;  // by device
  // What an implementation returned for the whole, by device; none: the target is asked.
  std::optional<std::vector<Literal>> actual;
};

// The target, if there is one, runs each instruction alone on golden operands, so the first wrong
// one is found, and what else `depth` says. Then it runs the whole program, whose verdict counts as
// theirs do. Where all of them are right and the whole is wrong, the target is asked for groups
// that it may fuse and for later turns of loops, at least as `kTriageDepth` says. A stored result
// is held against the enclosure of the whole program, which says that something is wrong on the way
// to an array, but not where on it.
inline constexpr TraceDepth kTriageDepth = {.turns = 3, .subgraphs = 4};

// Sees every verdict on a module as soon as it is there. Without a target there is one on the whole
// alone.
class TriageObserver {
 public:
  virtual ~TriageObserver() = default;
  virtual void TakeInstruction(const InstructionVerdict& verdict, const Excerpt& excerpt) = 0;
  virtual void TakeWhole(const WholeVerdict& whole) = 0;
  // What the module comes to.
  virtual void TakeEntry(const TriageInput& input, const TriageEntry& entry) = 0;
};

// `observer` may be null.
TriageEntry Triage(const TriageInput& input, Backend* target, const TargetProfile& profile,
                   const RunBudget& budget, const TraceDepth& depth = {},
                   TriageObserver* observer = nullptr);

// What kind of error an element shows, the same words for the same kind.
std::string KindOfError(const Evidence& evidence);

// The entries with the same class, operation and kind, the smallest module first; groups in the
// order of classes, larger ones first.
struct TriageGroup {
  TriageClass triage_class = TriageClass::kEqual;
  std::string operation, kind;
  std::vector<TriageEntry> entries;
};
std::vector<TriageGroup> GroupEntries(std::vector<TriageEntry> entries);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_TRIAGE_H_
