// Modules: reading, showing, verifying and running them.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "absl/strings/str_cat.h"
#include "conformance/inputs/random_inputs.h"
#include "interpreter/interpreter.h"
#include "nlohmann/json.hpp"
#include "python/core/binding.h"
#include "python/core/custom_calls.h"
#include "python/core/module_formats.h"
#include "spec/nearest_name.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"
#include "tools/cli/catalogue.h"
#include "tools/cli/graph.h"
#include "tools/cli/op_aliases.h"
#include "tools/cli/report.h"
#include "tools/cli/stablehlo_format.h"
#include "tools/cli/summary.h"
#include "tools/cli/terminal.h"

namespace assay::python {

absl::StatusOr<std::string> ModuleAs(const Module& module, const std::string& format,
                                     absl::Span<const std::string> result_names) {
  if (format == "text") return PrintModule(module, PrintOptions::Lossless());
  if (format == "short") return PrintModule(module, PrintOptions::ShortParsable());
  if (format == "default") return PrintModule(module, PrintOptions::Default());
  if (format == "canonical") return PrintModule(module, PrintOptions::Canonical());
  if (format == "dot") return cli::GraphText(module);
  if (cli::IsStablehloFormat(format)) {
    return cli::StablehloOf(module, format, result_names, /*locations=*/false);
  }
  if (format == "proto") return SerializeModule(module, ModuleFormat::kModuleProto, false);
  if (format == "textproto") return SerializeModule(module, ModuleFormat::kModuleProto, true);
  return absl::InvalidArgumentError(
      absl::StrCat("there is no format '", format,
                   "'; there are text, short, default, canonical, proto, textproto, dot, "
                   "stablehlo, stablehlo-generic and stablehlo-artifact"));
}

namespace {

struct ReadingOptions {
  std::string entry;
  std::map<std::string, int64_t> dimensions;
  bool expand_chlo = false;
  int64_t replicas = 0, partitions = 0;  // 0: what the module says
};

LoadedModule Loaded(ModuleFile file, const std::string& name, const ReadingOptions& options) {
  if (file.module->entry() == nullptr) {
    Check(absl::InvalidArgumentError(absl::StrCat(name, ": the module has no entry computation")));
  }
  if (options.replicas > 0) file.module->replica_count = options.replicas;
  if (options.partitions > 0) file.module->num_partitions = options.partitions;
  return {std::move(file.module), std::move(file.arguments), std::move(file.result),
          std::move(file.result_names)};
}

stablehlo::ToModuleOptions ProgramOptionsOf(const ReadingOptions& options,
                                            const std::vector<std::vector<int64_t>>& sizes) {
  stablehlo::ToModuleOptions program;
  program.entry = options.entry;
  program.dimensions = options.dimensions;
  program.expand_chlo = options.expand_chlo;
  for (size_t i = 0; i < sizes.size(); ++i) {
    program.value_sizes[static_cast<int64_t>(i)] = sizes[i];
  }
  return program;
}

LoadedModule Parse(const nb::bytes& content, const std::string& name, const ReadingOptions& options,
                   const std::vector<std::vector<int64_t>>& sizes) {
  const absl::string_view text(static_cast<const char*>(content.data()), content.size());
  return Unlocked([&] {
    return Loaded(Value(ParseModuleFile(text, name, ProgramOptionsOf(options, sizes))), name,
                  options);
  });
}

LoadedModule Open(const std::string& path, const ReadingOptions& options,
                  const std::vector<std::vector<int64_t>>& sizes) {
  return Unlocked([&] {
    return Loaded(Value(OpenModuleFile(path, ProgramOptionsOf(options, sizes))), path, options);
  });
}

nlohmann::json ShapeJson(const Shape& shape) {
  if (shape.is_tuple()) {
    nlohmann::json elements = nlohmann::json::array();
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(ShapeJson(element));
    return {{"tuple", std::move(elements)}};
  }
  nlohmann::json json = {{"type", std::string(Name(shape.element_type()))},
                         {"text", shape.ToString()}};
  if (!shape.is_array()) return json;
  json["sizes"] = nlohmann::json::array();
  json["dynamic"] = shape.is_dynamic();
  for (const int64_t size : shape.dimensions()) json["sizes"].push_back(size);
  return json;
}

std::string Signature(const LoadedModule& loaded) {
  const Module& module = *loaded.module;
  nlohmann::json parameters = nlohmann::json::array();
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter == nullptr) continue;
    parameters.push_back({{"name", parameter->name()}, {"shape", ShapeJson(parameter->shape())}});
  }
  const absl::StatusOr<int64_t> devices = DevicesOf(module);
  const nlohmann::json json = {{"name", module.name()},
                               {"parameters", std::move(parameters)},
                               {"result", ShapeJson(module.entry()->root()->shape())},
                               {"result_names", loaded.result_names},
                               {"has_arguments", !loaded.arguments.empty()},
                               {"devices", devices.ok() ? *devices : 0},
                               {"replicas", module.replica_count},
                               {"partitions", module.num_partitions}};
  return cli::JsonText(json);
}

std::string Verify(const LoadedModule& loaded, bool strict, int64_t max_findings) {
  VerifyOptions options;
  options.rules = strict ? Rules::kStrict : Rules::kXla;
  options.max_findings = max_findings;
  const Verification found = Unlocked([&] { return VerifyModule(*loaded.module, options); });
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : found.findings) {
    list.push_back({{"clause", finding.clause},
                    {"rules", finding.strict_only ? "strict" : "xla"},
                    {"line", finding.position.line},
                    {"column", finding.position.column},
                    {"computation", finding.computation},
                    {"instruction", finding.instruction},
                    {"message", cli::ForPeople(finding.message)},
                    {"expected", cli::ForPeople(finding.expected)},
                    {"found", cli::ForPeople(finding.found)}});
  }
  return cli::JsonText({{"findings", std::move(list)}, {"left_out", found.left_out}});
}

std::string Stats(const LoadedModule& loaded) {
  return cli::JsonText(cli::SummaryJson(*loaded.module, cli::Summarise(*loaded.module)));
}

nb::bytes Show(const LoadedModule& loaded, const std::string& format) {
  const std::string text =
      Value(Unlocked([&] { return ModuleAs(*loaded.module, format, loaded.result_names); }));
  return nb::bytes(text.data(), text.size());
}

ArraysByDevice RandomArguments(const LoadedModule& loaded, uint64_t seed, int64_t max_bytes) {
  const int64_t devices = Value(DevicesOf(*loaded.module));
  std::vector<Literal> by_device;
  for (int64_t device = 0; device < devices; ++device) {
    conformance::RandomInputOptions options;
    options.seed = seed;
    options.grid = {devices, 1};
    options.process = {0, device, 0};
    if (max_bytes >= 0) options.max_bytes = max_bytes / devices;
    by_device.push_back(Literal::Tuple(
        Value(Unlocked([&] { return conformance::RandomInputs(*loaded.module, options); }))));
  }
  return LeavesOf(std::move(by_device));
}

ArraysByDevice OwnArguments(const LoadedModule& loaded) {
  std::vector<Literal> arguments = {Literal::Tuple(loaded.arguments)};
  return LeavesOf(std::move(arguments));
}

// What a run counted beside its results.
nlohmann::json RunJson(Backend& backend, double seconds) {
  nlohmann::json json = {{"backend", backend.display_name()}, {"seconds", seconds}};
  if (const runtime::RunStats* stats = backend.last_stats(); stats != nullptr) {
    json["steps"] = stats->steps;
    json["peak_bytes"] = stats->peak_bytes;
    if (const auto* golden = dynamic_cast<const RunStats*>(stats); golden != nullptr) {
      json["undecided"] = golden->undecided.size();
    }
  }
  return json;
}

nb::tuple Run(const LoadedModule& loaded, const ArraysByDevice& arrays, const nb::object& backend,
              const runtime::RunBudget& budget, uint64_t seed, bool straight,
              const nb::dict& custom_calls) {
  Interruption interruption;
  const std::unique_ptr<CustomCallRegistry> registry = RegistryOf(custom_calls, interruption);
  BackendOptions options;
  options.budget = budget;
  options.random_seed = seed;
  options.straight = straight;
  options.custom_calls = registry.get();
  const std::unique_ptr<Backend> target = MakeTarget(backend, options, interruption);
  struct Outcome {
    absl::StatusOr<ModuleRun> run;
    nlohmann::json json;
  };
  const Module& module = *loaded.module;
  Outcome outcome = Unlocked(interruption, [&]() -> Outcome {
    const absl::StatusOr<int64_t> devices = DevicesOf(module);
    if (!devices.ok()) return {devices.status(), {}};
    const auto arguments = ArgumentsOf(module, arrays, *devices);
    if (!arguments.ok()) return {arguments.status(), {}};
    absl::StatusOr<ModuleRun> run = target->Run(module, WithoutFeeds(*arguments), 1);
    if (!run.ok()) return {run.status(), {}};
    nlohmann::json json = RunJson(*target, run->seconds);
    return {std::move(run), std::move(json)};
  });
  ModuleRun run = Value(std::move(outcome.run));
  std::vector<Literal> results;
  for (DeviceOutputs& device : run.outputs.back()) results.push_back(std::move(device.result));
  run.outputs.clear();
  return nb::make_tuple(LeavesOf(std::move(results)), cli::JsonText(outcome.json));
}

std::string Operations(const std::string& name) {
  nlohmann::json list = nlohmann::json::array();
  const auto add = [&list](const OpInfo& op) {
    nlohmann::json json = cli::OpJson(op);
    json["aliases"] = cli::AliasesOf(op.opcode);
    list.push_back(std::move(json));
  };
  if (name.empty()) {
    for (const OpInfo& op : Catalogue()) add(op);
  } else {
    for (const Opcode opcode : cli::OperationsNamed(name).opcodes) add(Info(opcode));
  }
  return cli::JsonText(list);
}

}  // namespace

void BindModules(nb::module_& m) {
  using runtime::RunBudget;
  nb::class_<RunBudget>(m, "Budget")
      .def(nb::init<>())
      .def_rw("bytes", &RunBudget::bytes)
      .def_rw("elements", &RunBudget::elements)
      .def_rw("steps", &RunBudget::steps)
      .def_rw("depth", &RunBudget::call_depth)
      .def_rw("seconds", &RunBudget::seconds)
      .def_rw("threads", &RunBudget::threads);
  nb::class_<ReadingOptions>(m, "ReadingOptions")
      .def(nb::init<>())
      .def_rw("entry", &ReadingOptions::entry)
      .def_rw("dimensions", &ReadingOptions::dimensions)
      .def_rw("expand_chlo", &ReadingOptions::expand_chlo)
      .def_rw("replicas", &ReadingOptions::replicas)
      .def_rw("partitions", &ReadingOptions::partitions);
  nb::class_<LoadedModule>(m, "Module")
      .def_static("parse", &Parse)
      .def_static("open", &Open)
      .def("signature", &Signature)
      .def("verify", &Verify)
      .def("stats", &Stats)
      .def("show", &Show)
      .def("random_arguments", &RandomArguments)
      .def("arguments", &OwnArguments)
      .def("run", &Run);
  m.def("operations", &Operations);
  m.def("nearest_operation",
        [](const std::string& name) { return std::string(NearestOpcodeName(name)); });
  m.def("nearest_type", [](const std::string& name) { return std::string(NearestTypeName(name)); });
}

}  // namespace assay::python
