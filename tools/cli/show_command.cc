// `assay show`: converts a module to another format, or summarises it.
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/cpu_engine.h"
#include "backends/passes/pass.h"
#include "nlohmann/json.hpp"
#include "spec/files/file_io.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/graph.h"
#include "tools/cli/layout_view.h"
#include "tools/cli/module_json.h"
#include "tools/cli/options.h"
#include "tools/cli/program_options.h"
#include "tools/cli/report.h"
#include "tools/cli/sharding_view.h"
#include "tools/cli/stablehlo_format.h"
#include "tools/cli/summary.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

struct ShowCommand {
  ProgramOptions program;
  std::string module;
  std::string to;
  std::string out;
  bool stats = false;
  bool sharding = false;
  LayoutView layout;
  std::string passes;  // of which backend
  std::string after;
  bool locations = false;
  OutputOptions output;

  int Run() const;

 private:
  // --layout or --sharding.
  int ShowView(const absl::StatusOr<std::string>& text) const;
  absl::Status CheckOptions() const;
  absl::StatusOr<std::string> Convert(const ModuleFile& file, const std::string& format) const;
  // The module as the passes of a backend leave it, each of which must leave a legal one.
  absl::Status RunPassesOn(std::unique_ptr<Module>& module) const;
  // What is to be written or printed.
  absl::StatusOr<std::string> Text(const ModuleFile& file) const;
};

bool IsBinary(const std::string& format) {
  return format == "proto" || IsStablehloArtifact(format);
}

// What CLI11 says of a format that there is not; empty for one that there is.
std::string CheckShowFormat(const std::string& format) {
  if (IsStablehloFormat(format)) return "";
  return CLI::IsMember({"text", "short", "default", "canonical", "proto", "textproto", "stablehlo",
                        "stablehlo-generic", "stablehlo-artifact", "json", "dot"})(format);
}

absl::Status ShowCommand::CheckOptions() const {
  if (!to.empty() + stats + layout.asked + sharding > 1) {
    return absl::InvalidArgumentError(
        "--to converts, --stats summarises, --layout shows memory and --sharding devices: ask for "
        "one of them");
  }
  if (locations && (!IsStablehloFormat(to) || IsBinary(to))) {
    return absl::InvalidArgumentError(
        "--locations is for --to stablehlo and --to stablehlo-generic: HLO's text and artifacts "
        "have them in any case");
  }
  if (IsBinary(to) && out.empty() && !output.json && OutputIsTerminal()) {
    return absl::InvalidArgumentError(
        absl::StrCat("this format is not text for a terminal: add --out FILE, a pipe, or --to ",
                     to == "proto" ? "textproto" : "stablehlo"));
  }
  return out.empty() ? absl::OkStatus() : CheckWritable(out);
}

absl::Status ShowCommand::RunPassesOn(std::unique_ptr<Module>& module) const {
  if (absl::Status status = VerificationStatus(VerifyModule(*module)); !status.ok()) return status;
  const cpu::CpuEngine engine;
  bool found = after.empty();
  std::vector<std::string> names;
  const absl::Status status = passes::RunPasses(
      passes::CpuPipeline(engine), module, [&](absl::string_view pass) -> absl::Status {
        names.emplace_back(pass);
        if (absl::Status legal = VerificationStatus(VerifyModule(*module)); !legal.ok()) {
          return absl::InternalError(absl::StrCat("after pass ", pass, ": ", legal.message()));
        }
        found |= pass == after;
        return pass == after ? absl::CancelledError() : absl::OkStatus();
      });
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  if (found) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--after ", after, ": there is no such pass; there are ",
                   names.empty() ? "none for this module" : absl::StrJoin(names, ", ")));
}

absl::StatusOr<std::string> ShowCommand::Convert(const ModuleFile& file,
                                                 const std::string& format) const {
  const Module& module = *file.module;
  if (format == "text") return PrintModule(module, PrintOptions::Lossless());
  if (format == "short") return PrintModule(module, PrintOptions::ShortParsable());
  if (format == "default") return PrintModule(module, PrintOptions::Default());
  if (format == "canonical") return PrintModule(module, PrintOptions::Canonical());
  if (format == "dot") return GraphText(module);
  if (IsStablehloFormat(format)) {
    return StablehloOf(module, format, file.result_names, locations);
  }
  if (format == "proto") return SerializeModule(module, ModuleFormat::kModuleProto, false);
  if (format == "textproto") return SerializeModule(module, ModuleFormat::kModuleProto, true);
  return ModuleToJson(module);
}

absl::StatusOr<std::string> ShowCommand::Text(const ModuleFile& file) const {
  if (stats || (output.json && to.empty())) {
    const Module& shown = *file.module;
    const ModuleSummary summary = Summarise(shown);
    return output.json ? JsonText(SummaryJson(shown, summary)) : SummaryText(shown, summary);
  }
  return Convert(file, to.empty() ? "text" : to);
}

int ShowCommand::ShowView(const absl::StatusOr<std::string>& text) const {
  if (!text.ok()) return Fail(text.status(), output);
  if (out.empty()) {
    std::cout << *text;
    return kExitOk;
  }
  absl::Status status = WriteFileAtomically(out, *text);
  return status.ok() ? kExitOk : Fail(status, output);
}

int ShowCommand::Run() const {
  if (absl::Status status = CheckOptions(); !status.ok()) return Fail(status, output);
  absl::StatusOr<ModuleFile> file = program.Load(module);
  if (!file.ok()) return Fail(file.status(), output);
  if (!passes.empty()) {
    if (absl::Status status = RunPassesOn(file->module); !status.ok()) return Fail(status, output);
  }
  if (layout.asked) return ShowView(layout.Text(*file, output.json));
  if (sharding) return ShowView(ShardingText(*file->module, output.json));
  absl::StatusOr<std::string> text = Text(*file);
  if (!text.ok()) return Fail(text.status(), output);
  const bool wrap = output.json && !to.empty();
  nlohmann::json report = {{"module", file->module->name()}, {"format", to}};
  if (!out.empty()) {
    absl::Status status = WriteFileAtomically(out, *text);
    if (!status.ok()) return Fail(status, output);
    report["out"] = out;
  } else if (!wrap || to == "json") {
    std::cout << *text;
    return kExitOk;
  } else {
    report[IsBinary(to) ? "base64" : "text"] = IsBinary(to) ? absl::Base64Escape(*text) : *text;
  }
  if (wrap) std::cout << JsonText(report);
  return kExitOk;
}

}  // namespace

void AddShowCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<ShowCommand>();
  CLI::App* sub = app.add_subcommand("show", "Print a module in another format, or summarise it");
  sub->add_option(
         "MODULE", command->module,
         "StableHLO (text, bytecode, portable artifact), HLO text, HloModuleProto, HloProto "
         "or HloSnapshot, binary or text, gzip or not; - for standard input")
      ->type_name("FILE")
      ->required();
  sub->add_option("--to", command->to,
                  "text (if not given): everything, reads back as the same module; short: without "
                  "% and metadata; default, canonical: as XLA prints them; proto: HloModuleProto; "
                  "textproto: the same as text; stablehlo, stablehlo-generic: StableHLO text; "
                  "stablehlo-artifact[=VERSION]: StableHLO bytecode that readers of this version "
                  "and newer ones understand; json, and dot for Graphviz: to look at, not read "
                  "back")
      ->type_name("FORMAT")
      ->check(CLI::Validator(CheckShowFormat, ""));
  sub->add_option("--out", command->out, "Write to this file instead of standard output")
      ->type_name("FILE");
  CLI::Option* passes =
      sub->add_option("--passes", command->passes,
                      "Show what the passes of this backend make of the module: cpu")
          ->type_name("BACKEND")
          ->check(CLI::IsMember({"cpu"}).description(""));
  sub->add_option("--after", command->after, "Stop after this pass")
      ->type_name("PASS")
      ->needs(passes);
  sub->add_flag("--locations", command->locations,
                "Write the operations' names and source lines into StableHLO text, as JAX does "
                "with debug_info=True");
  sub->add_flag("--stats", command->stats, "Summarise: opcodes, multiply-adds, bytes");
  sub->add_flag("--sharding", command->sharding,
                "Which device holds which part of every array with a sharding");
  sub->add_flag(
      "--json", command->output.json,
      "One JSON object: the summary; with --to F what F gives, as its member text (proto: "
      "base64); with --layout and --sharding a list of arrays");
  command->layout.AddTo(sub);
  command->program.AddTo(sub);
  sub->footer(
      "Examples:\n"
      "  assay show module.pb --to text\n"
      "  assay show module.hlo --layout --minor-to-major 0,1\n"
      "  assay show module.hlo --sharding\n"
      "  assay show module.hlo --passes cpu --after fusion\n"
      "  assay show module.hlo --to dot | dot -Tsvg > module.svg\n"
      "  assay show module.hlo --to stablehlo\n"
      "  assay show module.hlo --stats --json");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
