// Clauses that every function holds to. Tests: builder_clauses_test.cc.
//   builder_c1 a builder is used until its module is built
//   builder_c2 operands are operations
//   builder_c3 of this builder
//   builder_c4 an operation gets the attributes that it has
//   builder_c5 a computation has operations
//   builder_c6 its parameters are numbered from 0 without gaps
//   builder_c7 parameters and constants are made by functions of their own
//   builder_c8 there is a computation to call
//   builder_c9 values of attributes are of the attribute's type and within its range
#include "spec/builder/builder.h"

#include <utility>

#include "spec/builder/lowering_2017.h"
#include "spec/builder/maker.h"
#include "spec/ops/shape_inference.h"

namespace assay {

using builder_internal::Graph;
using builder_internal::Maker;

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
  if (graph_->semantics == Semantics::k2017) {
    if (absl::Status status = builder_internal::CheckInfeeds2017(*module); !status.ok()) {
      graph_->first_error = status;
      return status;
    }
  }
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
      return GetIf<ConvolutionDimensions>(value) != nullptr;
    case AttrKind::kReplicaGroups:
      return GetIf<ReplicaGroups>(value) != nullptr;
    case AttrKind::kResultAccuracy:
      return std::holds_alternative<ResultAccuracy>(value);
    case AttrKind::kSparsity:
      return GetIf<SparsityConfig>(value) != nullptr;
    case AttrKind::kAliases:
      return std::holds_alternative<OutputOperandAliases>(value);
    case AttrKind::kDomain:
      return std::holds_alternative<std::shared_ptr<const DomainSharding>>(value) &&
             std::get<std::shared_ptr<const DomainSharding>>(value) != nullptr;
    case AttrKind::kShape:
      return GetIf<Shape>(value) != nullptr;
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
                        Info(attr).name, " is not a computation");
  }
  for (const auto& [attr, callee] : callees) imported.emplace_back(attr, maker.Import(callee));
  return maker.Make(opcode, operands, {attributes.begin(), attributes.end()}, shape,
                    std::move(imported));
}

}  // namespace assay
