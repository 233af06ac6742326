#include "interpreter/session.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interpreter/session_arrays.h"
#include "spec/ir/entry.h"

namespace assay {
namespace {

bool KeepsValue(TensorKind kind) { return kind != TensorKind::kInput; }
// Whether the caller may give its value with a run.
bool IsGiven(TensorKind kind) {
  return kind == TensorKind::kInput || kind == TensorKind::kPlaceholder;
}
bool IsAssignable(TensorKind kind) {
  return kind == TensorKind::kPersistent || kind == TensorKind::kVariable;
}

absl::Status NoSuchTensor(const std::string& name) {
  return absl::NotFoundError(absl::StrCat("the session has no tensor ", name));
}

absl::Status WrongShape(const std::string& name, const Shape& wanted, const Shape& given) {
  return absl::InvalidArgumentError(absl::StrCat("the tensor ", name, " is ", wanted.ToString(),
                                                 ", the value given is ", given.ToString()));
}

// The array leaves of a value.
std::vector<Literal> Arrays(const Literal& value) {
  std::vector<Literal> arrays;
  for (Literal& leaf : Flatten(value)) {
    if (leaf.is_array()) arrays.push_back(std::move(leaf));
  }
  return arrays;
}

std::vector<const Shape*> ParameterArrays(const Module& module) {
  std::vector<const Shape*> arrays;
  for (const Instruction* parameter : module.entry()->parameters()) {
    for (const ArrayLeaf& leaf : ArrayLeaves(parameter->shape())) arrays.push_back(leaf.shape);
  }
  return arrays;
}

// What Bind promises to check of the bindings, apart from the session's own tensors.
absl::Status CheckBindings(const std::vector<Binding>& bindings,
                           const std::vector<const Shape*>& arguments,
                           const std::vector<ArrayLeaf>& outputs) {
  if (bindings.size() != arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the module takes ", arguments.size(),
                                                   " arrays, ", bindings.size(), " are bound"));
  }
  std::set<std::string> names;
  std::set<int64_t> taken;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Binding& binding = bindings[i];
    const std::string label = absl::StrCat("arg", i, " (tensor ", binding.tensor, ")");
    if (binding.argument != static_cast<int64_t>(i)) {
      return absl::InvalidArgumentError(absl::StrCat(label, " is bound as arg", binding.argument));
    }
    if (!names.insert(binding.tensor).second) {
      return absl::InvalidArgumentError(absl::StrCat(label, ": another array is that tensor, too"));
    }
    if (binding.output < 0) continue;
    const std::string output = absl::StrCat("out", binding.output);
    if (!IsAssignable(binding.kind)) {
      return absl::InvalidArgumentError(
          absl::StrCat(label, " is of kind ", Name(binding.kind), " and cannot take ", output));
    }
    if (binding.output >= static_cast<int64_t>(outputs.size())) {
      return absl::InvalidArgumentError(absl::StrCat(label, ": there is no ", output,
                                                     ", the module gives ", outputs.size(),
                                                     outputs.size() == 1 ? " array" : " arrays"));
    }
    if (!taken.insert(binding.output).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(label, ": ", output, " is bound to another tensor already"));
    }
    const Shape& shape = *outputs[binding.output].shape;
    if (!Shape::Compatible(shape, *arguments[i])) {
      return absl::InvalidArgumentError(absl::StrCat(label, " is ", arguments[i]->ToString(), ", ",
                                                     output, " is ", shape.ToString()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Session::Declare(const std::string& name, TensorKind kind, const Shape& shape) {
  if (!shape.is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tensor ", name, " of shape ", shape.ToString(), " is not an array"));
  }
  const auto [at, is_new] = tensors_.try_emplace(name, Tensor{kind, shape, std::nullopt});
  const Tensor& there = at->second;
  if (is_new || (there.kind == kind && Shape::Compatible(there.shape, shape))) {
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(absl::StrCat("the tensor ", name, " is a ", Name(there.kind), " ",
                                               there.shape.ToString(), " already, not a ",
                                               Name(kind), " ", shape.ToString()));
}

absl::Status Session::Set(const std::string& name, const Literal& value) {
  const auto at = tensors_.find(name);
  if (at == tensors_.end()) return NoSuchTensor(name);
  Tensor& tensor = at->second;
  if (!KeepsValue(tensor.kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tensor ", name, " is an input: it is given at each run, not kept"));
  }
  if (tensor.kind == TensorKind::kConstant && tensor.value) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tensor ", name, " is a constant and has its value"));
  }
  if (!Shape::Compatible(tensor.shape, value.shape())) {
    return WrongShape(name, tensor.shape, value.shape());
  }
  tensor.value = value.WithShape(tensor.shape);
  return absl::OkStatus();
}

absl::StatusOr<Literal> Session::Get(const std::string& name) const {
  const auto at = tensors_.find(name);
  if (at == tensors_.end()) return NoSuchTensor(name);
  if (!at->second.value) {
    return absl::FailedPreconditionError(absl::StrCat("the tensor ", name, " was never written"));
  }
  return *at->second.value;
}

bool Session::IsWritten(const std::string& name) const {
  const auto at = tensors_.find(name);
  return at != tensors_.end() && at->second.value.has_value();
}

absl::Status Session::Initialise(const Module& initialiser, absl::Span<const std::string> names,
                                 const RunOptions& options) {
  absl::StatusOr<Literal> result = Interpret(initialiser, {}, options);
  if (!result.ok()) return result.status();
  const std::vector<Literal> values = Arrays(*result);
  if (values.size() != names.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the initialiser ", initialiser.name(),
                                                   " gives ", values.size(), " arrays for ",
                                                   names.size(), " tensors"));
  }
  Session changed = *this;  // values are shared, not copied
  for (size_t i = 0; i < names.size(); ++i) {
    absl::Status status = changed.Set(names[i], values[i]);
    if (!status.ok()) return status;
  }
  *this = std::move(changed);
  return absl::OkStatus();
}

std::vector<std::string> Session::tensors() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    if (KeepsValue(tensor.kind)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> Session::variables() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors_) {
    if (tensor.kind == TensorKind::kVariable) names.push_back(name);
  }
  return names;
}

absl::StatusOr<std::unique_ptr<const BoundModule>> Session::Bind(const Module& module,
                                                                 std::vector<Binding> bindings,
                                                                 Evaluator evaluate) {
  absl::Status status = CheckEntry(module);
  if (!status.ok()) return status;
  const std::vector<const Shape*> arguments = ParameterArrays(module);
  status = CheckBindings(bindings, arguments, ArrayLeaves(module.entry()->root()->shape()));
  if (!status.ok()) return status;
  std::unique_ptr<BoundModule> bound(new BoundModule(module));
  if (evaluate == nullptr) {
    absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(module);
    if (!planned.ok()) return planned.status();
    bound->planned_ = *std::move(planned);
    evaluate = [plan = bound->planned_.get()](absl::Span<const Literal> literals) {
      return plan->Run(literals);
    };
  }
  Session changed = *this;
  for (size_t i = 0; i < bindings.size(); ++i) {
    status = changed.Declare(bindings[i].tensor, bindings[i].kind, *arguments[i]);
    if (!status.ok()) return status;
  }
  *this = std::move(changed);
  bound->bindings_ = std::move(bindings);
  bound->evaluate_ = std::move(evaluate);
  return bound;
}

namespace {

// Names the first input given that is none of the module's.
absl::Status UnknownInput(const BoundModule& bound, const std::map<std::string, Literal>& inputs) {
  std::set<std::string> known;
  for (const Binding& binding : bound.bindings()) {
    if (IsGiven(binding.kind)) known.insert(binding.tensor);
  }
  for (const auto& [name, value] : inputs) {
    if (known.count(name) > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(name, " is not an input of the module"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Literal>> Session::Arguments(
    const BoundModule& bound, const std::map<std::string, Literal>& inputs) const {
  std::vector<std::string> missing, unwritten;
  std::vector<Literal> arrays;
  size_t used = 0;
  for (const Binding& binding : bound.bindings_) {
    const Tensor& tensor = tensors_.at(binding.tensor);
    const auto input = IsGiven(tensor.kind) ? inputs.find(binding.tensor) : inputs.end();
    if (input == inputs.end() && KeepsValue(tensor.kind) &&
        (tensor.value || !IsGiven(tensor.kind))) {
      if (!tensor.value) unwritten.push_back(binding.tensor);
      arrays.push_back(tensor.value.value_or(Literal()));
      continue;
    }
    if (input == inputs.end()) {
      missing.push_back(binding.tensor);
      continue;
    }
    ++used;
    if (!Shape::Compatible(tensor.shape, input->second.shape())) {
      return WrongShape(binding.tensor, tensor.shape, input->second.shape());
    }
    arrays.push_back(input->second.WithShape(tensor.shape));
  }
  if (!missing.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("inputs are missing: ", absl::StrJoin(missing, ", ")));
  }
  if (!unwritten.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("tensors are read that were never written: ", absl::StrJoin(unwritten, ", ")));
  }
  if (used != inputs.size()) return UnknownInput(bound, inputs);
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Instruction* parameter : bound.module_.entry()->parameters()) {
    std::vector<Literal> leaves;
    for (const Shape* leaf : Leaves(parameter->shape())) {
      leaves.push_back(leaf->is_array() ? std::move(arrays[next++]) : Literal::Token());
    }
    arguments.push_back(Unflatten(parameter->shape(), leaves));
  }
  return arguments;
}

absl::StatusOr<Literal> Session::Run(const BoundModule& bound,
                                     const std::map<std::string, Literal>& inputs) {
  absl::StatusOr<std::vector<Literal>> arguments = Arguments(bound, inputs);
  if (!arguments.ok()) return arguments.status();
  absl::StatusOr<Literal> result = bound.evaluate_(*arguments);
  if (!result.ok()) return result.status();
  const std::vector<Literal> outputs = Arrays(*result);
  std::vector<std::pair<Tensor*, Literal>> changes;
  for (const Binding& binding : bound.bindings_) {
    Tensor& tensor = tensors_.at(binding.tensor);
    if (const auto input = inputs.find(binding.tensor);
        tensor.kind == TensorKind::kPlaceholder && input != inputs.end()) {
      changes.emplace_back(&tensor, input->second.WithShape(tensor.shape));
    }
    if (binding.output < 0) continue;
    if (binding.output >= static_cast<int64_t>(outputs.size()) ||
        !Shape::Compatible(tensor.shape, outputs[binding.output].shape())) {
      return absl::AbortedError(absl::StrCat("the evaluator gave no ", tensor.shape.ToString(),
                                             " as out", binding.output));
    }
    changes.emplace_back(&tensor, outputs[binding.output].WithShape(tensor.shape));
  }
  for (auto& [tensor, value] : changes) tensor->value = std::move(value);
  ++step_;
  return result;
}

}  // namespace assay
