// Named arrays to the parameters of a module, and results to named arrays. Test: arguments_test.cc.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/arrays/arrays.h"
#include "spec/ir/fit.h"
#include "spec/sharding/sdy_shardings.h"
#include "spec/sharding/sharding_checks.h"
#include "spec/sharding/tiles.h"

namespace assay {
namespace {

constexpr absl::string_view kArgument = "arg";
// Numbers beyond this are no numbers of arguments or devices.
constexpr int64_t kMaxNumber = 1000000;

struct ArrayNumber {
  int64_t number = 0;
  std::optional<int64_t> device;
};

bool ReadNumber(absl::string_view* text, int64_t* number) {
  size_t digits = 0;
  while (digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9') ++digits;
  if (!absl::SimpleAtoi(text->substr(0, digits), number) || *number > kMaxNumber) return false;
  text->remove_prefix(digits);
  return true;
}

std::optional<ArrayNumber> NumberFromName(absl::string_view name, absl::string_view prefix) {
  ArrayNumber result;
  if (!absl::ConsumePrefix(&name, prefix) || !ReadNumber(&name, &result.number)) {
    return std::nullopt;
  }
  if (absl::ConsumePrefix(&name, ".dev")) {
    int64_t device;
    if (!ReadNumber(&name, &device)) return std::nullopt;
    result.device = device;
  }
  if (!name.empty()) return std::nullopt;
  return result;
}

// What is wrong with an array's name. numpy.savez names what it is not given names for.
absl::Status BadName(absl::string_view name, absl::string_view prefix) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the array ", name, " is not named ", prefix, "N or ", prefix, "N.devD",
      prefix == "out" && absl::StartsWith(name, "arg")
          ? "; arguments belong to --inputs, results are named out0, out1, ..."
          : absl::StrCat("; numpy.savez(file, ", prefix, "0=x, ", prefix, "1=y) gives names")));
}

absl::Status WithoutType(const NamedLiteral& array) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the array ", array.name, " has a numpy type without a name, of ",
      Info(array.value.element_type()).storage_bytes,
      " bytes; a type that numpy lacks is named after an @ in the member's name (arg0@bf16)"));
}

// The leaves that take an array.
template <typename Values>
std::vector<const Shape*> ArrayLeaves(const Values& values) {
  std::vector<const Shape*> leaves;
  for (const Instruction* value : values) {
    for (const Shape* leaf : Leaves(value->shape())) {
      if (leaf->is_array()) leaves.push_back(leaf);
    }
  }
  return leaves;
}

// Arrays without a type get that of the leaf which has their number.
void GiveTypes(absl::string_view prefix, const std::vector<const Shape*>& leaves,
               std::vector<NamedLiteral>* arrays) {
  for (NamedLiteral& array : *arrays) {
    if (!array.untyped) continue;
    const std::optional<ArrayNumber> number = NumberFromName(array.name, prefix);
    if (!number || number->number >= static_cast<int64_t>(leaves.size())) continue;
    const ElementType type = leaves[number->number]->element_type();
    if (!NumpyLacks(type) ||
        Info(type).storage_bytes != Info(array.value.element_type()).storage_bytes) {
      continue;
    }
    array.value = WithType(array.value, type);
    array.untyped = false;
  }
}

std::string ListWanted(const std::vector<const Shape*>& leaves) {
  constexpr size_t kMaxListed = 30;
  std::string text;
  for (size_t i = 0; i < leaves.size() && i < kMaxListed; ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", kArgument, i, ": ", leaves[i]->ToString());
  }
  if (leaves.size() > kMaxListed) absl::StrAppend(&text, ", ...");
  return text;
}

// numpy's name of a type that it shares with HLO; numpy makes numbers f64 and s64 unless told
// otherwise.
absl::string_view NumpyName(ElementType type) {
  switch (type) {
    case ElementType::kPred:
      return "bool";
    case ElementType::kF16:
      return "float16";
    case ElementType::kF32:
      return "float32";
    case ElementType::kS32:
      return "int32";
    case ElementType::kU32:
      return "uint32";
    case ElementType::kC64:
      return "complex64";
    default:
      return "";
  }
}

absl::StatusOr<Literal> Fit(const Literal& array, const Shape& shape) {
  if (FitsShape(array, shape)) return UnderShape(array, shape);
  return absl::InvalidArgumentError(
      absl::StrCat("is ", array.shape().ToString(), ", the parameter is ", shape.ToString()));
}

// How to make an array of a parameter's sizes one of its type, or nothing.
std::string ConversionHint(const Literal& array, const Shape& shape) {
  if (!shape.is_array() || !array.is_array() || array.shape().dimensions() != shape.dimensions() ||
      array.shape().element_type() == shape.element_type() ||
      NumpyName(shape.element_type()).empty()) {
    return "";
  }
  return absl::StrCat("; array.astype(numpy.", NumpyName(shape.element_type()), ") converts it");
}

absl::StatusOr<std::vector<Literal>> DeviceArguments(const std::vector<Instruction*>& parameters,
                                                     const std::vector<Literal>& arrays) {
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Instruction* parameter : parameters) {
    std::vector<Literal> leaves;
    for (const Shape* leaf : Leaves(parameter->shape())) {
      if (leaf->is_token()) {
        leaves.push_back(Literal::Token());
        continue;
      }
      if (!leaf->is_array()) {
        return absl::UnimplementedError(
            absl::StrCat(parameter->Describe(), ": no file can hold a value of its shape"));
      }
      absl::StatusOr<Literal> value = Fit(arrays[next], *leaf);
      if (!value.ok()) {
        return absl::Status(
            value.status().code(),
            absl::StrCat(kArgument, next, " ", value.status().message(), " (",
                         parameter->Describe(), ")", ConversionHint(arrays[next], *leaf)));
      }
      leaves.push_back(*std::move(value));
      ++next;
    }
    arguments.push_back(Unflatten(parameter->shape(), leaves));
  }
  return arguments;
}

// Where the array leaves of the values lie, by number; whole on each device without a sharding.
absl::StatusOr<std::vector<std::pair<Placement, const Shape*>>> PlacementsOf(
    absl::Span<const Instruction* const> values, int64_t partitions) {
  std::vector<std::pair<Placement, const Shape*>> placements;
  Sharding whole;
  whole.type = Sharding::Type::kReplicated;
  for (const Instruction* value : values) {
    const absl::StatusOr<std::optional<Sharding>> written = WrittenResultSharding(*value);
    if (!written.ok()) return written.status();
    std::vector<LeafSharding> leaves;
    const auto problem =
        ShardingsOfLeaves(written->has_value() ? **written : whole, value->shape(), &leaves);
    if (problem) return problem->ToStatus();
    for (const LeafSharding& leaf : leaves) {
      if (!leaf.shape->is_array()) continue;
      absl::StatusOr<Placement> placement = TilesOf(*leaf.sharding, *leaf.shape, partitions);
      if (!placement.ok()) return placement.status();
      placements.emplace_back(*std::move(placement), leaf.shape);
    }
  }
  return placements;
}

bool HoldTiles(const Module& module, const std::vector<std::vector<Literal>>& devices,
               int64_t tiles) {
  const auto count = static_cast<int64_t>(devices.size());
  return tiles > 1 && count % tiles == 0 && count / tiles == module.replica_count;
}

// The arrays of each replica from those of each device: its partitions hold tiles.
absl::StatusOr<std::vector<std::vector<Literal>>> JoinPartitions(
    absl::Span<const Instruction* const> values, int64_t partitions, absl::string_view prefix,
    const std::vector<std::vector<Literal>>& devices) {
  const auto placements = PlacementsOf(values, partitions);
  if (!placements.ok()) return placements.status();
  std::vector<std::vector<Literal>> replicas;
  for (size_t first = 0; first < devices.size(); first += partitions) {
    std::vector<Literal>& joined = replicas.emplace_back();
    for (size_t k = 0; k < placements->size(); ++k) {
      std::vector<Literal> tiles;
      for (int64_t p = 0; p < partitions; ++p) {
        const std::vector<Literal>& given = devices[first + p];
        if (given.size() != placements->size()) {
          return absl::InvalidArgumentError(absl::StrCat("there are ", given.size(),
                                                         " arrays for device ", first + p,
                                                         ", the module has ", placements->size()));
        }
        tiles.push_back(given[k]);
      }
      const auto& [placement, shape] = (*placements)[k];
      absl::StatusOr<Literal> array = JoinTiles(placement, *shape, tiles);
      if (!array.ok()) {
        return absl::Status(
            array.status().code(),
            absl::StrCat("the tiles of ", prefix, k, first > 0 ? " in replica " : "",
                         first > 0 ? absl::StrCat(first / partitions) : "", ": ",
                         array.status().message()));
      }
      joined.push_back(*std::move(array));
    }
  }
  return replicas;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Literal>>> ByDevice(std::vector<NamedLiteral> arrays,
                                                           absl::string_view prefix) {
  std::map<int64_t, std::map<int64_t, Literal>> devices;
  bool with_device = false, without = false;
  for (NamedLiteral& array : arrays) {
    std::optional<ArrayNumber> number = NumberFromName(array.name, prefix);
    if (!number) return BadName(array.name, prefix);
    if (array.untyped) return WithoutType(array);
    (number->device ? with_device : without) = true;
    auto [at, is_new] =
        devices[number->device.value_or(0)].emplace(number->number, std::move(array.value));
    if (!is_new) {
      return absl::InvalidArgumentError(absl::StrCat("there are two arrays ", array.name));
    }
  }
  if (with_device && without) {
    return absl::InvalidArgumentError("some arrays are named for a device (.devD), some are not");
  }
  std::vector<std::vector<Literal>> result;
  for (auto& [device, values] : devices) {
    if (device != static_cast<int64_t>(result.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("there are no arrays for device ", result.size()));
    }
    std::vector<Literal>& list = result.emplace_back();
    for (auto& [number, value] : values) {
      if (number != static_cast<int64_t>(list.size())) {
        return absl::InvalidArgumentError(
            absl::StrCat("the array ", prefix, list.size(), " is missing"));
      }
      list.push_back(std::move(value));
    }
  }
  if (result.empty()) result.emplace_back();
  return result;
}

absl::StatusOr<std::vector<std::vector<Literal>>> ToArguments(const Module& module,
                                                              std::vector<NamedLiteral> arrays,
                                                              int64_t tiles) {
  const std::vector<Instruction*> parameters = module.entry()->parameters();
  const std::vector<const Shape*> wanted = ArrayLeaves(parameters);
  GiveTypes(kArgument, wanted, &arrays);
  absl::StatusOr<std::vector<std::vector<Literal>>> devices =
      ByDevice(std::move(arrays), kArgument);
  if (!devices.ok()) return devices.status();
  if (HoldTiles(module, *devices, tiles)) {
    const std::vector<const Instruction*> values(parameters.begin(), parameters.end());
    devices = JoinPartitions(values, tiles, kArgument, *devices);
    if (!devices.ok()) return devices.status();
  }
  std::vector<std::vector<Literal>> arguments;
  for (const std::vector<Literal>& given : *devices) {
    if (given.size() != wanted.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the module wants ", wanted.size(), wanted.size() == 1 ? " array" : " arrays", " and ",
          given.size(), given.size() == 1 ? " is" : " are", " given",
          wanted.empty() ? "" : "; it wants ", ListWanted(wanted)));
    }
    absl::StatusOr<std::vector<Literal>> values = DeviceArguments(parameters, given);
    if (!values.ok()) return values.status();
    arguments.push_back(*std::move(values));
  }
  return arguments;
}

namespace {

// The value of the root from the arrays of one device.
absl::StatusOr<Literal> ToResult(const Shape& shape, std::vector<Literal> given) {
  const std::vector<const Shape*> wanted = Leaves(shape);
  const auto count = std::count_if(wanted.begin(), wanted.end(),
                                   [](const Shape* leaf) { return leaf->is_array(); });
  if (static_cast<int64_t>(given.size()) != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("the module gives ", count, count == 1 ? " array, and " : " arrays, and ",
                     given.size(), given.size() == 1 ? " is expected" : " are expected"));
  }
  std::vector<Literal> leaves;
  size_t next = 0;
  for (const Shape* leaf : wanted) {
    if (!leaf->is_array()) {
      leaves.push_back(Literal::Token());
      continue;
    }
    if (!FitsShape(given[next], *leaf)) {
      return absl::InvalidArgumentError(absl::StrCat("out", next, " is ",
                                                     given[next].shape().ToString(), ", but ",
                                                     leaf->ToString(), " in the module"));
    }
    absl::StatusOr<Literal> value = UnderShape(given[next++], *leaf);
    if (!value.ok()) return value;
    leaves.push_back(*std::move(value));
  }
  return Unflatten(shape, leaves);
}

}  // namespace

absl::StatusOr<std::vector<Literal>> ToResults(const Module& module,
                                               std::vector<NamedLiteral> arrays, int64_t tiles) {
  GiveTypes("out", ArrayLeaves(std::vector{module.entry()->root()}), &arrays);
  absl::StatusOr<std::vector<std::vector<Literal>>> by_device = ByDevice(std::move(arrays), "out");
  if (!by_device.ok()) return by_device.status();
  if (HoldTiles(module, *by_device, tiles)) {
    by_device = JoinPartitions({module.entry()->root()}, tiles, "out", *by_device);
    if (!by_device.ok()) return by_device.status();
  }
  std::vector<Literal> results;
  for (std::vector<Literal>& given : *by_device) {
    absl::StatusOr<Literal> result = ToResult(module.entry()->root()->shape(), std::move(given));
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

absl::StatusOr<std::vector<std::vector<Literal>>> ToQueues(std::vector<NamedLiteral> arrays,
                                                           absl::string_view prefix,
                                                           int64_t devices) {
  std::vector<std::map<int64_t, Literal>> numbered(devices);
  for (NamedLiteral& array : arrays) {
    const std::optional<ArrayNumber> number = NumberFromName(array.name, prefix);
    if (!number) return BadName(array.name, prefix);
    if (array.untyped) return WithoutType(array);
    const int64_t device = number->device.value_or(0);
    if (device >= devices || (devices > 1 && !number->device)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the array ", array.name, " is of none of ", devices, " devices"));
    }
    if (!numbered[device].emplace(number->number, std::move(array.value)).second) {
      return absl::InvalidArgumentError(absl::StrCat("there are two arrays ", array.name));
    }
  }
  std::vector<std::vector<Literal>> queues(devices);
  for (int64_t device = 0; device < devices; ++device) {
    for (auto& [number, value] : numbered[device]) {
      const auto next = static_cast<int64_t>(queues[device].size());
      if (number != next) {
        return absl::InvalidArgumentError(
            absl::StrCat("the array ", prefix, next, " of device ", device, " is missing"));
      }
      queues[device].push_back(std::move(value));
    }
  }
  return queues;
}

std::vector<NamedLiteral> NameQueues(absl::Span<const std::vector<Literal>> queues,
                                     absl::string_view prefix) {
  std::vector<NamedLiteral> named;
  for (size_t device = 0; device < queues.size(); ++device) {
    for (size_t i = 0; i < queues[device].size(); ++i) {
      std::string name = absl::StrCat(prefix, i);
      if (queues.size() > 1) absl::StrAppend(&name, ".dev", device);
      named.push_back({std::move(name), ValidBox(queues[device][i])});
    }
  }
  return named;
}

std::vector<NamedLiteral> NameByDevice(absl::Span<const Literal> values, absl::string_view prefix) {
  if (values.size() == 1) return NameLeaves(values.front(), prefix);
  std::vector<NamedLiteral> named;
  for (size_t device = 0; device < values.size(); ++device) {
    for (NamedLiteral& leaf : NameLeaves(values[device], prefix, static_cast<int64_t>(device))) {
      named.push_back(std::move(leaf));
    }
  }
  return named;
}

std::vector<NamedLiteral> NameLeaves(const Literal& result, absl::string_view prefix,
                                     int64_t device) {
  std::vector<NamedLiteral> named;
  for (Literal& leaf : Flatten(result)) {
    if (!leaf.is_array()) continue;
    std::string name = absl::StrCat(prefix, named.size());
    if (device >= 0) absl::StrAppend(&name, ".dev", device);
    named.push_back({std::move(name), ValidBox(leaf)});
  }
  return named;
}

}  // namespace assay
