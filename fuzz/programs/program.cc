#include "fuzz/programs/program.h"

#include <utility>

#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

// Values of one device differ from those of another.
conformance::ProfileUse OnDevice(conformance::ProfileUse use, int64_t device) {
  use.seed += static_cast<uint64_t>(device) * 7919;
  use.offset += static_cast<uint64_t>(device);
  return use;
}

std::string TextOf(const Module& module) { return PrintModule(module, PrintOptions::Lossless()); }

// The operations of the entry and the element types of their results, each once. Constants, of
// which nothing is asked, are named only if they are the result.
std::vector<conformance::CaseTag> TagsOf(const Module& module) {
  std::vector<conformance::CaseTag> tags;
  const auto add = [&](absl::string_view key, absl::string_view value) {
    for (const conformance::CaseTag& tag : tags) {
      if (tag.key == key && tag.value == value) return;
    }
    tags.push_back({std::string(key), std::string(value)});
  };
  for (const auto& each : module.entry()->instructions()) {
    const bool is_given =
        each->opcode() == Opcode::kParameter || each->opcode() == Opcode::kConstant;
    if (!is_given || each.get() == module.entry()->root()) {
      add("op", each->info().name);
    }
  }
  for (const auto& each : module.entry()->instructions()) {
    if (each->shape().is_array()) add("type", Name(each->shape().element_type()));
  }
  return tags;
}

conformance::CorpusCase EmptyCase(const Module& module, std::string id) {
  conformance::CorpusCase result;
  result.id = std::move(id);
  result.tags = TagsOf(module);
  result.module = TextOf(module);
  result.replicas = module.replica_count;
  result.partitions = module.num_partitions;
  return result;
}

void AppendLeaves(const Literal& value, int64_t device, std::vector<conformance::CaseArray>* arrays,
                  int64_t* number) {
  for (const Literal& leaf : Flatten(value)) {
    if (!leaf.is_array()) continue;
    conformance::CaseArray& array = arrays->emplace_back();
    array.number = (*number)++;
    array.device = device;
    array.shape = leaf.shape();
    array.literal = leaf;
  }
}

}  // namespace

absl::StatusOr<std::vector<DeviceInputs>> MakeInputs(const FuzzProgram& program) {
  std::vector<DeviceInputs> inputs(program.devices);
  for (int64_t device = 0; device < program.devices; ++device) {
    size_t next = 0;
    for (const Instruction* parameter : program.module->entry()->parameters()) {
      std::vector<Literal> leaves;
      for (int64_t k = parameter->shape().leaf_count(); k > 0; --k, ++next) {
        const ProgramArray& array = program.arguments[next];
        absl::StatusOr<Literal> value =
            conformance::MakeValues(OnDevice(array.use, device), array.shape);
        if (!value.ok()) return value.status();
        leaves.push_back(*std::move(value));
      }
      inputs[device].arguments.push_back(Unflatten(parameter->shape(), leaves));
    }
    for (const ProgramArray& array : program.infeed) {
      absl::StatusOr<Literal> value =
          conformance::MakeValues(OnDevice(array.use, device), array.shape);
      if (!value.ok()) return value.status();
      inputs[device].infeed.push_back(*std::move(value));
    }
  }
  return inputs;
}

std::vector<DeviceInputs> OtherInputs(absl::Span<const DeviceInputs> inputs) {
  std::vector<DeviceInputs> others(inputs.begin(), inputs.end());
  const auto reverse = [](Literal* value) {
    std::vector<Literal> leaves = Flatten(*value);
    for (Literal& leaf : leaves) {
      if (!leaf.is_array() || leaf.shape().is_dynamic()) continue;
      const Literal before = leaf;
      const int64_t count = leaf.element_count();
      for (int64_t i = 0; i < count; ++i) leaf.Set(i, before.Get(count - 1 - i));
    }
    *value = Unflatten(value->shape(), leaves);
  };
  for (DeviceInputs& own : others) {
    for (Literal& argument : own.arguments) reverse(&argument);
    for (Literal& item : own.infeed) reverse(&item);
  }
  return others;
}

conformance::CorpusCase CaseOf(const FuzzProgram& program, std::string id) {
  conformance::CorpusCase result = EmptyCase(*program.module, std::move(id));
  for (int64_t device = 0; device < program.devices; ++device) {
    const int64_t named = program.devices == 1 ? -1 : device;
    int64_t number = 0;
    for (const ProgramArray& array : program.arguments) {
      result.inputs.push_back(
          {number++, named, array.shape, std::nullopt, OnDevice(array.use, device)});
    }
    number = 0;
    for (const ProgramArray& array : program.infeed) {
      result.infeed.push_back(
          {number++, named, array.shape, std::nullopt, OnDevice(array.use, device)});
    }
  }
  return result;
}

conformance::CorpusCase CaseOf(const Module& module, absl::Span<const DeviceInputs> inputs,
                               std::string id) {
  conformance::CorpusCase result = EmptyCase(module, std::move(id));
  for (size_t device = 0; device < inputs.size(); ++device) {
    const int64_t named = inputs.size() == 1 ? -1 : static_cast<int64_t>(device);
    int64_t number = 0;
    for (const Literal& argument : inputs[device].arguments) {
      AppendLeaves(argument, named, &result.inputs, &number);
    }
    number = 0;
    for (const Literal& item : inputs[device].infeed) {
      AppendLeaves(item, named, &result.infeed, &number);
    }
  }
  return result;
}

}  // namespace assay::fuzz
