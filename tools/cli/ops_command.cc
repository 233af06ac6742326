// `assay ops`: the catalogue of operations, and the page of each. Tests: show_cli_test.py.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>
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
#include "tools/cli/op_page.h"
#include "tools/cli/op_texts.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

struct OpsCommand {
  std::string name;
  std::string docs_folder;
  bool markdown = false;
  OutputOptions output;

  int Run() const;
  int WriteDocs() const;
  int PrintPages(const std::vector<const OpInfo*>& ops) const;
  void PrintParts(const NamedOperations& named) const;
};

// On a page of the documents, and on a terminal.
constexpr size_t kMostExamplesOfPage = 8, kMostExamplesShown = 4;

// docs/ops: a page for each operation, and the list of pages.
int OpsCommand::WriteDocs() const {
  std::error_code error;
  std::filesystem::create_directories(docs_folder, error);
  std::string list =
      "# Operations, one page each\n\n"
      "What `assay ops X` prints. `assay ops --write-docs docs/ops` writes these pages.\n\n";
  const auto write = [&](absl::string_view name, absl::string_view text) {
    const std::filesystem::path path =
        std::filesystem::path(docs_folder) / absl::StrCat(name, ".md");
    std::ofstream file(path);
    file << text << std::flush;
    return file ? absl::OkStatus()
                : absl::InvalidArgumentError(absl::StrCat(path.string(), " cannot be written"));
  };
  for (const OpInfo& op : Catalogue()) {
    const absl::StatusOr<OpPage> page = MakeOpPage(op, kMostExamplesOfPage);
    if (!page.ok()) return Fail(page.status(), output);
    if (absl::Status status = write(op.name, PageMarkdown(*page)); !status.ok()) {
      return Fail(status, output);
    }
    absl::StrAppend(&list, "- [", op.name, "](", op.name, ".md)\n");
  }
  if (absl::Status status = write("README", list); !status.ok()) return Fail(status, output);
  if (output.json) {
    std::cout << JsonText(nlohmann::json{{"pages", kOpcodeCount}, {"folder", docs_folder}});
  } else {
    std::cout << kOpcodeCount << " pages in " << docs_folder << "\n";
  }
  return kExitOk;
}

int OpsCommand::PrintPages(const std::vector<const OpInfo*>& ops) const {
  if (ops.front()->name != name) {
    std::cout << name << " is " << (ops.size() > 1 ? "one of " : "")
              << absl::StrJoin(
                     ops, ", ",
                     [](std::string* out, const OpInfo* op) { absl::StrAppend(out, op->name); })
              << " in HLO.\n\n";
  }
  for (const OpInfo* op : ops) {
    const absl::StatusOr<OpPage> page = MakeOpPage(*op, kMostExamplesShown);
    if (!page.ok()) return Fail(page.status(), output);
    std::cout << (op == ops.front() ? "" : "\n") << PageText(*page, TextWidth());
  }
  return kExitOk;
}

// What a function of another library is made of: no operation has its meaning.
void OpsCommand::PrintParts(const NamedOperations& named) const {
  std::cout << name << " is not an operation of HLO. It is made of "
            << (named.opcodes.size() == 1 ? "this one" : "these")
            << (named.has_others ? " and others" : "") << ":\n\n";
  for (const Opcode opcode : named.opcodes) {
    std::cout << "  " << Info(opcode).name << ": " << TextOf(opcode).meaning << "\n";
  }
  std::cout << "\nassay ops " << Info(named.opcodes.front()).name
            << " has the page of the first. How your version of JAX or PyTorch composes it is in "
               "the StableHLO that it gives (docs/stablehlo.md).\n";
}

void PrintRow(absl::string_view name, absl::string_view operands, absl::string_view family,
              absl::string_view accuracy, absl::string_view backends) {
  std::cout << absl::StreamFormat("%-28s %-9s %-14s %-13s %s\n", name, operands, family, accuracy,
                                  backends);
}

int OpsCommand::Run() const {
  if (!docs_folder.empty()) return WriteDocs();
  std::vector<const OpInfo*> ops;
  NamedOperations named;
  if (name.empty()) {
    for (const OpInfo& op : Catalogue()) ops.push_back(&op);
  } else {
    named = OperationsNamed(name);
    if (named.opcodes.empty()) {
      return Fail(absl::InvalidArgumentError(absl::StrCat("there is no operation ", name,
                                                          DidYouMean(NearestOperationName(name)),
                                                          "; assay ops lists all ", kOpcodeCount)),
                  output);
    }
    for (const Opcode opcode : named.opcodes) ops.push_back(&Info(opcode));
  }
  if (output.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const OpInfo* op : ops) {
      list.push_back(OpJson(*op));
      if (name.empty()) continue;
      const absl::StatusOr<OpPage> page = MakeOpPage(*op, kMostExamplesOfPage);
      if (!page.ok()) return Fail(page.status(), output);
      list.back().update(PageJson(*page));
    }
    std::cout << JsonText(list);
  } else if (markdown) {
    std::cout << CatalogueMarkdown();
  } else if (named.is_composed) {
    PrintParts(named);
  } else if (!name.empty()) {
    return PrintPages(ops);
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
  sub->add_option("--write-docs", command->docs_folder,
                  "Writes the pages of docs/ops into this folder")
      ->type_name("DIR");
  command->output.AddJsonTo(sub);
  sub->footer(
      "NAME prints meaning, operands, attributes, edge cases, decision points, accuracy by profile "
      "and examples; docs/semantics/rules has the rules.\n"
      "Examples:\n"
      "  assay ops reduce-window\n"
      "  assay ops lax.dot_general\n"
      "  assay ops exp --json");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
