#include "conformance/enclosure/enclosure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "conformance/enclosure/batch_norm.h"
#include "conformance/enclosure/elementwise.h"
#include "conformance/enclosure/folds.h"
#include "conformance/enclosure/golden_instructions.h"
#include "conformance/enclosure/kept_types.h"
#include "conformance/enclosure/linear_algebra.h"
#include "conformance/enclosure/lu.h"
#include "conformance/enclosure/mapped_region.h"
#include "conformance/enclosure/open_indices.h"
#include "conformance/enclosure/radii.h"
#include "conformance/enclosure/systems.h"
#include "conformance/enclosure/unspecified.h"
#include "conformance/judge/batch_norm_errors.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/called_operation.h"
#include "conformance/judge/element_rule.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/residuals.h"
#include "conformance/judge/rounds.h"
#include "evaluator/real/float_environment.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// Of an instruction whose result has more bytes than can be counted.
constexpr int64_t kTooManySteps = std::numeric_limits<int64_t>::max();

class Encloser {
 public:
  Encloser(const TargetProfile& profile, const RunBudget& budget)
      : profile_(profile),
        budget_(budget),
        start_(Clock::now()),
        keeps_(profile.Grants(Freedom::kExcessPrecision)),
        golden_(budget),
        radii_(profile_, &golden_) {}

  absl::StatusOr<BoxTree> Run(const Computation& computation, std::vector<BoxTree> arguments,
                              int level) {
    if (level > kMostEnclosedLevels) {
      return absl::ResourceExhaustedError(absl::StrCat("computation ", computation.name(),
                                                       " lies more than ", kMostEnclosedLevels,
                                                       " levels deep"));
    }
    Known& known = KnownOf(computation);
    std::vector<BoxTree> values(computation.instruction_count());
    std::vector<int64_t> uses = known.uses;
    for (const auto& each : computation.instructions()) {
      const int64_t index = each->index();
      absl::Status status = Charge(*each, known.steps[index]);
      if (!status.ok()) return status;
      if (known.has_value[index]) {
        values[index] = known.values[index];
        continue;
      }
      std::vector<BoxTree> operands;
      for (const Instruction* operand : each->operands()) {
        BoxTree& value = values[operand->index()];
        const bool last = --uses[operand->index()] == 0 && !known.is_constant[index];
        if (each->opcode() == Opcode::kGetTupleElement) {
          operands.push_back(value.elements()[each->GetInt(Attr::kIndex)]);
          if (last) value = BoxTree();
        } else {
          operands.push_back(last ? std::move(value) : value);
        }
      }
      absl::StatusOr<BoxTree> value = each->opcode() == Opcode::kParameter
                                          ? std::move(arguments[each->parameter_number()])
                                          : Apply(*each, std::move(operands), level, known);
      if (!value.ok()) return value.status();
      if (known.keeps[index]) value = Kept(*value);
      if (known.is_constant[index]) {
        known.values[index] = *value;
        known.has_value[index] = true;
      }
      if (uses[index] > 0) values[index] = *std::move(value);
    }
    return std::move(values[computation.root()->index()]);
  }

 private:
  // Of a computation, by instruction, however often it runs.
  struct Known {
    std::vector<int64_t> uses;      // that of the root by the caller among them
    std::vector<bool> is_constant;  // moved or computed out of constants alone
    std::vector<bool> has_value;
    std::vector<BoxTree> values;  // of constants
    std::vector<int64_t> steps;   // that one evaluation costs
    std::vector<bool> keeps;      // has types that are kept in f32 (kept_types.h)
  };
  Known& KnownOf(const Computation& computation) {
    Known& known = known_[&computation];
    if (!known.uses.empty()) return known;
    for (const auto& each : computation.instructions()) {
      const absl::StatusOr<int64_t> bytes = each->shape().ByteSize();
      known.steps.push_back(bytes.ok() ? 1 + *bytes / 4 : kTooManySteps);
      known.keeps.push_back(keeps_ && HasKeptTypes(*each));
    }
    const int64_t count = computation.instruction_count();
    known.uses.assign(count, 0);
    known.is_constant.assign(count, false);
    known.has_value.assign(count, false);
    known.values.resize(count);
    for (const auto& each : computation.instructions()) {
      for (const Instruction* operand : each->operands()) ++known.uses[operand->index()];
      const bool leaf = each->opcode() == Opcode::kConstant || each->opcode() == Opcode::kIota;
      const bool pure = each->info().elementwise() || each->info().family == Family::kMovement;
      known.is_constant[each->index()] =
          leaf || (pure && each->operand_count() > 0 &&
                   std::all_of(each->operands().begin(), each->operands().end(),
                               [&](const Instruction* operand) {
                                 return known.is_constant[operand->index()];
                               }));
    }
    ++known.uses[computation.root()->index()];
    return known;
  }

  absl::Status Charge(const Instruction& instruction, int64_t steps) {
    if (steps == kTooManySteps) return instruction.shape().ByteSize().status();
    steps_ += steps;
    if (budget_.steps >= 0 && steps_ > budget_.steps) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the budget of steps is spent at ", instruction.Describe()));
    }
    if (budget_.seconds < 0 || steps_ < next_look_) return absl::OkStatus();
    constexpr int64_t kStepsBetweenLooks = 4096;
    next_look_ = steps_ + kStepsBetweenLooks;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    if (seconds > budget_.seconds) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the budget of time is spent at ", instruction.Describe()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<BoxTree> Apply(const Instruction& instruction, std::vector<BoxTree> operands,
                                int level, const Known& known) {
    switch (instruction.opcode()) {
      case Opcode::kTuple:
        return BoxTree::Tuple(std::move(operands));
      case Opcode::kGetTupleElement:  // which Run has taken out
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAsyncUpdate:
      case Opcode::kCopy:
        return std::move(operands[0]);
      case Opcode::kAsyncStart: {
        std::vector<BoxTree> arguments = operands;
        absl::StatusOr<BoxTree> result =
            Run(*instruction.GetComputation(Attr::kCalls), std::move(arguments), level + 1);
        if (!result.ok()) return result;
        return Started(instruction, BoxTree::Tuple(std::move(operands)), *std::move(result));
      }
      case Opcode::kCopyStart:
        return Started(instruction, operands[0], operands[0]);
      case Opcode::kAsyncDone:
        return operands[0].elements()[1];
      case Opcode::kCopyDone:
        return operands[0].elements()[0];
      case Opcode::kCall:
        return Run(*instruction.to_apply(), std::move(operands), level + 1);
      case Opcode::kFusion:
        return Run(*instruction.GetComputation(Attr::kCalls), std::move(operands), level + 1);
      case Opcode::kWhile:
        return Loop(instruction, std::move(operands[0]), level);
      case Opcode::kConditional:
        return Branch(instruction, std::move(operands), level);
      case Opcode::kMap:
        if (const Computation* arrays = MappedArrays(instruction); arrays != nullptr) {
          return Map(instruction, *arrays, std::move(operands), level);
        }
        break;
      case Opcode::kCustomCall:
        if (const Computation* operation = CalledOperation(instruction); operation != nullptr) {
          return Call(instruction, *operation, std::move(operands), level);
        }
        if (IsLuCall(instruction)) {
          std::vector<Box> boxes = EncloseLu(instruction, operands[0].box(), profile_);
          return Assemble(instruction.shape(), &boxes);
        }
        break;
      default:
        break;
    }
    if (instruction.info().family == Family::kCollective ||
        instruction.info().family == Family::kHost) {
      return BoxTree::Anything(instruction.shape(), &instruction);
    }
    std::vector<const Box*> leaves;
    for (const BoxTree& operand : operands) operand.AppendLeaves(&leaves);
    const Instruction* open = nullptr;
    for (const Box* box : leaves) open = open != nullptr ? open : box->open;
    std::vector<Box> flushed;
    if (MayFlush(instruction)) FlushOperands(&leaves, &flushed);
    absl::StatusOr<std::vector<Box>> results = known.keeps[instruction.index()]
                                                   ? ResultsKept(instruction, leaves)
                                                   : Results(instruction, Boxes(leaves));
    if (!results.ok()) return results.status();
    for (Box& result : *results) {
      if (result.open == nullptr) result.open = result.is_point() ? nullptr : open;
    }
    return Assemble(instruction.shape(), &*results);
  }

  absl::StatusOr<std::vector<Box>> Results(const Instruction& instruction, Boxes boxes) {
    if (IsUnspecified(instruction, boxes, profile_)) return AnythingOf(instruction);
    const bool points = ArePoints(boxes);
    absl::StatusOr<std::vector<Box>> results =
        instruction.info().elementwise()               ? Elementwise(instruction, boxes, points)
        : points && !HasResidual(instruction.opcode()) ? OfPoints(instruction, boxes)
                                                       : OfBoxes(instruction, boxes);
    if (!results.ok()) return results;
    for (Box& result : *results) LetGoOfOverflows(instruction, boxes, profile_, &result);
    return results;
  }

  static bool ArePoints(Boxes boxes) {
    return std::all_of(boxes.begin(), boxes.end(),
                       [](const Box& box) { return box.shape().is_token() || box.is_point(); });
  }

  // Where types are kept in f32, as `leaves` are: by the instruction's form in f32, else by itself
  // on what its types hold.
  absl::StatusOr<std::vector<Box>> ResultsKept(const Instruction& instruction,
                                               std::vector<const Box*> leaves) {
    std::vector<Box> narrow, flushed;
    std::vector<const Box*> narrow_leaves;
    narrow.reserve(leaves.size());  // so that boxes stay where they are
    flushed.reserve(leaves.size());
    bool holds = true, is_static = true;
    for (const Instruction* operand : instruction.operands()) {
      for (const Shape* shape : Leaves(operand->shape())) {
        const Box*& leaf = leaves[narrow.size()];
        NarrowBox box{*leaf, true};
        if (shape->is_array() && IsKept(shape->element_type())) {
          const ElementType type = shape->element_type();
          if (MayFlush(instruction) && profile_.MayFlushOperands(type)) {
            flushed.push_back(*leaf);
            TakeInFlushed(type, &flushed.back());
            leaf = &flushed.back();
          }
          box = Around(type, *leaf);
        }
        holds = holds && box.holds;
        is_static = is_static && !(shape->is_array() && shape->is_dynamic());
        narrow.push_back(std::move(box.box));
        narrow_leaves.push_back(&narrow.back());
      }
    }
    if (!HasKeptForm(instruction) || !is_static) {
      if (!holds) return AnythingOf(instruction);
      return Results(instruction, Boxes(narrow_leaves));
    }
    if (IsUnspecified(instruction, Boxes(narrow_leaves), profile_)) return AnythingOf(instruction);
    const auto [at, is_new] = forms_.try_emplace(&instruction);
    if (is_new) at->second = KeptForm(instruction);
    const Instruction& form = *at->second->entry()->root();
    const Boxes boxes(leaves);
    const bool points = ArePoints(boxes);
    absl::StatusOr<std::vector<Box>> results =
        instruction.info().elementwise()             ? Elementwise(form, boxes, points)
        : FoldKind(instruction) == ReducerKind::kAdd ? SumsKept(instruction, form, boxes)
        : points                                     ? OfPoints(form, boxes)
                                                     : OfBoxes(form, boxes);
    if (!results.ok()) return results;
    const std::vector<const Shape*> shapes = Leaves(instruction.shape());
    for (size_t leaf = 0; leaf < results->size(); ++leaf) {
      Box& box = (*results)[leaf];
      if (shapes[leaf]->is_array()) {
        Narrow(instruction, *shapes[leaf], Boxes(narrow_leaves), &box);
      }
      if (box.open == &form) box.open = &instruction;  // which outlives it
    }
    return results;
  }

  // What comes to a result in f32: what its function is budgeted in its own type, what it may be
  // narrowed to, and the decisions that there are in its type.
  void Narrow(const Instruction& instruction, const Shape& shape, Boxes operands, Box* box) const {
    const ElementType type = shape.element_type();
    const bool elementwise = instruction.info().elementwise();
    const Accuracy accuracy = instruction.info().accuracy;
    if (!IsKept(type)) {
      if (elementwise) TakeInDecisions(instruction, operands, profile_, box);
      return;
    }
    if (elementwise && (accuracy == Accuracy::kFunction || accuracy == Accuracy::kRounded)) {
      WidenByNarrowBudget(ElementRule(instruction, type, profile_), box);
    }
    if (Moves(instruction) && instruction.opcode() != Opcode::kIota) return;
    TakeInNarrowed(type, profile_, box);
    if (!elementwise) return;
    const BoxTree narrowed = Returned(shape, profile_, BoxTree::Of(*box));
    Box decided = narrowed.box();
    TakeInDecisions(instruction, operands, profile_, &decided);
    TakeInDifferences(narrowed.box(), decided, box);
  }

  absl::StatusOr<std::vector<Box>> SumsKept(const Instruction& instruction, const Instruction& form,
                                            Boxes operands) {
    SumRadii found;
    const auto within = [&]() -> absl::StatusOr<std::vector<double>> {
      absl::StatusOr<SumRadii> radii =
          radii_.OfKeptSums(instruction, form, AllMagnitudes(form, operands));
      if (!radii.ok()) return radii.status();
      found = *std::move(radii);
      return found.radii;
    };
    const FoldContext context{
        [&](absl::Span<const Literal> values) { return golden_.Evaluate(form, values); },
        [&](absl::Span<const Literal> values) {
          return golden_.EvaluateProducts(form, ProductType(form), values);
        },
        [&](absl::Span<const Literal>) { return within(); },
        // An error of narrow types is not far from the sum: that of the largest magnitudes counts.
        [&](absl::Span<const Literal>, const Literal&) { return within(); },
        [&](const Literal& sizes, absl::Span<const double> terms,
            absl::Span<const double> magnitudes) {
          found = radii_.OfKeptFacts(instruction, form, sizes, terms, magnitudes);
          return found.radii;
        }};
    absl::StatusOr<std::vector<Box>> boxes = EncloseFold(form, operands, context);
    if (!boxes.ok()) return boxes;
    Box& box = (*boxes)[0];
    Allow(form, 0, &box);
    if (IsKept(instruction.shape().element_type())) {
      TakeInOverflows(instruction.shape().element_type(), found.overflows, &box);
    }
    return boxes;
  }

  // Of the first half of a pair: what stands in front of its context, of which nothing is known.
  static BoxTree Started(const Instruction& start, BoxTree first, BoxTree second) {
    std::vector<BoxTree> elements;
    elements.push_back(std::move(first));
    elements.push_back(std::move(second));
    const absl::Span<const Shape> shapes = start.shape().tuple_shapes();
    for (const Shape& context : shapes.subspan(2)) {
      elements.push_back(BoxTree::Anything(context, &start));
    }
    return BoxTree::Tuple(std::move(elements));
  }

  // Denormals of operands may be zeros.
  void FlushOperands(std::vector<const Box*>* operands, std::vector<Box>* flushed) const {
    flushed->reserve(operands->size());  // so that boxes stay where they are
    for (const Box*& operand : *operands) {
      if (!operand->low.is_array() || operand->flushed || !IsRounded(operand->low.element_type()) ||
          !profile_.MayFlushOperands(operand->low.element_type())) {
        continue;
      }
      flushed->push_back(*operand);
      Loosen({.flushed = true}, &flushed->back());
      operand = &flushed->back();
    }
  }

  // Null: the computation is none of elementwise operations.
  const Computation* MappedArrays(const Instruction& map) {
    const auto [at, is_new] = mapped_.try_emplace(&map);
    if (is_new) at->second = MapOfArrays(map);
    return at->second == nullptr ? nullptr : at->second->entry();
  }

  // What is open inside is named by the map, which outlives the copy of its computation.
  absl::StatusOr<BoxTree> Map(const Instruction& map, const Computation& arrays,
                              std::vector<BoxTree> operands, int level) {
    const Instruction* open = nullptr;
    for (const BoxTree& operand : operands) open = open != nullptr ? open : operand.open();
    absl::StatusOr<BoxTree> mapped = Run(arrays, std::move(operands), level + 1);
    if (!mapped.ok() || mapped->box().open == nullptr) return mapped;
    Box box = mapped->box();
    box.open = open != nullptr ? open : &map;
    return BoxTree::Of(std::move(box));
  }

  // Null: the call is none.
  const Computation* CalledOperation(const Instruction& call) {
    const auto [at, is_new] = called_.try_emplace(&call);
    if (is_new) at->second = OperationOfCall(call);
    return at->second == nullptr ? nullptr : at->second->entry();
  }

  // The operation gives the first array of the call's result; as of a map, the call is named.
  absl::StatusOr<BoxTree> Call(const Instruction& call, const Computation& operation,
                               std::vector<BoxTree> operands, int level) {
    const Instruction* open = nullptr;
    for (const BoxTree& operand : operands) open = open != nullptr ? open : operand.open();
    if (open == nullptr) open = &call;
    absl::StatusOr<BoxTree> value = Run(operation, std::move(operands), level + 1);
    if (!value.ok()) return value;
    Box box = value->box();
    if (box.open != nullptr) box.open = open;
    if (!InfoLeaf(call)) return BoxTree::Of(std::move(box));
    Box info = InfoOfFactors(call.shape().tuple_shapes()[1], box, open);
    std::vector<BoxTree> results;
    results.push_back(BoxTree::Of(std::move(box)));
    results.push_back(BoxTree::Of(std::move(info)));
    return BoxTree::Tuple(std::move(results));
  }

  static BoxTree Assemble(const Shape& shape, std::vector<Box>* leaves) {
    if (!shape.is_tuple()) return BoxTree::Of(std::move((*leaves)[0]));
    size_t next = 0;
    auto assemble = [&](auto& self, const Shape& part) -> BoxTree {
      if (!part.is_tuple()) return BoxTree::Of(std::move((*leaves)[next++]));
      std::vector<BoxTree> elements;
      for (const Shape& element : part.tuple_shapes()) elements.push_back(self(self, element));
      return BoxTree::Tuple(std::move(elements));
    };
    return assemble(assemble, shape);
  }

  // Integers as well, of a reducer of one's own that may come in any order.
  static bool IsUnknown(const std::vector<double>& radii) {
    return !radii.empty() &&
           std::all_of(radii.begin(), radii.end(), [](double x) { return x == kInfinity; });
  }

  // The golden value, and around it what the profile allows of this instruction alone.
  absl::StatusOr<std::vector<Box>> OfPoints(const Instruction& instruction, Boxes operands) {
    LiteralPointers values;
    std::vector<Literal> points;
    for (const Box& operand : operands) {
      values.push_back(&operand.low);
      points.push_back(operand.low);
    }
    absl::StatusOr<Literal> golden = golden_.EvaluateAt(instruction, values);
    if (!golden.ok()) return golden.status();
    std::vector<Box> boxes;
    if (instruction.info().family == Family::kMovement && golden->is_array() &&
        instruction.opcode() != Opcode::kBitcastConvert) {
      boxes.push_back(Box::Point(*std::move(golden)));
      return boxes;
    }
    const std::vector<Literal> leaves = Flatten(*golden);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      Box box = Box::Point(leaves[leaf]);
      if (leaves[leaf].is_array()) {
        absl::StatusOr<std::vector<double>> radii =
            radii_.About(instruction, points, leaf, leaves[leaf]);
        if (!radii.ok()) return radii.status();
        if (IsUnknown(*radii)) {
          boxes.push_back(Box::Anything(leaves[leaf].shape(), &instruction));
          continue;
        }
        if (!radii->empty()) WidenByRadii(*radii, &box);
        Allow(instruction, 0, &box);
        if (instruction.opcode() == Opcode::kBitcastConvert &&
            profile_.Grants(Freedom::kNanPayload)) {
          LetGoOfPayloads(*values[0], &box);
        }
      }
      boxes.push_back(std::move(box));
    }
    return boxes;
  }

  // The budget; what is between instructions may be wider, products may be rounded with what is
  // added to them, zeros may have either sign, and denormals be zero.
  void Allow(const Instruction& instruction, double ulps, Box* box) {
    const ElementType type = box->low.element_type();
    if (!IsFloat(type) && !IsComplex(type)) return;
    const ElementType part = Info(type).component;
    Slack slack;
    // Golden is within half a unit of the exact value, and so is the last rounding of a type of 8
    // bits, which is computed in a wider one: its budget is a small part of a unit.
    if (ulps > 0) {
      constexpr double kMostUnits = 0x1p60;  // more than any type has values on one side
      slack.units = Info(type).bits < 16
                        ? 1
                        : static_cast<int64_t>(std::min(std::ceil(ulps + 0.5), kMostUnits));
    }
    // Zeros of either sign are equal keys, but in the total order.
    slack.zeros =
        (profile_.Grants(Freedom::kSignedZero) && MayFlush(instruction)) ||
        (instruction.opcode() == Opcode::kSort && profile_.Grants(Freedom::kUnstableOrder) &&
         !instruction.GetBool(Attr::kIsStable) && !OrdersNans(*instruction.to_apply()));
    if (instruction.info().accuracy != Accuracy::kExact) {
      if (profile_.Grants(Freedom::kExcessPrecision) ||
          (profile_.Grants(Freedom::kContraction) && instruction.opcode() == Opcode::kMultiply)) {
        ++slack.units;
      }
    }
    slack.flushed = profile_.MayFlushResults(part) && MayFlush(instruction);
    slack.rounded = true;
    if (slack.units > 0 || slack.zeros || slack.flushed) Loosen(slack, box);
  }

  absl::StatusOr<std::vector<Box>> Elementwise(const Instruction& instruction, Boxes operands,
                                               bool points) {
    auto evaluate = [&](absl::Span<const Literal* const> values) {
      return golden_.EvaluateAt(instruction, values);
    };
    absl::StatusOr<Box> box =
        points ? Certain(operands, evaluate) : EncloseElementwise(instruction, operands, evaluate);
    if (!box.ok()) return box.status();
    const ElementType type = box->low.element_type();
    const Accuracy accuracy = instruction.info().accuracy;
    double ulps = 0;
    if (accuracy == Accuracy::kFunction || accuracy == Accuracy::kRounded) {
      const ElementRule rule(instruction, type, profile_);
      const UlpBudget& budget = rule.budget();
      if (rule.has_tolerance()) {
        WidenByRadii(Tolerated(rule, *box), &*box);
      } else if (IsComplex(type)) {
        WidenByRadii(Normwise(budget.ulps, *box), &*box);
      } else {
        ulps = budget.ulps;
      }
      if (budget.absolute != 0 && !rule.has_tolerance()) {
        WidenByRadii(std::vector<double>(box->low.element_count(), budget.absolute), &*box);
      }
    }
    Allow(instruction, ulps, &*box);
    TakeInDecisions(instruction, operands, profile_, &*box);
    MarkOpen(instruction, operands, &*box);
    return std::vector<Box>{*std::move(box)};
  }

  static absl::StatusOr<Box> Certain(Boxes operands, const EvaluateAt& evaluate) {
    LiteralPointers values;
    for (const Box& operand : operands) values.push_back(&operand.low);
    absl::StatusOr<Literal> value = evaluate(values);
    if (!value.ok()) return value.status();
    return Box::Point(*std::move(value));
  }

  // Of complex values: so many ulps of their absolute value, twice because they may lie below a
  // power of two.
  static std::vector<double> Normwise(double ulps, const Box& box) {
    std::vector<double> radii(box.low.element_count(), 0.0);
    if (ulps == 0) return radii;
    for (int64_t i = 0; i < box.low.element_count(); ++i) {
      radii[i] = 2 * (ulps + 0.5) * UlpOf(PartType(box.low), SizeOf(box, i));
    }
    return radii;
  }

  // What the instruction's own result_accuracy allows around exact values, which lie within half a
  // unit of golden's.
  static std::vector<double> Tolerated(const ElementRule& rule, const Box& box) {
    std::vector<double> radii(box.low.element_count(), 0.0);
    for (int64_t i = 0; i < box.low.element_count(); ++i) {
      const double unit = UlpOf(PartType(box.low), SizeOf(box, i));
      radii[i] = rule.BoundAt(SizeOf(box, i) + unit) + unit;
    }
    return radii;
  }

  // The largest absolute value that an element may have.
  static double SizeOf(const Box& box, int64_t i) {
    const ElementType part = PartType(box.low);
    const auto size = [part](uint64_t low, uint64_t high) {
      return std::max(std::fabs(DecodeFloat(part, low)), std::fabs(DecodeFloat(part, high)));
    };
    const Element low = box.low.Get(i), high = box.high.Get(i);
    const double real = size(low.bits, high.bits);
    return IsComplex(box.low.element_type()) ? std::hypot(real, size(low.imag, high.imag)) : real;
  }

  absl::StatusOr<std::vector<Box>> OfBoxes(const Instruction& instruction, Boxes operands) {
    for (const Box& operand : operands) {
      if (operand.low.is_array() && operand.shape().is_dynamic()) {
        return absl::UnimplementedError(
            absl::StrCat("no enclosure of dynamic sizes: ", instruction.Describe()));
      }
    }
    auto evaluate = [&](absl::Span<const Literal> values) {
      return golden_.Evaluate(instruction, values);
    };
    switch (instruction.info().family) {
      case Family::kMovement:
      case Family::kIndexing:
        if (instruction.opcode() != Opcode::kScatter) return Moved(instruction, operands);
        break;
      case Family::kControl:
      case Family::kRandom:
        return AnythingOf(instruction);
      default:
        break;
    }
    if (IsBatchNorm(instruction.opcode())) {
      std::vector<Box> boxes = EncloseBatchNorm(instruction, operands, profile_);
      for (Box& box : boxes) Allow(instruction, 0, &box);
      return boxes;
    }
    FoldContext context{
        evaluate,
        [&](absl::Span<const Literal> values) {
          return golden_.EvaluateProducts(instruction, ProductType(instruction), values);
        },
        [&](absl::Span<const Literal> values) -> absl::StatusOr<std::vector<double>> {
          return radii_.WithinMagnitudes(instruction, values);
        },
        [&](absl::Span<const Literal> values, const Literal& golden) {
          return radii_.About(instruction, values, 0, golden);
        },
        [&](const Literal& golden, absl::Span<const double> terms,
            absl::Span<const double> magnitudes) {
          return SumRadiiOfFacts({instruction, {&golden, 1}, golden_.evaluate_module(), profile_},
                                 golden, terms, magnitudes);
        }};
    absl::StatusOr<std::vector<Box>> boxes =
        instruction.info().family == Family::kLinearAlgebra
            ? EncloseLinearAlgebra(instruction, operands, profile_, context)
            : EncloseFold(instruction, operands, context);
    if (!boxes.ok()) return boxes;
    for (Box& box : *boxes) Allow(instruction, 0, &box);
    return boxes;
  }

  // A truth value or an integer that is not known is a decision inside an interval: of the
  // instruction that compared or converted floats.
  static void MarkOpen(const Instruction& instruction, Boxes operands, Box* box) {
    const ElementType type = box->low.element_type();
    if (IsFloat(type) || IsComplex(type) || box->is_point()) return;
    const bool earlier = std::any_of(operands.begin(), operands.end(),
                                     [](const Box& operand) { return operand.open != nullptr; });
    if (!earlier && !Literal::BitEqual(box->low, box->high)) box->open = &instruction;
  }

  // Moves move both ends, and where NaNs may be.
  absl::StatusOr<std::vector<Box>> Moved(const Instruction& instruction, Boxes operands) {
    if (instruction.opcode() == Opcode::kBitcastConvert ||
        instruction.opcode() == Opcode::kBitcast) {
      if (operands[0].shape().element_type() != instruction.shape().element_type()) {
        return AnythingOf(instruction);
      }
    }
    const ElementType type = operands[0].low.element_type();
    LiteralPointers lows, highs;
    bool has_nans = false, flushed = true;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Box& operand = operands[k];
      const bool index = IsIndex(instruction, k);
      if (index && !operand.is_point()) return MovedSomewhere(instruction, operands);
      flushed = flushed && (index || operand.flushed);
      has_nans = has_nans || operand.has_nan();
      lows.push_back(&operand.low);
      highs.push_back(&operand.high);
    }
    absl::StatusOr<Literal> low = golden_.EvaluateAt(instruction, lows);
    if (!low.ok()) return low.status();
    absl::StatusOr<Literal> high = golden_.EvaluateAt(instruction, highs);
    if (!high.ok()) return high.status();
    Box box{*std::move(low), *std::move(high), {}, nullptr, flushed};
    if (has_nans && box.low.element_type() == type) {
      std::vector<Literal> nans;
      for (size_t k = 0; k < operands.size(); ++k) {
        nans.push_back(IsIndex(instruction, k) ? operands[k].low
                       : operands[k].has_nan() ? operands[k].nan
                                               : Literal::Zeros(operands[k].shape()));
      }
      absl::StatusOr<Literal> nan = golden_.Evaluate(instruction, nans);
      if (!nan.ok()) return nan.status();
      box.nan = *std::move(nan);
    }
    return std::vector<Box>{std::move(box)};
  }

  // The hull over the places where a slice may start.
  absl::StatusOr<std::vector<Box>> MovedSomewhere(const Instruction& instruction, Boxes operands) {
    std::vector<Box> moved;
    for (const std::vector<Box>& choice : PossibleIndices(instruction, operands)) {
      std::vector<const Box*> boxes;
      for (const Box& box : choice) boxes.push_back(&box);
      if (absl::Status status = Charge(instruction, instruction.shape().element_count());
          !status.ok()) {
        return status;
      }
      absl::StatusOr<std::vector<Box>> value = Moved(instruction, Boxes(boxes));
      if (!value.ok()) return value;
      moved.push_back(std::move((*value)[0]));
    }
    if (moved.empty()) return AnythingOf(instruction);
    std::vector<const Box*> boxes;
    for (const Box& box : moved) boxes.push_back(&box);
    return std::vector<Box>{HullOfBoxes(boxes)};
  }

  absl::StatusOr<BoxTree> Loop(const Instruction& loop, BoxTree state, int level) {
    const Computation& condition = *loop.GetComputation(Attr::kCondition);
    const Computation& body = *loop.GetComputation(Attr::kBody);
    while (true) {
      absl::StatusOr<BoxTree> goes_on = Run(condition, {state}, level + 1);
      if (!goes_on.ok()) return goes_on.status();
      const Box& pred = goes_on->box();
      if (!(pred.low.Get(0) == pred.high.Get(0))) {
        return BoxTree::Anything(loop.shape(), pred.open != nullptr ? pred.open : &loop);
      }
      if (pred.low.Get(0).bits == 0) return state;
      absl::StatusOr<BoxTree> next = Run(body, {std::move(state)}, level + 1);
      if (!next.ok()) return next.status();
      state = *std::move(next);
    }
  }

  absl::StatusOr<BoxTree> Branch(const Instruction& conditional, std::vector<BoxTree> operands,
                                 int level) {
    const Box& selector = operands[0].box();
    if (!(selector.low.Get(0) == selector.high.Get(0))) {
      return AnyBranch(conditional, std::move(operands), level);
    }
    const auto branches = conditional.called_computations();
    const int64_t count = static_cast<int64_t>(branches.size());
    int64_t branch = 0;
    const uint64_t bits = selector.low.Get(0).bits;
    if (IsPred(selector.low.element_type())) {
      branch = bits != 0 ? 0 : 1;
    } else {
      branch = DecodeSigned(selector.low.element_type(), bits);
      if (branch < 0 || branch >= count) branch = count - 1;
    }
    std::vector<BoxTree> arguments;
    arguments.push_back(std::move(operands[1 + branch]));
    return Run(*branches[branch], std::move(arguments), level + 1);
  }

  // The hull over all branches, if none of them may run for ever or does more than compute.
  absl::StatusOr<BoxTree> AnyBranch(const Instruction& conditional, std::vector<BoxTree> operands,
                                    int level) {
    const Instruction* open = operands[0].box().open;
    if (open == nullptr) open = &conditional;
    const auto branches = conditional.called_computations();
    if (!std::all_of(branches.begin(), branches.end(),
                     [](const Computation* branch) { return IsShort(*branch); })) {
      return BoxTree::Anything(conditional.shape(), open);
    }
    std::vector<BoxTree> results;
    for (size_t k = 0; k < branches.size(); ++k) {
      std::vector<BoxTree> arguments;
      arguments.push_back(std::move(operands[1 + k]));
      absl::StatusOr<BoxTree> result = Run(*branches[k], std::move(arguments), level + 1);
      if (!result.ok()) return result;
      results.push_back(*std::move(result));
    }
    return HullOfTrees(results, open);
  }

  // Straight on, without effects.
  static bool IsShort(const Computation& branch) {
    return std::all_of(
        branch.instructions().begin(), branch.instructions().end(), [](const auto& each) {
          const Family family = each->info().family;
          const bool control = family == Family::kControl && each->opcode() != Opcode::kTuple &&
                               each->opcode() != Opcode::kGetTupleElement &&
                               each->opcode() != Opcode::kParameter;
          return !control && family != Family::kCollective && family != Family::kHost;
        });
  }

  static BoxTree HullOfTrees(absl::Span<const BoxTree> trees, const Instruction* open) {
    if (trees[0].is_tuple()) {
      std::vector<BoxTree> elements;
      for (size_t k = 0; k < trees[0].elements().size(); ++k) {
        std::vector<BoxTree> parts;
        for (const BoxTree& tree : trees) parts.push_back(tree.elements()[k]);
        elements.push_back(HullOfTrees(parts, open));
      }
      return BoxTree::Tuple(std::move(elements));
    }
    std::vector<const Box*> boxes;
    for (const BoxTree& tree : trees) boxes.push_back(&tree.box());
    if (boxes[0]->shape().is_token()) return trees[0];
    Box hull = HullOfBoxes(boxes);
    if (hull.open == nullptr && !Literal::BitEqual(hull.low, hull.high)) hull.open = open;
    return BoxTree::Of(std::move(hull));
  }

  const TargetProfile& profile_;
  const RunBudget budget_;
  const Clock::time_point start_;
  int64_t steps_ = 0, next_look_ = 0;
  const bool keeps_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Module>> mapped_, called_, forms_;
  absl::node_hash_map<const Computation*, Known> known_;
  GoldenInstructions golden_;
  const RadiusFinder radii_;
};

}  // namespace

absl::StatusOr<BoxTree> Enclose(const Module& module, absl::Span<const Literal> arguments,
                                const TargetProfile& profile, const RunBudget& budget) {
  if (module.replica_count != 1 || module.num_partitions != 1) {
    return absl::UnimplementedError("no enclosure of several processes");
  }
  absl::Status status = CheckArguments(*module.entry(), arguments);
  if (!status.ok()) return status;
  const FloatEnvironmentGuard guard;
  // Kernels want legal instructions.
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(module);
  if (!planned.ok()) return planned.status();
  std::vector<BoxTree> values;
  for (const Literal& argument : arguments) values.push_back(BoxTree::Point(argument));
  absl::StatusOr<BoxTree> result =
      Encloser(profile, budget).Run(*module.entry(), std::move(values), 0);
  if (!result.ok() || !profile.Grants(Freedom::kExcessPrecision)) return result;
  return Returned(module.entry()->root()->shape(), profile, *result);
}

}  // namespace assay
