// Functions and regions become computations. Test: to_module_test.cc.
#include "spec/stablehlo/lowering.h"

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

bool IsConstant(const Operation* definition) {
  return definition != nullptr &&
         (definition->name() == "stablehlo.constant" || definition->name() == "mhlo.constant" ||
          definition->name() == "arith.constant" || definition->name() == "sdy.constant");
}

bool IsTerminator(const Operation& operation) {
  return operation.name() == "func.return" || operation.name() == "stablehlo.return" ||
         operation.name() == "mhlo.return" || operation.name() == "sdy.return";
}

bool HasUnbounded(const Type& type) {
  for (size_t d = 0; d < type.dimensions.size(); ++d) {
    const bool bounded = d < type.bounds.size() && type.bounds[d] != kDynamic;
    if (type.dimensions[d] == kDynamic && !bounded) return true;
  }
  return std::any_of(type.types.begin(), type.types.end(),
                     [](const Type* part) { return part != nullptr && HasUnbounded(*part); });
}

// A name as HLO's text has them.
std::string CleanName(absl::string_view text) {
  std::string name(text);
  for (char& c : name) {
    const bool kept =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-';
    if (!kept) c = '_';
  }
  return name;
}

// How the block of a function disagrees with the function's type; "" where it does not.
std::string AgainstItsType(const Operation& function) {
  const Attribute* attribute = function.Find("function_type");
  if (attribute == nullptr || attribute->type == nullptr) return "has no type";
  const auto differs = [](absl::string_view what, absl::Span<const Type* const> types,
                          const auto& values) -> std::string {
    if (types.size() != values.size()) {
      return absl::StrCat("has ", types.size(), " ", what, "s by its type, but ", values.size(),
                          " in its body");
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i] == values[i]->type()) continue;
      return absl::StrCat(what, " ", i, " is ", PrintType(*types[i]),
                          " by the function's type, but ", PrintType(*values[i]->type()),
                          " in its body");
    }
    return "";
  };
  const Block& block = *function.regions()[0].blocks()[0];
  std::string why = differs("argument", attribute->type->inputs(), block.arguments);
  if (!why.empty() || block.operations.empty()) return why;
  const Operation& last = *block.operations.back();
  return IsTerminator(last) ? differs("result", attribute->type->results(), last.operands()) : "";
}

// Operations whose result depends on the values of operands that say sizes.
bool ReadsSizes(const Operation& operation) {
  const absl::string_view name = operation.name().substr(operation.name().find('.') + 1);
  return name == "real_dynamic_slice" ||
         (absl::StartsWith(name, "dynamic_") && name != "dynamic_slice" &&
          name != "dynamic_update_slice");
}

}  // namespace

Lowering::Lowering(const Program& program, const ToModuleOptions& options)
    : program_(program),
      options_(options),
      module_(std::make_unique<Module>("main")),
      provenance_(module_.get()) {
  std::vector<const Operation*> open = {program.module};
  while (!open.empty() && !computes_sizes_) {
    const Operation& operation = *open.back();
    open.pop_back();
    computes_sizes_ |= ReadsSizes(operation);
    for (const Value* result : operation.results())
      computes_sizes_ |= HasUnbounded(*result->type());
    for (const Region& region : operation.regions()) {
      for (const Block* block : region.blocks()) {
        for (const Value* argument : block->arguments) {
          computes_sizes_ |= HasUnbounded(*argument->type());
        }
        open.insert(open.end(), block->operations.begin(), block->operations.end());
      }
    }
  }
}

absl::Status Lowering::Error(const Operation& operation, absl::string_view message,
                             absl::StatusCode code) const {
  if (operation.position().line > 0) {
    return absl::Status(
        code, absl::StrCat(options_.file_name, options_.file_name.empty() ? "" : ":",
                           operation.position().line, ":", operation.position().column, ": ",
                           operation.name(), ": ", message));
  }
  return absl::Status(code, absl::StrCat(options_.file_name, options_.file_name.empty() ? "" : ": ",
                                         operation.Describe(), ": ", message));
}

const Literal* Lowering::KnownValue(const Instruction* instruction) const {
  const auto found = known_.find(instruction);
  if (found != known_.end()) return &found->second;
  return instruction->opcode() == Opcode::kConstant ? instruction->literal() : nullptr;
}

bool Lowering::IsDynamic(const Operation& function) {
  if (!computes_sizes_) return false;
  const auto found = dynamic_.find(&function);
  if (found != dynamic_.end()) return found->second;
  dynamic_[&function] = false;  // a cycle of calls ends here, and is refused when it is lowered
  bool dynamic = false;
  std::vector<const Operation*> open = {&function};
  while (!open.empty() && !dynamic) {
    const Operation& operation = *open.back();
    open.pop_back();
    dynamic |= ReadsSizes(operation);
    for (const Value* result : operation.results()) dynamic |= HasUnbounded(*result->type());
    const Attribute* callee = operation.name() == "func.call" ? operation.Find("callee") : nullptr;
    const Operation* called = callee == nullptr ? nullptr : program_.FindFunction(callee->text);
    if (called != nullptr && depth_ < kMaxNesting) {
      ++depth_;
      dynamic |= IsDynamic(*called);
      --depth_;
    }
    for (const Region& region : operation.regions()) {
      for (const Block* block : region.blocks()) {
        for (const Value* argument : block->arguments) dynamic |= HasUnbounded(*argument->type());
        open.insert(open.end(), block->operations.begin(), block->operations.end());
      }
    }
  }
  // Functions of integers compute sizes for others.
  if (!dynamic) {
    const Attribute* type = function.Find("function_type");
    if (type != nullptr && type->type != nullptr && !type->type->types.empty()) {
      const auto& types = type->type->types;
      dynamic = std::all_of(types.begin(), types.end(), [](const Type* part) {
        return part->kind == TypeKind::kTensor && part->dimensions.size() <= 1 &&
               (IsInteger(part->element_type()) || IsPred(part->element_type()));
      });
    }
  }
  dynamic_[&function] = dynamic;
  return dynamic;
}

Instruction* Lowering::MakeIn(Scope& scope, const Operation& origin, Opcode opcode, Shape shape,
                              Operands operands, AttributeList attributes) {
  if (!HasUnboundedDimension(shape)) shape.FillLayouts();
  auto made = std::make_unique<Instruction>(opcode, std::move(shape));
  made->set_name(std::string(Name(opcode)));
  made->set_operands(operands);
  made->set_position(origin.position());
  for (auto& [attribute, value] : attributes) made->SetAttribute(attribute, std::move(value));
  const Metadata& metadata = provenance_.Of(origin.location);
  if (!(metadata == Metadata())) made->mutable_annotations().metadata = metadata;
  Instruction* const instruction = scope.computation->Add(std::move(made));
  origins_[instruction] = &origin;
  return instruction;
}

absl::StatusOr<Instruction*> Lowering::ValueIn(Scope& scope, const Operation& user,
                                               const Value& value) {
  const auto found = scope.values.find(&value);
  if (found != scope.values.end()) return found->second;
  if (IsConstant(value.definition())) {
    // Constants are copied to where they are used, which keeps regions free of captures.
    if (absl::Status status = LowerOperation(scope, *value.definition()); !status.ok())
      return status;
    const auto copied = scope.values.find(&value);
    if (copied != scope.values.end()) return copied->second;
  }
  return Error(user,
               absl::StrCat("uses ", value.Describe(), ", which is not defined where it is used"));
}

std::vector<const Value*> Lowering::CapturedBy(absl::Span<const Region* const> regions) const {
  absl::flat_hash_set<const Block*> inside;
  std::vector<const Value*> captured;
  absl::flat_hash_set<const Value*> seen;
  // A stack of blocks with the operation to look at next: nested regions before their owner.
  struct Place {
    const Operation* owner;
    std::vector<const Block*> blocks;
    size_t block = 0, operation = 0;
  };
  std::vector<Place> open;
  const auto enter = [&](const Operation* owner, absl::Span<const Ref<Block>> blocks,
                         Place* place) {
    place->owner = owner;
    for (const Block* block : blocks) {
      place->blocks.push_back(block);
      inside.insert(block);
    }
  };
  const auto use = [&](const Operation& operation) {
    for (const Value* operand : operation.operands()) {
      const Block* home =
          operand->is_argument() ? operand->block() : operand->definition()->parent.get();
      if (inside.contains(home) || IsConstant(operand->definition())) continue;
      if (seen.insert(operand).second) captured.push_back(operand);
    }
  };
  for (const Region* region : regions) {
    Place top;
    enter(nullptr, region->blocks(), &top);
    open.push_back(std::move(top));
    while (!open.empty()) {
      Place& place = open.back();
      if (place.block == place.blocks.size()) {
        const Operation* owner = place.owner;
        open.pop_back();
        if (owner != nullptr) use(*owner);
        continue;
      }
      const Block& block = *place.blocks[place.block];
      if (place.operation == block.operations.size()) {
        ++place.block;
        place.operation = 0;
        continue;
      }
      const Operation* operation = block.operations[place.operation++];
      if (operation->regions().empty()) {
        use(*operation);
        continue;
      }
      Place inner;
      inner.owner = operation;
      for (const Region& nested : operation->regions()) enter(operation, nested.blocks(), &inner);
      open.push_back(std::move(inner));
    }
  }
  return captured;
}

Computation* Lowering::Finish(Scope& scope, Instruction* root) {
  scope.computation->set_root(root);
  return module_->Add(std::move(scope.computation));
}

absl::StatusOr<std::vector<Instruction*>> Lowering::LowerBlock(Scope& scope, const Block& block) {
  if (++depth_ > kMaxNesting) {
    --depth_;
    return absl::InvalidArgumentError(
        absl::StrCat(options_.file_name, options_.file_name.empty() ? "" : ": ",
                     "functions and regions are nested more than ", kMaxNesting, " levels deep"));
  }
  const auto leave = absl::MakeCleanup([this] { --depth_; });
  std::vector<Instruction*> returned;
  for (const Operation* operation : block.operations) {
    if (IsTerminator(*operation)) {
      if (operation != block.operations.back()) {
        return Error(*operation, "must be the last operation of its block");
      }
      if (!operation->results().empty()) return Error(*operation, "must have no results");
      for (const Value* operand : operation->operands()) {
        absl::StatusOr<Instruction*> value = ValueIn(scope, *operation, *operand);
        if (!value.ok()) return value.status();
        returned.push_back(*value);
      }
      return returned;
    }
    if (absl::Status status = LowerOperation(scope, *operation); !status.ok()) return status;
  }
  if (block.operations.empty()) return returned;
  return Error(*block.operations.back(), "ends its block, but a block must end with a return");
}

std::string AgainstDeclared(const Type& declared, const Shape& made) {
  if (declared.kind != TypeKind::kTensor || !made.is_array() || declared.types.size() != 1) {
    return "";
  }
  const Type& element = *declared.types[0];
  const bool is_known = element.kind == TypeKind::kScalar;
  bool fits = declared.dimensions.size() == static_cast<size_t>(made.rank()) &&
              (!is_known || declared.element_type() == made.element_type());
  for (int64_t d = 0; fits && d < made.rank(); ++d) {
    const int64_t size = declared.dimensions[d];
    fits = size == kDynamic || made.is_dynamic_dimension(d) || size == made.dimension(d);
  }
  return fits ? "" : absl::StrCat(PrintType(declared), ", but is ", made.ToString());
}

absl::Status Lowering::LowerOperation(Scope& scope, const Operation& operation) {
  std::vector<Instruction*> operands;
  for (const Value* operand : operation.operands()) {
    absl::StatusOr<Instruction*> value = ValueIn(scope, operation, *operand);
    if (!value.ok()) return value.status();
    operands.push_back(*value);
  }
  OpContext context(*this, scope, operation, std::string(operation.name()), std::move(operands));
  const int64_t before = scope.computation->instruction_count();
  Dispatch(context);
  if (!context.ok()) return context.status();
  for (int64_t i = 0; i < context.result_count(); ++i) {
    if (context.result(i) == nullptr) {
      return Error(operation, absl::StrCat("gives no result ", i), absl::StatusCode::kInternal);
    }
    // What the interpreter's dialect gives is filled in after the run.
    const std::string why =
        absl::StartsWith(operation.name(), "interpreter.")
            ? ""
            : AgainstDeclared(*operation.results()[i]->type(), context.result(i)->shape());
    if (!why.empty()) return Error(operation, absl::StrCat("result ", i, " is declared as ", why));
    scope.values[operation.results()[i]] = context.result(i);
  }
  if (scope.computation->instruction_count() == before) return absl::OkStatus();
  Instruction* const annotated =
      context.result_count() > 0
          ? context.result(0)
          : scope.computation->instruction(scope.computation->instruction_count() - 1);
  const auto origin = origins_.find(annotated);
  if (origin == origins_.end() || origin->second != &operation) return absl::OkStatus();
  return Annotate(operation, annotated);
}

absl::StatusOr<Scope> Lowering::FunctionScope(const Operation& function, Operands operands,
                                              absl::Span<const Shape> shapes) {
  const Attribute* symbol = function.Find("sym_name");
  Scope scope;
  scope.function = &function;
  scope.computation =
      std::make_unique<Computation>(symbol == nullptr ? "main" : CleanName(symbol->text));
  scope.computation->set_position(function.position());
  if (function.regions().empty() || function.regions()[0].blocks().empty()) {
    return Error(function, absl::StrCat("@", scope.computation->name(),
                                        " is declared without a body, so that it cannot be run"));
  }
  if (function.regions()[0].blocks().size() != 1) {
    return Error(function, "has several blocks; functions of one block are understood");
  }
  if (std::string why = AgainstItsType(function); !why.empty()) return Error(function, why);
  const auto& arguments = function.regions()[0].blocks()[0]->arguments;
  if (arguments.size() != shapes.size()) {
    return Error(function, absl::StrCat("has ", arguments.size(), " arguments, but is called with ",
                                        shapes.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    Instruction* parameter = MakeIn(scope, function, Opcode::kParameter, shapes[i], Operands());
    parameter->set_parameter_number(static_cast<int64_t>(i));
    const Location* location = arguments[i]->location();
    const bool named = location != nullptr && location->kind == Location::Kind::kName;
    const std::string name = named ? CleanName(location->text) : "";
    parameter->set_name(name.empty() ? absl::StrCat("Arg_", i) : name);
    if (parameter->has_annotations()) parameter->mutable_annotations().metadata.reset();
    scope.values[arguments[i]] = parameter;
    if (i < operands.size()) {
      if (const Literal* known = KnownValue(operands[i])) known_[parameter] = Literal(*known);
    }
  }
  return scope;
}

absl::StatusOr<Computation*> Lowering::Function(const Operation& function, Operands operands) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : operands) shapes.push_back(operand->shape());
  const Attribute* symbol = function.Find("sym_name");
  std::string key = symbol == nullptr ? "" : std::string(symbol->text);
  const bool dynamic = IsDynamic(function);
  if (dynamic) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      absl::StrAppend(&key, ";", shapes[i].ToString());
      const Literal* known = KnownValue(operands[i]);
      if (known == nullptr || !known->is_array()) continue;
      for (int64_t k = 0; k < known->element_count(); ++k) {
        absl::StrAppend(&key, k == 0 ? "=" : ",", known->Get(k).bits);
      }
    }
  }
  const auto found = functions_.find(key);
  if (found != functions_.end()) return found->second;
  if (!active_.insert(&function).second) {
    return Error(function, "calls itself, directly or by others; HLO has no recursive calls");
  }
  const auto leave = absl::MakeCleanup([&] { active_.erase(&function); });
  absl::StatusOr<Scope> scope = FunctionScope(function, dynamic ? operands : Operands(), shapes);
  if (!scope.ok()) return scope.status();
  absl::StatusOr<std::vector<Instruction*>> results =
      LowerBlock(*scope, *function.regions()[0].blocks()[0]);
  if (!results.ok()) return results.status();
  Instruction* root = nullptr;
  if (results->size() == 1) {
    root = results->front();
  } else {
    std::vector<Shape> elements;
    for (const Instruction* result : *results) elements.push_back(result->shape());
    root = MakeIn(*scope, function, Opcode::kTuple, Shape::Tuple(std::move(elements)), *results);
  }
  return functions_[key] = Finish(*scope, root);
}

namespace {

// A value that a region gets as a parameter.
struct Incoming {
  const Value* value = nullptr;
  Shape shape;
  const Instruction* outside = nullptr;  // null for an argument of the region
};

// The parameters of a region in their order.
std::vector<Incoming> IncomingOf(const Block& block, const Lowering::RegionParameters& parameters) {
  using Place = Lowering::RegionParameters::Place;
  std::vector<Incoming> incoming, captured;
  for (size_t i = 0; i < parameters.captured.size(); ++i) {
    const Instruction* outside = parameters.values[i];
    const int times = parameters.place == Place::kBehindTwice ? 2 : 1;
    captured.insert(captured.end(), times, {parameters.captured[i], outside->shape(), outside});
  }
  const size_t count = block.arguments.size();
  for (size_t i = 0; i < count; ++i) {
    if (parameters.place == Place::kBehindHalves && i == count / 2) {
      incoming.insert(incoming.end(), captured.begin(), captured.end());
    }
    incoming.push_back({block.arguments[i], parameters.arguments[i], nullptr});
  }
  incoming.insert(incoming.end(), captured.begin(), captured.end());
  return incoming;
}

}  // namespace

absl::StatusOr<Computation*> Lowering::LowerRegion(const Operation& owner, const Region& region,
                                                   const Scope& outer,
                                                   const RegionParameters& parameters) {
  if (region.blocks().size() != 1) {
    return Error(owner, "has a region that is not one block; such regions are not understood");
  }
  const Block& block = *region.blocks()[0];
  if (block.arguments.size() != parameters.arguments.size()) {
    return Error(owner, absl::StrCat("has a region with ", block.arguments.size(),
                                     " arguments instead of ", parameters.arguments.size()));
  }
  Scope scope;
  scope.function = outer.function;
  scope.computation = std::make_unique<Computation>(absl::StrCat("region_", region_count_++));
  scope.computation->set_position(owner.position());
  const std::vector<Incoming> incoming = IncomingOf(block, parameters);
  std::vector<Shape> shapes;
  for (const Incoming& value : incoming) shapes.push_back(value.shape);
  const bool packed = parameters.one_tuple && incoming.size() != 1;
  const std::vector<Shape> of_parameters =
      packed ? std::vector<Shape>{Shape::Tuple(shapes)} : shapes;
  std::vector<Instruction*> made;
  for (size_t i = 0; i < of_parameters.size(); ++i) {
    made.push_back(MakeIn(scope, owner, Opcode::kParameter, of_parameters[i], Operands()));
    made.back()->set_parameter_number(static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < incoming.size(); ++i) {
    if (scope.values.contains(incoming[i].value)) continue;  // the first of two parameters is read
    Instruction* const inside =
        packed ? MakeIn(scope, owner, Opcode::kGetTupleElement, shapes[i], Operands(made.data(), 1),
                        {{Attr::kIndex, static_cast<int64_t>(i)}})
               : made[i];
    scope.values[incoming[i].value] = inside;
    if (incoming[i].outside == nullptr) continue;
    // Sizes that are known outside are known inside.
    const Literal* known = KnownValue(incoming[i].outside);
    if (known != nullptr && known->is_array() && known->element_count() <= 16) {
      known_[inside] = Literal(*known);
    }
  }
  absl::StatusOr<std::vector<Instruction*>> results = LowerBlock(scope, block);
  if (!results.ok()) return results.status();
  for (const Value* value : parameters.passed_on) results->push_back(scope.values[value]);
  Instruction* root = nullptr;
  if (results->size() == 1) {
    root = results->front();
  } else {
    std::vector<Shape> elements;
    for (const Instruction* result : *results) elements.push_back(result->shape());
    root = MakeIn(scope, owner, Opcode::kTuple, Shape::Tuple(std::move(elements)), *results);
  }
  return Finish(scope, root);
}

}  // namespace assay::stablehlo
