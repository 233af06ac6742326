// From the entry function to a verified module. Test: to_module_test.cc.
#include "spec/stablehlo/to_module.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/symbolic_sizes.h"
#include "spec/verify/verifier.h"

namespace assay::stablehlo {
namespace {

std::vector<const Operation*> TopLevel(const Program& program, absl::string_view name) {
  std::vector<const Operation*> functions;
  for (const Region& region : program.module->regions()) {
    for (const Block* block : region.blocks()) {
      for (const Operation* operation : block->operations) {
        if (operation->name() == name) functions.push_back(operation);
      }
    }
  }
  return functions;
}

std::string NamesOf(absl::Span<const Operation* const> functions) {
  constexpr size_t kShown = 20;
  std::vector<std::string> names;
  for (const Operation* function : functions.subspan(0, std::min(kShown, functions.size()))) {
    const Attribute* symbol = function->Find("sym_name");
    if (symbol != nullptr) names.emplace_back(symbol->text);
  }
  if (functions.size() > kShown) names.push_back("...");
  return absl::StrJoin(names, ", ");
}

}  // namespace

absl::Status Lowering::CheckTopLevel() const {
  std::vector<const Operation*> operations = {program_.module};
  for (const absl::string_view name : {"func.func", "sdy.mesh"}) {
    for (const Operation* operation : TopLevel(program_, name)) operations.push_back(operation);
  }
  for (const Operation* operation : operations) {
    if (operation->operands().empty() && operation->results().empty()) continue;
    return Error(*operation, "must have no operands and no results");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Operation*> Lowering::EntryFunction() const {
  if (absl::Status status = CheckTopLevel(); !status.ok()) return status;
  const std::vector<const Operation*> functions = TopLevel(program_, "func.func");
  const std::string file = options_.file_name.empty() ? "" : options_.file_name + ": ";
  if (const size_t modules = TopLevel(program_, "builtin.module").size();
      functions.empty() && modules > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, "the program holds ", modules, modules == 1 ? " module" : " modules",
                     " inside a module", "; a module has to be alone in its file"));
  }
  if (functions.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(file, "the program has no function"));
  }
  const Operation* found = program_.FindFunction(options_.entry.empty() ? "main" : options_.entry);
  if (found != nullptr) return found;
  if (!options_.entry.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(file, "there is no function @", options_.entry,
                                                   "; there are ", NamesOf(functions)));
  }
  if (functions.size() == 1) return functions[0];
  return absl::InvalidArgumentError(absl::StrCat(
      file, "there is no function @main; --entry NAME selects another of ", NamesOf(functions)));
}

absl::StatusOr<std::vector<Shape>> Lowering::EntryShapes(const Operation& function) {
  std::vector<Shape> shapes;
  if (function.regions().empty() || function.regions()[0].blocks().empty()) return shapes;
  const absl::StatusOr<SymbolicSizes> symbols = SolveSymbolicSizes(function, options_.dimensions);
  if (!symbols.ok()) return Error(function, symbols.status().message(), symbols.status().code());
  const auto& arguments = function.regions()[0].blocks()[0]->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StatusOr<Shape> shape = ShapeOfType(*arguments[i]->type());
    if (!shape.ok()) {
      return Error(function, absl::StrCat("argument ", i, ": ", shape.status().message()),
                   shape.status().code());
    }
    if (!shape->is_array()) {
      shapes.push_back(*std::move(shape));
      continue;
    }
    const auto given = options_.argument_sizes.find(static_cast<int64_t>(i));
    const bool is_given = given != options_.argument_sizes.end();
    if (is_given && static_cast<int64_t>(given->second.size()) != shape->rank()) {
      return Error(function, absl::StrCat("argument ", i, " is ", shape->ToString(),
                                          ", which has not ", given->second.size(), " dimensions"));
    }
    for (int64_t d = 0; d < shape->rank(); ++d) {
      std::optional<int64_t> size;
      if (is_given) size = given->second[d];
      if (!size) size = symbols->SizeOf(static_cast<int64_t>(i), d);
      const auto value = options_.value_sizes.find(static_cast<int64_t>(i));
      if (!size && shape->is_unbounded_dimension(d) && value != options_.value_sizes.end() &&
          static_cast<int64_t>(value->second.size()) == shape->rank()) {
        size = value->second[d];
      }
      if (!shape->is_unbounded_dimension(d)) {
        const bool fits = !size || *size == shape->dimension(d) || shape->is_dynamic_dimension(d);
        if (!fits) {
          return Error(function, absl::StrCat("dimension ", d, " of argument ", i, " is ",
                                              shape->dimension(d), ", not ", *size));
        }
        continue;
      }
      if (!size) {
        return Error(function,
                     absl::StrCat("dimension ", d, " of argument ", i, ", ", shape->ToString(),
                                  ", is not known: say it by ", symbols->Hint(i, shape->rank()),
                                  " or by an array arg", i, " in --inputs FILE.npz"));
      }
      if (*size < 0) return Error(function, "a dimension has a negative size");
      shape->set_dimension(d, *size);
      shape->set_dynamic_dimension(d, false);
    }
    shape->FillLayouts();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

absl::Status Lowering::LowerEntry(const Operation& function, ConvertedProgram* result) {
  absl::StatusOr<std::vector<Shape>> shapes = EntryShapes(function);
  if (!shapes.ok()) return shapes.status();
  active_.insert(&function);
  absl::StatusOr<Scope> scope = FunctionScope(function, Operands(), *shapes);
  if (!scope.ok()) return scope.status();
  scope->is_entry = true;
  absl::StatusOr<std::vector<Instruction*>> results =
      LowerBlock(*scope, *function.regions()[0].blocks()[0]);
  if (!results.ok()) return results.status();
  if (parallel_ && parallel_->program != &function) {
    for (const Instruction* value : *results) {
      if (parallel_->results.contains(value)) continue;
      return Error(*parallel_->operation,
                   "a program that runs on a grid of devices returns only their results");
    }
    return LowerParallel(result);
  }
  if (!parallel_) result->checks = checks_;
  absl::StatusOr<Instruction*> root = EntryRoot(*scope, function, *std::move(results), result);
  if (!root.ok()) return root.status();
  for (Check& check : result->checks) {
    if (parallel_) break;
    check.actual_output += result->result_count;
    if (check.expected_output >= 0) check.expected_output += result->result_count;
  }
  module_->set_entry(Finish(*scope, *root));
  return ReadArgumentAttributes(function, *scope, *result);
}

std::optional<Literal> Lowering::ConstantValue(const Instruction* instruction) const {
  const Shape& shape = instruction->shape();
  if (instruction->opcode() == Opcode::kAfterAll && instruction->operand_count() == 0) {
    return Literal::Token();
  }
  const bool spread = instruction->opcode() == Opcode::kBroadcast;
  const Literal* literal = spread ? instruction->operand(0)->literal() : instruction->literal();
  if (literal == nullptr) return std::nullopt;
  if (!spread) return *literal;
  absl::StatusOr<Literal> value = Literal::Create(shape, int64_t{1} << 30);
  if (!value.ok() || literal->element_count() != 1) return std::nullopt;
  for (int64_t i = 0; i < value->element_count(); ++i) value->Set(i, literal->Get(0));
  return *std::move(value);
}

// The module is what one process runs; the entry function was only read for its expectations.
absl::Status Lowering::LowerParallel(ConvertedProgram* result) {
  const Parallel& parallel = *parallel_;
  const auto results =
      static_cast<int64_t>(parallel.operation->results().size()) / parallel.devices;
  const std::vector<Instruction*> values = std::move(check_values_);
  check_values_.clear();
  for (Check check : checks_) {
    const auto actual = parallel.results.find(values[check.actual_output]);
    if (check.expected_output >= 0) {
      check.expected = ConstantValue(values[check.expected_output]);
      check.expected_output = -1;
    }
    if (actual == parallel.results.end() || !check.expected) {
      return Error(*parallel.operation,
                   "expectations must compare a result of a device with a constant",
                   absl::StatusCode::kUnimplemented);
    }
    check.device = actual->second / results;
    check.actual_output = actual->second % results;
    result->checks.push_back(std::move(check));
  }
  result->device_arguments = parallel.arguments;
  return LowerEntry(*parallel.program, result);
}

absl::Status Lowering::Verify() const {
  const Verification verification = VerifyModule(*module_, {.max_findings = 2});
  if (verification.ok()) return absl::OkStatus();
  const Finding& finding = verification.findings.front();
  const Computation* computation = module_->Find(finding.computation);
  const Instruction* instruction =
      computation == nullptr ? nullptr : computation->Find(finding.instruction);
  const auto origin = instruction == nullptr ? origins_.end() : origins_.find(instruction);
  const std::string message = absl::StrCat("[", finding.clause, "] ", finding.message);
  if (origin != origins_.end()) return Error(*origin->second, message);
  return absl::InvalidArgumentError(
      absl::StrCat(options_.file_name, options_.file_name.empty() ? "" : ": ", message));
}

absl::StatusOr<ConvertedProgram> Lowering::Run() {
  if (program_.module == nullptr) return absl::InvalidArgumentError("an empty program");
  absl::StatusOr<const Operation*> entry = EntryFunction();
  if (!entry.ok()) return entry.status();
  if (const std::optional<Violation> violation = FindViolation(program_)) {
    return Error(*violation->operation, violation->message);
  }
  if (absl::Status status = ReadModuleAttributes(); !status.ok()) return status;
  ConvertedProgram result;
  if (absl::Status status = LowerEntry(**entry, &result); !status.ok()) return status;
  module_->UniquifyNames(module_->entry());
  module_->AssignIds();
  if (absl::Status status = Verify(); !status.ok()) return status;
  module_->ReinternStackFrames();
  result.module = std::move(module_);
  return result;
}

absl::StatusOr<ConvertedProgram> ToModule(const Program& program, const ToModuleOptions& options) {
  Lowering lowering(program, options);
  return lowering.Run();
}

}  // namespace assay::stablehlo
