#include "spec/builder/builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_join.h"
#include "spec/builder/maker.h"
#include "spec/ops/shape_inference.h"

namespace assay {

using builder_internal::Graph;
using builder_internal::Maker;

namespace builder_internal {

std::vector<int64_t> ToVector(absl::Span<const int64_t> list) { return {list.begin(), list.end()}; }

std::vector<int64_t> Counting(int64_t count) {
  std::vector<int64_t> list(count < 0 ? 0 : count);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

std::vector<Op> Join(std::initializer_list<Ops> lists) {
  std::vector<Op> all;
  for (Ops list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Maker::Maker(absl::string_view function, CallSite site, Ops operands, Builder* builder)
    : function_(function), site_(site) {
  if (builder != nullptr) graph_ = builder->graph_;
  for (size_t i = 0; graph_ == nullptr && i < operands.size(); ++i) graph_ = operands[i].graph_;
  if (graph_ == nullptr) {
    ok_ = false;  // nobody to tell; what is built from the result tells its builder
    return;
  }
  constexpr size_t kShown = 6;
  for (size_t i = 0; i < std::min(operands.size(), kShown); ++i) {
    operands_.push_back(operands[i].graph_ == graph_ ? operands[i].instruction_ : nullptr);
  }
  more_operands_ = operands.size() > kShown;
  if (graph_->finished) {
    operands_.clear();  // they went with the module
    Fail("builder_c1", "the builder is spent: its module has been built");
    return;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].graph_ == nullptr) {
      Fail("builder_c2", absl::StrCat("operand ", i, " is no operation"));
    } else if (operands[i].graph_ != graph_) {
      Fail("builder_c3", absl::StrCat("operand ", i, " belongs to another builder, ",
                                      operands[i].graph_->name, ", than ", graph_->name));
    } else if (operands[i].instruction_ == nullptr) {
      ok_ = false;  // refused before, and kept
    }
  }
}

Maker::Maker(std::shared_ptr<Graph> graph, const Instruction& original)
    : original_(&original), site_(CallSite::Current()), graph_(std::move(graph)) {}

std::string Maker::Function() const {
  std::vector<std::string> shapes;
  for (const Instruction* operand : operands_) {
    shapes.push_back(operand == nullptr ? "?" : operand->shape().ToString());
  }
  if (more_operands_) shapes.push_back("...");
  return absl::StrCat(function_, "(", absl::StrJoin(shapes, ", "), ")");
}

void Maker::Keep(absl::Status status) {
  ok_ = false;
  if (graph_ == nullptr || !graph_->first_error.ok()) return;
  const std::string place = original_ != nullptr
                                ? absl::StrCat("for ", original_->Describe())
                                : absl::StrCat(site_.file(), ":", site_.line(), ": ", Function());
  graph_->first_error = absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

Op Maker::Fail(absl::string_view clause, absl::string_view what) {
  return Fail(absl::InvalidArgumentError(absl::StrCat("[", clause, "] ", what)));
}

Op Maker::Fail(const absl::Status& status) {
  Keep(status);
  return Op(graph_, nullptr);
}

const Shape& Maker::ShapeOf(const Op& op) const {
  static const Shape* const none = new Shape;
  return op.instruction_ == nullptr ? *none : op.instruction_->shape();
}

std::unique_ptr<Instruction> Maker::Prepare(Opcode opcode, Ops operands, AttributeList attributes,
                                            Shape declared, CalleeList callees) {
  if (!ok_) return nullptr;
  auto instruction = std::make_unique<Instruction>(opcode, std::move(declared));
  instruction->set_name(absl::StrCat(Name(opcode), ".", graph_->computation->instruction_count()));
  for (const Op& operand : operands) {
    if (operand.instruction_ == nullptr) return nullptr;
    instruction->AppendOperand(operand.instruction_);
  }
  for (const auto& [attr, callee] : callees) attributes.emplace_back(attr, callee);
  for (auto& [attr, value] : attributes) {
    if (instruction->info().FindAttribute(attr) == nullptr) {
      Fail("builder_c4", absl::StrCat(Name(opcode), " has no attribute ", Info(attr).name));
      return nullptr;
    }
    instruction->SetAttribute(attr, std::move(value));
  }
  const bool open = ShapeIsOpen(*instruction);
  absl::StatusOr<Shape> shape = InferShape(*instruction);
  if (!shape.ok()) {
    Fail(shape.status());
    return nullptr;
  }
  // A rule may hand on layouts of operands; a program that names none has the default ones.
  if (open) shape->ClearLayouts();
  shape->FillLayouts();
  instruction->set_shape(*std::move(shape));
  if (absl::Status status = CheckInstruction(*instruction); !status.ok()) {
    Fail(status);
    return nullptr;
  }
  return instruction;
}

Op Maker::Make(Opcode opcode, Ops operands, AttributeList attributes, Shape declared,
               CalleeList callees) {
  std::unique_ptr<Instruction> instruction =
      Prepare(opcode, operands, std::move(attributes), std::move(declared), std::move(callees));
  if (instruction == nullptr) return Op(graph_, nullptr);
  return Op(graph_, graph_->computation->Add(std::move(instruction)));
}

bool Maker::Accepts(Opcode opcode, Ops operands, AttributeList attributes, Shape declared) {
  return Prepare(opcode, operands, std::move(attributes), std::move(declared), {}) != nullptr;
}

Op Maker::Constant(Literal literal) {
  if (!ok_) return Op(graph_, nullptr);
  Computation& computation = *graph_->computation;
  Shape shape = literal.shape();
  shape.FillLayouts();
  auto instruction = std::make_unique<Instruction>(Opcode::kConstant, shape);
  instruction->set_name(absl::StrCat("constant.", computation.instruction_count()));
  instruction->set_literal(literal.WithShape(shape));
  if (absl::Status status = CheckInstruction(*instruction); !status.ok()) return Fail(status);
  return Op(graph_, computation.Add(std::move(instruction)));
}

Op Maker::Constant(ElementType type, int64_t value) {
  Element element;
  if (IsInteger(type) || IsPred(type)) {
    element.bits = EncodeInteger(type, static_cast<uint64_t>(value));
  } else {
    element.bits = EncodeFloatFromSigned(IsComplex(type) ? Info(type).component : type, value);
  }
  return Constant(Literal::Scalar(type, element));
}

Computation* Maker::Import(const Callee& callee) {
  if (!ok_) return nullptr;
  if (!callee.status_.ok()) {
    // It names the place of the call inside the callee.
    if (graph_->first_error.ok()) graph_->first_error = callee.status_;
    ok_ = false;
    return nullptr;
  }
  if (callee.module_ == nullptr) {
    Fail("builder_c8", "there is no computation to call");
    return nullptr;
  }
  for (const auto& [module, entry] : graph_->copied) {
    if (module == callee.module_) return entry;
  }
  CalleeMap copies;
  CopyComputations(*callee.module_, graph_->module.get(), &copies);
  Computation* entry = copies.at(callee.module_->entry());
  graph_->copied.emplace_back(callee.module_, entry);
  return entry;
}

Op Maker::TokenForTransfer() {
  if (!ok_) return Op(graph_, nullptr);
  if (graph_->last_token != nullptr) return Op(graph_, graph_->last_token);
  return Make(Opcode::kAfterAll, {});
}

void Maker::SetLastToken(const Op& token) {
  if (token.instruction_ != nullptr) graph_->last_token = token.instruction_;
}

Callee Maker::SubComputation(absl::string_view name, absl::Span<const Shape> parameters,
                             Body body) const {
  Builder builder{std::string(name), Semantics::kToday};
  std::vector<Op> values;
  for (const Shape& shape : parameters) {
    const int64_t number = static_cast<int64_t>(values.size());
    values.push_back(Parameter(&builder, number, shape, absl::StrCat("p", number), site_));
  }
  return builder.BuildCallee(body(values, site_), site_);
}

}  // namespace builder_internal

absl::StatusOr<Shape> Op::shape() const {
  if (graph_ == nullptr) return absl::InvalidArgumentError("there is no operation");
  if (graph_->finished) {
    return absl::InvalidArgumentError("the builder is spent: its module has been built");
  }
  if (instruction_ == nullptr) return graph_->first_error;
  return instruction_->shape();
}

Builder::Builder(std::string name, Semantics semantics) : graph_(std::make_shared<Graph>()) {
  graph_->semantics = semantics;
  graph_->module = std::make_unique<Module>(name);
  graph_->computation = std::make_unique<Computation>(name);
  graph_->name = std::move(name);
}

Builder::Builder(Semantics semantics, std::string name) : Builder(std::move(name), semantics) {}

Builder Builder::CreateSubBuilder(std::string name) const {
  return Builder(std::move(name), semantics());
}

Semantics Builder::semantics() const {
  return graph_ == nullptr ? Semantics::kToday : graph_->semantics;
}

absl::Status Builder::first_error() const {
  return graph_ == nullptr ? absl::InvalidArgumentError("the builder has been moved from")
                           : graph_->first_error;
}

absl::StatusOr<std::unique_ptr<Module>> Builder::Finish(const Op* root, CallSite site) {
  if (graph_ == nullptr) return first_error();
  if (!graph_->first_error.ok() && !graph_->finished) return graph_->first_error;
  Maker maker("Build", site, root == nullptr ? absl::Span<const Op>() : absl::MakeSpan(root, 1),
              this);
  if (!maker.ok()) return graph_->first_error;
  Computation& computation = *graph_->computation;
  if (computation.instruction_count() == 0) {
    maker.Fail("builder_c5", "the computation has no operations");
    return graph_->first_error;
  }
  const auto& numbers = graph_->parameters;
  for (int64_t number = 0; number < static_cast<int64_t>(numbers.size()); ++number) {
    if (!numbers.contains(number)) {
      maker.Fail("builder_c6", absl::StrCat("parameter ", number, " is missing"));
      return graph_->first_error;
    }
  }
  if (root != nullptr) computation.set_root(maker.instruction(*root));
  graph_->finished = true;
  std::unique_ptr<Module> module = std::move(graph_->module);
  module->set_entry(module->Add(std::move(graph_->computation)));
  module->UniquifyNames(module->entry());
  module->AssignIds();
  return module;
}

absl::StatusOr<std::unique_ptr<Module>> Builder::Build(CallSite site) {
  return Finish(nullptr, site);
}

absl::StatusOr<std::unique_ptr<Module>> Builder::Build(Op root, CallSite site) {
  return Finish(&root, site);
}

Callee Builder::BuildCallee(CallSite site) {
  Callee callee;
  absl::StatusOr<std::unique_ptr<Module>> module = Finish(nullptr, site);
  callee.status_ = module.status();
  if (module.ok()) callee.module_ = *std::move(module);
  return callee;
}

Callee Builder::BuildCallee(Op root, CallSite site) {
  Callee callee;
  absl::StatusOr<std::unique_ptr<Module>> module = Finish(&root, site);
  callee.status_ = module.status();
  if (module.ok()) callee.module_ = *std::move(module);
  return callee;
}

Op Parameter(Builder* builder, int64_t number, const Shape& shape, std::string name,
             CallSite site) {
  Maker maker("Parameter", site, {}, builder);
  if (!maker.ok()) return maker.Wrap(nullptr);
  Computation& computation = *maker.graph().computation;
  // Computation::parameters() makes a list as long as the largest number.
  constexpr int64_t kMostParameters = int64_t{1} << 24;
  ASSAY_MAKER_REQUIRE(maker, "parameter_c1", number >= 0 && number < kMostParameters,
                      "the parameter number must lie in [0, ", kMostParameters, "), found ",
                      number);
  ASSAY_MAKER_REQUIRE(maker, "parameter_c2", maker.graph().parameters.insert(number).second,
                      "parameter ", number, " exists already");
  auto instruction = std::make_unique<Instruction>(Opcode::kParameter, shape);
  Shape filled = shape;
  filled.FillLayouts();
  instruction->set_shape(filled);
  instruction->set_parameter_number(number);
  instruction->set_name(name.empty() ? absl::StrCat("parameter.", number) : std::move(name));
  if (absl::Status status = CheckInstruction(*instruction); !status.ok()) return maker.Fail(status);
  return maker.Wrap(computation.Add(std::move(instruction)));
}

namespace {

// Whether the value is of the type that an attribute of this kind has; a computation never is, it
// comes as a Callee.
bool FitsKind(AttrKind kind, const AttributeValue& value) {
  switch (kind) {
    case AttrKind::kBool:
      return std::holds_alternative<bool>(value);
    case AttrKind::kInt:
    case AttrKind::kInt32:
    case AttrKind::kSingleInt:
      return std::holds_alternative<int64_t>(value);
    case AttrKind::kFloat:
      return std::holds_alternative<double>(value);
    case AttrKind::kString:
    case AttrKind::kIdentifier:
      return std::holds_alternative<std::string>(value);
    case AttrKind::kInts:
    case AttrKind::kPrecisions:
      return std::holds_alternative<std::vector<int64_t>>(value);
    case AttrKind::kIntLists:
    case AttrKind::kPairs:
      return std::holds_alternative<std::vector<std::vector<int64_t>>>(value);
    case AttrKind::kSlices:
      return std::holds_alternative<Slices>(value);
    case AttrKind::kWindow:
      return std::holds_alternative<Window>(value);
    case AttrKind::kPadding:
      return std::holds_alternative<PaddingConfig>(value);
    case AttrKind::kDimLabels:
      return std::holds_alternative<ConvolutionDimensions>(value);
    case AttrKind::kReplicaGroups:
      return std::holds_alternative<ReplicaGroups>(value);
    case AttrKind::kResultAccuracy:
      return std::holds_alternative<ResultAccuracy>(value);
    case AttrKind::kSparsity:
      return std::holds_alternative<SparsityConfig>(value);
    case AttrKind::kAliases:
      return std::holds_alternative<OutputOperandAliases>(value);
    case AttrKind::kDomain:
      return std::holds_alternative<std::shared_ptr<const DomainSharding>>(value) &&
             std::get<std::shared_ptr<const DomainSharding>>(value) != nullptr;
    case AttrKind::kShape:
      return std::holds_alternative<Shape>(value);
    case AttrKind::kShapes:
      return std::holds_alternative<std::vector<Shape>>(value);
    case AttrKind::kTypedLiteral:
      return std::holds_alternative<std::shared_ptr<const Literal>>(value) &&
             std::get<std::shared_ptr<const Literal>>(value) != nullptr;
    case AttrKind::kComputation:
    case AttrKind::kComputations:
      return false;
    default: {
      const int64_t* number = std::get_if<int64_t>(&value);
      return number != nullptr && *number >= 0 &&
             *number < static_cast<int64_t>(WordsOf(kind).words.size());
    }
  }
}

}  // namespace

Op AddInstruction(Builder* builder, Opcode opcode, absl::Span<const Op> operands,
                  absl::Span<const Attributes::Entry> attributes, const Shape& shape,
                  absl::Span<const std::pair<Attr, Callee>> callees, CallSite site) {
  Maker maker("AddInstruction", site, operands, builder);
  ASSAY_MAKER_REQUIRE(maker, "builder_c7",
                      opcode != Opcode::kParameter && opcode != Opcode::kConstant,
                      "parameters and constants have functions of their own");
  for (const auto& [attr, value] : attributes) {
    ASSAY_MAKER_REQUIRE(maker, "builder_c9", FitsKind(Info(attr).kind, value), Info(attr).name,
                        " has a value of another type or out of range");
  }
  builder_internal::CalleeList imported;
  for (const auto& [attr, callee] : callees) {
    ASSAY_MAKER_REQUIRE(maker, "builder_c9", Info(attr).kind == AttrKind::kComputation,
                        Info(attr).name, " is no computation");
  }
  for (const auto& [attr, callee] : callees) imported.emplace_back(attr, maker.Import(callee));
  return maker.Make(opcode, operands, {attributes.begin(), attributes.end()}, shape,
                    std::move(imported));
}

}  // namespace assay
