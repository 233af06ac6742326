#include "fuzz/differential/module_relations.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "spec/analysis/flat_computation.h"
#include "spec/builder/copy_module.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace {

// What a computation that is called may hold.
bool MayBeCalled(const Instruction& op) {
  switch (op.opcode()) {
    case Opcode::kAsyncStart:
    case Opcode::kCopyStart:
    case Opcode::kDomain:
    case Opcode::kRngGetAndUpdateState:
      return false;
    default:
      break;
  }
  if (op.info().family == Family::kHost) return false;
  const std::vector<const Shape*> leaves = Leaves(op.shape());
  return std::all_of(leaves.begin(), leaves.end(), [](const Shape* leaf) {
    return leaf->is_array() && !leaf->is_dynamic() && !leaf->has_layout();
  });
}

// Whether the entry can be called as a whole, on one device.
bool MayBeCalledWhole(const Module& module, RelationInputs inputs) {
  const auto& instructions = module.entry()->instructions();
  return inputs.size() == 1 && inputs[0].infeed.empty() &&
         std::all_of(instructions.begin(), instructions.end(),
                     [](const auto& each) { return MayBeCalled(*each); });
}

// A copy of the module with a new entry, which is written instruction by instruction.
class NewEntry {
 public:
  NewEntry(const Module& module, RelationInputs inputs) {
    result_.module = std::make_unique<Module>(module.name());
    result_.module->replica_count = module.replica_count;
    result_.module->num_partitions = module.num_partitions;
    CopyComputations(module, result_.module.get(), &callees_);
    former_ = callees_.at(module.entry());
    entry_ = std::make_unique<Computation>("whole");
    result_.inputs.assign(inputs.begin(), inputs.end());
  }

  Module& module() { return *result_.module; }
  Computation* former() const { return former_; }
  const Shape& result_shape() const { return former_->root()->shape(); }

  // Instructions go into the new entry, or into `into`.
  Instruction* Make(Opcode opcode, const Shape& shape, absl::Span<Instruction* const> operands,
                    Computation* into = nullptr) {
    auto made = std::make_unique<Instruction>(opcode, shape);
    made->set_operands(operands);
    made->set_name("w");
    return (into == nullptr ? entry_.get() : into)->Add(std::move(made));
  }
  Instruction* Parameter(const Shape& shape, int64_t number, Computation* into = nullptr) {
    Instruction* const made = Make(Opcode::kParameter, shape, {}, into);
    made->set_parameter_number(number);
    return made;
  }
  Instruction* Constant(const Literal& literal, Computation* into = nullptr) {
    Instruction* const made = Make(Opcode::kConstant, literal.shape(), {}, into);
    made->set_literal(literal);
    return made;
  }
  Instruction* Element(Instruction* tuple, int64_t index, Computation* into = nullptr) {
    Instruction* const made =
        Make(Opcode::kGetTupleElement, tuple->shape().tuple_shape(index), {tuple}, into);
    made->SetAttribute(Attr::kIndex, index);
    return made;
  }
  Instruction* Tuple(absl::Span<Instruction* const> elements, Computation* into = nullptr) {
    std::vector<Shape> shapes;
    for (const Instruction* element : elements) shapes.push_back(element->shape());
    return Make(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements, into);
  }
  Instruction* CallFormer(absl::Span<Instruction* const> operands, Computation* into = nullptr) {
    Instruction* const made = Make(Opcode::kCall, result_shape(), operands, into);
    made->SetAttribute(Attr::kToApply, former_);
    return made;
  }
  std::vector<Instruction*> Parameters() {
    std::vector<Instruction*> parameters;
    for (const Instruction* each : former_->parameters()) {
      parameters.push_back(Parameter(each->shape(), each->parameter_number()));
    }
    return parameters;
  }
  // The elements of a tuple that stand for the arguments.
  std::vector<Instruction*> Arguments(Instruction* tuple, int64_t first, Computation* into) {
    std::vector<Instruction*> arguments;
    for (size_t k = 0; k < former_->parameters().size(); ++k) {
      arguments.push_back(Element(tuple, first + static_cast<int64_t>(k), into));
    }
    return arguments;
  }
  Computation* Add(std::unique_ptr<Computation> computation) {
    return result_.module->Add(std::move(computation));
  }
  std::vector<DeviceInputs>& inputs() { return result_.inputs; }

  // The former entry is the entry, as it is by now.
  Rewritten FinishFormer() {
    result_.module->set_entry(former_);
    result_.module->UniquifyNames();
    return std::move(result_);
  }
  Rewritten Finish(Instruction* root) {
    entry_->set_root(root);
    result_.module->set_entry(result_.module->Add(std::move(entry_)));
    result_.module->UniquifyNames();
    return std::move(result_);
  }

 private:
  Rewritten result_;
  CalleeMap callees_;
  Computation* former_ = nullptr;
  std::unique_ptr<Computation> entry_;
};

// Copies a computation and what it calls, callees first.
void CopyReachable(const Computation& from, Module* to, CalleeMap* callees) {
  if (callees->contains(&from)) return;
  std::unique_ptr<Computation> own = EmptyCopy(from);
  InstructionMap instructions;
  for (const auto& each : from.instructions()) {
    for (const Computation* inner : each->called_computations()) CopyReachable(*inner, to, callees);
    instructions[each.get()] = own->Add(CopyInstruction(*each, instructions, *callees));
  }
  own->set_root(instructions.at(from.root()));
  (*callees)[&from] = to->Add(std::move(own));
}

Literal Counter(int64_t value) {
  return Literal::Scalar(ElementType::kS32, {static_cast<uint64_t>(value), 0});
}

}  // namespace

std::optional<Rewritten> CalledWhole(const Module& module, RelationInputs inputs) {
  if (!MayBeCalledWhole(module, inputs)) return std::nullopt;
  NewEntry made(module, inputs);
  Instruction* const call = made.CallFormer(made.Parameters());
  return made.Finish(call);
}

// Both branches are the module, and the predicate is known.
std::optional<Rewritten> InABranch(const Module& module, RelationInputs inputs) {
  if (!MayBeCalledWhole(module, inputs)) return std::nullopt;
  NewEntry made(module, inputs);
  Instruction* const state = made.Tuple(made.Parameters());
  auto branch = std::make_unique<Computation>("branch");
  Instruction* const given = made.Parameter(state->shape(), 0, branch.get());
  branch->set_root(made.CallFormer(made.Arguments(given, 0, branch.get()), branch.get()));
  Computation* const callee = made.Add(std::move(branch));
  Instruction* const pred = made.Constant(Literal::Scalar(ElementType::kPred, {1, 0}));
  Instruction* const chosen =
      made.Make(Opcode::kConditional, made.result_shape(), {pred, state, state});
  chosen->SetAttribute(Attr::kTrueComputation, callee);
  chosen->SetAttribute(Attr::kFalseComputation, callee);
  return made.Finish(chosen);
}

// A loop that runs once.
std::optional<Rewritten> InALoop(const Module& module, RelationInputs inputs) {
  constexpr int64_t kMostElements = 4096;  // of the result, which is there before, too
  if (!MayBeCalledWhole(module, inputs)) return std::nullopt;
  const Shape& shape = module.entry()->root()->shape();
  if (!shape.is_array() || shape.element_count() > kMostElements) return std::nullopt;
  NewEntry made(module, inputs);
  std::vector<Instruction*> state = {made.Constant(Counter(0)),
                                     made.Constant(Literal::Zeros(shape))};
  for (Instruction* parameter : made.Parameters()) state.push_back(parameter);
  Instruction* const init = made.Tuple(state);

  auto body = std::make_unique<Computation>("body");
  Instruction* const before = made.Parameter(init->shape(), 0, body.get());
  Instruction* const count = made.Make(
      Opcode::kAdd, Shape::Scalar(ElementType::kS32),
      {made.Element(before, 0, body.get()), made.Constant(Counter(1), body.get())}, body.get());
  std::vector<Instruction*> after = made.Arguments(before, 2, body.get());
  Instruction* const result = made.CallFormer(after, body.get());
  after.insert(after.begin(), {count, result});
  body->set_root(made.Tuple(after, body.get()));

  auto condition = std::make_unique<Computation>("condition");
  Instruction* const now = made.Parameter(init->shape(), 0, condition.get());
  Instruction* const goes_on =
      made.Make(Opcode::kCompare, Shape::Scalar(ElementType::kPred),
                {made.Element(now, 0, condition.get()), made.Constant(Counter(1), condition.get())},
                condition.get());
  goes_on->SetAttribute(Attr::kDirection, static_cast<int64_t>(ComparisonDirection::kLt));
  condition->set_root(goes_on);

  Instruction* const loop = made.Make(Opcode::kWhile, init->shape(), {init});
  loop->SetAttribute(Attr::kBody, made.Add(std::move(body)));
  loop->SetAttribute(Attr::kCondition, made.Add(std::move(condition)));
  return made.Finish(made.Element(loop, 1));
}

// Calls and fusions of the entry written out.
std::optional<Rewritten> Inlined(const Module& module, RelationInputs inputs) {
  const auto& instructions = module.entry()->instructions();
  const bool calls = std::any_of(instructions.begin(), instructions.end(), [](const auto& each) {
    return each->opcode() == Opcode::kCall || each->opcode() == Opcode::kFusion;
  });
  // The flat form leaves copies out, which a bitcast takes its layout from.
  const bool has_bitcast =
      std::any_of(module.computations().begin(), module.computations().end(), [](const auto& each) {
        return std::any_of(each->instructions().begin(), each->instructions().end(),
                           [](const auto& op) { return op->opcode() == Opcode::kBitcast; });
      });
  if (!calls || has_bitcast || !MayBeCalledWhole(module, inputs)) return std::nullopt;
  NewEntry made(module, inputs);
  std::unique_ptr<Computation> flat = analysis::FlattenComputation(*made.former());
  if (flat == nullptr) return std::nullopt;
  Rewritten result;
  result.inputs.assign(inputs.begin(), inputs.end());
  Computation* const entry = made.Add(std::move(flat));
  made.module().set_entry(entry);
  // Without the computations that nothing calls any more.
  result.module = std::make_unique<Module>(module.name());
  CalleeMap callees;
  CopyReachable(*entry, result.module.get(), &callees);
  result.module->set_entry(callees.at(entry));
  result.module->UniquifyNames();
  // The flat form also leaves out what is nothing to a single element, a reshape say, and takes
  // apart the tuples that asynchronous halves want: there the module is not written out.
  if (!VerifyModule(*result.module).ok()) return std::nullopt;
  return result;
}

std::optional<Rewritten> ResultsTwice(const Module& module, RelationInputs inputs) {
  if (!MayBeCalledWhole(module, inputs)) return std::nullopt;
  NewEntry made(module, inputs);
  Instruction* const root = made.former()->root();
  auto twice =
      std::make_unique<Instruction>(Opcode::kTuple, Shape::Tuple({root->shape(), root->shape()}));
  twice->set_operands({root, root});
  twice->set_name("twice");
  made.former()->set_root(made.former()->Add(std::move(twice)));
  Rewritten result = made.FinishFormer();
  result.copies = 2;
  return result;
}

std::optional<Rewritten> ArgumentsInATuple(const Module& module, RelationInputs inputs) {
  if (!MayBeCalledWhole(module, inputs) || module.entry()->parameters().empty()) {
    return std::nullopt;
  }
  NewEntry made(module, inputs);
  std::vector<Shape> shapes;
  for (const Instruction* each : made.former()->parameters()) shapes.push_back(each->shape());
  Instruction* const all = made.Parameter(Shape::Tuple(std::move(shapes)), 0);
  Instruction* const call = made.CallFormer(made.Arguments(all, 0, nullptr));
  for (DeviceInputs& own : made.inputs()) {
    Literal tuple = Literal::Tuple(std::move(own.arguments));
    own.arguments.clear();
    own.arguments.push_back(std::move(tuple));
  }
  return made.Finish(call);
}

// Each result may be written into an argument of its shape.
std::optional<Rewritten> ArgumentsAliased(const Module& module, RelationInputs inputs) {
  if (!MayBeCalledWhole(module, inputs)) return std::nullopt;
  NewEntry made(module, inputs);
  const Shape& result = made.result_shape();
  std::vector<const Instruction*> left;
  for (const Instruction* each : made.former()->parameters()) left.push_back(each);
  const size_t outputs = result.is_tuple() ? result.tuple_shapes().size() : 1;
  for (size_t k = 0; k < outputs; ++k) {
    const Shape& own = result.is_tuple() ? result.tuple_shape(k) : result;
    const auto found = std::find_if(left.begin(), left.end(), [&](const Instruction* each) {
      return own.is_array() && Shape::Compatible(each->shape(), own);
    });
    if (found == left.end()) continue;
    InputOutputAlias alias;
    if (result.is_tuple()) alias.output_index = {static_cast<int64_t>(k)};
    alias.parameter_number = (*found)->parameter_number();
    made.module().input_output_alias.push_back(alias);
    left.erase(found);
  }
  if (made.module().input_output_alias.empty()) return std::nullopt;
  return made.FinishFormer();
}

namespace {

// Half of an array along its first dimension.
Literal HalfOf(const Literal& whole, int64_t part) {
  if (whole.shape().rank() == 0) return whole;
  Shape shape = whole.shape();
  shape.set_dimension(0, shape.dimension(0) / 2);
  Literal half = Literal::Zeros(shape);
  const int64_t count = half.element_count();
  for (int64_t i = 0; i < count; ++i) half.Set(i, whole.Get(part * count + i));
  return half;
}

// Whether every array has the sizes of the results, or is a scalar, and each element of a result
// comes from the elements at its place: the sizes; none where it is otherwise.
std::optional<Dimensions> PointwiseSizes(const Module& module) {
  const Computation& entry = *module.entry();
  Dimensions sizes;
  for (const auto& each : entry.instructions()) {
    const bool is_root_tuple = each->opcode() == Opcode::kTuple && each.get() == entry.root();
    if (is_root_tuple) continue;
    const Shape& shape = each->shape();
    if (!shape.is_array()) return std::nullopt;
    const bool broadcasts =
        each->opcode() == Opcode::kBroadcast && each->operand(0)->shape().rank() == 0;
    const bool pointwise = each->info().elementwise() || each->opcode() == Opcode::kParameter ||
                           broadcasts || (each->opcode() == Opcode::kConstant && shape.rank() == 0);
    if (!pointwise || !each->called_computations().empty()) return std::nullopt;
    if (shape.rank() == 0) continue;
    if (!sizes.empty() && shape.dimensions() != absl::Span<const int64_t>(sizes)) {
      return std::nullopt;
    }
    sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  }
  if (sizes.empty() || sizes[0] == 0 || sizes[0] % 2 != 0) return std::nullopt;
  return sizes;
}

Instruction* Gathered(Instruction* half, const Shape& whole, int64_t channel, Computation* into) {
  auto gather = std::make_unique<Instruction>(Opcode::kAllGather, whole);
  gather->set_operands({half});
  gather->set_name("gathered");
  gather->SetAttribute(Attr::kDimension, int64_t{0});
  ReplicaGroups groups;
  groups.groups.push_back({0, 1});
  AttributeValue written;
  Emplace<ReplicaGroups>(written) = groups;
  gather->SetAttribute(Attr::kReplicaGroups, std::move(written));
  gather->SetAttribute(Attr::kChannelId, channel);
  gather->SetAttribute(Attr::kUseGlobalDeviceIds, true);
  return into->Add(std::move(gather));
}

}  // namespace

// Each of two partitions computes half of the elements and gathers the other half.
std::optional<Rewritten> OnTwoPartitions(const Module& module, RelationInputs inputs) {
  if (!MayBeCalledWhole(module, inputs) || module.entry()->parameters().empty()) {
    return std::nullopt;
  }
  if (!PointwiseSizes(module)) return std::nullopt;
  Rewritten result;
  result.module = std::make_unique<Module>(module.name());
  result.module->num_partitions = 2;
  std::unique_ptr<Computation> entry = EmptyCopy(*module.entry());
  InstructionMap halves;
  const Instruction* const root = module.entry()->root();
  for (const auto& each : module.entry()->instructions()) {
    if (each.get() == root && each->opcode() == Opcode::kTuple) continue;
    std::unique_ptr<Instruction> half = CopyInstruction(*each, halves, {});
    Shape shape = each->shape();
    if (shape.rank() > 0) shape.set_dimension(0, shape.dimension(0) / 2);
    half->set_shape(shape);
    halves[each.get()] = entry->Add(std::move(half));
  }
  int64_t channel = 0;
  const auto whole = [&](const Instruction* value) {
    Instruction* const half = halves.at(value);
    return value->shape().rank() == 0 ? half
                                      : Gathered(half, value->shape(), ++channel, entry.get());
  };
  if (root->opcode() == Opcode::kTuple) {
    std::vector<Instruction*> elements;
    for (const Instruction* operand : root->operands()) elements.push_back(whole(operand));
    auto tuple = std::make_unique<Instruction>(Opcode::kTuple, root->shape());
    tuple->set_operands(elements);
    tuple->set_name("all");
    entry->set_root(entry->Add(std::move(tuple)));
  } else {
    entry->set_root(whole(root));
  }
  result.module->set_entry(result.module->Add(std::move(entry)));
  result.module->UniquifyNames();
  for (const int64_t part : {0, 1}) {
    DeviceInputs& own = result.inputs.emplace_back();
    for (const Literal& argument : inputs[0].arguments) {
      own.arguments.push_back(HalfOf(argument, part));
    }
  }
  return result;
}

}  // namespace assay::fuzz
