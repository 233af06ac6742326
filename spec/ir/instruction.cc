// Attributes with their defaults, called computations and descriptions of instructions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "spec/ir/module.h"

namespace assay {
namespace {

[[noreturn]] void MissingAttribute(const Instruction& instruction, Attr attr) {
  std::fprintf(stderr, "bug: %s has no attribute %s\n", instruction.Describe().c_str(),
               std::string(Info(attr).name).c_str());
  std::abort();
}

// Whether a value is the default of its use, and so need not be stored.
bool IsDefault(const AttributeUse& use, const AttributeValue& value) {
  if (const auto* accuracy = std::get_if<ResultAccuracy>(&value)) {
    return *accuracy == ResultAccuracy{};
  }
  if (!use.has_default) return false;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag == (use.default_value != 0);
  if (const auto* number = std::get_if<int64_t>(&value)) return *number == use.default_value;
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    // operand_precision: all default is the same as none.
    if (Info(use.attr).kind == AttrKind::kPrecisions) {
      for (int64_t precision : *ints) {
        if (precision != 0) return false;
      }
      return true;
    }
    return ints->empty();
  }
  if (const auto* window = std::get_if<Window>(&value)) return window->dimensions.empty();
  if (const auto* groups = GetIf<ReplicaGroups>(value)) return *groups == ReplicaGroups{};
  if (const auto* sparsity = GetIf<SparsityConfig>(value)) {
    return *sparsity == SparsityConfig{};
  }
  if (const auto* aliases = std::get_if<OutputOperandAliases>(&value)) return aliases->empty();
  if (const auto* callees = std::get_if<std::vector<Computation*>>(&value)) {
    return callees->empty();
  }
  return false;
}

template <typename T>
const T& StructuredOrEmpty(const Instruction& instruction, Attr attr) {
  static const T* const empty = new T;
  const T* value = instruction.attributes().Get<T>(attr);
  return value == nullptr ? *empty : *value;
}

}  // namespace

Instruction::Instruction(Opcode opcode, Shape shape)
    : Instruction(opcode, std::make_shared<const Shape>(std::move(shape))) {}
Instruction::Instruction(Opcode opcode, std::shared_ptr<const Shape> shape)
    : opcode_(opcode), shape_(std::move(shape)) {}
Instruction::~Instruction() = default;

void Instruction::set_shape(Shape shape) {
  shape_ = std::make_shared<const Shape>(std::move(shape));
}
void Instruction::set_literal(Literal literal) {
  literal_ = std::make_unique<const Literal>(std::move(literal));
}

void Instruction::SetAttribute(Attr attr, AttributeValue value) {
  const AttributeUse* use = info().FindAttribute(attr);
  if (use == nullptr) MissingAttribute(*this, attr);
  if (use->print == AttributeUse::Print::kNever && !use->required) return;
  if (IsDefault(*use, value)) {
    attributes_.Erase(attr);
  } else {
    attributes_.Set(attr, std::move(value));
  }
}

bool Instruction::GetBool(Attr attr) const {
  if (const bool* value = attributes_.Get<bool>(attr)) return *value;
  const AttributeUse* use = info().FindAttribute(attr);
  if (use == nullptr || !use->has_default) MissingAttribute(*this, attr);
  return use->default_value != 0;
}

std::optional<int64_t> Instruction::FindInt(Attr attr) const {
  if (const int64_t* value = attributes_.Get<int64_t>(attr)) return *value;
  const AttributeUse* use = info().FindAttribute(attr);
  if (use == nullptr || !use->has_default) return std::nullopt;
  return use->default_value;
}

int64_t Instruction::GetInt(Attr attr) const {
  std::optional<int64_t> value = FindInt(attr);
  if (!value) MissingAttribute(*this, attr);
  return *value;
}

double Instruction::GetFloat(Attr attr) const {
  const double* value = attributes_.Get<double>(attr);
  if (value == nullptr) MissingAttribute(*this, attr);
  return *value;
}

const std::string& Instruction::GetString(Attr attr) const {
  return StructuredOrEmpty<std::string>(*this, attr);
}

absl::Span<const int64_t> Instruction::GetInts(Attr attr) const {
  return StructuredOrEmpty<std::vector<int64_t>>(*this, attr);
}

const Window& Instruction::window() const {
  return StructuredOrEmpty<Window>(*this, Attr::kWindow);
}
const PaddingConfig& Instruction::padding() const {
  return StructuredOrEmpty<PaddingConfig>(*this, Attr::kPadding);
}
const Slices& Instruction::slices() const { return StructuredOrEmpty<Slices>(*this, Attr::kSlice); }
const ConvolutionDimensions& Instruction::convolution_dimensions() const {
  return StructuredOrEmpty<ConvolutionDimensions>(*this, Attr::kDimLabels);
}
const ReplicaGroups& Instruction::replica_groups() const {
  return StructuredOrEmpty<ReplicaGroups>(*this, Attr::kReplicaGroups);
}

Computation* Instruction::GetComputation(Attr attr) const {
  Computation* const* value = attributes_.Get<Computation*>(attr);
  return value == nullptr ? nullptr : *value;
}

absl::InlinedVector<Computation*, 2> Instruction::called_computations() const {
  // Enumeration order of Attr is that of the wire format where an operation has several: kBody
  // before kCondition, kFalseComputation is put after kTrueComputation, kScatter after kSelect.
  absl::InlinedVector<Computation*, 2> callees;
  const absl::Span<const Attributes::Entry> entries = attributes_.entries();
  const bool calls = std::any_of(entries.begin(), entries.end(), [](const Attributes::Entry& e) {
    return std::holds_alternative<Computation*>(e.second) ||
           std::holds_alternative<std::vector<Computation*>>(e.second);
  });
  if (!calls) return callees;  // as of almost all instructions
  auto add = [&](Attr attr) {
    if (Computation* callee = GetComputation(attr)) callees.push_back(callee);
  };
  for (Attr attr : {Attr::kBody, Attr::kCondition, Attr::kTrueComputation, Attr::kFalseComputation,
                    Attr::kSelect, Attr::kScatter, Attr::kToApply, Attr::kCalls}) {
    add(attr);
  }
  for (Attr attr : {Attr::kBranchComputations, Attr::kCalledComputations}) {
    if (const auto* list = attributes_.Get<std::vector<Computation*>>(attr)) {
      callees.insert(callees.end(), list->begin(), list->end());
    }
  }
  return callees;
}

const Annotations& Instruction::annotations() const {
  static const Annotations* const empty = new Annotations;
  return annotations_ == nullptr ? *empty : *annotations_;
}

Annotations& Instruction::mutable_annotations() {
  if (annotations_ == nullptr) annotations_ = std::make_unique<Annotations>();
  return *annotations_;
}

std::string Instruction::Describe() const {
  std::string text = absl::StrCat("%", name_, " = ", shape().ToString(), " ", info().name, "(");
  constexpr int64_t kShown = 4;
  if (opcode_ == Opcode::kParameter) absl::StrAppend(&text, parameter_number_);
  for (int64_t i = 0; i < operand_count() && i < kShown; ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", operand(i)->shape().ToString(), " %",
                    operand(i)->name());
  }
  if (operand_count() > kShown) absl::StrAppend(&text, ", ...");
  absl::StrAppend(&text, ")");
  if (parent_ != nullptr) absl::StrAppend(&text, " in ", parent_->name());
  if (position_.line > 0) {
    absl::StrAppend(&text, " (line ", position_.line, ", column ", position_.column, ")");
  }
  return text;
}

}  // namespace assay
