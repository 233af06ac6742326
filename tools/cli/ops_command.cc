// `assay ops`: the catalogue of operations.
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "spec/nearest_name.h"
#include "tools/cli/catalogue.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/op_aliases.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

struct OpsCommand {
  std::string name;
  bool markdown = false;
  OutputOptions output;

  int Run() const;
};

void PrintDetails(const OpInfo& op) {
  const auto line = [](absl::string_view name, absl::string_view value) {
    constexpr size_t kColumn = 14;
    absl::PrintF("  %-*s%s\n", static_cast<int>(kColumn - 2), name,
                 Wrapped(value, TextWidth() - kColumn, kColumn));
  };
  std::cout << op.name << "\n";
  if (const std::vector<std::string> aliases = AliasesOf(op.opcode); !aliases.empty()) {
    line("also called", absl::StrJoin(aliases, ", "));
  }
  line("operands", ArityText(op.arity));
  line("family", FamilyName(op.family));
  line("accuracy", AccuracyName(op.accuracy));
  line("types", absl::StrJoin(TypeNames(op), " "));
  line("shape", op.shape_inferable ? "may be left out in text" : "must be written in text");
  line("golden", IsInterpreted(op.opcode) ? "yes" : "not yet");
  if (op.attributes.empty()) return line("attributes", "none");
  std::cout << "  attributes\n";
  for (const AttributeUse& use : op.attributes) {
    constexpr size_t kColumn = 37;
    absl::PrintF("    %-32s %s\n", Info(use.attr).name,
                 Wrapped(AttributeText(use), TextWidth() - kColumn, kColumn));
  }
}

void PrintRow(absl::string_view name, absl::string_view operands, absl::string_view family,
              absl::string_view accuracy, absl::string_view backends) {
  absl::PrintF("%-28s %-9s %-14s %-13s %s\n", name, operands, family, accuracy, backends);
}

int OpsCommand::Run() const {
  std::vector<const OpInfo*> ops;
  if (name.empty()) {
    for (const OpInfo& op : Catalogue()) ops.push_back(&op);
  } else {
    const std::vector<Opcode> named = OperationsNamed(name);
    if (named.empty()) {
      return Fail(absl::InvalidArgumentError(absl::StrCat("there is no operation ", name,
                                                          DidYouMean(NearestOpcodeName(name)),
                                                          "; assay ops lists all ", kOpcodeCount)),
                  output);
    }
    for (const Opcode opcode : named) ops.push_back(&Info(opcode));
  }
  if (output.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const OpInfo* op : ops) list.push_back(OpJson(*op));
    std::cout << JsonText(list);
  } else if (markdown) {
    std::cout << CatalogueMarkdown();
  } else if (!name.empty()) {
    if (ops.front()->name != name) {
      std::cout << name << " is " << (ops.size() > 1 ? "one of " : "")
                << absl::StrJoin(
                       ops, ", ",
                       [](std::string* out, const OpInfo* op) { absl::StrAppend(out, op->name); })
                << " in HLO.\n\n";
    }
    for (const OpInfo* op : ops) PrintDetails(*op);
  } else {
    PrintRow("OPERATION", "OPERANDS", "FAMILY", "ACCURACY", "RUN BY");
    for (const OpInfo* op : ops) {
      PrintRow(op->name, ArityText(op->arity), FamilyName(op->family), AccuracyName(op->accuracy),
               IsInterpreted(op->opcode) ? "golden" : "-");
    }
  }
  return kExitOk;
}

}  // namespace

void AddOpsCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<OpsCommand>();
  CLI::App* sub = app.add_subcommand(
      "ops", "The catalogue of operations: operands, types, attributes, who supports them");
  sub->add_option(
      "NAME", command->name,
      "One operation in detail, by its name in HLO, StableHLO or JAX: reduce-window, exp, "
      "lax.dot_general");
  sub->add_flag("--markdown", command->markdown, "The table of docs/operations.md");
  command->output.AddJsonTo(sub);
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
