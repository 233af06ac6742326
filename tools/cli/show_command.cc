// `assay show`: converts a module to another format, or summarises it.
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/graph.h"
#include "tools/cli/layout_view.h"
#include "tools/cli/module_json.h"
#include "tools/cli/options.h"
#include "tools/cli/summary.h"

namespace assay {
namespace {

struct ShowCommand {
  std::string module;
  std::string to;
  std::string out;
  bool stats = false;
  LayoutView layout;
  OutputOptions output;

  int Run() const;

 private:
  int ShowLayout(const ModuleFile& file) const;
  absl::StatusOr<std::string> Convert(const Module& module) const;
};

absl::StatusOr<std::string> ShowCommand::Convert(const Module& module) const {
  if (to == "text") return PrintModule(module, PrintOptions::Lossless());
  if (to == "short") return PrintModule(module, PrintOptions::ShortParsable());
  if (to == "default") return PrintModule(module, PrintOptions::Default());
  if (to == "canonical") return PrintModule(module, PrintOptions::Canonical());
  if (to == "dot") return GraphText(module);
  if (to == "proto") return SerializeModule(module, ModuleFormat::kModuleProto, false);
  if (to == "textproto") return SerializeModule(module, ModuleFormat::kModuleProto, true);
  return ModuleToJson(module);
}

int ShowCommand::ShowLayout(const ModuleFile& file) const {
  absl::StatusOr<std::string> text = layout.Text(file, output.json);
  if (!text.ok()) return Fail(text.status(), output);
  if (out.empty()) {
    std::cout << *text;
    return kExitOk;
  }
  absl::Status status = WriteFileAtomically(out, *text);
  return status.ok() ? kExitOk : Fail(status, output);
}

int ShowCommand::Run() const {
  absl::StatusOr<ModuleFile> file = LoadModule(module);
  if (!file.ok()) return Fail(file.status(), output);
  if (layout.asked) return ShowLayout(*file);
  const Module& loaded = *file->module;
  std::string text;
  if (stats || (to.empty() && output.json)) {
    const ModuleSummary summary = Summarise(loaded);
    text = output.json ? absl::StrCat(SummaryJson(loaded, summary).dump(2), "\n")
                       : SummaryText(loaded, summary);
  }
  if (!to.empty() || (!stats && !output.json)) {
    ShowCommand conversion = *this;
    if (to.empty()) conversion.to = "text";
    absl::StatusOr<std::string> converted = conversion.Convert(loaded);
    if (!converted.ok()) return Fail(converted.status(), output);
    text += *converted;
  }
  if (!out.empty()) {
    absl::Status status = WriteFileAtomically(out, text);
    return status.ok() ? kExitOk : Fail(status, output);
  }
  if (!output.quiet) std::cout << text;
  return kExitOk;
}

}  // namespace

void AddShowCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<ShowCommand>();
  CLI::App* sub = app.add_subcommand("show", "Print a module in another format, or summarise it");
  sub->add_option("MODULE", command->module, "As for assay run")->required();
  sub->add_option("--to", command->to,
                  "text: everything, reads back the same; short: without % and metadata; default, "
                  "canonical: as XLA prints them; proto: HloModuleProto; textproto; json; dot: for "
                  "Graphviz")
      ->check(CLI::IsMember(
          {"text", "short", "default", "canonical", "proto", "textproto", "json", "dot"}));
  sub->add_option("--out", command->out, "Write to this file instead of standard output");
  sub->add_flag("--stats", command->stats, "Opcodes, multiply-adds, bytes");
  command->output.AddTo(sub);
  command->layout.AddTo(sub);
  sub->footer(
      "Examples:\n"
      "  assay show module.pb --to text\n"
      "  assay show module.hlo --layout --minor-to-major 0,1\n"
      "  assay show module.hlo --to dot | dot -Tsvg > module.svg\n"
      "  assay show module.hlo --stats --json");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
