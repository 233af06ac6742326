#include "backends/pjrt/plugin/program.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "backends/pjrt/abi/compile_options.pb.h"
#include "backends/pjrt/plugin/engines.h"
#include "backends/pjrt/plugin/ffi_call.h"
#include "runtime/module_form.h"
#include "spec/proto/conversions.h"
#include "spec/proto/module_file.h"
#include "spec/stable_hash.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay::pjrt {
namespace {

constexpr double kSmallOperations = 20000;
// XLA's number of the memory of the host.
constexpr int64_t kHostMemory = 5;

double NumberOf(const wire::OptionOverride& value) {
  switch (value.value_case()) {
    case wire::OptionOverride::kBoolField:
      return value.bool_field() ? 1 : 0;
    case wire::OptionOverride::kIntField:
      return static_cast<double>(value.int_field());
    case wire::OptionOverride::kDoubleField:
      return value.double_field();
    default:
      return 0;
  }
}

// Options by name: those of Assay count, those of XLA have no meaning here.
absl::Status ReadOverrides(const wire::CompileOptions& options, ProgramOptions* read) {
  for (const auto& [name, value] : options.env_option_overrides()) {
    if (absl::StartsWith(name, "xla_")) continue;
    absl::string_view own = name;
    if (absl::ConsumePrefix(&own, "assay_")) {
      if (own == "seed") {
        read->seed = static_cast<uint64_t>(value.int_field());
        continue;
      }
      if (own == "backend") {
        read->backend = value.string_field();
        continue;
      }
      absl::ConsumePrefix(&own, "budget_");
      if (SetBudget(std::string(own), NumberOf(value), &read->budget)) continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "'", name, "' is not an option of Assay's compiler; there are assay_seed, assay_backend, ",
        "assay_threads and assay_budget_ with seconds, bytes, steps and elements"));
  }
  return absl::OkStatus();
}

// Every instruction of the entry is a program of each device (driver/flat_entry.h writes it so).
bool IsMarkedPartitioned(const Module& module) {
  return std::all_of(module.entry()->instructions().begin(), module.entry()->instructions().end(),
                     [](const std::unique_ptr<Instruction>& each) {
                       if (!each->has_annotations() || !each->annotations().sharding) return false;
                       const Sharding& sharding = *each->annotations().sharding;
                       if (sharding.type != Sharding::Type::kTuple) {
                         return sharding.type == Sharding::Type::kManual;
                       }
                       return std::all_of(sharding.tuple.begin(), sharding.tuple.end(),
                                          [](const Sharding& leaf) {
                                            return leaf.type == Sharding::Type::kManual;
                                          });
                     });
}

double ElementsOf(const Shape& shape) {
  double elements = 0;
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array()) continue;
    double own = 1;
    for (const int64_t size : leaf->dimensions())
      own *= static_cast<double>(std::max<int64_t>(size, 0));
    elements += own;
  }
  return elements;
}

double BytesOf(const Shape& shape) {
  double bytes = 0;
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->is_array()) bytes += ElementsOf(*leaf) * Info(leaf->element_type()).storage_bytes;
  }
  return bytes;
}

// Returns the kind of memory in which a program wants a result; empty if it wants none. Custom
// calls that say how the result lies on the devices may follow the one that says it.
std::string WantedMemory(const Instruction& result) {
  const Instruction* value = &result;
  while (value->opcode() == Opcode::kCustomCall) {
    if (value->has_annotations()) {
      for (const auto& [key, text] : value->annotations().frontend_attributes) {
        if (key == "_xla_buffer_placement") return text;
      }
    }
    const std::string& target = value->GetString(Attr::kCustomCallTarget);
    if (target != "xla.sdy.FuncResultSharding" && target != "Sharding") break;
    value = value->operand(0);
  }
  return "";
}

// Sets the memories of leaves that the entry's layout puts into the memory of the host, from leaf
// `first` on. Returns the number of leaves.
size_t TakeMemories(const Shape& layout, size_t first, std::vector<std::string>* memories) {
  const std::vector<const Shape*> leaves = Leaves(layout);
  for (size_t i = 0; i < leaves.size() && first + i < memories->size(); ++i) {
    const bool on_host = leaves[i]->is_array() && leaves[i]->has_layout() &&
                         leaves[i]->layout()->memory_space == kHostMemory;
    if (on_host) (*memories)[first + i] = "pinned_host";
  }
  return leaves.size();
}

// Gives leaves the order of dimensions that the entry's layout has for them.
void TakeOrders(const Shape& layout, std::vector<Shape>* leaves) {
  const std::vector<const Shape*> said = Leaves(layout);
  for (size_t i = 0; i < said.size() && i < leaves->size(); ++i) {
    if (!said[i]->is_array() || !said[i]->has_layout()) continue;
    Layout order;
    order.minor_to_major = said[i]->layout()->minor_to_major;
    (*leaves)[i].set_layout(std::move(order));
  }
}

// A program that adds `count` arrays of the shape, with one rounding.
std::string SumText(const Shape& shape, int64_t count) {
  const std::string name(assay::Name(shape.element_type()));
  std::vector<int64_t> rows = {1};
  rows.insert(rows.end(), shape.dimensions().begin(), shape.dimensions().end());
  const std::string row = Shape(shape.element_type(), rows).ToString();
  rows[0] = count;
  std::string text =
      absl::StrCat("HloModule sum_of_unreduced\nadd {\n a = ", name, "[] parameter(0)\n b = ", name,
                   "[] parameter(1)\n ROOT c = ", name, "[] add(a, b)\n}\nENTRY main {\n");
  std::string list;
  for (int64_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, " p", i, " = ", shape.ToString(), " parameter(", i, ")\n r", i, " = ",
                    row, " reshape(p", i, ")\n");
    absl::StrAppend(&list, i == 0 ? "r" : ", r", i);
  }
  absl::StrAppend(&text, " all = ", Shape(shape.element_type(), rows).ToString(), " concatenate(",
                  list, "), dimensions={0}\n none = ", name, "[] constant(",
                  IsComplex(shape.element_type()) ? "(0, 0)" : "0",
                  ")\n ROOT sum = ", shape.ToString(),
                  " reduce(all, none), dimensions={0}, to_apply=add\n}\n");
  return text;
}

// The number of the leaf at the index: those of the elements before it come first. None where the
// shape has no such place.
std::optional<size_t> LeafAt(const Shape& shape, const ShapeIndex& index) {
  const Shape* here = &shape;
  size_t leaf = 0;
  for (const int64_t i : index) {
    if (!here->is_tuple() || i < 0 || i >= static_cast<int64_t>(here->tuple_shapes().size())) {
      return std::nullopt;
    }
    for (int64_t before = 0; before < i; ++before) leaf += Leaves(here->tuple_shape(before)).size();
    here = &here->tuple_shape(i);
  }
  return leaf;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Program>> Program::Compile(const PJRT_Client& client,
                                                          ProgramSource source) {
  std::shared_ptr<Program> program(new Program);
  program->source_ = std::move(source);
  absl::Status status = program->ReadOptions(client);
  if (status.ok()) status = program->ReadModule();
  if (status.ok()) status = program->PlaceBorder();
  if (status.ok()) status = program->MakeExecutable(client);
  if (status.ok()) status = program->MakeSums();
  if (!status.ok()) return status;
  program->CountCosts();
  program->fingerprint_ = absl::StrFormat(
      "assay-%016x", StableHash(program->source_.options, StableHash(program->source_.code)));
  return program;
}

absl::Status Program::ReadOptions(const PJRT_Client& client) {
  wire::CompileOptions options;
  if (!options.ParseFromString(source_.options)) {
    return absl::InvalidArgumentError("the compile options are not a CompileOptionsProto");
  }
  options_.backend = client.options.backend;
  options_.budget = client.options.budget;
  const wire::ExecutableBuildOptions& build = options.executable_build_options();
  options_.replicas = std::max<int64_t>(1, build.num_replicas());
  options_.partitions = std::max<int64_t>(1, build.num_partitions());
  options_.global_shapes = build.use_spmd_partitioning() && options_.partitions > 1;
  options_.free_results.assign(build.allow_spmd_sharding_propagation_to_output().begin(),
                               build.allow_spmd_sharding_propagation_to_output().end());
  const auto devices = static_cast<int64_t>(client.devices.size());
  if (options_.replicas > devices || options_.partitions > devices / options_.replicas) {
    return absl::InvalidArgumentError(absl::StrCat("a program of ", options_.replicas,
                                                   " replicas and ", options_.partitions,
                                                   " partitions on ", devices, " devices"));
  }
  const wire::DeviceAssignment& assignment = build.device_assignment();
  if (assignment.computation_devices_size() > 0) {
    bool fits = assignment.computation_devices_size() == options_.partitions;
    for (const auto& own : assignment.computation_devices()) {
      fits = fits && own.replica_device_ids_size() == options_.replicas;
    }
    if (!fits) return absl::InvalidArgumentError("the device assignment does not fit the counts");
    std::set<int64_t> seen;
    for (int64_t r = 0; r < options_.replicas; ++r) {
      for (int64_t p = 0; p < options_.partitions; ++p) {
        const int64_t id = assignment.computation_devices(static_cast<int>(p))
                               .replica_device_ids(static_cast<int>(r));
        if (client.Find(id) == nullptr || !seen.insert(id).second) {
          return absl::InvalidArgumentError(
              absl::StrCat("the device assignment names device ", id,
                           ", which does not exist or has been named before"));
        }
        options_.device_ids.push_back(id);
      }
    }
  } else if (device_count() > 1 || !options.compile_portable_executable()) {
    const int64_t first = device_count() == 1 ? std::max<int64_t>(0, build.device_ordinal()) : 0;
    for (int64_t i = 0; i < device_count(); ++i) options_.device_ids.push_back(first + i);
    if (client.Find(options_.device_ids.back()) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no device ", options_.device_ids.back()));
    }
  }
  return ReadOverrides(options, &options_);
}

absl::Status Program::ReadModule() {
  if (source_.format != "mlir" && source_.format != "hlo") {
    return absl::InvalidArgumentError(
        absl::StrCat("a program of the format '", source_.format, "'; there are mlir and hlo"));
  }
  absl::StatusOr<ModuleFile> file = ParseModuleFile(source_.code, "program");
  if (!file.ok()) return file.status();
  module_ = std::move(file->module);
  if (module_->entry() == nullptr) {
    return absl::InvalidArgumentError("the module has no entry computation");
  }
  module_->replica_count = options_.replicas;
  module_->num_partitions = options_.partitions;
  VerifyOptions verify;
  // HLO comes from tools, StableHLO from users, which has been held to its own rules.
  if (source_.format == "hlo") verify.rules = Rules::kStrict;
  if (absl::Status status = VerificationStatus(VerifyModule(*module_, verify)); !status.ok()) {
    return status;
  }
  if (options_.global_shapes && IsMarkedPartitioned(*module_)) options_.global_shapes = false;
  return absl::OkStatus();
}

absl::Status Program::PlaceBorder() {
  for (const Instruction* parameter : module_->entry()->parameters()) {
    for (const Shape* leaf : Leaves(parameter->shape())) arguments_.push_back(*leaf);
  }
  for (const Shape* leaf : Leaves(module_->entry()->root()->shape())) results_.push_back(*leaf);
  for (const std::vector<Shape>* border : {&arguments_, &results_}) {
    for (const Shape& leaf : *border) {
      if (!leaf.is_array() || !leaf.is_dynamic()) continue;
      return absl::UnimplementedError(
          absl::StrCat("PJRT has no buffers of dynamic size, which the program has at its border: ",
                       leaf.ToString()));
    }
  }
  PlaceMemories();
  if (options_.global_shapes) {
    absl::StatusOr<GlobalShapes> global =
        GlobalShapes::Of(*module_, options_.partitions, options_.free_results);
    if (!global.ok()) return global.status();
    global_ = *std::move(global);
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].is_array()) arguments_[i] = global_->arguments()[i].TileShape();
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].is_array()) results_[i] = global_->results()[i].TileShape();
    }
  }
  if (module_->entry_layout) TakeOrders(module_->entry_layout->result, &results_);
  FindDonated();
  return absl::OkStatus();
}

void Program::PlaceMemories() {
  argument_memories_.assign(arguments_.size(), "device");
  result_memories_.assign(results_.size(), "device");
  if (module_->entry_layout) {
    size_t first = 0;
    for (const Shape& parameter : module_->entry_layout->parameters) {
      first += TakeMemories(parameter, first, &argument_memories_);
    }
    TakeMemories(module_->entry_layout->result, 0, &result_memories_);
  }
  const Instruction& root = *module_->entry()->root();
  for (size_t i = 0; i < results_.size(); ++i) {
    const bool listed = root.opcode() == Opcode::kTuple &&
                        root.operand_count() == static_cast<int64_t>(results_.size());
    const std::string wanted = WantedMemory(listed ? *root.operand(static_cast<int64_t>(i)) : root);
    if (wanted == "pinned_host" || wanted == "unpinned_host") result_memories_[i] = wanted;
  }
}

// As XLA does it: aliased arguments are taken, and donors as far as there is a result of as many
// bytes that has no storage yet. Other donors stay the host's.
void Program::FindDonated() {
  std::vector<Shape> parameters;
  for (const Instruction* parameter : module_->entry()->parameters()) {
    parameters.push_back(parameter->shape());
  }
  const Shape arguments = Shape::Tuple(std::move(parameters));
  const auto argument = [&](int64_t number, const ShapeIndex& index) {
    ShapeIndex place = {number};
    place.insert(place.end(), index.begin(), index.end());
    return LeafAt(arguments, place);
  };
  donated_.assign(arguments_.size(), false);
  std::vector<bool> stored(results_.size(), false);
  for (const InputOutputAlias& alias : module_->input_output_alias) {
    const std::optional<size_t> taken = argument(alias.parameter_number, alias.parameter_index);
    const std::optional<size_t> result =
        LeafAt(module_->entry()->root()->shape(), alias.output_index);
    if (taken && *taken < donated_.size()) donated_[*taken] = true;
    if (result && *result < stored.size()) stored[*result] = true;
  }
  for (const BufferDonor& donor : module_->buffer_donors) {
    const std::optional<size_t> given = argument(donor.parameter_number, donor.parameter_index);
    if (!given || *given >= donated_.size() || donated_[*given]) continue;
    const double bytes = BytesOf(arguments_[*given]);
    for (size_t i = 0; i < results_.size() && !donated_[*given]; ++i) {
      if (stored[i] || BytesOf(results_[i]) != bytes) continue;
      stored[i] = donated_[*given] = true;
    }
  }
}

absl::Status Program::MakeExecutable(const PJRT_Client& client) {
  callback_uses_.emplace(*module_, client.options);
  // With what users have registered until now.
  custom_calls_ = client.custom_calls;
  AddHandlers(&custom_calls_);
  const EngineOptions options = {options_.budget, options_.seed, &custom_calls_};
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeEngine(options_.backend, options);
  if (!backend.ok()) return backend.status();
  backend_ = *std::move(backend);
  if (absl::Status status = backend_->Supports(*module_); !status.ok()) return status;
  CompileOptions compile;
  compile.form = global_ ? runtime::ModuleForm::kLogical : runtime::ModuleForm::kPartitioned;
  absl::StatusOr<std::unique_ptr<Executable>> executable = backend_->Compile(*module_, compile);
  if (!executable.ok()) return executable.status();
  executable_ = *std::move(executable);
  return absl::OkStatus();
}

absl::Status Program::MakeSums() {
  sums_.resize(arguments_.size());
  for (size_t i = 0; global_ && i < arguments_.size(); ++i) {
    const PlacedLeaf& leaf = global_->arguments()[i];
    if (!leaf.shape.is_array() || !leaf.IsUnreduced()) continue;
    absl::StatusOr<std::unique_ptr<Module>> sum =
        ParseModule(SumText(leaf.shape, leaf.placement.summands));
    if (!sum.ok()) return sum.status();
    sums_[i] = *std::move(sum);
  }
  return absl::OkStatus();
}

void Program::CountCosts() {
  for (const auto& computation : module_->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Opcode opcode = instruction->opcode();
      if (opcode == Opcode::kParameter || opcode == Opcode::kConstant) continue;
      double own = ElementsOf(instruction->shape());
      if (opcode == Opcode::kDot && own > 0) {
        // Twice the elements of the contracted dimensions, for each element of the result.
        double contracted = 1;
        for (const int64_t d : instruction->GetInts(Attr::kLhsContractingDims)) {
          contracted *= static_cast<double>(
              instruction->operand(0)->shape().dimensions()[static_cast<size_t>(d)]);
        }
        own *= 2 * contracted;
      } else {
        for (const Instruction* operand : instruction->operands()) {
          own = std::max(own, ElementsOf(operand->shape()));
        }
      }
      operations_ += own;
      if (computation.get() != module_->entry()) continue;
      bytes_accessed_ += BytesOf(instruction->shape());
      for (const Instruction* operand : instruction->operands()) {
        bytes_accessed_ += BytesOf(operand->shape());
      }
    }
  }
  // A loop, a call into Python or a program of several devices takes as long as it takes.
  is_small_ = operations_ < kSmallOperations && device_count() == 1;
  for (const auto& computation : module_->computations()) {
    for (const auto& instruction : computation->instructions()) {
      is_small_ = is_small_ && instruction->opcode() != Opcode::kWhile &&
                  instruction->opcode() != Opcode::kCustomCall &&
                  instruction->opcode() != Opcode::kConvolution;
    }
  }
}

absl::StatusOr<std::vector<DeviceOutputs>> Program::RunBackend(
    const std::vector<std::vector<Literal>>& arguments) {
  const std::lock_guard lock(mutex_);
  std::vector<ExecuteInputs> inputs(arguments.size());
  std::vector<BufferHandle> buffers;
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (const Literal& leaf : arguments[d]) {
      absl::StatusOr<BufferHandle> buffer = backend_->Upload(leaf, static_cast<int64_t>(d));
      if (!buffer.ok()) return buffer.status();
      buffers.push_back(*std::move(buffer));
      inputs[d].arguments.emplace_back(buffers.back().get());
    }
  }
  absl::StatusOr<ExecuteResults> results = executable_->Execute(inputs);
  if (!results.ok()) return results.status();
  std::vector<DeviceOutputs> outputs;
  for (const ExecuteOutputs& device : results->devices) {
    std::vector<Literal> leaves;
    for (const BufferHandle& buffer : device.results) {
      absl::StatusOr<Literal> leaf = backend_->Download(*buffer);
      if (!leaf.ok()) return leaf.status();
      leaves.push_back(*std::move(leaf));
    }
    outputs.push_back({Literal::Tuple(std::move(leaves))});
  }
  return outputs;
}

absl::StatusOr<Literal> Program::JoinedArgument(size_t i, absl::Span<const Literal> tiles) {
  const PlacedLeaf& leaf = global_->arguments()[i];
  if (sums_[i] == nullptr) return leaf.Join(tiles);
  const absl::StatusOr<std::vector<Literal>> summands = leaf.Summands(tiles);
  if (!summands.ok()) return summands.status();
  const std::lock_guard lock(mutex_);
  return RunOnce(*backend_, *sums_[i], *summands);
}

absl::StatusOr<std::vector<std::vector<Literal>>> Program::Joined(
    const std::vector<std::vector<Literal>>& arguments) {
  const auto partitions = static_cast<size_t>(options_.partitions);
  std::vector<std::vector<Literal>> joined(arguments.size() / partitions);
  for (size_t r = 0; r < joined.size(); ++r) {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const PlacedLeaf& leaf = global_->arguments()[i];
      // Copies are not compared: a host that lets them differ gets what the first device has.
      if (!leaf.shape.is_array() || leaf.IsReplicated()) {
        joined[r].push_back(arguments[r * partitions][i]);
        continue;
      }
      std::vector<Literal> tiles;
      for (size_t p = 0; p < partitions; ++p) tiles.push_back(arguments[r * partitions + p][i]);
      absl::StatusOr<Literal> value = JoinedArgument(i, tiles);
      if (!value.ok()) return value.status();
      joined[r].push_back(*std::move(value));
    }
  }
  return joined;
}

absl::StatusOr<std::vector<std::vector<Literal>>> Program::Cut(
    const std::vector<DeviceOutputs>& outputs) const {
  std::vector<std::vector<Literal>> results;
  for (const DeviceOutputs& replica : outputs) {
    for (size_t p = 0; p < static_cast<size_t>(options_.partitions); ++p) {
      std::vector<Literal> own;
      for (size_t i = 0; i < results_.size(); ++i) {
        const Literal& value = replica.result.element(static_cast<int64_t>(i));
        if (!value.is_array()) {
          own.push_back(value);
          continue;
        }
        absl::StatusOr<Literal> tile = global_->results()[i].TileOf(value, p);
        if (!tile.ok()) return tile.status();
        own.push_back(*std::move(tile));
      }
      results.push_back(std::move(own));
    }
  }
  return results;
}

absl::StatusOr<std::vector<std::vector<Literal>>> Program::Run(
    std::vector<std::vector<Literal>> arguments) {
  if (global_) {
    absl::StatusOr<std::vector<std::vector<Literal>>> joined = Joined(arguments);
    if (!joined.ok()) return joined.status();
    const absl::StatusOr<std::vector<DeviceOutputs>> outputs = RunBackend(*joined);
    if (!outputs.ok()) return outputs.status();
    return Cut(*outputs);
  }
  absl::StatusOr<std::vector<DeviceOutputs>> outputs = RunBackend(arguments);
  if (!outputs.ok()) return outputs.status();
  std::vector<std::vector<Literal>> results;
  for (DeviceOutputs& device : *outputs) {
    results.push_back(std::move(device.result).ReleaseElements());
  }
  return results;
}

absl::StatusOr<std::string> Program::Optimized() const {
  absl::StatusOr<assay::wire::HloModuleProto> proto = ModuleToProto(*module_);
  if (!proto.ok()) return proto.status();
  wire::ModuleWithConfig with_config;
  wire::ModuleWithConfig::Config& config = *with_config.mutable_config();
  config.set_entry_computation_layout(proto->host_program_shape().SerializeAsString());
  config.set_replica_count(options_.replicas);
  config.set_num_partitions(options_.partitions);
  with_config.set_hlo_module(proto->SerializeAsString());
  return with_config.SerializeAsString();
}

}  // namespace assay::pjrt
