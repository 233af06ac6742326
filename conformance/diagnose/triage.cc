#include "conformance/diagnose/triage.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backends/golden/golden_backend.h"
#include "conformance/diagnose/drawn_arrays.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/judge/verdict_text.h"
#include "spec/ir/source_text.h"

namespace assay::conformance {
namespace {

TriageClass ClassOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
      return TriageClass::kUnsupported;
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kResourceExhausted:
      return TriageClass::kFailed;
    default:
      return TriageClass::kBroken;
  }
}

TriageClass ClassOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kExact:
    case Verdict::kCorrectlyRounded:
      return TriageClass::kEqual;
    case Verdict::kWithinBound:
      return TriageClass::kWithinBound;
    case Verdict::kAllowed:
      return TriageClass::kAllowed;
    case Verdict::kKnownDeviation:
      return TriageClass::kKnownDeviation;
    case Verdict::kNotJudgeable:
      return TriageClass::kNotJudgeable;
    case Verdict::kWrong:
      return TriageClass::kWrong;
  }
  return TriageClass::kWrong;
}

// The classes from what matters most: one wrong instruction makes a module wrong.
int Weight(TriageClass triage_class) {
  switch (triage_class) {
    case TriageClass::kWrong:
      return 7;
    case TriageClass::kFailed:
      return 6;
    case TriageClass::kNotJudgeable:
      return 5;
    case TriageClass::kUnsupported:
      return 4;
    case TriageClass::kKnownDeviation:
      return 3;
    case TriageClass::kAllowed:
      return 2;
    case TriageClass::kWithinBound:
      return 1;
    default:
      return 0;
  }
}

std::string OperationOf(const Instruction& instruction) {
  const Shape& shape = *Leaves(instruction.shape()).front();
  return shape.is_array()
             ? absl::StrCat(Name(instruction.opcode()), " ", Name(shape.element_type()))
             : std::string(Name(instruction.opcode()));
}

// "negate+add f32" of a group.
std::string OperationOf(const InstructionVerdict& verdict) {
  std::string operation;
  for (const Instruction* member : verdict.members) {
    if (member != &verdict.last()) absl::StrAppend(&operation, Name(member->opcode()), "+");
  }
  return operation + OperationOf(verdict.last());
}

void DescribeElement(const Evidence& evidence, TriageEntry* entry) {
  entry->kind = KindOfError(evidence);
  entry->detail = absl::StrCat("element ", InWords(evidence));
}

void Describe(const Judgement& judgement, TriageEntry* entry) {
  if (judgement.evidence.empty()) {
    if (!judgement.reasons.empty()) entry->detail = judgement.reasons.front();
    if (judgement.verdict == Verdict::kKnownDeviation && !judgement.deviations.empty()) {
      entry->kind = judgement.deviations.front();
    }
    return;
  }
  const Evidence* worst = WorstOf(judgement);
  DescribeElement(worst != nullptr ? *worst : judgement.evidence.front(), entry);
  if (judgement.verdict != Verdict::kWrong) entry->kind = "nothing is known";
  if (judgement.verdict == Verdict::kNotJudgeable && !judgement.reasons.empty()) {
    entry->detail =
        absl::StrCat("of ", judgement.counts[static_cast<int>(Verdict::kNotJudgeable)], " of ",
                     judgement.elements(), " elements: ", judgement.reasons.front());
  }
}

// The first instruction of the worst class.
void TakeReport(const std::vector<InstructionVerdict>& verdicts, TriageEntry* entry) {
  for (const InstructionVerdict& verdict : verdicts) {
    const TriageClass own =
        verdict.status.ok() ? ClassOf(verdict.judgement.verdict) : ClassOf(verdict.status);
    if (Weight(own) <= Weight(entry->triage_class)) continue;
    entry->triage_class = own;
    entry->operation = OperationOf(verdict);
    entry->instruction = verdict.name;
    entry->source = SourceText(verdict.last());
    entry->kind.clear();
    if (verdict.status.ok()) {
      Describe(verdict.judgement, entry);
    } else {
      entry->kind = own == TriageClass::kFailed ? "the target fails" : "not supported";
      entry->detail = std::string(verdict.status.message());
    }
  }
}

void Fail(const absl::Status& status, TriageClass triage_class, TriageEntry* entry) {
  entry->triage_class = triage_class;
  entry->kind = std::string(TriageClassName(triage_class));
  entry->detail = std::string(status.message());
}

// What golden itself does not do, or not within its budget, is no fault of an implementation.
void FailOfGolden(const absl::Status& status, TriageEntry* entry) {
  const bool unknown = absl::IsUnimplemented(status);
  Fail(status, unknown ? TriageClass::kUnsupported : TriageClass::kBroken, entry);
  if (absl::IsResourceExhausted(status)) entry->kind = "golden's budget is spent";
}

// The instruction that gives an array of the root: what stands behind tuples.
const Instruction* SourceOf(const Instruction* root, int64_t leaf) {
  while (true) {
    if (root->opcode() == Opcode::kGetTupleElement &&
        root->operand(0)->opcode() == Opcode::kTuple) {
      root = root->operand(0)->operand(root->GetInt(Attr::kIndex));
      continue;
    }
    if (root->opcode() != Opcode::kTuple) return root;
    const Instruction* part = nullptr;
    for (const Instruction* operand : root->operands()) {
      const auto size = static_cast<int64_t>(Leaves(operand->shape()).size());
      part = operand;
      if (leaf < size) break;
      leaf -= size;
    }
    if (part == nullptr) return root;
    root = part;
  }
}

// How many instructions a value comes from, its own included; those that only name values do not
// count.
int64_t CountSources(const Instruction& value) {
  std::vector<const Instruction*> open = {&value};
  absl::flat_hash_set<const Instruction*> seen = {&value};
  int64_t count = 0;
  while (!open.empty()) {
    const Instruction* next = open.back();
    open.pop_back();
    const Opcode opcode = next->opcode();
    count += opcode != Opcode::kParameter && opcode != Opcode::kConstant &&
             opcode != Opcode::kTuple && opcode != Opcode::kGetTupleElement;
    for (const Instruction* operand : next->operands()) {
      if (seen.insert(operand).second) open.push_back(operand);
    }
  }
  return count;
}

// Of a program's result alone the first wrong instruction is not known, but where it can be: in
// what the array comes from that shows the error and comes from least.
void TakeStored(const Judgement& whole, const Instruction& root, TriageEntry* entry) {
  const Instruction* source = nullptr;
  int64_t least = 0;
  const Evidence* shown = nullptr;
  for (const Evidence& evidence : whole.evidence) {
    if (evidence.verdict != whole.verdict) continue;
    const Instruction* own = SourceOf(&root, evidence.leaf);
    const int64_t count = CountSources(*own);
    if (source != nullptr && count >= least) continue;
    source = own;
    least = count;
    shown = &evidence;
  }
  Describe(whole, entry);
  if (source == nullptr) {
    source = &root;
  } else if (whole.verdict == Verdict::kWrong) {
    DescribeElement(*shown, entry);
    if (least > 1) {
      absl::StrAppend(&entry->detail, "; it comes from ", least,
                      " instructions, and any of them may be wrong");
    }
  }
  entry->operation = OperationOf(*source);
  entry->instruction = source->name();
  entry->source = SourceText(*source);
}

// Results of several devices have no enclosure: JudgeModule says what follows all the same.
absl::StatusOr<Judgement> JudgeOfDevices(const TriageInput& input,
                                         const std::vector<Literal>& actual,
                                         const TargetProfile& profile, const RunBudget& budget) {
  GoldenOptions options;
  options.run.budget = budget;
  GoldenBackend backend(options);
  const absl::StatusOr<ModuleRun> golden =
      backend.Run(*input.module, WithoutFeeds(input.arguments), /*repeat=*/1);
  if (!golden.ok()) return golden.status();
  return JudgeModule(*input.module, input.arguments, ResultsOf(golden->outputs.front()), actual,
                     profile, budget);
}

absl::StatusOr<Judgement> JudgeStored(const TriageInput& input, const std::vector<Literal>& actual,
                                      const TargetProfile& profile, const RunBudget& budget) {
  if (actual.size() != 1 || input.arguments.size() != 1) {
    return JudgeOfDevices(input, actual, profile, budget);
  }
  RunOptions options;
  options.budget = budget;
  absl::StatusOr<Literal> golden = Interpret(*input.module, input.arguments[0], options);
  if (!golden.ok()) return golden.status();
  absl::StatusOr<BoxTree> enclosure = Enclose(*input.module, input.arguments[0], profile, budget);
  if (!enclosure.ok()) return enclosure.status();
  absl::StatusOr<Judgement> judgement =
      JudgeWhole(*enclosure, *golden, actual[0], DrawnLeaves(*input.module));
  if (judgement.ok()) {
    JudgeDrawnArrays(*input.module, input.arguments[0], *golden, actual[0], 0, &*judgement);
  }
  return judgement;
}

absl::StatusOr<std::vector<InstructionVerdict>> Ask(const TriageInput& input, Backend& target,
                                                    const TargetProfile& profile,
                                                    const RunBudget& budget,
                                                    const TraceDepth& depth,
                                                    TriageObserver* observer,
                                                    std::vector<DeviceOutputs>* golden = nullptr) {
  ReportOptions options;
  options.depth = depth;
  if (observer != nullptr) {
    options.observe = [observer](const InstructionVerdict& verdict, const Excerpt& excerpt) {
      observer->TakeInstruction(verdict, excerpt);
    };
  }
  options.golden = golden;
  return ReportInstructions(*input.module, WithoutFeeds(input.arguments), target, profile, budget,
                            options);
}

// Of a program that is wrong as a whole alone: what goes wrong first in groups and later
// iterations, if something does. In the smallest groups that show it, since they say most.
void TakeDeeper(const TriageInput& input, Backend& target, const TargetProfile& profile,
                const RunBudget& budget, const TraceDepth& depth, TriageObserver* observer,
                TriageEntry* entry) {
  TraceDepth deeper = {.iterations = std::max(depth.iterations, kTriageDepth.iterations),
                       .subgraphs = 2};
  for (; deeper.subgraphs <= std::max(depth.subgraphs, kTriageDepth.subgraphs);
       ++deeper.subgraphs) {
    const auto verdicts = Ask(input, target, profile, budget, deeper, observer);
    if (!verdicts.ok()) return;
    TriageEntry found;
    TakeReport(*verdicts, &found);
    if (found.triage_class != TriageClass::kWrong) continue;
    found.name = entry->name;
    found.instructions = entry->instructions;
    found.elements = entry->elements;
    *entry = std::move(found);
    return;
  }
}

}  // namespace

absl::string_view TriageClassName(TriageClass triage_class) {
  switch (triage_class) {
    case TriageClass::kWrong:
      return "wrong";
    case TriageClass::kNotJudgeable:
      return "not judgeable";
    case TriageClass::kKnownDeviation:
      return "known deviation";
    case TriageClass::kAllowed:
      return "allowed";
    case TriageClass::kWithinBound:
      return "within bound";
    case TriageClass::kEqual:
      return "equal";
    case TriageClass::kFailed:
      return "failed";
    case TriageClass::kUnsupported:
      return "not supported";
    case TriageClass::kBroken:
      return "broken";
  }
  return "";
}

bool IsJudged(TriageClass triage_class) {
  return triage_class != TriageClass::kFailed && triage_class != TriageClass::kUnsupported &&
         triage_class != TriageClass::kBroken && triage_class != TriageClass::kNotJudgeable;
}

std::string KindOfError(const Evidence& evidence) {
  const auto is_nan = [](absl::string_view text) { return absl::StrContains(text, "nan"); };
  const auto is_infinite = [](absl::string_view text) { return absl::StrContains(text, "inf"); };
  if (evidence.golden == "true" || evidence.golden == "false") return "another truth value";
  if (is_nan(evidence.golden) && is_nan(evidence.actual)) return "other bits of a NaN";
  if (is_nan(evidence.golden)) return "a number instead of NaN";
  if (is_nan(evidence.actual)) return "NaN instead of a number";
  if (is_infinite(evidence.actual) && !is_infinite(evidence.golden)) {
    return "infinity instead of a number";
  }
  if (is_infinite(evidence.golden)) return "a number instead of infinity";
  if (absl::StripPrefix(evidence.golden, "-") == absl::StripPrefix(evidence.actual, "-")) {
    return "the opposite sign";
  }
  if (evidence.actual == "0" || evidence.actual == "-0") return "zero instead of a number";
  if (evidence.distance) return "beyond the bound";
  return "another value";
}

namespace {

int64_t ElementsOf(const Literal& argument) {
  int64_t elements = 0;
  for (const Literal& leaf : Flatten(argument)) {
    if (leaf.is_array()) elements += leaf.element_count();
  }
  return elements;
}

void TriageStored(const TriageInput& input, const TargetProfile& profile, const RunBudget& budget,
                  TriageObserver* observer, TriageEntry* entry) {
  if (!input.actual) {
    return FailOfGolden(absl::InvalidArgumentError("there is neither a stored result nor a target"),
                        entry);
  }
  const absl::StatusOr<Judgement> whole = JudgeStored(input, *input.actual, profile, budget);
  if (!whole.ok()) return FailOfGolden(whole.status(), entry);
  if (observer != nullptr) observer->TakeWhole({absl::OkStatus(), true, *whole});
  entry->triage_class = ClassOf(whole->verdict);
  TakeStored(*whole, *input.module->entry()->root(), entry);
}

void NameWhole(const Instruction& root, TriageEntry* entry) {
  entry->operation = "whole program";
  entry->instruction = root.name();
  entry->source = SourceText(root);
}

// What the whole program shows beyond its instructions alone.
void TakeWhole(const WholeVerdict& whole, const Instruction& root, TriageEntry* entry) {
  if (!whole.answered) {
    const TriageClass own = ClassOf(whole.status);
    if (Weight(own) > Weight(entry->triage_class)) {
      NameWhole(root, entry);
      Fail(whole.status, own, entry);
    }
    return;
  }
  const TriageClass own = whole.status.ok() ? ClassOf(whole.judgement.verdict)
                          : absl::IsInvalidArgument(whole.status)
                              ? TriageClass::kFailed  // results of another shape
                              : TriageClass::kNotJudgeable;
  // A whole that is not judgeable inherits what one of its instructions introduced.
  const bool inherits =
      own == TriageClass::kNotJudgeable && entry->triage_class != TriageClass::kEqual;
  // What the target does not support alone, it has run as a part of the whole.
  const bool was_unsupported = entry->triage_class == TriageClass::kUnsupported;
  if (!was_unsupported && (inherits || Weight(own) <= Weight(entry->triage_class))) return;
  std::string unsupported;
  if (was_unsupported) {
    unsupported = absl::StrCat(entry->instruction, " is not supported alone: ", entry->detail);
  }
  entry->triage_class = own;
  NameWhole(root, entry);
  entry->kind.clear();
  entry->detail = std::string(whole.status.message());
  if (whole.status.ok()) Describe(whole.judgement, entry);
  if (entry->detail.empty()) entry->detail = std::move(unsupported);
}

void TriageTarget(const TriageInput& input, Backend& target, const TargetProfile& profile,
                  const RunBudget& budget, const TraceDepth& depth, TriageObserver* observer,
                  TriageEntry* entry) {
  std::vector<DeviceOutputs> golden;
  const auto verdicts = Ask(input, target, profile, budget, depth, observer, &golden);
  if (!verdicts.ok()) return FailOfGolden(verdicts.status(), entry);
  TakeReport(*verdicts, entry);
  // What fails on an instruction alone, or never answers, is not asked for it again.
  if (entry->triage_class == TriageClass::kWrong || entry->triage_class == TriageClass::kFailed) {
    return;
  }
  const WholeVerdict whole =
      ReportWhole(*input.module, WithoutFeeds(input.arguments), golden, target, profile, budget);
  if (observer != nullptr) observer->TakeWhole(whole);
  TakeWhole(whole, *input.module->entry()->root(), entry);
  if (entry->triage_class == TriageClass::kWrong) {
    TakeDeeper(input, target, profile, budget, depth, observer, entry);
  }
}

}  // namespace

TriageEntry Triage(const TriageInput& input, Backend* target, const TargetProfile& profile,
                   const RunBudget& budget, const TraceDepth& depth, TriageObserver* observer) {
  TriageEntry entry;
  entry.name = input.name;
  entry.instructions = input.module->instruction_count();
  for (const std::vector<Literal>& device : input.arguments) {
    for (const Literal& argument : device) entry.elements += ElementsOf(argument);
  }
  if (target == nullptr) {
    TriageStored(input, profile, budget, observer, &entry);
  } else {
    TriageTarget(input, *target, profile, budget, depth, observer, &entry);
  }
  if (observer != nullptr) observer->TakeEntry(input, entry);
  return entry;
}

std::vector<TriageGroup> GroupEntries(std::vector<TriageEntry> entries) {
  std::map<std::tuple<TriageClass, std::string, std::string>, TriageGroup> groups;
  for (TriageEntry& entry : entries) {
    // What is equal has nothing in common but that.
    const bool named = entry.triage_class != TriageClass::kEqual;
    const std::string operation = named ? entry.operation : "", kind = named ? entry.kind : "";
    TriageGroup& group = groups[{entry.triage_class, operation, kind}];
    group.triage_class = entry.triage_class;
    group.operation = operation;
    group.kind = kind;
    group.entries.push_back(std::move(entry));
  }
  std::vector<TriageGroup> sorted;
  for (auto& [key, group] : groups) {
    std::sort(group.entries.begin(), group.entries.end(),
              [](const TriageEntry& a, const TriageEntry& b) {
                return std::tie(a.instructions, a.elements, a.name) <
                       std::tie(b.instructions, b.elements, b.name);
              });
    sorted.push_back(std::move(group));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const TriageGroup& a, const TriageGroup& b) {
    if (a.triage_class != b.triage_class) return a.triage_class < b.triage_class;
    return a.entries.size() > b.entries.size();
  });
  return sorted;
}

}  // namespace assay::conformance
