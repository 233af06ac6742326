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

// What a region combines: inputs, and the values that it starts with. The results of the operation
// have the elements that the region returns.
struct Reduction {
  size_t region = 0;
  Types inputs;
  Types starts;
  bool starts_are_elements = false;  // of the types in `starts`, so that they are scalars
  size_t first_result = 0;
};

std::string AgainstReduction(const Operation& op, const Reduction& reduction) {
  const Block* const block = BlockOf(op, reduction.region);
  if (block == nullptr) return "";
  const size_t count = reduction.inputs.size();
  const Types arguments = TypesOf(block->arguments);
  const Types returned = TypesOf(block->operations.back()->operands());
  if (arguments.size() != 2 * count || returned.size() != count) {
    return absl::StrCat("region ", reduction.region, " must have ", 2 * count,
                        " arguments and return ", count, ", found ", arguments.size(), " and ",
                        returned.size());
  }
  for (size_t i = 0; i < count; ++i) {
    const Type& total = *returned[i];
    const std::string end = absl::StrCat("what region ", reduction.region, " returns");
    if (!AreCompatible(*arguments[i], total)) {
      return Beside("argument", i, *arguments[i], end, total);
    }
    const Type& other = *arguments[count + i];
    if (!HaveOneShape(other, total) || !IsPromotable(other, total) || !IsPromotable(total, other)) {
      return Beside("argument", count + i, other, end, total);
    }
    const Type& start = *reduction.starts[i];
    const bool has_shape =
        reduction.starts_are_elements ? IsScalar(total) : HaveOneShape(start, total);
    if (!has_shape || !IsPromotable(start, total)) {
      return Beside("start value", i, start, end, total);
    }
    if (!IsPromotable(*reduction.inputs[i], other)) {
      return Beside("input", i, *reduction.inputs[i],
                    absl::StrCat("argument ", count + i, " of region ", reduction.region), other);
    }
    const size_t r = reduction.first_result + i;
    if (r >= op.results().size()) continue;
    const Type& result = *op.result(r)->type();
    if (HasElements(result) && HasElements(total) &&
        result.element_type() != total.element_type()) {
      return Beside("result", r, result, end, total);
    }
  }
  return "";
}

// Inputs, then as many start values.
std::string AgainstReduce(const Operation& op) {
  const Types all = TypesOf(op.operands());
  if (all.size() % 2 != 0) {
    return absl::StrCat("must have a start value for each input, found ", all.size(), " operands");
  }
  const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  return AgainstReduction(op, {0, Types(all.begin(), half), Types(half, all.end())});
}

// The region reduces each operand by itself.
std::string AgainstCollective(const Operation& op) {
  const Types all = TypesOf(op.operands());
  for (size_t i = 0; i < all.size(); ++i) {
    std::string why = AgainstReduction(op, {0, {all[i]}, {all[i]}, true, i});
    if (!why.empty()) return why;
  }
  return "";
}

// Operands, indices, updates.
std::string AgainstScatterRegion(const Operation& op) {
  const Types all = TypesOf(op.operands());
  if (all.size() % 2 == 0) return "must have an update for each operand, and indices";
  const auto count = static_cast<std::ptrdiff_t>(all.size() / 2);
  return AgainstReduction(op, {0, Types(all.begin(), all.begin() + count),
                               Types(all.begin() + count + 1, all.end()), true});
}

std::string AgainstSelectAndScatter(const Operation& op) {
  const Types all = TypesOf(op.operands());
  const Block* const select = BlockOf(op, 0);
  if (select == nullptr || all.size() != 3) return "";
  for (size_t i = 0; i < select->arguments.size(); ++i) {
    const Type& argument = *select->arguments[i]->type();
    if (IsPromotable(argument, *all[0]) && IsPromotable(*all[0], argument)) continue;
    return Beside("argument", i, argument, "operand 0", *all[0]);
  }
  return AgainstReduction(op, {1, {all[1]}, {all[2]}});
}

std::string AgainstMapRegion(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr) return "";
  const Types operands = TypesOf(op.operands()), arguments = TypesOf(block->arguments);
  for (size_t i = 0; i < std::min(operands.size(), arguments.size()); ++i) {
    if (!HasElements(*operands[i]) || !HasElements(*arguments[i])) continue;
    if (operands[i]->element_type() == arguments[i]->element_type()) continue;
    return Beside("argument", i, *arguments[i], absl::StrCat("operand ", i), *operands[i]);
  }
  const Types returned = TypesOf(block->operations.back()->operands());
  if (returned.size() != 1 || op.results().size() != 1) return "";
  const Type& result = *op.result(0)->type();
  if (!HasElements(result) || !HasElements(*returned[0]) ||
      result.element_type() == returned[0]->element_type()) {
    return "";
  }
  return Beside("result", 0, result, "what region 0 returns", *returned[0]);
}

// A comparator takes two scalars of each operand.
std::string AgainstComparator(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr || block->arguments.size() != 2 * op.operands().size()) return "";
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
  return "";
}

// The blocks of a loop take what the loop carries.
std::string AgainstWhile(const Operation& op) {
  for (size_t region = 0; region < op.regions().size(); ++region) {
    const Block* const block = BlockOf(op, region);
    if (block == nullptr) continue;
    for (size_t i = 0; i < std::min(block->arguments.size(), op.operands().size()); ++i) {
      const Type& carried = *op.operands()[i]->type();
      const Type& argument = *block->arguments[i]->type();
      if (AreCompatible(carried, argument)) continue;
      return Beside(absl::StrCat("in region ", region, ", argument"), i, argument,
                    absl::StrCat("operand ", i), carried);
    }
  }
  return "";
}

// One operation that may run beside others, and a return: its results are the future's.
std::string AgainstAsyncStart(const Operation& op) {
  const Block* const block = BlockOf(op, 0);
  if (block == nullptr) return "";
  if (block->operations.size() != 2) {
    return "the region must have one operation and a return";
  }
  const absl::string_view name = block->operations[0]->name();
  if (!MayBeAsynchronous(name)) {
    return absl::StrCat("the region must have a collective or a slice, found ", name);
  }
  const Types returned = TypesOf(block->operations[1]->operands());
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

constexpr OperationRule kRegionConstraints[] = {
    {"func.return", AgainstFunctionReturn},
    {"stablehlo.all_reduce", AgainstCollective},
    {"stablehlo.async_start", AgainstAsyncStart},
    {"stablehlo.map", AgainstMapRegion},
    {"stablehlo.reduce", AgainstReduce},
    {"stablehlo.reduce_scatter", AgainstCollective},
    {"stablehlo.reduce_window", AgainstReduce},
    {"stablehlo.scatter", AgainstScatterRegion},
    {"stablehlo.select_and_scatter", AgainstSelectAndScatter},
    {"stablehlo.sort", AgainstComparator},
    {"stablehlo.while", AgainstWhile},
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
