// The borders of manual regions in modules on global shapes. Every partition runs the whole module;
// it enters a region with its tile of the global value, and all bring their tiles together when
// they leave. Source: reference ops_control_and_collectives.md 11.2, 12.
// Tests: module_form_test.cc.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "runtime/border_sums.h"
#include "runtime/effect.h"
#include "runtime/module_form.h"
#include "runtime/world.h"
#include "spec/ir/device_lists.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"
#include "spec/sharding/tiles.h"

namespace assay::runtime {
namespace {

constexpr char kManualAxes[] = "xla.sdy.manual_axes";

bool Enters(const Instruction& border) {
  const std::string& target = border.GetString(Attr::kCustomCallTarget);
  return target == "SPMDFullToShardShape" || target == "xla.sdy.GlobalToLocalShape";
}

absl::StatusOr<std::string> FrontendAttribute(const Instruction& border, const char* name) {
  const FrontendAttributes& attributes = border.annotations().frontend_attributes;
  const auto found = attributes.find(name);
  if (found != attributes.end()) return found->second;
  return absl::InvalidArgumentError(
      absl::StrCat("there is no frontend attribute ", name, " at ", border.Describe()));
}

// The sharding over the manual axes alone: inside of the region all others hold whole values. Of
// unreduced axes the devices hold summands there, too.
Sharding OverManualAxes(NamedSharding named, absl::Span<const std::string> manual) {
  const auto keep = [&](std::vector<AxisRef>& axes) {
    std::erase_if(axes, [&](const AxisRef& axis) {
      const std::string& name = named.mesh.axes[axis.axis].name;
      return std::find(manual.begin(), manual.end(), name) == manual.end();
    });
  };
  for (NamedSharding::DimensionSharding& dimension : named.dimensions) keep(dimension.axes);
  named.replicated_axes.clear();
  keep(named.unreduced_axes);
  Sharding sharding;
  sharding.named = std::make_shared<const NamedSharding>(std::move(named));
  return sharding;
}

}  // namespace

absl::StatusOr<std::vector<Sharding>> BorderShardings(const Instruction& border) {
  if (border.GetString(Attr::kCustomCallTarget).rfind("SPMD", 0) == 0) {
    const Instruction& global = Enters(border) ? *border.operand(0) : border;
    const auto& sharding = global.annotations().sharding;
    if (!sharding.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the global value has no sharding: ", global.Describe()));
    }
    return std::vector<Sharding>(Leaves(border.shape()).size(), *sharding);
  }
  absl::StatusOr<std::string> text =
      FrontendAttribute(border, Enters(border) ? "xla.sdy.in_shardings" : "xla.sdy.out_shardings");
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<NamedSharding>> named =
      ReadSdyShardings(*text, *border.parent()->parent());
  if (!named.ok()) return named.status();
  absl::StatusOr<std::string> axes = FrontendAttribute(border, kManualAxes);
  if (!axes.ok()) return axes.status();
  absl::StatusOr<std::vector<std::string>> manual = ReadManualAxes(*axes);
  if (!manual.ok()) return manual.status();
  std::vector<Sharding> shardings;
  for (NamedSharding& sharding : *named) {
    shardings.push_back(OverManualAxes(std::move(sharding), *manual));
  }
  return shardings;
}

namespace {

// The entering border whose value is an operand of the call, or null.
const Instruction* BorderBefore(const Instruction& call) {
  for (const Instruction* operand : call.operands()) {
    while (operand->opcode() == Opcode::kGetTupleElement) operand = operand->operand(0);
    if (operand->opcode() == Opcode::kCustomCall && IsManualBorder(*operand) && Enters(*operand)) {
      return operand;
    }
  }
  return nullptr;
}

// The instruction that calls the computation, or null.
const Instruction* CallerOf(const Computation& called) {
  for (const auto& computation : called.parent()->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto all = instruction->called_computations();
      if (std::find(all.begin(), all.end(), &called) != all.end()) return instruction.get();
    }
  }
  return nullptr;
}

// The manual axes of the regions around the border's computation. Their devices hold values of
// their own, which a border inside leaves apart.
absl::StatusOr<std::vector<std::string>> OuterManualAxes(const Instruction& border) {
  std::vector<std::string> outer;
  const Computation* here = border.parent();
  // Calls form no cycle, so that the way to the entry is no longer than the computations are many.
  while (const Instruction* call = CallerOf(*here)) {
    const Instruction* before = BorderBefore(*call);
    if (before != nullptr && before->annotations().frontend_attributes.contains(kManualAxes)) {
      absl::StatusOr<std::string> text = FrontendAttribute(*before, kManualAxes);
      if (!text.ok()) return text.status();
      absl::StatusOr<std::vector<std::string>> axes = ReadManualAxes(*text);
      if (!axes.ok()) return axes;
      outer.insert(outer.end(), axes->begin(), axes->end());
    }
    here = call->parent();
  }
  return outer;
}

// Takes from the placements all devices but those that differ from the partition over inner axes
// alone.
absl::Status LeaveOutOtherValues(const Mesh& mesh, absl::Span<const std::string> outer,
                                 int64_t partition, std::vector<Placement>* placements) {
  std::vector<AxisRef> inner;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (std::find(outer.begin(), outer.end(), mesh.axes[i].name) != outer.end()) continue;
    AxisRef axis;
    axis.axis = static_cast<int64_t>(i);
    inner.push_back(axis);
  }
  const absl::StatusOr<DeviceGroups> groups = DevicesOverAxes(mesh, inner, kMostDevices);
  if (!groups.ok()) return groups.status();
  for (const std::vector<int64_t>& group : *groups) {
    if (std::find(group.begin(), group.end(), partition) == group.end()) continue;
    for (Placement& placement : *placements) {
      for (size_t device = 0; device < placement.devices.size(); ++device) {
        if (std::find(group.begin(), group.end(), device) == group.end()) {
          placement.devices[device].reset();
        }
      }
    }
  }
  return absl::OkStatus();
}

// The placements of all leaves that cross a border.
absl::StatusOr<std::vector<Placement>> PlacementsOf(const Instruction& border,
                                                    absl::Span<const Shape* const> globals,
                                                    int64_t devices) {
  absl::StatusOr<std::vector<Sharding>> shardings = BorderShardings(border);
  if (!shardings.ok()) return shardings.status();
  if (shardings->size() != globals.size()) {
    return absl::InvalidArgumentError(absl::StrCat(shardings->size(), " shardings for ",
                                                   globals.size(), " values: ", border.Describe()));
  }
  std::vector<Placement> placements;
  for (size_t i = 0; i < globals.size(); ++i) {
    absl::StatusOr<Placement> placement = TilesOf((*shardings)[i], *globals[i], devices);
    if (!placement.ok()) return placement.status();
    placements.push_back(*std::move(placement));
  }
  return placements;
}

// Tiles of all partitions, joined once all are there.
class Joined : public Pending {
 public:
  Joined(PendingPtr tiles, std::vector<Placement> placements, std::vector<const Shape*> shapes)
      : tiles_(std::move(tiles)), placements_(std::move(placements)), shapes_(std::move(shapes)) {}
  bool ready() const override { return tiles_->ready(); }
  absl::StatusOr<std::vector<Literal>> Take() override {
    absl::StatusOr<std::vector<Literal>> tiles = tiles_->Take();
    if (!tiles.ok()) return tiles;
    std::vector<Literal> values;
    for (size_t i = 0; i < shapes_.size(); ++i) {
      std::vector<Literal> by_device;
      for (size_t k = i; k < tiles->size(); k += shapes_.size()) {
        absl::StatusOr<Literal> tile = ToHost((*tiles)[k]);
        if (!tile.ok()) return tile.status();
        by_device.push_back(*std::move(tile));
      }
      absl::StatusOr<Literal> value = JoinTiles(placements_[i], *shapes_[i], by_device);
      if (!value.ok()) return value.status();
      values.push_back(*std::move(value));
    }
    return values;
  }
  std::string Awaited() const override { return tiles_->Awaited(); }

 private:
  PendingPtr tiles_;
  std::vector<Placement> placements_;
  std::vector<const Shape*> shapes_;
};

class ManualBorder : public Effect {
 public:
  ManualBorder(const Instruction& border, BorderSums sums)
      : border_(border), sums_(std::move(sums)) {}

  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                   Process& process, Context& context) const override {
    std::vector<const Shape*> inputs;
    for (const Literal& operand : operands) inputs.push_back(&operand.shape());
    std::vector<const Shape*> outputs = Leaves(border_.shape());
    if (inputs.size() != outputs.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(inputs.size(), " values become ", outputs.size()));
    }
    if (process.grid().partitions == 1) {
      if (absl::Status status = CheckEqual(inputs, outputs); !status.ok()) return status;
      return std::make_shared<Present>(std::vector<Literal>(operands.begin(), operands.end()));
    }
    const bool enters = Enters(border_);
    const int64_t partitions = process.grid().partitions;
    absl::StatusOr<std::vector<Placement>> placements =
        PlacementsOf(border_, enters ? inputs : outputs, partitions);
    if (!placements.ok()) return placements.status();
    absl::Status status = enters ? CheckTiles(*placements, inputs, outputs)
                                 : CheckTiles(*placements, outputs, inputs);
    if (!status.ok()) return status;
    if (enters) return Enter(operands, *placements, outputs, process);
    status = PrepareToLeave(process.id().partition, &*placements);
    if (!status.ok()) return status;
    std::vector<int64_t> members(partitions);
    std::iota(members.begin(), members.end(), process.id().replica * partitions);
    absl::StatusOr<PendingPtr> tiles = process.world().rendezvous().Meet(
        border_, path, members, operands, process, context, sums_.list());
    if (!tiles.ok()) return tiles.status();
    return std::make_shared<Joined>(*std::move(tiles), *std::move(placements), std::move(outputs));
  }

 private:
  static absl::Status CheckEqual(absl::Span<const Shape* const> inputs,
                                 absl::Span<const Shape* const> outputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (Shape::Compatible(*inputs[i], *outputs[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("with one partition both sides have the same shapes, found ",
                       inputs[i]->ToString(), " and ", outputs[i]->ToString()));
    }
    return absl::OkStatus();
  }

  static absl::Status CheckTiles(absl::Span<const Placement> placements,
                                 absl::Span<const Shape* const> globals,
                                 absl::Span<const Shape* const> locals) {
    for (size_t i = 0; i < locals.size(); ++i) {
      const Dimensions sizes(locals[i]->dimensions().begin(), locals[i]->dimensions().end());
      if (placements[i].tile_sizes == sizes) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the tiles of ", globals[i]->ToString(), " are no ", locals[i]->ToString()));
    }
    return absl::OkStatus();
  }

  // The tiles of this partition.
  static absl::StatusOr<PendingPtr> Enter(absl::Span<const Literal> operands,
                                          absl::Span<const Placement> placements,
                                          absl::Span<const Shape* const> outputs,
                                          Process& process) {
    std::vector<Literal> tiles;
    for (size_t i = 0; i < operands.size(); ++i) {
      const std::optional<DeviceTile>& tile = placements[i].devices[process.id().partition];
      // The first summand is the value, all others are zero.
      const bool added = tile.has_value() && tile->summand > 0 &&
                         placements[i].reduction == NamedSharding::Reduction::kSum;
      if (!tile.has_value() || added) {
        absl::StatusOr<Literal> nothing = process.ZeroArray(*outputs[i]);
        if (!nothing.ok()) return nothing.status();
        tiles.push_back(*std::move(nothing));
        continue;
      }
      const absl::StatusOr<Literal> global = ToHost(operands[i]);
      if (!global.ok()) return global.status();
      const Literal cut = CutTile(*global, tile->tile, outputs[i]->dimensions());
      tiles.push_back(Literal::FromBuffer(*outputs[i], cut.buffer()));
    }
    return std::make_shared<Present>(std::move(tiles));
  }

  // Which devices hold parts of this partition's value.
  absl::Status PrepareToLeave(int64_t partition, std::vector<Placement>* placements) const {
    // Each device of a group has the whole sum then (BorderSums).
    for (Placement& placement : *placements) {
      placement.summands = 1;
      for (std::optional<DeviceTile>& tile : placement.devices) {
        if (tile) tile->summand = 0;
      }
    }
    const absl::StatusOr<std::vector<std::string>> outer = OuterManualAxes(border_);
    if (!outer.ok()) return outer.status();
    if (outer->empty()) return absl::OkStatus();
    const absl::StatusOr<std::vector<Sharding>> shardings = BorderShardings(border_);
    if (!shardings.ok()) return shardings.status();
    if (shardings->empty() || shardings->front().named == nullptr) return absl::OkStatus();
    return LeaveOutOtherValues(shardings->front().named->mesh, *outer, partition, placements);
  }

  const Instruction& border_;
  const BorderSums sums_;
};

// The sums of a border that leaves a region. What is wrong with its shardings is said where it
// runs.
absl::StatusOr<BorderSums> SumsOf(const Instruction& border) {
  std::vector<const Shape*> locals;
  for (const Instruction* operand : border.operands()) {
    for (const Shape* leaf : Leaves(operand->shape())) locals.push_back(leaf);
  }
  const absl::StatusOr<std::vector<Sharding>> shardings = BorderShardings(border);
  if (Enters(border) || !shardings.ok()) return BorderSums();
  return BorderSums::Of(*shardings, locals);
}

}  // namespace

EffectOr PrepareManualBorder(const Instruction& custom_call) {
  absl::StatusOr<BorderSums> sums = SumsOf(custom_call);
  if (!sums.ok()) return sums.status();
  return std::make_unique<ManualBorder>(custom_call, *std::move(sums));
}

}  // namespace assay::runtime
