#include "fuzz/differential/relations.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "conformance/mutants/rewrites.h"
#include "conformance/mutants/site.h"
#include "fuzz/differential/module_relations.h"
#include "interpreter/custom_call.h"
#include "spec/builder/copy_module.h"

namespace assay::fuzz {
namespace {

using Inputs = absl::Span<const DeviceInputs>;
using Edit = Instruction* (*)(conformance::Site&);

// Shapes that the rows below work on: arrays of static sizes without layouts.
bool IsPlain(const Shape& shape) {
  return shape.is_array() && !shape.is_dynamic() && !shape.has_layout();
}

bool AllPlain(const Instruction& op) {
  return IsPlain(op.shape()) &&
         std::all_of(op.operands().begin(), op.operands().end(), [&](const Instruction* operand) {
           return IsPlain(operand->shape()) &&
                  operand->shape().dimensions() == op.shape().dimensions();
         });
}

std::vector<Opcode> Elementwise() {
  std::vector<Opcode> opcodes;
  for (const OpInfo& op : Catalogue()) {
    if (op.elementwise()) opcodes.push_back(op.opcode);
  }
  return opcodes;
}

std::optional<Rewritten> Everywhere(const Module& module, Inputs inputs,
                                    absl::Span<const Opcode> opcodes, Edit edit) {
  conformance::DefectiveModule changed = conformance::PutInto(module, opcodes, edit, nullptr);
  if (changed.sites == 0) return std::nullopt;
  return Rewritten{std::move(changed.module), {inputs.begin(), inputs.end()}};
}

std::vector<int64_t> Counting(int64_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// --- Around an elementwise operation. ----------------------------------------------------------

Instruction* Reverse(conformance::Site& site, Instruction* value) {
  return site.Make(Opcode::kReverse, value->shape(), {value}, [](Instruction& x) {
    x.SetAttribute(Attr::kDimensions, Counting(x.shape().rank()));
  });
}

// The same operation on operands that `before` has changed, in the shape that they have then.
template <typename Before>
Instruction* OnChanged(conformance::Site& site, Before before) {
  std::vector<Instruction*> operands;
  for (Instruction* operand : site.operands()) {
    Instruction* const changed = before(operand);
    if (changed == nullptr) return nullptr;
    operands.push_back(changed);
  }
  if (operands.empty()) return nullptr;
  const Instruction& original = site.original();
  const Shape shape(original.shape().element_type(), operands[0]->shape().dimensions());
  return site.Make(original.opcode(), shape, operands, [&](Instruction& x) {
    for (const auto& [attr, value] : original.attributes().entries()) x.SetAttribute(attr, value);
  });
}

Instruction* ReversedAround(conformance::Site& site) {
  if (!AllPlain(site.original()) || site.original().shape().rank() == 0) return nullptr;
  Instruction* const made =
      OnChanged(site, [&](Instruction* operand) { return Reverse(site, operand); });
  return made == nullptr ? nullptr : Reverse(site, made);
}

Instruction* TransposedAround(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!AllPlain(site.original()) || shape.rank() < 2) return nullptr;
  const auto turn = [&](Instruction* value) {
    Dimensions sizes(value->shape().dimensions().rbegin(), value->shape().dimensions().rend());
    return site.Make(Opcode::kTranspose, Shape(value->shape().element_type(), sizes), {value},
                     [](Instruction& x) {
                       std::vector<int64_t> order = Counting(x.shape().rank());
                       std::reverse(order.begin(), order.end());
                       x.SetAttribute(Attr::kDimensions, order);
                     });
  };
  Instruction* const made = OnChanged(site, turn);
  return made == nullptr ? nullptr : turn(made);
}

Instruction* FlattenedAround(conformance::Site& site) {
  if (!AllPlain(site.original()) || site.original().shape().rank() == 1) return nullptr;
  const auto reshape = [&](Instruction* value, absl::Span<const int64_t> sizes) {
    return site.Make(Opcode::kReshape, Shape(value->shape().element_type(), sizes), {value});
  };
  const int64_t count = site.original().shape().element_count();
  Instruction* const made =
      OnChanged(site, [&](Instruction* operand) { return reshape(operand, {count}); });
  return made == nullptr ? nullptr : reshape(made, site.original().shape().dimensions());
}

// On arrays that are put behind themselves; the first half of the result.
Instruction* DoubledAround(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!AllPlain(site.original()) || shape.rank() == 0) return nullptr;
  const auto doubled = [&](Instruction* value) {
    Shape twice = value->shape();
    twice.set_dimension(0, 2 * twice.dimension(0));
    return site.Make(Opcode::kConcatenate, twice, {value, value},
                     [](Instruction& x) { x.SetAttribute(Attr::kDimension, int64_t{0}); });
  };
  Instruction* const made = OnChanged(site, doubled);
  if (made == nullptr) return nullptr;
  return site.Make(Opcode::kSlice, shape, {made}, [&](Instruction& x) {
    Slices ranges;
    for (const int64_t size : shape.dimensions()) ranges.push_back({0, size, 1});
    x.SetAttribute(Attr::kSlice, ranges);
  });
}

// Both halves of the operands on their own, put together again.
Instruction* SplitAround(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!AllPlain(site.original()) || shape.rank() == 0 || shape.dimension(0) < 2) return nullptr;
  const int64_t middle = shape.dimension(0) / 2;
  const auto part = [&](int64_t start, int64_t limit) {
    return OnChanged(site, [&](Instruction* value) {
      Shape small = value->shape();
      small.set_dimension(0, limit - start);
      return site.Make(Opcode::kSlice, small, {value}, [&](Instruction& x) {
        Slices ranges;
        for (const int64_t size : shape.dimensions()) ranges.push_back({0, size, 1});
        ranges[0] = {start, limit, 1};
        x.SetAttribute(Attr::kSlice, ranges);
      });
    });
  };
  Instruction* const low = part(0, middle);
  Instruction* const high = part(middle, shape.dimension(0));
  if (low == nullptr || high == nullptr) return nullptr;
  return site.Make(Opcode::kConcatenate, shape, {low, high},
                   [](Instruction& x) { x.SetAttribute(Attr::kDimension, int64_t{0}); });
}

// --- Behind any value. -------------------------------------------------------------------------

Instruction* Barred(conformance::Site& site) {
  if (!IsPlain(site.original().shape())) return nullptr;
  Instruction* const value = site.Unchanged();
  return site.Make(Opcode::kOptimizationBarrier, site.original().shape(), {value});
}

Instruction* PaddedAndSliced(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!IsPlain(shape) || shape.rank() == 0) return nullptr;
  Instruction* const value = site.Unchanged();
  auto filling = site.Make(Opcode::kConstant, Shape::Scalar(shape.element_type()), {},
                           [](Instruction& x) { x.set_literal(Literal::Zeros(x.shape())); });
  if (filling == nullptr) return nullptr;
  Shape padded = shape;
  for (int64_t d = 0; d < shape.rank(); ++d) padded.set_dimension(d, shape.dimension(d) + 3);
  Instruction* const wide = site.Make(Opcode::kPad, padded, {value, filling}, [&](Instruction& x) {
    PaddingConfig config;
    for (int64_t d = 0; d < shape.rank(); ++d) config.dimensions.push_back({1, 2, 0});
    x.SetAttribute(Attr::kPadding, config);
  });
  if (wide == nullptr) return nullptr;
  return site.Make(Opcode::kSlice, shape, {wide}, [&](Instruction& x) {
    Slices ranges;
    for (const int64_t size : shape.dimensions()) ranges.push_back({1, size + 1, 1});
    x.SetAttribute(Attr::kSlice, ranges);
  });
}

// By way of the layout with the dimensions in the opposite order.
Instruction* LaidOutAnew(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!IsPlain(shape) || shape.rank() < 2) return nullptr;
  Shape turned = shape;
  Layout layout;
  const std::vector<int64_t> order = Counting(shape.rank());
  layout.minor_to_major.assign(order.begin(), order.end());
  turned.set_layout(layout);
  Instruction* const value = site.Unchanged();
  Instruction* const copy = site.Make(Opcode::kCopy, turned, {value});
  return copy == nullptr ? nullptr : site.Make(Opcode::kCopy, shape, {copy});
}

Instruction* Selected(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!IsPlain(shape)) return nullptr;
  Instruction* const value = site.Unchanged();
  Instruction* const truth =
      site.Make(Opcode::kConstant, Shape::Scalar(ElementType::kPred), {}, [](Instruction& x) {
        x.set_literal(Literal::Scalar(ElementType::kPred, {1, 0}));
      });
  if (truth == nullptr) return nullptr;
  return site.Make(Opcode::kSelect, shape, {truth, value, value});
}

Instruction* WidenedAndNarrowed(conformance::Site& site) {
  const Shape& shape = site.original().shape();
  if (!IsPlain(shape) || !IsInteger(shape.element_type())) return nullptr;
  if (Info(shape.element_type()).bits >= 64) return nullptr;
  Instruction* const value = site.Unchanged();
  const ElementType wide = IsSigned(shape.element_type()) ? ElementType::kS64 : ElementType::kU64;
  Instruction* const widened =
      site.Make(Opcode::kConvert, Shape(wide, shape.dimensions()), {value});
  return widened == nullptr ? nullptr : site.Make(Opcode::kConvert, shape, {widened});
}

// --- Of single operations. -----------------------------------------------------------------------

Instruction* OperandsSwapped(conformance::Site& site) {
  std::vector<Instruction*> operands = site.operands();
  std::swap(operands[0], operands[1]);
  return site.Edited([&](Instruction& x) { x.set_operands(operands); });
}

Instruction* ComparisonTurned(conformance::Site& site) {
  using enum ComparisonDirection;
  std::vector<Instruction*> operands = site.operands();
  std::swap(operands[0], operands[1]);
  ComparisonDirection turned = site.original().GetEnum<ComparisonDirection>(Attr::kDirection);
  switch (turned) {
    case kGe:
      turned = kLe;
      break;
    case kGt:
      turned = kLt;
      break;
    case kLe:
      turned = kGe;
      break;
    case kLt:
      turned = kGt;
      break;
    default:
      break;
  }
  return site.Edited([&](Instruction& x) {
    x.set_operands(operands);
    x.SetAttribute(Attr::kDirection, static_cast<int64_t>(turned));
  });
}

Instruction* BranchesSwapped(conformance::Site& site) {
  std::vector<Instruction*> operands = site.operands();
  Instruction* const negated = site.Make(Opcode::kNot, operands[0]->shape(), {operands[0]});
  if (negated == nullptr) return nullptr;
  operands = {negated, operands[2], operands[1]};
  return site.Edited([&](Instruction& x) { x.set_operands(operands); });
}

// --- Of the whole module. ------------------------------------------------------------------------

// Where an instruction of the entry is copied to.
struct Place {
  Module* module;
  Computation* computation;
  const InstructionMap& instructions;
  const CalleeMap& callees;
};

// Copies the module; `replace` puts something else in the place of an instruction of the entry, and
// returns it.
template <typename Replace>
std::unique_ptr<Module> CopyAt(const Module& module, Replace replace) {
  auto copy = std::make_unique<Module>(module.name());
  copy->replica_count = module.replica_count;
  copy->num_partitions = module.num_partitions;
  CalleeMap callees;
  for (const auto& computation : module.computations()) {
    const bool is_entry = computation.get() == module.entry();
    std::unique_ptr<Computation> own = EmptyCopy(*computation);
    InstructionMap instructions;
    for (const auto& each : computation->instructions()) {
      std::unique_ptr<Instruction> other;
      if (is_entry) other = replace(*each, Place{copy.get(), own.get(), instructions, callees});
      if (other == nullptr) other = CopyInstruction(*each, instructions, callees);
      instructions[each.get()] = own->Add(std::move(other));
    }
    own->set_root(instructions.at(computation->root()));
    callees[computation.get()] = copy->Add(std::move(own));
    if (is_entry) copy->set_entry(callees[computation.get()]);
  }
  return copy;
}

template <typename Replace>
std::unique_ptr<Module> CopyWith(const Module& module, Replace replace) {
  return CopyAt(module, [&](const Instruction& each, const Place&) { return replace(each); });
}

// The module is the one that `change` makes where it changes anything.
template <typename Change>
std::optional<Rewritten> Changed(const Module& module, Inputs inputs, Change change) {
  int64_t changes = 0;
  std::unique_ptr<Module> copy =
      CopyAt(module, [&](const Instruction& each, const Place& at) -> std::unique_ptr<Instruction> {
        std::unique_ptr<Instruction> other = change(each, at);
        changes += other != nullptr ? 1 : 0;
        return other;
      });
  if (changes == 0) return std::nullopt;
  copy->UniquifyNames();
  return Rewritten{std::move(copy), {inputs.begin(), inputs.end()}};
}

bool IsPlainElementwise(const Instruction& op) {
  return op.info().elementwise() && op.operand_count() > 0 && AllPlain(op) &&
         op.called_computations().empty();
}

// An elementwise instruction as a computation of its own that a call or a fusion runs.
std::unique_ptr<Instruction> InComputation(const Instruction& op, const Place& at, bool fused) {
  auto inner = std::make_unique<Computation>("outlined");
  InstructionMap parameters;
  std::vector<Instruction*> operands;
  for (const Instruction* operand : op.operands()) {
    if (parameters.contains(operand)) continue;
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, operand->shared_shape());
    parameter->set_parameter_number(static_cast<int64_t>(operands.size()));
    parameter->set_name("outlined_operand");
    parameters[operand] = inner->Add(std::move(parameter));
    operands.push_back(at.instructions.at(operand));
  }
  inner->set_root(inner->Add(CopyInstruction(op, parameters, at.callees)));
  inner->set_is_fusion(fused);
  Computation* const callee = at.module->Add(std::move(inner));
  auto caller =
      std::make_unique<Instruction>(fused ? Opcode::kFusion : Opcode::kCall, op.shared_shape());
  caller->set_operands(operands);
  caller->set_name(op.name());
  if (fused) {
    caller->SetAttribute(Attr::kKind, static_cast<int64_t>(FusionKind::kLoop));
    caller->SetAttribute(Attr::kCalls, callee);
  } else {
    caller->SetAttribute(Attr::kToApply, callee);
  }
  return caller;
}

template <bool kFused>
std::optional<Rewritten> Outlined(const Module& module, Inputs inputs) {
  return Changed(module, inputs, [](const Instruction& op, const Place& at) {
    return IsPlainElementwise(op) ? InComputation(op, at, kFused) : nullptr;
  });
}

// Beside each elementwise instruction another one that nobody uses.
std::optional<Rewritten> WithDeadCode(const Module& module, Inputs inputs) {
  return Changed(
      module, inputs, [](const Instruction& op, const Place& at) -> std::unique_ptr<Instruction> {
        if (!IsPlainElementwise(op)) return nullptr;
        std::unique_ptr<Instruction> dead = CopyInstruction(op, at.instructions, at.callees);
        dead->set_name("dead");
        at.computation->Add(std::move(dead));
        return CopyInstruction(op, at.instructions, at.callees);
      });
}

// The first iteration of a loop in front of it, under the loop's condition.
std::optional<Rewritten> Peeled(const Module& module, Inputs inputs) {
  return Changed(
      module, inputs, [](const Instruction& op, const Place& at) -> std::unique_ptr<Instruction> {
        if (op.opcode() != Opcode::kWhile) return nullptr;
        Computation* const condition = at.callees.at(op.GetComputation(Attr::kCondition));
        Computation* const body = at.callees.at(op.GetComputation(Attr::kBody));
        Instruction* const init = at.instructions.at(op.operand(0));
        auto kept = std::make_unique<Computation>("kept");
        auto parameter = std::make_unique<Instruction>(Opcode::kParameter, init->shared_shape());
        parameter->set_parameter_number(0);
        parameter->set_name("kept_state");
        kept->set_root(kept->Add(std::move(parameter)));
        Computation* const identity = at.module->Add(std::move(kept));
        auto runs = std::make_unique<Instruction>(Opcode::kCall, Shape::Scalar(ElementType::kPred));
        runs->set_operands({init});
        runs->set_name("runs");
        runs->SetAttribute(Attr::kToApply, condition);
        Instruction* const first = at.computation->Add(std::move(runs));
        auto once = std::make_unique<Instruction>(Opcode::kConditional, init->shared_shape());
        once->set_operands({first, init, init});
        once->set_name("peeled");
        once->SetAttribute(Attr::kTrueComputation, body);
        once->SetAttribute(Attr::kFalseComputation, identity);
        InstructionMap rest;
        rest[op.operand(0)] = at.computation->Add(std::move(once));
        return CopyInstruction(op, rest, at.callees);
      });
}

// The iterations of a loop that counts, one after the other.
Instruction* Unrolled(conformance::Site& site) {
  constexpr int64_t kMost = 8;
  const std::optional<conformance::CountedLoop> loop =
      conformance::MatchCountedLoop(site.original());
  const std::optional<int64_t> iterations = loop ? loop->Iterations() : std::nullopt;
  return iterations && *iterations <= kMost ? conformance::BuildUnrolled(site, *iterations)
                                            : nullptr;
}

// A reduction of all dimensions, the first of which has a dynamic size that is the static one.
std::optional<Rewritten> ReducedDynamic(const Module& module, Inputs inputs) {
  return Changed(
      module, inputs, [](const Instruction& op, const Place& at) -> std::unique_ptr<Instruction> {
        if (op.opcode() != Opcode::kReduce || op.operand_count() != 2) return nullptr;
        const Shape& shape = op.operand(0)->shape();
        if (!IsPlain(shape) || shape.rank() == 0 || !op.shape().is_array() ||
            op.shape().rank() != 0) {
          return nullptr;
        }
        const auto size = static_cast<uint64_t>(shape.dimension(0));
        auto constant =
            std::make_unique<Instruction>(Opcode::kConstant, Shape::Scalar(ElementType::kS32));
        constant->set_literal(Literal::Scalar(ElementType::kS32, {size, 0}));
        constant->set_name("size");
        Instruction* const sizes = at.computation->Add(std::move(constant));
        Shape dynamic = shape;
        dynamic.set_dynamic_dimension(0, true);
        auto set = std::make_unique<Instruction>(Opcode::kSetDimensionSize, dynamic);
        set->set_operands({at.instructions.at(op.operand(0)), sizes});
        set->SetAttribute(Attr::kDimension, int64_t{0});
        set->set_name("dynamic");
        InstructionMap operands = {{op.operand(1), at.instructions.at(op.operand(1))}};
        operands[op.operand(0)] = at.computation->Add(std::move(set));
        return CopyInstruction(op, operands, at.callees);
      });
}

std::optional<Rewritten> ConstantsAsParameters(const Module& module, Inputs inputs) {
  Rewritten result;
  result.inputs.assign(inputs.begin(), inputs.end());
  auto next = static_cast<int64_t>(module.entry()->parameters().size());
  const int64_t before = next;
  result.module = CopyWith(module, [&](const Instruction& each) -> std::unique_ptr<Instruction> {
    if (each.opcode() != Opcode::kConstant || each.literal() == nullptr) return nullptr;
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, each.shared_shape());
    parameter->set_parameter_number(next++);
    parameter->set_name(each.name());
    for (DeviceInputs& own : result.inputs) own.arguments.push_back(*each.literal());
    return parameter;
  });
  if (next == before) return std::nullopt;
  return result;
}

std::optional<Rewritten> ParametersAsConstants(const Module& module, Inputs inputs) {
  if (inputs.size() != 1 || module.entry()->parameters().empty()) return std::nullopt;
  Rewritten result;
  result.inputs.push_back({{}, inputs[0].infeed});
  result.module = CopyWith(module, [&](const Instruction& each) -> std::unique_ptr<Instruction> {
    if (each.opcode() != Opcode::kParameter) return nullptr;
    auto constant = std::make_unique<Instruction>(Opcode::kConstant, each.shared_shape());
    constant->set_literal(inputs[0].arguments[each.parameter_number()].WithShape(each.shape()));
    constant->set_name(each.name());
    return constant;
  });
  return result;
}

template <Edit kEdit>
std::optional<Rewritten> AtElementwise(const Module& module, Inputs inputs) {
  static const auto* const opcodes = new std::vector<Opcode>(Elementwise());
  return Everywhere(module, inputs, *opcodes, kEdit);
}

template <Edit kEdit, Opcode... kOpcodes>
std::optional<Rewritten> At(const Module& module, Inputs inputs) {
  static constexpr Opcode kAll[] = {kOpcodes...};
  return Everywhere(module, inputs, kAll, kEdit);
}

constexpr Relation kRelations[] = {
    {"constants_as_parameters", "what was known when compiling is known when running",
     ConstantsAsParameters},
    {"parameters_as_constants", "what was known when running is known when compiling",
     ParametersAsConstants},
    {"operands_swapped", "sums, products and bitwise operations commute",
     At<OperandsSwapped, Opcode::kAdd, Opcode::kMultiply, Opcode::kAnd, Opcode::kOr, Opcode::kXor>},
    {"comparison_turned", "a < b is b > a", At<ComparisonTurned, Opcode::kCompare>},
    {"branches_swapped", "select(p, a, b) is select(not p, b, a)",
     At<BranchesSwapped, Opcode::kSelect>},
    {"reversed_around", "an elementwise operation on reversed operands, reversed",
     AtElementwise<ReversedAround>},
    {"transposed_around", "an elementwise operation on transposed operands, transposed back",
     AtElementwise<TransposedAround>},
    {"flattened_around", "an elementwise operation on operands of one dimension",
     AtElementwise<FlattenedAround>},
    {"doubled_around", "an elementwise operation on operands twice as long",
     AtElementwise<DoubledAround>},
    {"split_around", "an elementwise operation on both halves of its operands, put together",
     AtElementwise<SplitAround>},
    {"barrier_behind", "nothing is fused over an opt-barrier", AtElementwise<Barred>},
    {"padded_and_sliced", "padding that is cut away again", AtElementwise<PaddedAndSliced>},
    {"laid_out_anew", "a value by way of another layout", AtElementwise<LaidOutAnew>},
    {"outlined", "an elementwise operation in a computation that is called", Outlined<false>},
    {"fused", "an elementwise operation in a fusion of its own", Outlined<true>},
    {"dead_code", "unused instructions beside those that are used", WithDeadCode},
    {"peeled", "the first iteration of a loop in front of it", Peeled},
    {"unrolled", "the iterations of a loop that counts, one after the other",
     At<Unrolled, Opcode::kWhile>},
    {"reduced_dynamic", "a reduction of a dynamic size that is the static one", ReducedDynamic},
    {"called_whole", "the whole module as a computation that is called", CalledWhole},
    {"in_a_branch", "the whole module in both branches of a conditional", InABranch},
    {"in_a_loop", "the whole module in a loop that runs once", InALoop},
    {"inlined", "calls and fusions written out", Inlined},
    {"results_twice", "every result is also returned beside itself", ResultsTwice},
    {"arguments_in_a_tuple", "one parameter, the tuple of all", ArgumentsInATuple},
    {"arguments_aliased", "results may be written into arguments", ArgumentsAliased},
    {"on_two_partitions", "elementwise operations on halves, gathered", OnTwoPartitions},
    {"selected", "select(true, a, a) is a", AtElementwise<Selected>},
    {"widened_and_narrowed", "integers by way of 64 bits", AtElementwise<WidenedAndNarrowed>},
};

}  // namespace

std::vector<DeviceOutputs> ExpectedOf(const Rewritten& rewritten,
                                      absl::Span<const DeviceOutputs> golden) {
  std::vector<DeviceOutputs> expected(golden.begin(), golden.end());
  if (expected.size() == 1) expected.resize(rewritten.inputs.size(), expected[0]);
  if (rewritten.copies == 1) return expected;
  for (DeviceOutputs& own : expected) {
    own.result = Literal::Tuple(std::vector<Literal>(rewritten.copies, own.result));
  }
  return expected;
}

absl::Span<const Relation> Relations() { return kRelations; }

}  // namespace assay::fuzz
