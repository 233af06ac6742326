#include "conformance/diagnose/program_judge.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/diagnose/drawn_arrays.h"
#include "conformance/enclosure/enclosure.h"
#include "conformance/enclosure/moved_nans.h"
#include "conformance/judge/decision_points.h"
#include "conformance/judge/evidence.h"
#include "conformance/judge/given_nans.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/rounds.h"
#include "runtime/module_form.h"
#include "spec/analysis/effects.h"

namespace assay::conformance {
namespace {

bool TouchesFloats(const Instruction& instruction) {
  const auto has = [](const Shape& shape) {
    const std::vector<const Shape*> leaves = Leaves(shape);
    return std::any_of(leaves.begin(), leaves.end(), [](const Shape* leaf) {
      return leaf->is_array() && IsRounded(leaf->element_type());
    });
  };
  const auto& operands = instruction.operands();
  return has(instruction.shape()) ||
         std::any_of(operands.begin(), operands.end(),
                     [&](const Instruction* operand) { return has(operand->shape()); });
}

// Whether it is allowed a distance from the exact value.
bool HasBudget(const Instruction& instruction, const TargetProfile& profile) {
  if (instruction.HasAttribute(Attr::kResultAccuracy)) return true;
  if (instruction.info().family == Family::kContraction) {
    for (const Precision precision : {Precision::kDefault, Precision::kHigh, Precision::kHighest}) {
      if (profile.FindDotAlgorithm(precision).has_value()) return true;
    }
    return instruction.opcode() == Opcode::kDot && instruction.GetInt(Attr::kAlgorithm) != 0;
  }
  const auto budgeted = [&](const Shape& shape) {
    return shape.is_array() && IsRounded(shape.element_type()) &&
           !profile.FindBudget(instruction.opcode(), shape.element_type()).exact();
  };
  const auto& operands = instruction.operands();
  return budgeted(instruction.shape()) ||
         std::any_of(operands.begin(), operands.end(),
                     [&](const Instruction* operand) { return budgeted(operand->shape()); });
}

// Whether one of the decision points that the profile admits concerns the instruction.
bool IsLeftOpen(const Instruction& instruction, const TargetProfile& profile) {
  const auto& operands = instruction.operands();
  if (operands.empty() || !operands[0]->shape().is_array() || !instruction.shape().is_array()) {
    return false;
  }
  return std::any_of(DecisionRules().begin(), DecisionRules().end(), [&](const DecisionRule& rule) {
    return profile.Admits(rule.point) &&
           rule.concerns(instruction, operands[0]->shape().element_type(),
                         instruction.shape().element_type());
  });
}

bool PassesOperands(const Instruction& caller) {
  return caller.opcode() == Opcode::kCall || caller.opcode() == Opcode::kFusion;
}

// Whether it compares what its region is given: the operation that applies the region knows what
// that is. What calls and fusions pass is followed from the comparison itself.
bool ComparesParametersOfRegion(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kCompare ||
      instruction.operand(0)->opcode() != Opcode::kParameter ||
      instruction.operand(1)->opcode() != Opcode::kParameter) {
    return false;
  }
  const Computation* const own = instruction.parent();
  for (const auto& computation : own->parent()->computations()) {
    for (const auto& each : computation->instructions()) {
      const auto callees = each->called_computations();
      const bool applies = std::find(callees.begin(), callees.end(), own) != callees.end();
      if (applies && !PassesOperands(*each)) return true;
    }
  }
  return false;
}

// Whether the instruction itself may legally give something else than golden.
bool MayDiffer(const Instruction& instruction, const TargetProfile& profile) {
  const OpInfo& info = instruction.info();
  switch (instruction.opcode()) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
      return false;  // what comes out of a queue went in
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kSend:
    case Opcode::kSendDone:
      return false;  // what comes out of a channel went in
    case Opcode::kSort:
    case Opcode::kTopK:
      if (profile.Grants(Freedom::kUnstableOrder)) return true;
      break;
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
      if (profile.Grants(Freedom::kScatterOrder)) return true;
      break;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      if (profile.Grants(Freedom::kImplementationDefined)) return true;
      break;
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
      if (profile.Grants(Freedom::kNanPayload) && ReadsBits(instruction) &&
          TouchesFloats(instruction)) {
        return true;
      }
      break;
    default:
      if (info.accuracy == Accuracy::kRandom || info.accuracy == Accuracy::kOpaque) return true;
      break;
  }
  const bool moves = info.family == Family::kMovement || info.family == Family::kControl ||
                     (info.family == Family::kCollective && info.accuracy == Accuracy::kExact);
  if (profile.Grants(Freedom::kNanPayload) && !PassesOperands(instruction) &&
      OrdersMadeNans(instruction, profile) && !ComparesParametersOfRegion(instruction)) {
    return true;
  }
  if (moves) return false;
  if (IsLeftOpen(instruction, profile)) return true;
  // A custom reducer may be applied in any order, also to integers.
  if (instruction.to_apply() != nullptr && profile.Grants(Freedom::kReassociation)) return true;
  if (!TouchesFloats(instruction)) return false;
  if (HasBudget(instruction, profile)) return true;
  constexpr Freedom kOfArithmetic[] = {Freedom::kContraction,     Freedom::kDenormals,
                                       Freedom::kExcessPrecision, Freedom::kImplementationDefined,
                                       Freedom::kReassociation,   Freedom::kSignedZero};
  return std::any_of(std::begin(kOfArithmetic), std::end(kOfArithmetic),
                     [&](Freedom freedom) { return profile.Grants(freedom); });
}

// By leaf of a value, the instruction that gives it.
std::vector<const Instruction*> ValuesOfLeaves(const Instruction& value) {
  std::vector<const Instruction*> values;
  const auto add = [&](const Instruction& part) {
    values.insert(values.end(), Leaves(part.shape()).size(), &part);
  };
  if (value.opcode() != Opcode::kTuple) {
    add(value);
  } else {
    for (const Instruction* operand : value.operands()) add(*operand);
  }
  return values;
}

// Which instructions are reached from one that has the property.
class Reach {
 public:
  template <typename Property>
  Reach(const Module& module, const Property& property) {
    for (const auto& computation : module.computations()) {
      for (const auto& each : computation->instructions()) anywhere_ |= property(*each);
    }
    // What comes out of a channel may stand before what goes in.
    size_t channels = 0;
    do {
      channels = channels_.size();
      Follow(module, property);
    } while (channels_.size() != channels);
  }

  // By leaf of a value.
  std::vector<bool> Leaves(const Instruction& value) const {
    std::vector<bool> leaves;
    for (const Instruction* each : ValuesOfLeaves(value)) leaves.push_back(reached_.at(each));
    return leaves;
  }

 private:
  template <typename Property>
  void Follow(const Module& module, const Property& property) {
    // Operands stand before those that take them; callees, as a rule, before their callers.
    for (const auto& computation : module.computations()) {
      bool any = false;
      for (const auto& each : computation->instructions()) {
        const auto& operands = each->operands();
        const auto callees = each->called_computations();
        const bool reached =
            property(*each) || IsReceived(*each) ||
            std::any_of(operands.begin(), operands.end(),
                        [&](const Instruction* operand) { return reached_.at(operand); }) ||
            std::any_of(callees.begin(), callees.end(), [&](const Computation* callee) {
              const auto found = inside_.find(callee);
              return found == inside_.end() || found->second;
            });
        // The arguments of a called computation are not known here.
        const bool sent = reached || (anywhere_ && computation.get() != module.entry());
        if (sent && each->opcode() == Opcode::kSend) channels_.insert(ChannelOf(*each));
        reached_[each.get()] = reached;
        any = any || reached;
      }
      inside_[computation.get()] = any;
    }
  }

  static std::optional<int64_t> ChannelOf(const Instruction& instruction) {
    return instruction.FindInt(Attr::kChannelId);
  }
  // Out of a channel that something reached goes into, on any process.
  bool IsReceived(const Instruction& instruction) const {
    return instruction.opcode() == Opcode::kRecv && channels_.contains(ChannelOf(instruction));
  }

  absl::flat_hash_map<const Instruction*, bool> reached_;
  absl::flat_hash_map<const Computation*, bool> inside_;
  absl::flat_hash_set<std::optional<int64_t>> channels_;
  bool anywhere_ = false;  // some instruction has the property
};

bool IsOtherNan(ElementType part, uint64_t wanted, uint64_t got) {
  return wanted != got && IsFloat(part) && IsNan(part, wanted) && IsNan(part, got);
}

bool RoundsSomething(const Instruction& instruction) {
  const std::vector<const Shape*> leaves = Leaves(instruction.shape());
  return std::any_of(leaves.begin(), leaves.end(), [&](const Shape* leaf) {
    return leaf->is_array() && Rounds(instruction, leaf->element_type());
  });
}

constexpr char kReached[] =
    "an instruction that the profile lets differ reaches it, and a program has no bound";

// How elements of a leaf count.
struct LeafRule {
  bool rounded = false, may_differ = false;
  const Instruction* value = nullptr;  // of which it is a leaf; null if several values may be it
};

// Returns true if the NaNs of a leaf keep their bits, because the program only moves them.
bool KeepsNans(const LeafRule& rule) {
  return rule.value != nullptr && HasGivenNansAlone(*rule.value);
}

void JudgeLeaf(const Subject& subject, const LeafRule& rule, const Literal& golden,
               const Literal& actual, int64_t leaf, Judgement* judgement) {
  if (golden.shape().is_dynamic()) {
    if (golden.current_sizes() == actual.current_sizes()) {
      return JudgeLeaf(subject, rule, ValidBox(golden), ValidBox(actual), leaf, judgement);
    }
    return CountOtherSizes(golden, actual, leaf, judgement);
  }
  if (Literal::BitEqual(golden, actual)) {
    return CountEqual(rule.rounded, golden.element_count(), judgement);
  }
  const ElementType type = golden.element_type();
  const ElementType part = Info(type).component;
  ElementFinding finding;
  if (rule.may_differ) {
    finding.verdict = Verdict::kNotJudgeable;
    finding.reason = kReached;
  }
  ElementFinding other_nan;
  Claim(subject.profile, Freedom::kNanPayload, &other_nan);
  std::optional<bool> keeps_nans;
  const auto same = [&](uint64_t wanted, uint64_t got) {
    if (!IsOtherNan(part, wanted, got)) return wanted == got;
    if (!keeps_nans) keeps_nans = KeepsNans(rule);
    return !*keeps_nans || IsMovedNan(part, wanted, got, LosesPayload(subject.profile, part));
  };
  int64_t equal = 0;
  for (int64_t i = 0; i < golden.element_count(); ++i) {
    const Element wanted = golden.Get(i), got = actual.Get(i);
    if (wanted == got) {
      ++equal;
    } else {
      const bool agrees =
          same(wanted.bits, got.bits) && (!IsComplex(type) || same(wanted.imag, got.imag));
      Count(subject, agrees ? other_nan : finding, golden, actual, leaf, i, judgement);
    }
  }
  CountEqual(rule.rounded, equal, judgement);
}

}  // namespace

Judgement JudgeProgram(const Module& module, absl::Span<const Literal> golden,
                       absl::Span<const Literal> actual, const TargetProfile& profile) {
  const Instruction& root = *module.entry()->root();
  const std::vector<bool> rounded = Reach(module, RoundsSomething).Leaves(root);
  const std::vector<bool> may_differ =
      Reach(module, [&](const Instruction& each) { return MayDiffer(each, profile); }).Leaves(root);
  const std::vector<const Instruction*> values = ValuesOfLeaves(root);
  const Evaluate none;
  const Subject subject{root, {}, none, profile};
  Judgement judgement;
  judgement.rule = "program";
  for (size_t d = 0; d < golden.size(); ++d) {
    const std::vector<Literal> wanted = Flatten(golden[d]), got = Flatten(actual[d]);
    Judgement own;
    own.rule = judgement.rule;
    for (size_t leaf = 0; leaf < wanted.size(); ++leaf) {
      if (!wanted[leaf].is_array()) continue;
      JudgeLeaf(subject, {rounded[leaf], may_differ[leaf], values[leaf]}, wanted[leaf], got[leaf],
                static_cast<int64_t>(leaf), &own);
    }
    for (Evidence& each : own.evidence) each.device = static_cast<int64_t>(d);
    judgement.Merge(own);
  }
  return judgement;
}

namespace {

// How the arrays that a module feeds out count: those of the entry's outfeeds, in order; where
// others stand in called computations, all like the worst of the module.
struct OutfeedRules {
  std::vector<LeafRule> of_entry;
  std::optional<LeafRule> of_all;

  LeafRule Of(size_t array) const {
    if (of_all) return *of_all;
    return array < of_entry.size() ? of_entry[array] : LeafRule();
  }
  bool number_may_differ() const { return of_all && of_all->may_differ; }
};

OutfeedRules FindOutfeedRules(const Module& module, const TargetProfile& profile) {
  const auto may_differ = [&](const Instruction& each) { return MayDiffer(each, profile); };
  const Reach rounded(module, RoundsSomething), differs(module, may_differ);
  OutfeedRules rules;
  LeafRule worst;
  bool in_callees = false;
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      worst.rounded |= RoundsSomething(*each);
      worst.may_differ |= may_differ(*each);
      if (each->opcode() != Opcode::kOutfeed) continue;
      if (computation.get() != module.entry()) {
        in_callees = true;
        continue;
      }
      const Instruction& data = *each->operand(0);
      const std::vector<bool> is_rounded = rounded.Leaves(data), differ = differs.Leaves(data);
      const std::vector<const Instruction*> values = ValuesOfLeaves(data);
      const std::vector<const Shape*> leaves = Leaves(data.shape());
      for (size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i]->is_array()) {
          rules.of_entry.push_back({is_rounded[i], differ[i], values[i]});
        }
      }
    }
  }
  if (in_callees) rules.of_all = worst;
  return rules;
}

// The shapes of a queue's arrays, as evidence.
std::string ShapesText(const std::vector<Literal>& arrays) {
  constexpr size_t kShown = 8;
  std::vector<std::string> shapes;
  for (size_t i = 0; i < std::min(arrays.size(), kShown); ++i) {
    shapes.push_back(arrays[i].shape().ToString());
  }
  if (arrays.size() > kShown) shapes.push_back("...");
  return absl::StrCat(arrays.size(), " arrays", arrays.empty() ? "" : ": ",
                      absl::StrJoin(shapes, ", "));
}

bool SameShapes(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Literal& x, const Literal& y) {
    return Shape::Compatible(x.shape(), y.shape());
  });
}

void JudgeOtherArrays(const std::vector<Literal>& golden, const std::vector<Literal>& actual,
                      bool may_differ, Judgement* judgement) {
  Evidence evidence;
  evidence.verdict = may_differ ? Verdict::kNotJudgeable : Verdict::kWrong;
  evidence.golden = ShapesText(golden);
  evidence.actual = ShapesText(actual);
  evidence.reason =
      may_differ ? "what may differ decides which arrays are fed out" : "other arrays are fed out";
  judgement->verdict = evidence.verdict;
  ++judgement->counts[static_cast<int>(evidence.verdict)];
  if (may_differ) judgement->reasons.push_back(evidence.reason);
  judgement->evidence.push_back(std::move(evidence));
}

}  // namespace

Judgement JudgeOutfeeds(const Module& module, absl::Span<const DeviceOutputs> golden,
                        absl::Span<const DeviceOutputs> actual, const TargetProfile& profile) {
  const OutfeedRules rules = FindOutfeedRules(module, profile);
  const Evaluate none;
  const Subject subject{*module.entry()->root(), {}, none, profile};
  Judgement judgement;
  judgement.rule = "program";
  for (size_t d = 0; d < golden.size(); ++d) {
    const std::vector<Literal>& wanted = golden[d].outfeed;
    const std::vector<Literal>& got = actual[d].outfeed;
    Judgement own;
    own.rule = judgement.rule;
    if (!SameShapes(wanted, got)) {
      JudgeOtherArrays(wanted, got, rules.number_may_differ(), &own);
    } else {
      for (size_t i = 0; i < wanted.size(); ++i) {
        JudgeLeaf(subject, rules.Of(i), wanted[i], got[i], static_cast<int64_t>(i), &own);
      }
    }
    for (Evidence& each : own.evidence) {
      each.device = static_cast<int64_t>(d);
      each.outfeed = true;
    }
    judgement.Merge(own);
  }
  return judgement;
}

namespace {

// The enclosures of what the devices return. Processes of one device have the same arguments, and
// the first of them returns what the device does.
absl::StatusOr<std::vector<BoxTree>> EncloseDevices(
    const Module& module, absl::Span<const std::vector<Literal>> arguments,
    const TargetProfile& profile, const RunBudget& budget) {
  const absl::StatusOr<runtime::ProcessPlan> plan = runtime::PlanProcesses(module);
  if (!plan.ok()) return plan.status();
  std::vector<std::vector<Literal>> by_process;
  for (const std::vector<Literal>& of_device : arguments) {
    by_process.insert(by_process.end(), plan->per_device, of_device);
  }
  absl::StatusOr<std::vector<BoxTree>> enclosures =
      EncloseProcesses(module, plan->grid, by_process, profile, budget);
  if (!enclosures.ok()) return enclosures;
  std::vector<BoxTree> by_device;
  for (size_t d = 0; d < arguments.size(); ++d) {
    by_device.push_back(std::move((*enclosures)[d * plan->per_device]));
  }
  return by_device;
}

bool HasNans(const Literal& value) {
  const std::vector<Literal> leaves = Flatten(value);
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const Literal& leaf) { return MarkNans(leaf).is_array(); });
}

// Returns true if the program may move a NaN that an argument or a constant gives.
bool IsGivenNans(const Module& module, absl::Span<const std::vector<Literal>> arguments) {
  for (const std::vector<Literal>& of_device : arguments) {
    if (std::any_of(of_device.begin(), of_device.end(), HasNans)) return true;
  }
  for (const auto& computation : module.computations()) {
    for (const auto& each : computation->instructions()) {
      if (each->opcode() == Opcode::kConstant && HasNans(*each->literal())) return true;
    }
  }
  return false;
}

// Returns true if a NaN of the actual results has other bits than that of the golden results.
bool HasOtherNans(absl::Span<const Literal> golden, absl::Span<const Literal> actual) {
  for (size_t d = 0; d < golden.size(); ++d) {
    const std::vector<Literal> wanted = Flatten(golden[d]), got = Flatten(actual[d]);
    for (size_t leaf = 0; leaf < wanted.size(); ++leaf) {
      if (!wanted[leaf].is_array() || Literal::BitEqual(wanted[leaf], got[leaf])) continue;
      const ElementType part = Info(wanted[leaf].element_type()).component;
      for (int64_t i = 0; i < wanted[leaf].element_count(); ++i) {
        const Element a = wanted[leaf].Get(i), b = got[leaf].Get(i);
        if (IsOtherNan(part, a.bits, b.bits) || IsOtherNan(part, a.imag, b.imag)) return true;
      }
    }
  }
  return false;
}

// Judges the elements, each by itself.
absl::StatusOr<Judgement> JudgeElements(const Module& module,
                                        absl::Span<const std::vector<Literal>> arguments,
                                        absl::Span<const Literal> golden,
                                        absl::Span<const Literal> actual,
                                        const TargetProfile& profile, const RunBudget& budget) {
  Judgement reached = JudgeProgram(module, golden, actual, profile);
  const bool agrees = reached.verdict < Verdict::kNotJudgeable;
  if (agrees && !(HasOtherNans(golden, actual) && IsGivenNans(module, arguments))) return reached;
  const absl::StatusOr<std::vector<BoxTree>> enclosures =
      EncloseDevices(module, arguments, profile, budget);
  if (enclosures.ok()) {
    const std::vector<int64_t> drawn = DrawnLeaves(module);
    Judgement whole;
    for (size_t d = 0; d < actual.size(); ++d) {
      absl::StatusOr<Judgement> own = JudgeWhole((*enclosures)[d], golden[d], actual[d], drawn);
      if (!own.ok()) return own;
      for (Evidence& each : own->evidence) each.device = static_cast<int64_t>(d);
      whole.Merge(*own);
    }
    if (agrees) return whole.verdict == Verdict::kWrong ? whole : reached;
    const bool known = whole.verdict != Verdict::kNotJudgeable;
    return known || reached.verdict == Verdict::kNotJudgeable ? whole : reached;
  }
  const absl::StatusCode code = enclosures.status().code();
  if (code != absl::StatusCode::kUnimplemented && code != absl::StatusCode::kResourceExhausted) {
    return enclosures.status();
  }
  if (reached.verdict == Verdict::kNotJudgeable) {
    reached.reasons.push_back(
        absl::StrCat("no interval of the program: ", enclosures.status().message()));
  }
  return reached;
}

}  // namespace

absl::StatusOr<Judgement> JudgeByInterval(const Module& module,
                                          absl::Span<const std::vector<Literal>> arguments,
                                          absl::Span<const Literal> golden,
                                          absl::Span<const Literal> actual,
                                          const TargetProfile& profile, const RunBudget& budget) {
  absl::StatusOr<Judgement> judgement =
      JudgeElements(module, arguments, golden, actual, profile, budget);
  for (size_t d = 0; judgement.ok() && d < actual.size(); ++d) {
    JudgeDrawnArrays(module, arguments[d], golden[d], actual[d], static_cast<int64_t>(d),
                     &*judgement);
  }
  return judgement;
}

}  // namespace assay::conformance
