// Constraints on the regions of operations: what their blocks take and return. HLO's verifier looks
// at the computations that are made of them, too, but allows mixed precision.
// Source: the StableHLO specification, constraints of the operations. Test: constraints_test.cc.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/element/element.h"
#include "spec/stablehlo/constraints.h"
#include "spec/stablehlo/text.h"

namespace assay::stablehlo {
namespace {

using Types = std::vector<const Type*>;

bool HasElements(const Type& type) {
  return type.kind == TypeKind::kTensor && type.types[0]->kind == TypeKind::kScalar;
}

// Whether a value of one element type may be taken for the other: integers of no more bits, and
// floating-point numbers of any precision.
bool IsPromotable(const Type& from, const Type& to) {
  if (!HasElements(from) || !HasElements(to)) return true;
  const ElementType a = from.element_type(), b = to.element_type();
  if (IsFloat(a) || IsFloat(b)) return IsFloat(a) && IsFloat(b);
  return IsComplex(a) == IsComplex(b) && Info(a).bits <= Info(b).bits;
}

bool IsScalar(const Type& type) { return !HasElements(type) || type.dimensions.empty(); }

bool HaveOneShape(const Type& a, const Type& b) {
  if (!HasElements(a) || !HasElements(b)) return true;
  if (a.dimensions.size() != b.dimensions.size()) return false;
  for (size_t d = 0; d < a.dimensions.size(); ++d) {
    const int64_t size = a.dimensions[d], other = b.dimensions[d];
    if (size != other && size != kDynamic && other != kDynamic) return false;
  }
  return true;
}

// The block of a region; null where there is none or several, which is refused elsewhere.
const Block* BlockOf(const Operation& op, size_t region) {
  if (region >= op.regions().size() || op.regions()[region].blocks().size() != 1) return nullptr;
  const Block* block = op.regions()[region].blocks()[0];
  return block->operations.empty() ? nullptr : block;
}

Types TypesOf(const ValueRange& values) {
  Types types;
  for (const Value* value : values) types.push_back(value->type());
  return types;
}

Types TypesOf(absl::Span<const Ref<Value>> values) {
  Types types;
  for (const Value* value : values) types.push_back(value->type());
  return types;
}

std::string Beside(absl::string_view what, size_t i, const Type& type, absl::string_view other,
                   const Type& other_type) {
  return absl::StrCat(what, " ", i, " is ", PrintType(type), ", but ", other, " is ",
                      PrintType(other_type));
}

// What a block returns beside values of these types.
template <typename Values>
std::string AgainstReturned(const Values& values, const Block& block, absl::string_view what,
                            absl::string_view region) {
  const Types wanted = TypesOf(values), returned = TypesOf(block.operations.back()->operands());
  if (returned.size() != wanted.size()) {
    return absl::StrCat(region, " must return ", wanted.size(), " values, found ", returned.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (AreCompatible(*wanted[i], *returned[i])) continue;
    return Beside(what, i, *wanted[i], absl::StrCat("what ", region, " returns"), *returned[i]);
  }
  return "";
}

// What a region combines: inputs, and the values that it starts with. The results of the operation
// have the elements that the region returns.
struct Reduction {
  size_t region = 0;
  Types inputs;
  Types starts;
  bool starts_are_elements = false;  // of the types in `starts`, so that they are scalars
  size_t first_result = 0;
};

// What each operation has a constraint of its own for.
enum class ReductionPart : uint8_t { kBody, kStarts, kResults };

// Input i against the arguments of a region that returns `total` for it.
std::string AgainstBody(const Reduction& reduction, size_t i, const Types& arguments,
                        const Type& total, absl::string_view end) {
  const size_t count = reduction.inputs.size();
  if (!AreCompatible(*arguments[i], total)) return Beside("argument", i, *arguments[i], end, total);
  const Type& other = *arguments[count + i];
  if (!HaveOneShape(other, total) || !IsPromotable(other, total) || !IsPromotable(total, other)) {
    return Beside("argument", count + i, other, end, total);
  }
  if (reduction.starts_are_elements && !IsScalar(total)) {
    return absl::StrCat(end, " is ", PrintType(total), ", which is not a scalar");
  }
  if (IsPromotable(*reduction.inputs[i], other)) return "";
  return Beside("input", i, *reduction.inputs[i],
                absl::StrCat("argument ", count + i, " of region ", reduction.region), other);
}

std::string AgainstStart(const Reduction& reduction, size_t i, const Type& total,
                         absl::string_view end) {
  const Type& start = *reduction.starts[i];
  const bool has_shape = reduction.starts_are_elements || HaveOneShape(start, total);
  if (has_shape && IsPromotable(start, total)) return "";
  return Beside("start value", i, start, end, total);
}

std::string AgainstReduction(const Operation& op, const Reduction& reduction, ReductionPart part) {
  const Block* const block = BlockOf(op, reduction.region);
  if (block == nullptr) return "";
  const size_t count = reduction.inputs.size();
  const Types arguments = TypesOf(block->arguments);
  const Types returned = TypesOf(block->operations.back()->operands());
  if (arguments.size() != 2 * count || returned.size() != count) {
    if (part != ReductionPart::kBody) return "";
    return absl::StrCat("region ", reduction.region, " must have ", 2 * count,
                        " arguments and return ", count, ", found ", arguments.size(), " and ",
                        returned.size());
  }
  const std::string end = absl::StrCat("what region ", reduction.region, " returns");
  std::string why;
  for (size_t i = 0; i < count && why.empty(); ++i) {
    const Type& total = *returned[i];
    const size_t r = reduction.first_result + i;
    if (part == ReductionPart::kBody) {
      why = AgainstBody(reduction, i, arguments, total, end);
    } else if (part == ReductionPart::kStarts) {
      why = AgainstStart(reduction, i, total, end);
    } else if (r < op.results().size()) {
      const Type& result = *op.result(r)->type();
      const bool have_elements = HasElements(result) && HasElements(total);
      if (have_elements && result.element_type() != total.element_type()) {
        why = Beside("result", r, result, end, total);
      }
    }
  }
  return why;
}

// Inputs, then as many start values.
template <ReductionPart part>
std::string AgainstReduce(const Operation& op) {
  const Types all = TypesOf(op.operands());
  if (all.size() % 2 != 0) {
    return absl::StrCat("must have a start value for each input, found ", all.size(), " operands");
  }
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  return AgainstReduction(op, {0, Types(all.begin(), half), Types(half, all.end())}, part);
}

// The region reduces each operand by itself.
template <ReductionPart part>
std::string AgainstCollective(const Operation& op) {
  const Types all = TypesOf(op.operands());
  std::string why;
  for (size_t i = 0; i < all.size() && why.empty(); ++i) {
    why = AgainstReduction(op, {0, {all[i]}, {all[i]}, true, i}, part);
  }
  return why;
}

// Operands, indices, updates.
template <ReductionPart part>
std::string AgainstScatterRegion(const Operation& op) {
  const Types all = TypesOf(op.operands());
  if (all.size() % 2 == 0) return "must have an update for each operand, and indices";
  const auto count = static_cast<std::ptrdiff_t>(all.size() / 2);
  const Reduction reduction = {0, Types(all.begin(), all.begin() + count),
                               Types(all.begin() + count + 1, all.end()), true};
  return AgainstReduction(op, reduction, part);
}

template <ReductionPart part>
std::string AgainstScatterOfSelected(const Operation& op) {
  const Types all = TypesOf(op.operands());
  return all.size() == 3 ? AgainstReduction(op, {1, {all[1]}, {all[2]}}, part) : "";
}

// Whether a region returns one i1.
std::string AgainstPredicate(const Block& block, size_t region) {
  const Types returned = TypesOf(block.operations.back()->operands());
  const bool is_predicate =
      returned.size() == 1 && (!HasElements(*returned[0]) ||
                               (IsScalar(*returned[0]) && IsPred(returned[0]->element_type())));
  if (is_predicate) return "";
  return absl::StrCat("region ", region, " must return one tensor<i1>, found ", returned.size(),
                      returned.empty() ? "" : ", the first ",
                      returned.empty() ? "" : PrintType(*returned[0]));
}

std::string AgainstSelection(const Operation& op) {
  const Types all = TypesOf(op.operands());
  const Block* const select = BlockOf(op, 0);
  if (select == nullptr || all.size() != 3) return "";
  for (size_t i = 0; i < select->arguments.size(); ++i) {
    const Type& argument = *select->arguments[i]->type();
    if (IsPromotable(argument, *all[0]) && IsPromotable(*all[0], argument)) continue;
    return Beside("argument", i, argument, "operand 0", *all[0]);
  }
  return AgainstPredicate(*select, 0);
}

std::string AgainstMapRegion(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr) return "";
  const Types operands = TypesOf(op.operands()), arguments = TypesOf(block->arguments);
  const Types returned = TypesOf(block->operations.back()->operands());
  if (arguments.size() != operands.size() || returned.size() != 1) {
    return absl::StrCat("region 0 must have ", operands.size(), " arguments and return one, found ",
                        arguments.size(), " and ", returned.size());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!HasElements(*operands[i]) || !HasElements(*arguments[i])) continue;
    if (IsScalar(*arguments[i]) && operands[i]->element_type() == arguments[i]->element_type()) {
      continue;
    }
    return Beside("argument", i, *arguments[i], absl::StrCat("operand ", i), *operands[i]);
  }
  if (op.results().size() != 1) return "";
  const Type& result = *op.result(0)->type();
  if (!HasElements(result) || !HasElements(*returned[0]) ||
      (IsScalar(*returned[0]) && result.element_type() == returned[0]->element_type())) {
    return "";
  }
  return Beside("result", 0, result, "what region 0 returns", *returned[0]);
}

// A comparator takes two scalars of each operand.
std::string AgainstComparator(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr) return "";
  if (block->arguments.size() != 2 * op.operands().size()) {
    return absl::StrCat("region 0 must have ", 2 * op.operands().size(), " arguments, found ",
                        block->arguments.size());
  }
  for (size_t i = 0; i < block->arguments.size(); ++i) {
    const Type& operand = *op.operands()[i / 2]->type();
    const Type& argument = *block->arguments[i]->type();
    if (!HasElements(operand)) continue;
    if (HasElements(argument) && argument.dimensions.empty() &&
        argument.element_type() == operand.element_type()) {
      continue;
    }
    return Beside("argument", i, argument, absl::StrCat("operand ", i / 2), operand);
  }
  return AgainstPredicate(*block, 0);
}

// The blocks of a loop take what the loop carries.
std::string AgainstCarried(const Operation& op, size_t region) {
  const Block* const block = BlockOf(op, region);
  if (block == nullptr) return "";
  const size_t count = op.operands().size();
  if (block->arguments.size() != count) {
    return absl::StrCat("region ", region, " must have ", count, " arguments, found ",
                        block->arguments.size());
  }
  for (size_t i = 0; i < count; ++i) {
    const Type& carried = *op.operands()[i]->type();
    const Type& argument = *block->arguments[i]->type();
    if (AreCompatible(carried, argument)) continue;
    return Beside(absl::StrCat("in region ", region, ", argument"), i, argument,
                  absl::StrCat("operand ", i), carried);
  }
  return "";
}

std::string AgainstCondition(const Operation& op) {
  std::string why = AgainstCarried(op, 0);
  const Block* const block = BlockOf(op, 0);
  return why.empty() && block != nullptr ? AgainstPredicate(*block, 0) : why;
}

std::string AgainstLoopBody(const Operation& op) {
  std::string why = AgainstCarried(op, 1);
  const Block* const block = BlockOf(op, 1);
  if (!why.empty() || block == nullptr) return why;
  return AgainstReturned(op.operands(), *block, "operand", "region 1");
}

std::string AgainstBranchArguments(const Operation& op) {
  for (size_t region = 0; region < op.regions().size(); ++region) {
    const Block* const block = BlockOf(op, region);
    if (block == nullptr || block->arguments.empty()) continue;
    return absl::StrCat("region ", region, " must have no arguments, found ",
                        block->arguments.size());
  }
  return "";
}

// All branches return what the first one does.
std::string AgainstBranchResults(const Operation& op) {
  const Block* const first = BlockOf(op, 0);
  std::string why;
  for (size_t region = 1; region < op.regions().size() && first != nullptr && why.empty();
       ++region) {
    const Block* const block = BlockOf(op, region);
    if (block == nullptr) continue;
    why = AgainstReturned(first->operations.back()->operands(), *block, "in region 0, result",
                          absl::StrCat("region ", region));
  }
  return why;
}

std::string AgainstResultsOfBranch(const Operation& op) {
  const Block* const first = BlockOf(op, 0);
  return first == nullptr ? "" : AgainstReturned(op.results(), *first, "result", "region 0");
}

std::string AgainstNoBranches(const Operation& op) {
  return op.regions().empty() ? "must have a branch" : "";
}

// One operation that may run beside others, and a return: its results are the future's.
std::string AgainstAsyncBody(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr || block->operations.size() == 2) return "";
  return "the region must have one operation and a return";
}

std::string AgainstAsyncOperation(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr || block->operations.size() != 2) return "";
  const absl::string_view name = block->operations[0]->name();
  if (MayBeAsynchronous(name)) return "";
  return absl::StrCat("the region must have a collective or a slice, found ", name);
}

std::string AgainstAsyncOperands(const Operation& op) { return AgainstCarried(op, 0); }

// What an asynchronous operation returns is what its future promises.
std::string AgainstDone(const Operation& op) {
  const Type& future = *op.operands()[0]->type();
  const Types results = TypesOf(op.results());
  if (future.kind != TypeKind::kFuture || future.types == results) return "";
  return absl::StrCat("the operand is ", PrintType(future), ", whose types are not those of the ",
                      results.size(), " results");
}

std::string AgainstFuture(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr) return "";
  const Types returned = TypesOf(block->operations.back()->operands());
  const Type& future = *op.result(0)->type();
  if (future.types == returned) return "";
  return absl::StrCat("the result is ", PrintType(future),
                      ", which is not a future of what the region returns");
}

std::string AgainstFunctionReturn(const Operation& op) {
  if (op.parent == nullptr || op.parent->parent == nullptr) return "";
  const absl::string_view owner = op.parent->parent->name();
  if (owner == "func.func") return "";
  return absl::StrCat("ends functions; the regions of ", owner, " end with ",
                      owner.substr(0, owner.find('.')), ".return");
}

constexpr auto kBody = ReductionPart::kBody;
constexpr auto kStarts = ReductionPart::kStarts;
constexpr auto kResults = ReductionPart::kResults;

constexpr OperationRule kRegionConstraints[] = {
    {"func.return", 0, AgainstFunctionReturn},
    {"stablehlo.all_reduce", 5, AgainstCollective<kBody>},
    {"stablehlo.all_reduce", 5, AgainstCollective<kStarts>},
    {"stablehlo.all_reduce", 7, AgainstCollective<kResults>},
    {"stablehlo.async_done", 1, AgainstDone},
    {"stablehlo.async_start", 1, AgainstAsyncBody},
    {"stablehlo.async_start", 2, AgainstAsyncOperation},
    {"stablehlo.async_start", 3, AgainstAsyncOperands},
    {"stablehlo.async_start", 4, AgainstFuture},
    {"stablehlo.case", 1, AgainstNoBranches},
    {"stablehlo.case", 2, AgainstBranchArguments},
    {"stablehlo.case", 3, AgainstBranchResults},
    {"stablehlo.case", 4, AgainstResultsOfBranch},
    {"stablehlo.if", 1, AgainstBranchArguments},
    {"stablehlo.if", 2, AgainstBranchResults},
    {"stablehlo.if", 3, AgainstResultsOfBranch},
    {"stablehlo.map", 4, AgainstMapRegion},
    {"stablehlo.reduce", 6, AgainstReduce<kBody>},
    {"stablehlo.reduce", 2, AgainstReduce<kStarts>},
    {"stablehlo.reduce", 8, AgainstReduce<kResults>},
    {"stablehlo.reduce_scatter", 7, AgainstCollective<kBody>},
    {"stablehlo.reduce_scatter", 7, AgainstCollective<kStarts>},
    {"stablehlo.reduce_scatter", 9, AgainstCollective<kResults>},
    {"stablehlo.reduce_window", 13, AgainstReduce<kBody>},
    {"stablehlo.reduce_window", 3, AgainstReduce<kStarts>},
    {"stablehlo.reduce_window", 16, AgainstReduce<kResults>},
    {"stablehlo.scatter", 23, AgainstScatterRegion<kBody>},
    {"stablehlo.scatter", 6, AgainstScatterRegion<kStarts>},
    {"stablehlo.scatter", 25, AgainstScatterRegion<kResults>},
    {"stablehlo.select_and_scatter", 9, AgainstSelection},
    {"stablehlo.select_and_scatter", 10, AgainstScatterOfSelected<kBody>},
    {"stablehlo.select_and_scatter", 3, AgainstScatterOfSelected<kStarts>},
    {"stablehlo.select_and_scatter", 12, AgainstScatterOfSelected<kResults>},
    {"stablehlo.sort", 5, AgainstComparator},
    {"stablehlo.while", 1, AgainstCondition},
    {"stablehlo.while", 2, AgainstLoopBody},
};

}  // namespace

bool MayBeAsynchronous(absl::string_view name) {
  static constexpr absl::string_view kAsynchronous[] = {
      "stablehlo.all_gather",           "stablehlo.all_reduce",         "stablehlo.all_to_all",
      "stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.dynamic_slice",
      "stablehlo.dynamic_update_slice", "stablehlo.reduce_scatter",     "stablehlo.slice"};
  return std::find(std::begin(kAsynchronous), std::end(kAsynchronous), name) !=
         std::end(kAsynchronous);
}

absl::Span<const OperationRule> RegionRules() { return kRegionConstraints; }

}  // namespace assay::stablehlo
