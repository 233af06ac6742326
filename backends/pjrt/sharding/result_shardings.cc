#include "backends/pjrt/sharding/result_shardings.h"

#include <algorithm>
#include <compare>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"

namespace assay::pjrt {
namespace {

// The calls that led to a computation, the innermost first.
struct CallSite {
  const Instruction* call = nullptr;
  const CallSite* outer = nullptr;
};

constexpr int64_t kNone = -1;

// The most calls that one walk enters. Calls of calls can double with each level.
constexpr size_t kMostCalls = 4096;

// A leaf of a value, and where its computation was called. `dims` has, for each dimension of the
// result, the one of this value along which it is cut, or kNone.
struct Place {
  const Instruction* value = nullptr;
  size_t leaf = 0;
  const CallSite* site = nullptr;
  std::vector<int64_t> dims;

  auto operator<=>(const Place&) const = default;
};

bool Names(absl::Span<const int64_t> list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

// The dimensions of a shape that two lists do not name.
std::vector<int64_t> Others(const Shape& shape, absl::Span<const int64_t> a,
                            absl::Span<const int64_t> b = {}) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!Names(a, d) && !Names(b, d)) others.push_back(d);
  }
  return others;
}

// The dimension of an operand of a dot that a dimension of the result is: batches come first, then
// the others of the left, then those of the right operand.
int64_t DotDimension(const Instruction& dot, int64_t operand, int64_t d) {
  const bool left = operand == 0;
  const absl::Span<const int64_t> batch =
      dot.GetInts(left ? Attr::kLhsBatchDims : Attr::kRhsBatchDims);
  const auto batches = static_cast<int64_t>(batch.size());
  if (d < batches) return batch[static_cast<size_t>(d)];
  const std::vector<int64_t> free =
      Others(dot.operand(operand)->shape(), batch,
             dot.GetInts(left ? Attr::kLhsContractingDims : Attr::kRhsContractingDims));
  const auto count = static_cast<int64_t>(free.size());
  const int64_t at = d - (left ? batches : dot.shape().rank() - count);
  return at >= 0 && at < count ? free[static_cast<size_t>(at)] : kNone;
}

// The sharding of the result by the dimensions of a value's sharding. None if it cuts nothing.
std::optional<Sharding> Along(const Sharding& sharding, const Place& place) {
  bool same = true;
  for (size_t i = 0; i < place.dims.size(); ++i) same &= place.dims[i] == static_cast<int64_t>(i);
  if (sharding.named == nullptr) {
    return same && sharding.type == Sharding::Type::kTiled ? std::optional<Sharding>(sharding)
                                                           : std::nullopt;
  }
  NamedSharding named = *sharding.named;
  named.dimensions.clear();
  named.replicated_axes.clear();
  bool cuts = false;
  for (const int64_t d : place.dims) {
    NamedSharding::DimensionSharding own;
    if (d >= 0 && d < static_cast<int64_t>(sharding.named->dimensions.size())) {
      own = sharding.named->dimensions[static_cast<size_t>(d)];
    }
    cuts |= !own.axes.empty();
    named.dimensions.push_back(std::move(own));
  }
  if (!cuts) return std::nullopt;
  Sharding along;
  along.named = std::make_shared<const NamedSharding>(std::move(named));
  return along;
}

// The sharding of a leaf in a list of Shardy's, in a frontend attribute of the value; none if there
// is no such attribute.
std::optional<Sharding> NamedAt(const Instruction& value, const char* attribute, size_t leaf) {
  if (!value.has_annotations()) return std::nullopt;
  const FrontendAttributes& attributes = value.annotations().frontend_attributes;
  const auto text = attributes.find(attribute);
  if (text == attributes.end()) return std::nullopt;
  const absl::StatusOr<std::vector<NamedSharding>> named =
      ReadSdyShardings(text->second, *value.parent()->parent());
  if (!named.ok() || leaf >= named->size()) return std::nullopt;
  Sharding sharding;
  sharding.named = std::make_shared<const NamedSharding>((*named)[leaf]);
  return sharding;
}

// The sharding that is written at a leaf; none if there is none or it says nothing. Axes have names
// in Shardy's form alone, which arguments have beside tiles.
std::optional<Sharding> WrittenAt(const Instruction& value, size_t leaf) {
  if (std::optional<Sharding> named = NamedAt(value, "xla.sdy.sharding", leaf)) return named;
  const absl::StatusOr<std::optional<Sharding>> written = WrittenSharding(value);
  if (!written.ok() || !written->has_value()) return std::nullopt;
  std::vector<LeafSharding> leaves;
  if (ShardingsOfLeaves(**written, value.shape(), &leaves)) return std::nullopt;
  std::erase_if(leaves, [](const LeafSharding& each) { return each.shape->is_tuple(); });
  if (leaf >= leaves.size() || leaves[leaf].sharding->type == Sharding::Type::kUnknown) {
    return std::nullopt;
  }
  return *leaves[leaf].sharding;
}

// Whether the sharding leaves a dimension to whoever propagates shardings.
bool IsOpen(const Sharding& sharding, int64_t d) {
  return sharding.named != nullptr && d >= 0 &&
         d < static_cast<int64_t>(sharding.named->dimensions.size()) &&
         !sharding.named->dimensions[static_cast<size_t>(d)].is_closed;
}

// Whether the sharding cuts nothing.
bool CutsNothing(const Sharding& sharding) {
  return sharding.named != nullptr &&
         std::all_of(
             sharding.named->dimensions.begin(), sharding.named->dimensions.end(),
             [](const NamedSharding::DimensionSharding& each) { return each.axes.empty(); });
}

bool IsCallOf(const Instruction& value, absl::string_view target) {
  return value.opcode() == Opcode::kCustomCall &&
         value.GetString(Attr::kCustomCallTarget) == target;
}

// The sharding with which a leaf leaves a manual region; none for other instructions.
std::optional<Sharding> LeftWith(const Instruction& value, size_t leaf) {
  if (!IsCallOf(value, "xla.sdy.LocalToGlobalShape")) return std::nullopt;
  return NamedAt(value, "xla.sdy.out_shardings", leaf);
}

// Whether a leaf of a custom call is the operand with the same sharding. A value that enters a
// manual region is, if it enters whole.
bool PassesOn(const Instruction& call, size_t leaf) {
  if (IsCallOf(call, "xla.sdy.GlobalToLocalShape")) {
    const std::optional<Sharding> entered = NamedAt(call, "xla.sdy.in_shardings", leaf);
    return entered && CutsNothing(*entered);
  }
  return IsCallOf(call, "Sharding") || IsCallOf(call, "xla.sdy.FuncResultSharding") ||
         IsCallOf(call, "annotate_device_placement") ||
         IsCallOf(call, "xla.sdy.LocalToGlobalShape");
}

// Cuts the dimensions that `sharding` leaves whole as `other` does, along axes that it does not
// use.
void Merge(const Sharding& other, Sharding* sharding) {
  if (other.named == nullptr || sharding->named == nullptr ||
      !(other.named->mesh == sharding->named->mesh)) {
    return;
  }
  NamedSharding merged = *sharding->named;
  std::set<int64_t> used;
  for (const std::vector<AxisRef>* axes : {&merged.unreduced_axes, &merged.manual_axes}) {
    for (const AxisRef& axis : *axes) used.insert(axis.axis);
  }
  for (const auto& dimension : merged.dimensions) {
    for (const AxisRef& axis : dimension.axes) used.insert(axis.axis);
  }
  for (size_t d = 0; d < merged.dimensions.size(); ++d) {
    const std::vector<AxisRef>& axes = other.named->dimensions[d].axes;
    const bool is_free = std::none_of(
        axes.begin(), axes.end(), [&](const AxisRef& axis) { return used.contains(axis.axis); });
    if (!merged.dimensions[d].axes.empty() || !is_free) continue;
    merged.dimensions[d].axes = axes;
    for (const AxisRef& axis : axes) used.insert(axis.axis);
  }
  sharding->named = std::make_shared<const NamedSharding>(std::move(merged));
}

// Walks from a result to what it is made of. A sharding that is met ends its branch, but for the
// dimensions that it leaves open; the first that cuts the result counts most.
class Walk {
 public:
  std::optional<Sharding> From(const Instruction& root, size_t leaf) {
    Go({&root, leaf, nullptr, Others(*Leaves(root.shape())[leaf], {})});
    std::optional<Sharding> result;
    while (!open_.empty()) {
      const auto [seen, is_new] = seen_.insert(std::move(open_.back()));
      open_.pop_back();
      if (!is_new) continue;
      Place place = *seen;
      std::optional<Sharding> found = LeftWith(*place.value, place.leaf);
      if (!found) found = WrittenAt(*place.value, place.leaf);
      if (found) {
        if (std::optional<Sharding> along = Along(*found, place)) {
          if (along->named == nullptr && !result) return along;
          if (result) Merge(*along, &*result);
          if (!result) result = std::move(along);
        }
        for (int64_t& d : place.dims) {
          if (!IsOpen(*found, d)) d = kNone;
        }
      }
      if (IsCut(place)) GoOn(place);
    }
    return result;
  }

 private:
  static bool IsCut(const Place& place) {
    return std::any_of(place.dims.begin(), place.dims.end(), [](int64_t d) { return d != kNone; });
  }

  void Go(Place place) {
    if (IsCut(place)) open_.push_back(std::move(place));
  }

  // To an operand, of which `dimension` gives the dimension for one of the value.
  template <typename Dimension>
  void GoAlong(const Place& place, int64_t operand, Dimension dimension) {
    Place next = {place.value->operand(operand), 0, place.site, place.dims};
    for (int64_t& d : next.dims) {
      if (d != kNone) d = dimension(d);
    }
    Go(std::move(next));
  }

  // To the root of a computation that the value calls.
  void Enter(const Place& place, const Instruction& root) {
    if (sites_.size() == kMostCalls) return;
    sites_.push_back({place.value, place.site});
    Go({&root, place.leaf, &sites_.back(), place.dims});
  }

  // To the operand that has the leaf, where the leaves of the operands are those of the value.
  void GoToOperand(const Place& place) {
    size_t leaf = place.leaf;
    for (const Instruction* operand : place.value->operands()) {
      const size_t count = Leaves(operand->shape()).size();
      if (leaf < count) return Go({operand, leaf, place.site, place.dims});
      leaf -= count;
    }
  }

  void GoOn(const Place& place) {
    const Instruction& value = *place.value;
    switch (value.opcode()) {
      case Opcode::kWhile:  // what goes in is looked at before what an iteration leaves
        Enter(place, *value.GetComputation(Attr::kBody)->root());
        return GoToOperand(place);
      case Opcode::kTuple:
      case Opcode::kOptimizationBarrier:
      case Opcode::kCopy:
        return GoToOperand(place);
      case Opcode::kGetTupleElement: {
        const Instruction& tuple = *value.operand(0);
        size_t leaf = place.leaf;
        for (int64_t i = 0; i < value.GetInt(Attr::kIndex); ++i) {
          leaf += Leaves(tuple.shape().tuple_shape(i)).size();
        }
        return Go({&tuple, leaf, place.site, place.dims});
      }
      case Opcode::kCall:
        return Enter(place, *value.to_apply()->root());
      case Opcode::kParameter: {
        if (place.site == nullptr) return;
        const Instruction* given = place.site->call->operand(value.parameter_number());
        return Go({given, place.leaf, place.site->outer, place.dims});
      }
      case Opcode::kCustomCall:
        if (PassesOn(value, place.leaf)) GoToOperand(place);
        return;
      case Opcode::kTranspose:
        return GoAlong(place, 0, [&](int64_t d) {
          return value.GetInts(Attr::kDimensions)[static_cast<size_t>(d)];
        });
      case Opcode::kBroadcast:
        return GoAlong(place, 0, [&](int64_t d) {
          const absl::Span<const int64_t> to = value.GetInts(Attr::kDimensions);
          const auto found = std::find(to.begin(), to.end(), d);
          return found == to.end() ? kNone : static_cast<int64_t>(found - to.begin());
        });
      case Opcode::kReduce:
        return GoAlong(place, static_cast<int64_t>(place.leaf), [&](int64_t d) {
          return Others(value.operand(0)->shape(),
                        value.GetInts(Attr::kDimensions))[static_cast<size_t>(d)];
        });
      case Opcode::kConcatenate:
      case Opcode::kSlice:  // along dimensions that keep their size
        for (int64_t i = value.operand_count(); i-- > 0;) {
          GoAlong(place, i, [&](int64_t d) {
            const bool is_joined = value.opcode() == Opcode::kConcatenate &&
                                   Names(value.GetInts(Attr::kDimensions), d);
            const auto at = static_cast<size_t>(d);
            const bool is_whole =
                value.operand(i)->shape().dimensions()[at] == value.shape().dimensions()[at];
            return is_whole && !is_joined ? d : kNone;
          });
        }
        return;
      case Opcode::kDot:  // the left operand is looked at first
        for (const int64_t operand : {1, 0}) {
          GoAlong(place, operand, [&](int64_t d) { return DotDimension(value, operand, d); });
        }
        return;
      default:
        break;
    }
    if (!value.info().elementwise()) return;
    for (int64_t i = value.operand_count(); i-- > 0;) {
      const Shape& shape = value.operand(i)->shape();
      if (shape.dimensions() == value.shape().dimensions()) {
        Go({value.operand(i), 0, place.site, place.dims});
      }
    }
  }

  std::vector<Place> open_;
  std::set<Place> seen_;
  std::deque<CallSite> sites_;
};

}  // namespace

std::optional<Sharding> PropagatedSharding(const Module& module, size_t leaf) {
  return Walk().From(*module.entry()->root(), leaf);
}

}  // namespace assay::pjrt
