// The attributes of operations that ModuleWriter makes.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/element/element.h"
#include "spec/ir/device_lists.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/text/printer.h"

namespace assay::stablehlo {

const Attribute* ModuleWriter::Int(int64_t value, ElementType type) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kInteger);
  attribute->integer = value;
  attribute->type = program_.Scalar(type);
  return attribute;
}

const Attribute* ModuleWriter::Bool(bool value) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kBool);
  attribute->integer = value ? 1 : 0;
  attribute->type = program_.Scalar(ElementType::kPred);
  return attribute;
}

const Attribute* ModuleWriter::Float(double value, ElementType type) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kFloat);
  attribute->integer = static_cast<int64_t>(EncodeFloat(type, value));
  attribute->type = program_.Scalar(type);
  return attribute;
}

const Attribute* ModuleWriter::String(absl::string_view text) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kString);
  attribute->text = program_.Intern(text);
  return attribute;
}

const Attribute* ModuleWriter::Symbol(absl::string_view name) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kSymbol);
  attribute->text = program_.Intern(name);
  return attribute;
}

const Attribute* ModuleWriter::Ints(absl::Span<const int64_t> values) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kInts);
  attribute->ints.assign(values.begin(), values.end());
  attribute->type = program_.Scalar(ElementType::kS64);
  return attribute;
}

const Attribute* ModuleWriter::Bools(const std::vector<bool>& values) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kInts);
  attribute->ints.assign(values.begin(), values.end());
  attribute->type = program_.Scalar(ElementType::kPred);
  return attribute;
}

const Attribute* ModuleWriter::Array(std::vector<const Attribute*> elements) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kArray);
  attribute->elements = std::move(elements);
  return attribute;
}

const Attribute* ModuleWriter::Dictionary(Fields fields) {
  std::sort(fields.begin(), fields.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  Attribute* attribute = program_.NewAttribute(AttributeKind::kDictionary);
  attribute->fields = std::move(fields);
  return attribute;
}

const Attribute* ModuleWriter::Record(absl::string_view name, Fields fields) {
  std::sort(fields.begin(), fields.end(),
            [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
  Attribute* attribute = program_.NewAttribute(AttributeKind::kRecord);
  attribute->name = name;
  attribute->fields = std::move(fields);
  return attribute;
}

const Attribute* ModuleWriter::Enum(absl::string_view name, int64_t number) {
  const EnumRow* row = FindEnum(name);
  Attribute* attribute = program_.NewAttribute(AttributeKind::kEnum);
  attribute->name = row->name;
  attribute->integer = number;
  attribute->text = row->Name(number);
  return attribute;
}

const Attribute* ModuleWriter::TypeAttribute(const Type* type) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kType);
  attribute->type = type;
  return attribute;
}

const Attribute* ModuleWriter::Matrix(const std::vector<std::vector<int64_t>>& rows,
                                      int64_t columns) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kDense);
  const auto count = static_cast<int64_t>(rows.size());
  attribute->type = program_.Tensor(ElementType::kS64, {count, columns});
  attribute->byte_count = count * columns * 8;
  attribute->bytes = std::make_shared<std::byte[]>(attribute->byte_count);
  int64_t next = 0;
  for (const std::vector<int64_t>& row : rows) {
    for (const int64_t value : row) {
      StoreElement(ElementType::kS64, {static_cast<uint64_t>(value), 0}, attribute->bytes.get(),
                   next++);
    }
  }
  return attribute;
}

// A tensor of index, as layouts are written.
const Attribute* ModuleWriter::IndexTensor(absl::Span<const int64_t> values) {
  Type index;
  index.kind = TypeKind::kIndex;
  Type tensor;
  tensor.kind = TypeKind::kTensor;
  tensor.dimensions = {static_cast<int64_t>(values.size())};
  tensor.types = {program_.Intern(std::move(index))};
  Attribute* attribute = program_.NewAttribute(AttributeKind::kDense);
  attribute->type = program_.Intern(std::move(tensor));
  attribute->byte_count = static_cast<int64_t>(values.size()) * 8;
  attribute->bytes = std::make_shared<std::byte[]>(attribute->byte_count);
  for (size_t i = 0; i < values.size(); ++i) {
    StoreElement(ElementType::kS64, {static_cast<uint64_t>(values[i]), 0}, attribute->bytes.get(),
                 static_cast<int64_t>(i));
  }
  return attribute;
}

// An array; all elements equal are written once.
const Attribute* ModuleWriter::Dense(const Literal& literal) {
  Attribute* attribute = program_.NewAttribute(AttributeKind::kDense);
  attribute->type = TypeOf(literal.shape());
  const int64_t size = Info(literal.element_type()).storage_bytes;
  const int64_t bytes = literal.element_count() * size;
  attribute->bytes = literal.buffer();
  attribute->byte_count = bytes;
  const bool equal = bytes > 0 && std::memcmp(literal.data(), literal.data() + size,
                                              static_cast<size_t>(bytes - size)) == 0;
  if (equal) {
    attribute->is_splat = true;
    attribute->byte_count = size;
  }
  return attribute;
}

const Attribute* ModuleWriter::StringDictionary(const FrontendAttributes& values) {
  Fields fields;
  for (const auto& [key, value] : values) {
    fields.push_back({program_.Intern(key), String(value)});
  }
  return Dictionary(std::move(fields));
}

void ModuleWriter::AddAnnotations(const Instruction& instruction, Fields* fields) {
  if (!instruction.has_annotations()) return;
  const Annotations& annotations = instruction.annotations();
  const FrontendAttributes frontend = AddShardy(instruction, fields);
  // The reader makes an argument's tiles from its sharding over a mesh.
  const bool has_tiles = instruction.opcode() == Opcode::kParameter &&
                         frontend.size() != annotations.frontend_attributes.size();
  if (annotations.sharding && !has_tiles) {
    fields->push_back({"mhlo.sharding", String(PrintSharding(*annotations.sharding, false))});
  }
  if (!frontend.empty()) {
    fields->push_back({"mhlo.frontend_attributes", StringDictionary(frontend)});
  }
}

void ModuleWriter::AddPrecision(const Instruction& instruction, absl::string_view enumeration,
                                Fields* fields) {
  const absl::Span<const int64_t> precisions = instruction.GetInts(Attr::kOperandPrecision);
  if (precisions.empty()) return;
  std::vector<const Attribute*> values;
  for (const int64_t precision : precisions) values.push_back(Enum(enumeration, precision));
  fields->push_back({"precision_config", Array(std::move(values))});
}

void ModuleWriter::AddAccuracy(const Instruction& instruction, Fields* fields) {
  const auto* accuracy = instruction.attributes().Get<ResultAccuracy>(Attr::kResultAccuracy);
  if (accuracy == nullptr || *accuracy == ResultAccuracy()) return;
  fields->push_back(
      {"result_accuracy", Record("stablehlo.result_accuracy",
                                 {{"atol", Float(accuracy->atol, ElementType::kF64)},
                                  {"rtol", Float(accuracy->rtol, ElementType::kF64)},
                                  {"ulps", Int(accuracy->ulps)},
                                  {"mode", Enum("stablehlo.result_accuracy_mode",
                                                static_cast<int64_t>(accuracy->mode))}})});
}

void ModuleWriter::AddChannel(const Instruction& instruction, Fields* fields) {
  const std::optional<int64_t> channel = instruction.FindInt(Attr::kChannelId);
  if (!channel.has_value()) return;
  fields->push_back({"channel_handle", Record("stablehlo.channel_handle",
                                              {{"handle", Int(*channel)}, {"type", Int(1)}})});
}

// The most devices that a list may have.
constexpr int64_t kMostDevices = 1 << 20;

const Attribute* ModuleWriter::Groups(std::vector<std::vector<int64_t>> groups) {
  size_t size = 0;
  for (const std::vector<int64_t>& group : groups) size = std::max(size, group.size());
  for (std::vector<int64_t>& group : groups) group.resize(size, -1);
  return Matrix(groups, static_cast<int64_t>(size));
}

bool ModuleWriter::AddGroups(const Instruction& instruction, Fields* fields,
                             std::vector<std::vector<int64_t>>* groups) {
  absl::StatusOr<DeviceGroups> listed = ListGroups(instruction.replica_groups(), kMostDevices);
  if (!listed.ok()) {
    if (ok()) status_ = listed.status();
    return false;
  }
  const bool may_differ =
      instruction.opcode() == Opcode::kAllReduce || instruction.opcode() == Opcode::kAllReduceStart;
  for (const std::vector<int64_t>& group : *listed) {
    if (!may_differ && group.size() != (*listed)[0].size()) {
      Refuse(instruction, "replica groups of different sizes");
      return false;
    }
  }
  fields->push_back({"replica_groups", Groups(*listed)});
  if (groups != nullptr) *groups = *std::move(listed);
  return true;
}

bool ModuleWriter::AddDevices(const Instruction& instruction, Fields* fields) {
  AddChannel(instruction, fields);
  std::vector<std::vector<int64_t>> groups;
  if (!AddGroups(instruction, fields, &groups)) return false;
  const int64_t replicas = module_.replica_count, partitions = module_.num_partitions;
  bool global = instruction.GetBool(Attr::kUseGlobalDeviceIds);
  if (!global && instruction.FindInt(Attr::kChannelId).value_or(0) > 0 && replicas > 1 &&
      partitions > 1) {
    if (replicas > kMostDevices / partitions) {
      Refuse(instruction, "more than a million devices");
      return false;
    }
    if (groups.empty()) {
      groups.emplace_back(replicas);
      std::iota(groups[0].begin(), groups[0].end(), 0);
    }
    for (std::vector<int64_t>& group : groups) {
      std::vector<int64_t> devices;
      for (const int64_t replica : group) {
        for (int64_t p = 0; p < partitions; ++p) devices.push_back(replica * partitions + p);
      }
      group = std::move(devices);
    }
    fields->back().value = Groups(groups);
    global = true;
  }
  if (global) fields->push_back({"use_global_device_ids", Unit()});
  return true;
}

// dot_tf32_tf32_f32_x3: the types, and the number of products.
const Attribute* ModuleWriter::DotAlgorithm(const Instruction& instruction) {
  const int64_t number = instruction.GetInt(Attr::kAlgorithm);
  absl::string_view word = WordsOf(AttrKind::kDotAlgorithm).words[number];
  const bool fast = absl::EndsWith(word, "_fast_accum");
  int64_t products = 1;
  std::vector<const Type*> types;
  int operand = 0;
  for (absl::string_view part : absl::StrSplit(word.substr(4), '_')) {
    Type type;
    type.kind = TypeKind::kScalar;
    if (part == "any") {
      // The next word says f8; which one is the operand's type, if that is one that
      // MLIR knows there.
      const ElementType given = instruction.operand(operand++)->shape().element_type();
      const bool narrow =
          IsFloat(given) && Info(given).bits == 8 && given != ElementType::kF8E8M0FNU;
      types.push_back(program_.Scalar(narrow ? given : ElementType::kF8E5M2));
      continue;
    }
    if (part == "tf32") {
      type.kind = TypeKind::kTf32;
    } else if (part == "f16") {
      type.element = ElementType::kF16;
    } else if (part == "bf16") {
      type.element = ElementType::kBF16;
    } else if (part == "f32") {
      type.element = ElementType::kF32;
    } else if (part == "f64") {
      type.element = ElementType::kF64;
    } else {
      if (part[0] == 'x') (void)absl::SimpleAtoi(part.substr(1), &products);
      continue;
    }
    types.push_back(program_.Intern(std::move(type)));
  }
  return Record("stablehlo.dot_algorithm", {{"lhs_precision_type", TypeAttribute(types[0])},
                                            {"rhs_precision_type", TypeAttribute(types[1])},
                                            {"accumulation_type", TypeAttribute(types[2])},
                                            {"lhs_component_count", Int(1)},
                                            {"rhs_component_count", Int(1)},
                                            {"num_primitive_operations", Int(products)},
                                            {"allow_imprecise_accumulation", Bool(fast)}});
}

}  // namespace assay::stablehlo
