#include "fuzz/differential/examiner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/diagnose/program_judge.h"
#include "conformance/diagnose/triage.h"
#include "fuzz/differential/relations.h"
#include "fuzz/differential/ways.h"
#include "fuzz/programs/program.h"
#include "spec/analysis/effects.h"
#include "spec/text/parser.h"

namespace assay::fuzz {
namespace {

bool HasFeeds(absl::Span<const DeviceOutputs> outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const DeviceOutputs& own) { return !own.outfeed.empty(); });
}

std::vector<std::vector<Literal>> ArgumentsOf(absl::Span<const DeviceInputs> inputs) {
  std::vector<std::vector<Literal>> arguments;
  for (const DeviceInputs& own : inputs) arguments.push_back(own.arguments);
  return arguments;
}

void SetFinding(FindingKind kind, std::string operation, std::string error, std::string detail,
                Examination* result) {
  result->outcome = Outcome::kFinding;
  result->signature.kind = kind;
  result->signature.operation = std::move(operation);
  result->signature.error = std::move(error);
  result->detail = std::move(detail);
}

// What the target's error says of a valid program.
void SetFailure(const Module& module, const absl::Status& status, Examination* result) {
  const std::string message(status.message());
  if (absl::IsUnimplemented(status)) {
    result->outcome = Outcome::kUnsupported;
    result->detail = message;
    return;
  }
  if (absl::IsResourceExhausted(status)) {
    result->outcome = Outcome::kOverBudget;
    result->detail = message;
    return;
  }
  const bool hangs = absl::StrContains(message, "did not answer in time");
  const FindingKind kind = hangs                     ? FindingKind::kHang
                           : absl::IsAborted(status) ? FindingKind::kCrash
                                                     : FindingKind::kRefused;
  SetFinding(kind, OperationOf(module, 0), WithoutNumbers(message), message, result);
}

}  // namespace

std::string OperationOf(const Module& module, int64_t leaf) {
  const Instruction* source = module.entry()->root();
  while (source->opcode() == Opcode::kTuple && source->operand_count() > 0) {
    const Instruction* part = source->operand(0);
    for (const Instruction* operand : source->operands()) {
      part = operand;
      if (leaf < operand->shape().leaf_count()) break;
      leaf -= operand->shape().leaf_count();
    }
    source = part;
  }
  while (source->opcode() == Opcode::kGetTupleElement) source = source->operand(0);
  const Shape& shape = *Leaves(source->shape()).front();
  return shape.is_array() ? absl::StrCat(Name(source->opcode()), " ", Name(shape.element_type()))
                          : std::string(Name(source->opcode()));
}

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAgrees:
      return "agrees";
    case Outcome::kInconclusive:
      return "inconclusive";
    case Outcome::kUnsupported:
      return "not supported";
    case Outcome::kOverBudget:
      return "over budget";
    case Outcome::kFinding:
      return "finding";
  }
  return "";
}

absl::string_view FindingKindName(FindingKind kind) {
  switch (kind) {
    case FindingKind::kWrong:
      return "wrong";
    case FindingKind::kCrash:
      return "crash";
    case FindingKind::kHang:
      return "hang";
    case FindingKind::kRefused:
      return "refused";
    case FindingKind::kUnstable:
      return "unstable";
    case FindingKind::kLeak:
      return "leak";
    case FindingKind::kAccepted:
      return "accepted";
    case FindingKind::kReference:
      return "reference";
  }
  return "";
}

std::optional<FindingKind> FindingKindFromName(absl::string_view name) {
  for (int k = 0; k <= static_cast<int>(FindingKind::kReference); ++k) {
    const auto kind = static_cast<FindingKind>(k);
    if (FindingKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string Signature::Text() const {
  std::string text = absl::StrCat(FindingKindName(kind), ": ", operation);
  if (!error.empty()) absl::StrAppend(&text, ", ", error);
  if (!relation.empty()) absl::StrAppend(&text, " (", relation, ")");
  return text;
}

std::string WithoutNumbers(absl::string_view message) {
  constexpr size_t kLongest = 100;
  const absl::string_view line = message.substr(0, message.find('\n'));
  const auto is_digit = [line](size_t i) {
    return i < line.size() && absl::ascii_isdigit(static_cast<unsigned char>(line[i]));
  };
  std::string text;
  bool in_quotes = false, in_number = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'' || c == '"') in_quotes = !in_quotes;
    const bool digit = is_digit(i);
    // A list of numbers, such as sizes, counts as one.
    const bool goes_on = digit || (c == ',' && is_digit(i + 1));
    if (in_quotes || (in_number && goes_on)) continue;
    in_number = digit;
    text.push_back(digit ? 'N' : c);
    if (text.size() >= kLongest) break;
  }
  return text;
}

Examination Examiner::Examine(const Module& module, absl::Span<const DeviceInputs> inputs,
                              int64_t turn) {
  Examination result;
  if (!ExamineReference(module, inputs, turn, &result)) return result;
  if (target_ != nullptr) {
    RunTarget(module, inputs, options_.repeat, &result);
    if (result.outcome == Outcome::kFinding || result.outcome == Outcome::kUnsupported ||
        result.outcome == Outcome::kOverBudget) {
      return result;
    }
  }
  if (options_.relations) ExamineRelation(module, inputs, turn, &result);
  return result;
}

Examination Examiner::ExamineIllegal(const IllegalProgram& program) {
  Examination result;
  if (target_ == nullptr || target_->capabilities().modules_are_verified ||
      !target_->Supports(*program.module).ok()) {
    result.outcome = Outcome::kUnsupported;
    result.detail = "illegal programs are refused before the target is asked";
    return result;
  }
  InputSets sets;
  sets.sets = {program.inputs};
  sets.order = {0};
  const absl::StatusOr<ModuleRun> run = target_->RunSets(*program.module, sets);
  const std::string rule = absl::StrCat("a program that ", program.clause, " refuses");
  if (run.ok()) {
    SetFinding(FindingKind::kAccepted, program.operation, rule, "the target runs it", &result);
  } else if (absl::IsAborted(run.status())) {
    const std::string message(run.status().message());
    SetFinding(absl::StrContains(message, "did not answer in time") ? FindingKind::kHang
                                                                    : FindingKind::kCrash,
               program.operation, absl::StrCat(rule, ": ", WithoutNumbers(message)), message,
               &result);
  }
  return result;
}

Examination Examiner::AskTarget(const Module& module, absl::Span<const DeviceInputs> inputs) {
  Examination result;
  absl::StatusOr<std::vector<DeviceOutputs>> golden = RunByKernels(module, inputs, options_.budget);
  if (!golden.ok()) {
    result.outcome = Outcome::kOverBudget;
    result.detail = std::string(golden.status().message());
    return result;
  }
  result.golden = *std::move(golden);
  if (target_ != nullptr) RunTarget(module, inputs, options_.repeat, &result);
  return result;
}

// False where the target need not be asked.
bool Examiner::ExamineReference(const Module& module, absl::Span<const DeviceInputs> inputs,
                                int64_t turn, Examination* result) {
  absl::StatusOr<std::vector<DeviceOutputs>> golden = RunByKernels(module, inputs, options_.budget);
  if (!golden.ok()) {
    const std::string message(golden.status().message());
    if (absl::IsResourceExhausted(golden.status())) {
      result->outcome = Outcome::kOverBudget;
      result->detail = message;
    } else {
      SetFinding(FindingKind::kReference, OperationOf(module, 0), WithoutNumbers(message), message,
                 result);
    }
    return false;
  }
  result->golden = *std::move(golden);
  if (!options_.ways) return true;
  std::vector<Way> ways = {Way::kDefinitions};
  constexpr auto kOthers = static_cast<int64_t>(std::size(kWays)) - 1;
  if (options_.all_ways) {
    ways.assign(std::begin(kWays), std::end(kWays));
  } else {
    ways.push_back(kWays[1 + turn % kOthers]);
  }
  const std::optional<WayDifference> difference =
      FindWayThatDiffers(module, inputs, result->golden, ways, options_.budget);
  if (!difference) return true;
  SetFinding(FindingKind::kReference, OperationOf(module, 0),
             absl::StrCat("kernels and ", WayName(difference->way), " differ"),
             absl::StrCat(WayName(difference->way), ": ", difference->detail), result);
  return false;
}

void Examiner::RunTarget(const Module& module, absl::Span<const DeviceInputs> inputs, bool repeat,
                         Examination* result) {
  if (const std::optional<std::string> reason = profile_.Unsupported(module)) {
    result->outcome = Outcome::kUnsupported;
    result->detail = *reason;
    return;
  }
  absl::Status supported = target_->Supports(module);
  if (!supported.ok()) {
    SetFailure(module, supported, result);
    if (result->outcome == Outcome::kFinding) LocalizeFailure(module, inputs, result);
    return;
  }
  const bool twice =
      repeat && !analysis::UsesRandomState(module) && target_->capabilities().executes_again;
  InputSets sets;
  // The execution that is judged comes behind one with other values, of which nothing may be left.
  const std::vector<DeviceInputs> others =
      twice ? OtherInputs(inputs) : std::vector<DeviceInputs>();
  sets.sets = {inputs};
  sets.order = {0};
  if (twice) {
    sets.sets.push_back(others);
    sets.order = {1, 0, 1};
    if (target_->capabilities().executes_at_once) {
      sets.order.insert(sets.order.end(), {0, 1});
      sets.at_once = 2;
    }
  }
  absl::StatusOr<ModuleRun> run = target_->RunSets(module, sets);
  // A busy machine, or the program before, may be what a target fails at: it is asked once more.
  if (absl::IsAborted(run.status())) run = target_->RunSets(module, sets);
  if (!run.ok()) {
    SetFailure(module, run.status(), result);
    if (result->outcome == Outcome::kFinding) LocalizeFailure(module, inputs, result);
    return;
  }
  result->actual = run->outputs[twice ? 1 : 0];
  JudgeTarget(module, inputs, options_.localize, result);
  if (result->outcome != Outcome::kFinding) {
    CompareExecutions(module, inputs, *run, result);
  } else if (twice) {
    CompareWithAlone(module, inputs, result);
  }
}

void Examiner::CompareWithAlone(const Module& module, absl::Span<const DeviceInputs> inputs,
                                Examination* result) {
  const absl::StatusOr<ModuleRun> alone = target_->Run(module, inputs, 1);
  if (!alone.ok()) return;
  const std::vector<DeviceOutputs>& expected = alone->outputs.front();
  if (SameOutputs(expected, result->actual)) return;
  // Results that may vary do not excuse one that is wrong alone, too.
  Examination judged;
  judged.golden = result->golden;
  judged.actual = expected;
  JudgeTarget(module, inputs, /*localize=*/false, &judged);
  if (judged.outcome != Outcome::kAgrees && judged.outcome != Outcome::kInconclusive) return;
  const bool leaks = RepeatsAlone(module, inputs, expected);
  SetFinding(leaks ? FindingKind::kLeak : FindingKind::kUnstable, OperationOf(module, 0),
             "an execution after another differs", FirstDifference(expected, result->actual),
             result);
}

void Examiner::CompareExecutions(const Module& module, absl::Span<const DeviceInputs> inputs,
                                 const ModuleRun& run, Examination* result) {
  struct Pair {
    size_t execution, same_inputs;
    const char* error;
  };
  constexpr Pair kPairs[] = {{2, 0, "an execution after another differs"},
                             {3, 1, "an execution at the same time as another differs"},
                             {4, 0, "an execution at the same time as another differs"}};
  for (const Pair& pair : kPairs) {
    if (pair.execution >= run.outputs.size()) return;
    const std::vector<DeviceOutputs>& expected = run.outputs[pair.same_inputs];
    const std::vector<DeviceOutputs>& given = run.outputs[pair.execution];
    if (SameOutputs(expected, given)) continue;
    const bool leaks = RepeatsAlone(module, inputs, result->actual);
    SetFinding(leaks ? FindingKind::kLeak : FindingKind::kUnstable, OperationOf(module, 0),
               pair.error, FirstDifference(expected, given), result);
    return;
  }
}

bool Examiner::RepeatsAlone(const Module& module, absl::Span<const DeviceInputs> inputs,
                            absl::Span<const DeviceOutputs> expected) {
  constexpr int kTimes = 3;
  for (int i = 0; i < kTimes; ++i) {
    const absl::StatusOr<ModuleRun> run = target_->Run(module, inputs, 1);
    if (!run.ok() || !SameOutputs(expected, run->outputs.front())) return false;
  }
  return true;
}

void Examiner::JudgeTarget(const Module& module, absl::Span<const DeviceInputs> inputs,
                           bool localize, Examination* result) {
  absl::StatusOr<conformance::Judgement> judgement =
      conformance::JudgeModule(module, ArgumentsOf(inputs), ResultsOf(result->golden),
                               ResultsOf(result->actual), profile_, options_.budget);
  if (!judgement.ok()) {
    const std::string message(judgement.status().message());
    if (absl::IsInvalidArgument(judgement.status())) {
      SetFinding(FindingKind::kWrong, OperationOf(module, 0), "a result of another shape", message,
                 result);
    } else {
      result->outcome = Outcome::kOverBudget;
      result->detail = message;
    }
    return;
  }
  if (HasFeeds(result->golden) || HasFeeds(result->actual)) {
    judgement->Merge(conformance::JudgeOutfeeds(module, result->golden, result->actual, profile_));
  }
  if (judgement->verdict == conformance::Verdict::kNotJudgeable) {
    result->outcome = Outcome::kInconclusive;
    if (!judgement->reasons.empty()) result->detail = judgement->reasons.front();
  }
  if (judgement->verdict == conformance::Verdict::kWrong)
    Localize(module, inputs, *judgement, localize, result);
}

// The operation of the signature: the first instruction, or group, that is wrong alone.
void Examiner::Localize(const Module& module, absl::Span<const DeviceInputs> inputs,
                        const conformance::Judgement& judgement, bool localize,
                        Examination* result) {
  const auto shown = std::find_if(judgement.evidence.begin(), judgement.evidence.end(),
                                  [](const conformance::Evidence& each) {
                                    return each.verdict == conformance::Verdict::kWrong;
                                  });
  const bool known = shown != judgement.evidence.end();
  SetFinding(FindingKind::kWrong, OperationOf(module, known ? shown->leaf : 0),
             known ? conformance::KindOfError(*shown) : "", "", result);
  if (known) {
    result->detail = absl::StrCat("array ", shown->leaf, ", element ", shown->position, ": golden ",
                                  shown->golden, ", actual ", shown->actual,
                                  shown->reason.empty() ? "" : "; ", shown->reason);
  }
  const bool feeds = std::any_of(inputs.begin(), inputs.end(),
                                 [](const DeviceInputs& own) { return !own.infeed.empty(); });
  if (!localize || feeds) return;
  conformance::TriageInput input;
  input.module = &module;
  input.arguments = ArgumentsOf(inputs);
  const conformance::TriageEntry entry =
      conformance::Triage(input, target_, profile_, options_.budget);
  if (entry.triage_class != conformance::TriageClass::kWrong || entry.operation.empty()) return;
  result->signature.operation = entry.operation;
  if (!entry.kind.empty()) result->signature.error = entry.kind;
  if (!entry.detail.empty()) {
    result->detail = absl::StrCat(entry.instruction, ": ", entry.detail);
  }
}

PlainProgram MakePlainProgram() {
  PlainProgram plain;
  plain.module = *ParseModule("HloModule plain\nENTRY e { ROOT p = f32[] parameter(0) }");
  plain.inputs.resize(1);
  plain.inputs[0].arguments = {Literal::Zeros(Shape(ElementType::kF32, {}))};
  return plain;
}

// Returns true if the target fails in the same way at a module that returns its parameter, as a
// target does that does not start.
bool Examiner::FailsAtEveryModule(FindingKind kind) {
  const PlainProgram plain = MakePlainProgram();
  InputSets sets;
  sets.sets = {plain.inputs};
  sets.order = {0};
  const absl::StatusOr<ModuleRun> run = target_->RunSets(*plain.module, sets);
  if (run.ok()) return false;
  Examination failed;
  SetFailure(*plain.module, run.status(), &failed);
  return failed.outcome == Outcome::kFinding && failed.signature.kind == kind;
}

// The first instruction, or group, that the target fails at alone: what a crash, a hang or a
// refusal of the whole is called after.
void Examiner::LocalizeFailure(const Module& module, absl::Span<const DeviceInputs> inputs,
                               Examination* result) {
  if (!options_.localize) return;
  if (FailsAtEveryModule(result->signature.kind)) {
    result->signature.operation = std::string(kEveryProgram);
    result->signature.error.clear();  // when it dies is chance
    return;
  }
  conformance::TriageInput input;
  input.module = &module;
  input.arguments = ArgumentsOf(inputs);
  const conformance::TriageEntry entry =
      conformance::Triage(input, target_, profile_, options_.budget);
  const bool fails = entry.triage_class == conformance::TriageClass::kFailed ||
                     entry.triage_class == conformance::TriageClass::kBroken;
  if (fails && !entry.operation.empty()) result->signature.operation = entry.operation;
}

void Examiner::ExamineRelation(const Module& module, absl::Span<const DeviceInputs> inputs,
                               int64_t turn, Examination* result) {
  const Relation& relation = Relations()[turn % static_cast<int64_t>(Relations().size())];
  if (analysis::UsesRandomState(module)) return;
  const std::optional<Rewritten> rewritten = relation.rewrite(module, inputs);
  if (!rewritten) return;
  const absl::StatusOr<std::vector<DeviceOutputs>> golden =
      RunByKernels(*rewritten->module, rewritten->inputs, options_.budget);
  // Padding may make a large array of one without elements.
  if (absl::IsResourceExhausted(golden.status())) return;
  result->relation = relation.name;
  const std::vector<DeviceOutputs> expected = ExpectedOf(*rewritten, result->golden);
  if (!golden.ok() || !SameOutputs(expected, *golden)) {
    SetFinding(
        FindingKind::kReference, OperationOf(module, 0), "a rewrite changes the result",
        golden.ok() ? FirstDifference(expected, *golden) : std::string(golden.status().message()),
        result);
    result->signature.relation = std::string(relation.name);
    return;
  }
  if (target_ == nullptr) return;
  Examination other;
  other.golden = *golden;
  RunTarget(*rewritten->module, rewritten->inputs, /*repeat=*/false, &other);
  if (other.outcome == Outcome::kUnsupported || other.outcome == Outcome::kOverBudget) {
    result->relation = {};
  }
  if (other.outcome != Outcome::kFinding) return;
  *result = std::move(other);
  result->relation = relation.name;
  result->signature.relation = std::string(relation.name);
}

}  // namespace assay::fuzz
