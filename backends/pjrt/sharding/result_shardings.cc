#include "backends/pjrt/sharding/result_shardings.h"

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"

namespace assay::pjrt {
namespace {

// The calls that led to a computation, the innermost first.
struct CallSite {
  const Instruction* call = nullptr;
  const CallSite* outer = nullptr;
};

// A leaf of a value, and where its computation was called.
struct Place {
  const Instruction* value = nullptr;
  size_t leaf = 0;
  const CallSite* site = nullptr;
};

// The sharding that is written at a leaf; none if there is none or it says nothing.
std::optional<Sharding> WrittenAt(const Instruction& value, size_t leaf) {
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

// The sharding with which a leaf leaves a manual region; none for other instructions.
std::optional<Sharding> LeftWith(const Instruction& value, size_t leaf) {
  if (value.opcode() != Opcode::kCustomCall ||
      value.GetString(Attr::kCustomCallTarget) != "xla.sdy.LocalToGlobalShape") {
    return std::nullopt;
  }
  const FrontendAttributes& attributes = value.annotations().frontend_attributes;
  const auto text = attributes.find("xla.sdy.out_shardings");
  if (text == attributes.end()) return std::nullopt;
  const absl::StatusOr<std::vector<NamedSharding>> named =
      ReadSdyShardings(text->second, *value.parent()->parent());
  if (!named.ok() || leaf >= named->size()) return std::nullopt;
  Sharding sharding;
  sharding.named = std::make_shared<const NamedSharding>((*named)[leaf]);
  return sharding;
}

// Walks from a result to what it is made of, until a sharding is met.
class Walk {
 public:
  std::optional<Sharding> From(const Instruction& root, size_t leaf) {
    Go({&root, leaf, nullptr});
    while (!open_.empty()) {
      const Place place = open_.back();
      open_.pop_back();
      if (!seen_.emplace(place.value, place.leaf).second) continue;
      if (std::optional<Sharding> left = LeftWith(*place.value, place.leaf)) return left;
      if (std::optional<Sharding> written = WrittenAt(*place.value, place.leaf)) return written;
      GoOn(place);
    }
    return std::nullopt;
  }

 private:
  void Go(Place place) { open_.push_back(place); }

  // To the operand that has the leaf, where the leaves of the operands are those of the value.
  void GoToOperand(const Place& place) {
    size_t leaf = place.leaf;
    for (const Instruction* operand : place.value->operands()) {
      const size_t count = Leaves(operand->shape()).size();
      if (leaf < count) return Go({operand, leaf, place.site});
      leaf -= count;
    }
  }

  void GoOn(const Place& place) {
    const Instruction& value = *place.value;
    switch (value.opcode()) {
      case Opcode::kTuple:
      case Opcode::kWhile:
      case Opcode::kOptimizationBarrier:
      case Opcode::kCopy:
        return GoToOperand(place);
      case Opcode::kGetTupleElement: {
        const Instruction& tuple = *value.operand(0);
        size_t leaf = place.leaf;
        for (int64_t i = 0; i < value.GetInt(Attr::kIndex); ++i) {
          leaf += Leaves(tuple.shape().tuple_shape(i)).size();
        }
        return Go({&tuple, leaf, place.site});
      }
      case Opcode::kCall:
        sites_.push_back({&value, place.site});
        return Go({value.to_apply()->root(), place.leaf, &sites_.back()});
      case Opcode::kParameter: {
        if (place.site == nullptr) return;
        const Instruction* given = place.site->call->operand(value.parameter_number());
        return Go({given, place.leaf, place.site->outer});
      }
      case Opcode::kCustomCall: {
        const std::string& target = value.GetString(Attr::kCustomCallTarget);
        const bool passes = target == "Sharding" || target == "xla.sdy.FuncResultSharding" ||
                            target == "annotate_device_placement";
        if (passes) GoToOperand(place);
        return;
      }
      default:
        break;
    }
    if (!value.info().elementwise()) return;
    for (int64_t i = value.operand_count(); i-- > 0;) {
      const Shape& shape = value.operand(i)->shape();
      if (shape.dimensions() == value.shape().dimensions()) Go({value.operand(i), 0, place.site});
    }
  }

  std::vector<Place> open_;
  std::set<std::pair<const Instruction*, size_t>> seen_;
  std::deque<CallSite> sites_;
};

}  // namespace

std::optional<Sharding> PropagatedSharding(const Module& module, size_t leaf) {
  return Walk().From(*module.entry()->root(), leaf);
}

}  // namespace assay::pjrt
