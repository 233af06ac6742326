#include "tools/cli/sharding_view.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/sharding/sharding_checks.h"
#include "spec/sharding/tiles.h"
#include "spec/text/printer.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

// Devices of all arrays together that are shown at all.
constexpr int64_t kMostEntries = int64_t{1} << 20;

struct ShownArray {
  std::string name;
  LeafSharding leaf;
  Placement placement;
};

// Calls visit(instruction, sharding) until an error.
absl::Status ForEachSharding(
    const Module& module,
    const std::function<absl::Status(const Instruction&, const Sharding&)>& visit) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->has_annotations() || !instruction->annotations().sharding) continue;
      absl::Status status = visit(*instruction, *instruction->annotations().sharding);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// num_partitions; in a module that says 1, as many devices as its shardings name.
int64_t CountDevices(const Module& module) {
  if (module.num_partitions > 1) return module.num_partitions;
  int64_t devices = 1;
  ForEachSharding(module, [&](const Instruction&, const Sharding& sharding) {
    devices = std::max(devices, DevicesNamed(sharding));
    return absl::OkStatus();
  }).IgnoreError();  // visits all
  return devices;
}

absl::StatusOr<std::vector<ShownArray>> PlaceAll(const Module& module) {
  const int64_t devices = CountDevices(module);
  std::vector<ShownArray> shown;
  int64_t entries = 0;
  absl::Status status = ForEachSharding(
      module, [&](const Instruction& instruction, const Sharding& sharding) -> absl::Status {
        const auto in_place = [&](const absl::Status& error) {
          return absl::Status(error.code(),
                              absl::StrCat(error.message(), "; in ", instruction.Describe()));
        };
        if (instruction.shape().is_token()) return absl::OkStatus();
        std::vector<LeafSharding> leaves;
        const std::optional<ShardingProblem> problem =
            ShardingsOfLeaves(sharding, instruction.shape(), &leaves);
        if (problem) return in_place(problem->ToStatus());
        for (size_t i = 0; i < leaves.size(); ++i) {
          if (!leaves[i].shape->is_array()) continue;
          if (devices > kMostEntries - entries) {
            return absl::ResourceExhaustedError(
                absl::StrCat("there are more than the ", kMostEntries,
                             " parts of arrays on devices that are shown"));
          }
          entries += devices;
          absl::StatusOr<Placement> placement =
              TilesOf(*leaves[i].sharding, *leaves[i].shape, devices);
          if (!placement.ok()) return in_place(placement.status());
          const std::string number =
              instruction.shape().is_tuple() ? absl::StrCat("{", i, "}") : "";
          shown.push_back(
              {absl::StrCat(instruction.name(), number), leaves[i], *std::move(placement)});
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return shown;
}

absl::string_view ReductionName(NamedSharding::Reduction reduction) {
  if (reduction == NamedSharding::Reduction::kSum) return "summand";
  return reduction == NamedSharding::Reduction::kMax ? "candidate for the maximum"
                                                     : "candidate for the minimum";
}

std::string TileText(const ShownArray& array, const DeviceTile& held) {
  std::vector<std::string> ranges;
  for (size_t d = 0; d < held.tile.starts.size(); ++d) {
    ranges.push_back(absl::StrCat(held.tile.starts[d], ":", held.tile.limits[d]));
  }
  std::string text = absl::StrCat("[", absl::StrJoin(ranges, ","), "]");
  const Placement& placement = array.placement;
  if (placement.values > 1) {
    absl::StrAppend(&text, " of value ", held.value, " of ", placement.values);
  }
  if (placement.summands > 1) {
    absl::StrAppend(&text, " of ", ReductionName(placement.reduction), " ", held.summand, " of ",
                    placement.summands);
  }
  return text;
}

// "device 3", "devices 0-3 6".
std::string DevicesText(const std::vector<int64_t>& devices) {
  std::string text = devices.size() == 1 ? "device" : "devices";
  for (size_t i = 0; i < devices.size();) {
    size_t end = i + 1;
    while (end < devices.size() && devices[end] == devices[end - 1] + 1) ++end;
    absl::StrAppend(&text, " ", devices[i]);
    if (end - i > 1) absl::StrAppend(&text, "-", devices[end - 1]);
    i = end;
  }
  return text;
}

void AppendText(const ShownArray& array, std::string* text) {
  absl::StrAppend(text, array.name, " = ", array.leaf.shape->ToString(),
                  ", sharding=", PrintSharding(*array.leaf.sharding, /*with_metadata=*/false),
                  "\n");
  if (!array.placement.known) {
    absl::StrAppend(text, "  unknown\n");
    return;
  }
  // Copies stand in one line, where the first of them comes.
  std::vector<std::pair<std::string, std::vector<int64_t>>> lines;
  absl::flat_hash_map<std::string, size_t> line_of;
  const auto devices = static_cast<int64_t>(array.placement.devices.size());
  for (int64_t device = 0; device < devices; ++device) {
    const std::optional<DeviceTile>& held = array.placement.devices[device];
    const std::string what = held.has_value() ? TileText(array, *held) : "nothing";
    const auto [line, is_new] = line_of.try_emplace(what, lines.size());
    if (is_new) lines.push_back({what, {}});
    lines[line->second].second.push_back(device);
  }
  for (const auto& [what, holders] : lines) {
    absl::StrAppend(text, "  ", what, "  ", DevicesText(holders), "\n");
  }
}

nlohmann::json ToJson(const ShownArray& array) {
  nlohmann::json result = {{"name", array.name},
                           {"shape", array.leaf.shape->ToString()},
                           {"sharding", PrintSharding(*array.leaf.sharding)},
                           {"known", array.placement.known}};
  if (!array.placement.known) return result;
  const Placement& placement = array.placement;
  result["tile_sizes"] = placement.tile_sizes;
  result["values"] = placement.values;
  result["summands"] = placement.summands;
  result["devices"] = nlohmann::json::array();
  for (size_t device = 0; device < placement.devices.size(); ++device) {
    const std::optional<DeviceTile>& held = placement.devices[device];
    if (!held.has_value()) continue;
    result["devices"].push_back({{"device", device},
                                 {"starts", held->tile.starts},
                                 {"limits", held->tile.limits},
                                 {"value", held->value},
                                 {"summand", held->summand}});
  }
  return result;
}

}  // namespace

absl::StatusOr<std::string> ShardingText(const Module& module, bool json) {
  const absl::StatusOr<std::vector<ShownArray>> shown = PlaceAll(module);
  if (!shown.ok()) return shown.status();
  std::string text;
  nlohmann::json list = nlohmann::json::array();
  for (const ShownArray& array : *shown) {
    if (json) {
      list.push_back(ToJson(array));
    } else {
      AppendText(array, &text);
    }
  }
  if (!json) return text.empty() ? "no array has a sharding\n" : text;
  return JsonText(list);
}

}  // namespace assay::cli
