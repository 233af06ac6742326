#include "backends/pjrt/driver/plugin_backend.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "backends/pjrt/abi/compile_options.pb.h"
#include "backends/pjrt/abi/types.h"
#include "backends/pjrt/driver/compile_error.h"
#include "backends/pjrt/driver/flat_entry.h"
#include "backends/pjrt/sharding/global_shapes.h"
#include "runtime/module_form.h"
#include "spec/ir/entry.h"
#include "spec/proto/module_file.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/from_module.h"
#include "spec/text/parser.h"

namespace assay::pjrt {
namespace {

// A buffer of the plug-in. An array that came from here is kept, because an execution may take the
// storage of a buffer that its caller has not donated: that buffer is made anew before.
class PluginBuffer : public Buffer {
 public:
  PluginBuffer(Shape shape, int64_t device, std::unique_ptr<PluginArray> array,
               std::optional<Literal> source)
      : Buffer(device),
        shape_(std::move(shape)),
        array_(std::move(array)),
        source_(std::move(source)) {}
  const Shape& shape() const override { return shape_; }
  PJRT_Buffer* get() const { return array_->get(); }
  const std::optional<Literal>& source() const { return source_; }

 private:
  void Release() override {
    array_ = nullptr;
    source_.reset();
  }

  const Shape shape_;
  std::unique_ptr<PluginArray> array_;
  std::optional<Literal> source_;
};

const PluginBuffer& Own(const Buffer& buffer) { return static_cast<const PluginBuffer&>(buffer); }

absl::Status CannotCross(const Shape& shape, absl::string_view where) {
  return absl::UnimplementedError(
      absl::StrCat("PJRT has no buffers for ", where, " of shape ", shape.ToString()));
}

// A value at the border of a module: arrays of known sizes.
absl::Status CheckBorder(const Shape& shape, absl::string_view where) {
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array() || leaf->is_dynamic() ||
        BufferTypeOf(leaf->element_type()) == PJRT_Buffer_INVALID) {
      return CannotCross(*leaf, where);
    }
  }
  return absl::OkStatus();
}

// What an error of a transfer or an execution says: only budgets and what is not there are no
// failures of the plug-in.
absl::Status ExecuteError(const absl::Status& status) {
  if (absl::IsResourceExhausted(status) || absl::IsUnimplemented(status)) return status;
  return absl::InternalError(status.message());
}

void SetFlag(const std::string& text, wire::OptionOverride* flag) {
  int64_t number = 0;
  double real = 0;
  if (text == "true" || text == "false") {
    flag->set_bool_field(text == "true");
  } else if (absl::SimpleAtoi(text, &number)) {
    flag->set_int_field(number);
  } else if (absl::SimpleAtod(text, &real)) {
    flag->set_double_field(real);
  } else {
    flag->set_string_field(text);
  }
}

std::string OptionsFor(const Module& module, bool logical, absl::Span<const int64_t> device_ids,
                       const CompilerFlags& flags) {
  wire::CompileOptions options;
  wire::ExecutableBuildOptions& build = *options.mutable_executable_build_options();
  build.set_device_ordinal(-1);
  // XLA aborts where one of them is 0.
  const int64_t replicas = std::max<int64_t>(1, module.replica_count);
  const int64_t partitions = std::max<int64_t>(1, module.num_partitions);
  build.set_num_replicas(replicas);
  build.set_num_partitions(partitions);
  if (replicas * partitions > 1) {
    wire::DeviceAssignment& assignment = *build.mutable_device_assignment();
    assignment.set_replica_count(static_cast<int32_t>(replicas));
    assignment.set_computation_count(static_cast<int32_t>(partitions));
    for (int64_t p = 0; p < partitions; ++p) {
      auto* devices = assignment.add_computation_devices();
      for (int64_t r = 0; r < replicas; ++r) {
        devices->add_replica_device_ids(device_ids[static_cast<size_t>(r * partitions + p)]);
      }
    }
  }
  // A module of several partitions goes by the partitioner in any case; MarkPartitioned makes it
  // leave alone what is partitioned already.
  build.set_use_spmd_partitioning(partitions > 1);
  if (logical) build.set_use_shardy_partitioner(UsesShardy(module));
  for (const auto& [name, value] : flags) {
    SetFlag(value, &(*options.mutable_env_option_overrides())[name]);
  }
  return options.SerializeAsString();
}

}  // namespace

// A program of the plug-in, and where the leaves of each device lie.
class PluginExecutable : public SynchronousExecutable {
 public:
  PluginExecutable(const Module& module, PluginBackend& backend,
                   std::unique_ptr<PluginProgramHandle> program, std::optional<GlobalShapes> global,
                   int64_t devices)
      : SynchronousExecutable(module),
        backend_(backend),
        program_(std::move(program)),
        global_(std::move(global)),
        devices_(devices) {
    for (const Shape* leaf : Leaves(module.entry()->root()->shape())) results_.push_back(*leaf);
    std::vector<int64_t> first;
    int64_t count = 0;
    std::vector<const Instruction*> parameters;
    for (const Instruction* parameter : module.entry()->parameters()) {
      first.push_back(count);
      count += static_cast<int64_t>(Leaves(parameter->shape()).size());
      parameters.push_back(parameter);
    }
    taken_.assign(static_cast<size_t>(count), false);
    // All leaves of a parameter of which one is taken: a copy too many is no harm.
    const auto take = [&](int64_t number) {
      const auto n = static_cast<size_t>(number);
      for (size_t i = 0; i < Leaves(parameters[n]->shape()).size(); ++i) {
        taken_[static_cast<size_t>(first[n]) + i] = true;
      }
    };
    for (const InputOutputAlias& alias : module.input_output_alias) take(alias.parameter_number);
    for (const BufferDonor& donor : module.buffer_donors) take(donor.parameter_number);
  }

  int64_t device_count() const override { return devices_; }

 protected:
  absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> inputs) override {
    std::vector<std::unique_ptr<PluginArray>> made;
    std::vector<std::vector<PJRT_Buffer*>> arguments(program_->devices().size());
    for (size_t d = 0; d < arguments.size(); ++d) {
      const ExecuteInputs& own =
          inputs[global_ ? d / static_cast<size_t>(global_->partitions()) : d];
      for (size_t i = 0; i < own.arguments.size(); ++i) {
        absl::StatusOr<PJRT_Buffer*> buffer = Given(own.arguments[i], i, d, &made);
        if (!buffer.ok()) return ExecuteError(buffer.status());
        arguments[d].push_back(*buffer);
      }
    }
    ExecuteResults results;
    absl::StatusOr<std::vector<PluginProgramHandle::Arrays>> outputs =
        program_->Execute(arguments, &results.seconds);
    for (const ExecuteInputs& own : inputs) {
      for (const Argument& argument : own.arguments) {
        if (argument.donated() != nullptr) argument.donated()->Delete();
      }
    }
    if (!outputs.ok()) return ExecuteError(outputs.status());
    if (global_) return Joined(*outputs, std::move(results));
    for (size_t d = 0; d < outputs->size(); ++d) {
      ExecuteOutputs own;
      for (size_t i = 0; i < results_.size(); ++i) {
        own.results.push_back(std::make_unique<PluginBuffer>(
            results_[i], static_cast<int64_t>(d), std::move((*outputs)[d][i]), std::nullopt));
      }
      results.devices.push_back(std::move(own));
    }
    return results;
  }

 private:
  // The buffer that device d of the program gets for an argument.
  absl::StatusOr<PJRT_Buffer*> Given(const Argument& argument, size_t leaf, size_t d,
                                     std::vector<std::unique_ptr<PluginArray>>* made) {
    const PluginBuffer& buffer = Own(*argument.buffer());
    if (!global_ && (!taken_[leaf] || argument.donated() != nullptr)) return buffer.get();
    absl::StatusOr<Literal> value = buffer.source() ? *buffer.source() : backend_.Download(buffer);
    if (value.ok() && global_) {
      value =
          global_->arguments()[leaf].TileOf(*value, d % static_cast<size_t>(global_->partitions()));
    }
    if (!value.ok()) return value.status();
    absl::StatusOr<std::unique_ptr<PluginArray>> array =
        backend_.client_->Upload(*value, program_->devices()[d]);
    if (!array.ok()) return array.status();
    made->push_back(*std::move(array));
    return made->back()->get();
  }

  // Global values from what the devices hold.
  absl::StatusOr<ExecuteResults> Joined(const std::vector<PluginProgramHandle::Arrays>& outputs,
                                        ExecuteResults results) {
    const auto partitions = static_cast<size_t>(global_->partitions());
    for (size_t r = 0; r < outputs.size(); r += partitions) {
      ExecuteOutputs own;
      const auto device = static_cast<int64_t>(r / partitions);
      for (size_t i = 0; i < results_.size(); ++i) {
        std::vector<Literal> tiles;
        for (size_t p = 0; p < partitions; ++p) {
          absl::StatusOr<Literal> tile = backend_.client_->Download(
              outputs[r + p][i]->get(), global_->results()[i].TileShape());
          if (!tile.ok()) return ExecuteError(tile.status());
          tiles.push_back(*std::move(tile));
        }
        absl::StatusOr<Literal> joined = global_->results()[i].Join(tiles);
        if (!joined.ok()) return ExecuteError(joined.status());
        absl::StatusOr<BufferHandle> buffer = backend_.Upload(*joined, device);
        if (!buffer.ok()) return buffer.status();
        own.results.push_back(*std::move(buffer));
      }
      results.devices.push_back(std::move(own));
    }
    return results;
  }

  PluginBackend& backend_;
  const std::unique_ptr<PluginProgramHandle> program_;
  const std::optional<GlobalShapes> global_;
  const int64_t devices_;
  std::vector<Shape> results_;
  std::vector<bool> taken_;  // by leaf of the parameters: the module may take its storage
};

std::string PluginBackend::display_name() {
  const std::string& version = client_->platform_version();
  return absl::StrCat(client_->platform_name(),
                      version.empty() || version == client_->platform_name() ? "" : " ",
                      version == client_->platform_name() ? "" : version);
}

absl::Status PluginBackend::Supports(const Module& module) {
  if (absl::Status status = CheckEntry(module); !status.ok()) return status;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (absl::Status s = CheckBorder(parameter->shape(), "a parameter"); !s.ok()) return s;
  }
  if (absl::Status s = CheckBorder(module.entry()->root()->shape(), "a result"); !s.ok()) return s;
  static const auto& beyond =
      *new absl::flat_hash_set<Opcode>{Opcode::kInfeed,   Opcode::kOutfeed, Opcode::kSend,
                                       Opcode::kSendDone, Opcode::kRecv,    Opcode::kRecvDone};
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!beyond.contains(instruction->opcode())) continue;
      const bool host = instruction->opcode() == Opcode::kInfeed ||
                        instruction->opcode() == Opcode::kOutfeed ||
                        instruction->GetBool(Attr::kIsHostTransfer);
      if (!host) continue;
      return absl::UnimplementedError(absl::StrCat(
          "PJRT has no way to talk with a module while it runs: ", instruction->Describe()));
    }
  }
  const int64_t wanted = module.replica_count * runtime::PartitionsOf(module);
  const auto have = static_cast<int64_t>(client_->device_ids().size());
  if (wanted <= have) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("the module needs ", wanted, " devices; the plug-in has ", have));
}

absl::StatusOr<PluginProgram> PluginBackend::ProgramOf(const Module& flat,
                                                       const std::string& format,
                                                       bool logical) const {
  PluginProgram program;
  program.format = format;
  program.options = OptionsFor(flat, logical, client_->device_ids(), flags_);
  if (format == "hlo") {
    absl::StatusOr<std::string> code = SerializeModule(flat, ModuleFormat::kModuleProto);
    if (!code.ok()) return code.status();
    program.code = *std::move(code);
    return program;
  }
  absl::StatusOr<std::unique_ptr<stablehlo::Program>> text = stablehlo::FromModule(flat);
  if (!text.ok()) return text.status();
  // What the plug-in reads, as far as Assay writes it.
  stablehlo::Version version = {1, 0, 0};
  const std::vector<std::string> parts = absl::StrSplit(client_->stablehlo_version(), '.');
  int numbers[3] = {};
  if (parts.size() == 3 && absl::SimpleAtoi(parts[0], &numbers[0]) &&
      absl::SimpleAtoi(parts[1], &numbers[1]) && absl::SimpleAtoi(parts[2], &numbers[2])) {
    version = {numbers[0], numbers[1], numbers[2]};
  }
  absl::StatusOr<std::string> code =
      stablehlo::WriteArtifact(**text, std::min(version, stablehlo::kNewestVersion));
  if (!code.ok()) return code.status();
  program.code = *std::move(code);
  return program;
}

absl::Status PluginBackend::ChooseFormat() {
  if (!format_.empty()) return absl::OkStatus();
  const absl::StatusOr<std::unique_ptr<Module>> sample = ParseModule(
      "HloModule sample\nENTRY main {\n x = f32[2] parameter(0)\n ROOT y = f32[2] add(x, x)\n}\n");
  if (!sample.ok()) return sample.status();
  absl::Status first;
  for (const char* format : {"hlo", "mlir"}) {
    absl::StatusOr<PluginProgram> program = ProgramOf(**sample, format, /*logical=*/false);
    if (!program.ok()) return program.status();
    const absl::Status status = client_->Compile(*program).status();
    if (status.ok()) {
      format_ = format;
      return absl::OkStatus();
    }
    if (first.ok()) first = status;
    if (!absl::IsInvalidArgument(status) && !absl::IsUnimplemented(status)) break;
  }
  return absl::InternalError(
      absl::StrCat("the plug-in compiles neither HLO nor StableHLO: ", first.message()));
}

absl::StatusOr<std::unique_ptr<Executable>> PluginBackend::Compile(const Module& module,
                                                                   const CompileOptions& options) {
  if (absl::Status status = Supports(module); !status.ok()) return status;
  if (absl::Status status = ChooseFormat(); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Module>> flat = WithFlatEntry(module);
  if (!flat.ok()) return flat.status();
  const int64_t partitions = runtime::PartitionsOf(module);
  const bool logical = partitions > 1 && options.form.value_or(runtime::FormOf(module)) ==
                                             runtime::ModuleForm::kLogical;
  std::optional<GlobalShapes> global;
  if (logical) {
    (*flat)->num_partitions = partitions;
    absl::StatusOr<GlobalShapes> shapes = GlobalShapes::Of(**flat, partitions);
    if (!shapes.ok()) return shapes.status();
    const auto& results = shapes->results();
    if (std::any_of(results.begin(), results.end(),
                    [](const PlacedLeaf& leaf) { return leaf.IsUnreduced(); })) {
      return absl::UnimplementedError(
          "a result is unreduced: its sum over the devices of the plug-in is not formed");
    }
    if (absl::Status status = WriteBorderShardings(**flat); !status.ok()) return status;
    global = *std::move(shapes);
  } else if (partitions > 1) {
    MarkPartitioned(**flat);
  }
  absl::StatusOr<PluginProgram> program = ProgramOf(**flat, format_, logical);
  if (!program.ok()) return program.status();
  absl::StatusOr<std::unique_ptr<PluginProgramHandle>> handle = client_->Compile(*program);
  if (!handle.ok()) return CompileError(handle.status(), format_ == "hlo");
  const int64_t devices = std::max<int64_t>(1, module.replica_count) * partitions;
  if (absl::Status status = (*handle)->Check(Leaves(module.entry()->root()->shape()).size(),
                                             static_cast<size_t>(devices));
      !status.ok()) {
    return absl::InternalError(status.message());
  }
  return std::make_unique<PluginExecutable>(module, *this, *std::move(handle), std::move(global),
                                            logical ? devices / partitions : devices);
}

absl::StatusOr<BufferHandle> PluginBackend::Upload(const Literal& array, int64_t device) {
  const auto devices = static_cast<int64_t>(client_->device_ids().size());
  if (device < 0 || device >= devices) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no device ", device, ": the devices of the plug-in are 0 to ", devices - 1));
  }
  absl::StatusOr<std::unique_ptr<PluginArray>> made =
      client_->Upload(array, static_cast<size_t>(device));
  if (!made.ok()) return ExecuteError(made.status());
  return std::make_unique<PluginBuffer>(array.shape(), device, *std::move(made), array);
}

absl::StatusOr<Literal> PluginBackend::Download(const Buffer& buffer) {
  if (buffer.is_deleted()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the buffer of ", buffer.shape().ToString(), " was deleted"));
  }
  absl::StatusOr<Literal> value = client_->Download(Own(buffer).get(), buffer.shape());
  if (!value.ok()) return ExecuteError(value.status());
  return value;
}

absl::Status PluginBackend::TryType(ElementType type) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(absl::Substitute(
      "HloModule types\nENTRY main {\n x = $0[2] parameter(0)\n ROOT y = $0[2] copy(x)\n}\n",
      std::string(Name(type))));
  if (!module.ok()) return module.status();
  const Literal zeros = Literal::Zeros((*module)->entry()->root()->shape());
  return RunOnce(*this, **module, {&zeros, 1}).status();
}

}  // namespace assay::pjrt
