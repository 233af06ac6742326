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
#include "conformance/enclosure/instruction_rules.h"
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
    Frame frame(&StepsOf(computation));
    for (Step& step : frame.steps) {
      const Instruction& instruction = *step.instruction;
      absl::Status status = Charge(instruction, step.cost);
      if (!status.ok()) return status;
      if (step.is_known) continue;
      absl::StatusOr<BoxTree> value;
      switch (step.kind) {
        case Step::Kind::kParameter:
          value = std::move(arguments[instruction.parameter_number()]);
          break;
        case Step::Kind::kGetTupleElement: {
          const int64_t tuple = instruction.operand(0)->index();
          value = frame.At(tuple).elements()[instruction.GetInt(Attr::kIndex)];
          frame.Use(tuple);
          break;
        }
        case Step::Kind::kTree:
          value = ApplyToTrees(instruction, frame.Take(instruction), level);
          break;
        case Step::Kind::kArrays:
          value = ApplyToArrays(&step, frame.Leaves(instruction));
          frame.UseAll(instruction);
          break;
      }
      if (!value.ok()) return value.status();
      if (step.keeps) value = Kept(*value);
      frame.Keep(&step, *std::move(value));
    }
    return frame.At(computation.root()->index());
  }

 private:
  // What does not depend on the operands of an instruction, however often it runs.
  struct Prepared {
    Prepared(const Instruction& of, const TargetProfile& profile, GoldenInstructions* goldens)
        : instruction(of), rules(of, profile), golden(&goldens->Of(of)) {}
    const Instruction& instruction;
    const InstructionRules rules;
    GoldenInstruction* const golden;
  };
  struct Step {
    enum class Kind : uint8_t { kParameter, kGetTupleElement, kTree, kArrays };
    const Instruction* instruction = nullptr;
    Kind kind = Kind::kArrays;
    int64_t cost = 0;          // of one evaluation
    int64_t uses = 0;          // that of the root by the caller among them
    bool keeps = false;        // has types that are kept in f32 (kept_types.h)
    bool is_constant = false;  // moved or computed out of constants alone
    bool is_known = false;
    BoxTree value;  // of a constant that is known
    // Of one that takes arrays, when they are first asked for.
    std::unique_ptr<const Prepared> prepared;
    std::unique_ptr<Module> form_module;  // its form in f32
    std::unique_ptr<const Prepared> form;
  };
  using Steps = std::vector<Step>;  // of a computation, by instruction

  Steps& StepsOf(const Computation& computation) {
    Steps& steps = steps_of_[&computation];
    if (!steps.empty()) return steps;
    steps.reserve(computation.instruction_count());
    for (const auto& each : computation.instructions()) {
      bool constants = true;
      for (const Instruction* operand : each->operands()) {
        ++steps[operand->index()].uses;
        constants = constants && steps[operand->index()].is_constant;
      }
      const bool leaf = each->opcode() == Opcode::kConstant || each->opcode() == Opcode::kIota;
      const bool pure = each->info().elementwise() || each->info().family == Family::kMovement;
      const absl::StatusOr<int64_t> bytes = each->shape().ByteSize();
      Step& step = steps.emplace_back();
      step.instruction = each.get();
      step.kind = KindOf(*each);
      step.cost = bytes.ok() ? 1 + *bytes / 4 : kTooManySteps;
      step.keeps = keeps_ && HasKeptTypes(*each);
      step.is_constant = leaf || (pure && each->operand_count() > 0 && constants);
    }
    ++steps[computation.root()->index()].uses;
    return steps;
  }

  // The values of a computation while it runs; those that nothing will use any more are let go of.
  struct Frame {
    explicit Frame(Steps* known) : steps(*known), values(steps.size()) {
      uses.reserve(steps.size());
      for (const Step& step : steps) uses.push_back(step.uses);
    }
    BoxTree& At(int64_t index) {
      return steps[index].is_known ? steps[index].value : values[index];
    }
    void Keep(Step* step, BoxTree value) {
      if (step->is_constant) {
        step->value = std::move(value);
        step->is_known = true;
      } else if (step->uses > 0) {
        values[step->instruction->index()] = std::move(value);
      }
    }
    void Use(int64_t index) {
      if (!steps[index].is_constant && --uses[index] == 0) values[index] = BoxTree();
    }
    void UseAll(const Instruction& instruction) {
      for (const Instruction* operand : instruction.operands()) Use(operand->index());
    }
    BoxPointers Leaves(const Instruction& instruction) {
      BoxPointers leaves;
      for (const Instruction* operand : instruction.operands()) {
        At(operand->index()).AppendLeaves(&leaves);
      }
      return leaves;
    }
    std::vector<BoxTree> Take(const Instruction& instruction) {
      std::vector<BoxTree> operands;
      for (const Instruction* operand : instruction.operands()) {
        operands.push_back(At(operand->index()));
        Use(operand->index());
      }
      return operands;
    }

    Steps& steps;
    std::vector<BoxTree> values;
    std::vector<int64_t> uses;
  };

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

  Step::Kind KindOf(const Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        return Step::Kind::kParameter;
      case Opcode::kGetTupleElement:
        return Step::Kind::kGetTupleElement;
      case Opcode::kTuple:
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAsyncStart:
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
      case Opcode::kCopy:
      case Opcode::kCopyStart:
      case Opcode::kCopyDone:
      case Opcode::kCall:
      case Opcode::kFusion:
      case Opcode::kWhile:
      case Opcode::kConditional:
        return Step::Kind::kTree;
      case Opcode::kMap:
        return MappedArrays(instruction) != nullptr ? Step::Kind::kTree : Step::Kind::kArrays;
      default: {
        const Family family = instruction.info().family;
        return family == Family::kCollective || family == Family::kHost ? Step::Kind::kTree
                                                                        : Step::Kind::kArrays;
      }
    }
  }

  absl::StatusOr<BoxTree> ApplyToTrees(const Instruction& instruction,
                                       std::vector<BoxTree> operands, int level) {
    switch (instruction.opcode()) {
      case Opcode::kTuple:
        return BoxTree::Tuple(std::move(operands));
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
        return Map(instruction, *MappedArrays(instruction), std::move(operands), level);
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
    // What other processes or the host decide.
    return BoxTree::Anything(instruction.shape(), &instruction);
  }

  absl::StatusOr<BoxTree> ApplyToArrays(Step* step, BoxPointers leaves) {
    const Instruction& instruction = *step->instruction;
    if (step->prepared == nullptr) {
      step->prepared = std::make_unique<Prepared>(instruction, profile_, &golden_);
    }
    const Prepared& prepared = *step->prepared;
    const Instruction* open = nullptr;
    for (const Box* box : leaves) open = open != nullptr ? open : box->open;
    std::vector<Box> flushed;
    if (prepared.rules.flushes_operands()) FlushOperands(&leaves, &flushed);
    const auto name = [open](Box* result) {
      if (result->open == nullptr && !result->is_point()) result->open = open;
    };
    if (!step->keeps && GivesOneArray(instruction)) {
      auto result = std::make_shared<Box>();
      absl::Status status = OneResult(prepared, Boxes(leaves), result.get());
      if (!status.ok()) return status;
      name(result.get());
      if (step->is_constant) LookForDenormals(result.get());
      return BoxTree::Of(std::move(result));
    }
    absl::StatusOr<std::vector<Box>> results =
        step->keeps ? ResultsKept(step, leaves) : Results(prepared, Boxes(leaves));
    if (!results.ok()) return results.status();
    for (Box& result : *results) name(&result);
    return Assemble(instruction.shape(), &*results);
  }

  // By way of OneResult, not of a list of results.
  static bool GivesOneArray(const Instruction& instruction) {
    return instruction.info().elementwise() || MovesArrays(instruction);
  }

  absl::Status OneResult(const Prepared& prepared, Boxes boxes, Box* result) {
    const Instruction& instruction = prepared.instruction;
    if (prepared.rules.may_be_unspecified() && IsUnspecified(instruction, boxes, profile_)) {
      *result = Box::Anything(instruction.shape(), &instruction);
      return absl::OkStatus();
    }
    absl::Status status = instruction.info().elementwise() ? Elementwise(prepared, boxes, result)
                                                           : Move(prepared, boxes, result);
    if (!status.ok()) return status;
    if (prepared.rules.may_overflow_to_nan()) {
      LetGoOfOverflows(instruction, boxes, profile_, result);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Box>> Results(const Prepared& prepared, Boxes boxes) {
    const Instruction& instruction = prepared.instruction;
    if (GivesOneArray(instruction)) {
      std::vector<Box> results(1);
      absl::Status status = OneResult(prepared, boxes, results.data());
      if (!status.ok()) return status;
      return results;
    }
    if (IsUnspecified(instruction, boxes, profile_)) return AnythingOf(instruction);
    absl::StatusOr<std::vector<Box>> results =
        ArePoints(boxes) && !HasResidual(instruction.opcode()) ? OfPoints(prepared, boxes)
                                                               : OfBoxes(prepared, boxes);
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
  absl::StatusOr<std::vector<Box>> ResultsKept(Step* step, BoxPointers leaves) {
    const Instruction& instruction = *step->instruction;
    std::vector<Box> narrow, flushed;
    BoxPointers narrow_leaves;
    narrow.reserve(leaves.size());  // so that boxes stay where they are
    flushed.reserve(leaves.size());
    bool holds = true, is_static = true;
    for (const Instruction* operand : instruction.operands()) {
      for (const Shape* shape : Leaves(operand->shape())) {
        const Box*& leaf = leaves[narrow.size()];
        NarrowBox box{*leaf, true};
        if (shape->is_array() && IsKept(shape->element_type())) {
          const ElementType type = shape->element_type();
          if (step->prepared->rules.may_flush() && profile_.MayFlushOperands(type)) {
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
      return Results(*step->prepared, Boxes(narrow_leaves));
    }
    if (IsUnspecified(instruction, Boxes(narrow_leaves), profile_)) return AnythingOf(instruction);
    const Prepared& form = FormOf(step);
    absl::StatusOr<std::vector<Box>> results = OfForm(instruction, form, Boxes(leaves));
    if (!results.ok()) return results;
    const std::vector<const Shape*> shapes = Leaves(instruction.shape());
    for (size_t leaf = 0; leaf < results->size(); ++leaf) {
      Box& box = (*results)[leaf];
      if (shapes[leaf]->is_array()) {
        Narrow(*step->prepared, *shapes[leaf], Boxes(narrow_leaves), &box);
      }
      if (box.open == &form.instruction) box.open = &instruction;  // which outlives it
    }
    return results;
  }

  const Prepared& FormOf(Step* step) {
    if (step->form == nullptr) {
      step->form_module = KeptForm(*step->instruction);
      step->form =
          std::make_unique<Prepared>(*step->form_module->entry()->root(), profile_, &golden_);
    }
    return *step->form;
  }

  absl::StatusOr<std::vector<Box>> OfForm(const Instruction& instruction, const Prepared& form,
                                          Boxes boxes) {
    if (FoldKind(instruction) == ReducerKind::kAdd) return SumsKept(instruction, form, boxes);
    if (!GivesOneArray(instruction)) {
      return ArePoints(boxes) ? OfPoints(form, boxes) : OfBoxes(form, boxes);
    }
    std::vector<Box> results(1);
    absl::Status status = instruction.info().elementwise()
                              ? Elementwise(form, boxes, results.data())
                              : Move(form, boxes, results.data());
    if (!status.ok()) return status;
    return results;
  }

  // What comes to a result in f32: what its function is budgeted in its own type, what it may be
  // narrowed to, and the decisions that there are in its type.
  void Narrow(const Prepared& prepared, const Shape& shape, Boxes operands, Box* box) const {
    const Instruction& instruction = prepared.instruction;
    const ElementType type = shape.element_type();
    const bool elementwise = instruction.info().elementwise();
    const auto take_in_decisions = [&](Box* into) {
      TakeInDecisions(instruction, operands, prepared.rules.decisions(), into);
    };
    if (!IsKept(type)) {
      if (elementwise) take_in_decisions(box);
      return;
    }
    if (prepared.rules.element_rule()) WidenByNarrowBudget(*prepared.rules.element_rule(), box);
    if (Moves(instruction) && instruction.opcode() != Opcode::kIota) return;
    TakeInNarrowed(type, profile_, box);
    if (!elementwise) return;
    const BoxTree narrowed = Returned(shape, profile_, BoxTree::Of(*box));
    Box decided = narrowed.box();
    take_in_decisions(&decided);
    TakeInDifferences(narrowed.box(), decided, box);
  }

  absl::StatusOr<std::vector<Box>> SumsKept(const Instruction& instruction,
                                            const Prepared& prepared, Boxes operands) {
    const Instruction& form = prepared.instruction;
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
    prepared.rules.Widen(&box);
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
  void FlushOperands(BoxPointers* operands, std::vector<Box>* flushed) const {
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
  absl::StatusOr<std::vector<Box>> OfPoints(const Prepared& prepared, Boxes operands) {
    const Instruction& instruction = prepared.instruction;
    std::vector<Literal> points;
    for (const Box& operand : operands) points.push_back(operand.low);
    Literal golden;
    absl::Status status = golden_.EvaluateAt(prepared.golden, Lows(operands), &golden);
    if (!status.ok()) return status;
    std::vector<Box> boxes;
    const std::vector<Literal> leaves = Flatten(golden);
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
        prepared.rules.Widen(&box);
        if (instruction.opcode() == Opcode::kBitcastConvert &&
            profile_.Grants(Freedom::kNanPayload)) {
          LetGoOfPayloads(points[0], &box);
        }
      }
      boxes.push_back(std::move(box));
    }
    return boxes;
  }

  absl::Status Elementwise(const Prepared& prepared, Boxes operands, Box* box) {
    const auto evaluate = [this, golden = prepared.golden](absl::Span<const Literal* const> values,
                                                           Literal* value) {
      return golden_.EvaluateAt(golden, values, value);
    };
    absl::Status status = ArePoints(operands)
                              ? AtValues(prepared, operands, box)
                              : EncloseElementwise(prepared.instruction, operands, evaluate, box);
    if (!status.ok()) return status;
    prepared.rules.Widen(box);
    TakeInDecisions(prepared.instruction, operands, prepared.rules.decisions(), box);
    MarkOpen(prepared.instruction, operands, box);
    return absl::OkStatus();
  }

  // Golden's one array, of points.
  absl::Status AtValues(const Prepared& prepared, Boxes operands, Box* box) {
    absl::Status status = golden_.EvaluateAt(prepared.golden, Lows(operands), &box->low);
    box->high = box->low;
    return status;
  }

  static LiteralPointers Lows(Boxes operands) {
    LiteralPointers lows;
    for (const Box& operand : operands) lows.push_back(&operand.low);
    return lows;
  }

  static absl::Status CheckStatic(const Instruction& instruction, Boxes operands) {
    for (const Box& operand : operands) {
      if (operand.low.is_array() && operand.shape().is_dynamic()) {
        return absl::UnimplementedError(
            absl::StrCat("no enclosure of dynamic sizes: ", instruction.Describe()));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Box>> OfBoxes(const Prepared& prepared, Boxes operands) {
    const Instruction& instruction = prepared.instruction;
    absl::Status status = CheckStatic(instruction, operands);
    if (!status.ok()) return status;
    auto evaluate = [&](absl::Span<const Literal> values) {
      return golden_.Evaluate(instruction, values);
    };
    switch (instruction.info().family) {
      case Family::kMovement: {
        std::vector<Box> boxes(1);
        status = Move(prepared, operands, boxes.data());
        if (!status.ok()) return status;
        return boxes;
      }
      case Family::kControl:
      case Family::kRandom:
        return AnythingOf(instruction);
      default:
        break;
    }
    if (IsBatchNorm(instruction.opcode())) {
      std::vector<Box> boxes = EncloseBatchNorm(instruction, operands, profile_);
      for (Box& box : boxes) prepared.rules.Widen(&box);
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
    for (Box& box : *boxes) prepared.rules.Widen(&box);
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

  // Whether an instruction moves elements as they are, out of arrays into one.
  static bool MovesArrays(const Instruction& instruction) {
    const Family family = instruction.info().family;
    return instruction.shape().is_array() && instruction.opcode() != Opcode::kBitcastConvert &&
           (family == Family::kMovement ||
            (family == Family::kIndexing && instruction.opcode() != Opcode::kScatter));
  }

  // Moves move both ends, and where NaNs may be.
  absl::Status Move(const Prepared& prepared, Boxes operands, Box* box) {
    const Instruction& instruction = prepared.instruction;
    box->flushed = !operands.empty();
    bool has_nans = false;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (IsIndex(instruction, k)) {
        if (operands[k].is_point()) continue;
        return MoveSomewhere(prepared, operands, box);
      }
      box->flushed = box->flushed && operands[k].flushed;
      has_nans = has_nans || operands[k].has_nan();
    }
    if (instruction.opcode() == Opcode::kReshape && !operands[0].shape().is_dynamic() &&
        !instruction.shape().is_dynamic()) {
      Reshape(instruction, operands[0], box);
      return absl::OkStatus();
    }
    if (ArePoints(operands)) return AtValues(prepared, operands, box);
    absl::Status status = CheckStatic(instruction, operands);
    if (!status.ok()) return status;
    const ElementType type = operands[0].low.element_type();
    if (type != instruction.shape().element_type() &&
        (instruction.opcode() == Opcode::kBitcastConvert ||
         instruction.opcode() == Opcode::kBitcast)) {
      *box = Box::Anything(instruction.shape(), &instruction);
      return absl::OkStatus();
    }
    status = golden_.EvaluateAt(prepared.golden, Lows(operands), &box->low);
    if (!status.ok()) return status;
    LiteralPointers highs;
    for (const Box& operand : operands) highs.push_back(&operand.high);
    status = golden_.EvaluateAt(prepared.golden, highs, &box->high);
    if (!status.ok() || !has_nans || box->low.element_type() != type) return status;
    std::vector<Literal> nans;
    for (size_t k = 0; k < operands.size(); ++k) {
      nans.push_back(IsIndex(instruction, k) ? operands[k].low
                     : operands[k].has_nan() ? operands[k].nan
                                             : Literal::Zeros(operands[k].shape()));
    }
    absl::StatusOr<Literal> nan = golden_.Evaluate(instruction, nans);
    if (nan.ok()) box->nan = *std::move(nan);
    return nan.status();
  }

  // The same elements under another shape.
  static void Reshape(const Instruction& reshape, const Box& operand, Box* box) {
    box->low = operand.low.WithShape(reshape.shape());
    box->high = operand.high.WithShape(reshape.shape());
    if (operand.has_nan()) box->nan = operand.nan.WithShape(reshape.shape());
  }

  // The hull over the places where a slice may start.
  absl::Status MoveSomewhere(const Prepared& prepared, Boxes operands, Box* box) {
    const Instruction& instruction = prepared.instruction;
    if (absl::Status status = CheckStatic(instruction, operands); !status.ok()) return status;
    std::vector<Box> moved;
    for (const std::vector<Box>& choice : PossibleIndices(instruction, operands)) {
      BoxPointers boxes;
      for (const Box& each : choice) boxes.push_back(&each);
      absl::Status status = Charge(instruction, instruction.shape().element_count());
      if (!status.ok()) return status;
      status = Move(prepared, Boxes(boxes), &moved.emplace_back());
      if (!status.ok()) return status;
    }
    BoxPointers boxes;
    for (const Box& each : moved) boxes.push_back(&each);
    *box = moved.empty() ? Box::Anything(instruction.shape(), &instruction) : HullOfBoxes(boxes);
    return absl::OkStatus();
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
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Module>> mapped_, called_;
  absl::node_hash_map<const Computation*, Steps> steps_of_;
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
