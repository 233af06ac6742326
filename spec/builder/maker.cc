// Tests: builder_clauses_test.cc.
//   transfer_c2 the context of a send or recv is used by one done, and by nothing else
#include "spec/builder/maker.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_join.h"
#include "spec/ops/shape_inference.h"

namespace assay {
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
      Fail("builder_c2", absl::StrCat("operand ", i, " is not an operation"));
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

bool Maker::EndsContexts(Opcode opcode, Ops operands) {
  // What compilers make may carry contexts through loops.
  if (original_ != nullptr || function_ == "AddInstruction") return true;
  for (const Op& operand : operands) {
    const Instruction* start = operand.instruction_;
    if (start == nullptr) continue;
    const bool sends = start->opcode() == Opcode::kSend;
    if (!sends && start->opcode() != Opcode::kRecv) continue;
    const bool ends = opcode == (sends ? Opcode::kSendDone : Opcode::kRecvDone);
    if (ends && graph_->ended.insert(start).second) continue;
    Fail("transfer_c2", absl::StrCat("the context of ", start->Describe(), " is for one ",
                                     Name(sends ? Opcode::kSendDone : Opcode::kRecvDone),
                                     ends ? ", and has had it" : " alone"));
    return false;
  }
  return true;
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
  if (instruction == nullptr || !EndsContexts(opcode, operands)) return Op(graph_, nullptr);
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

}  // namespace assay
