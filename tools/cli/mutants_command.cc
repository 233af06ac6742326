// `assay mutants`: the planted defects and innocent variants that are targets
// (conformance/mutants).
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/corpus/corpus.h"
#include "conformance/mutants/mutant.h"
#include "nlohmann/json.hpp"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

struct MutantsCommand {
  std::string filter = "*";
  bool markdown = false;
  OutputOptions output;

  int Run() const;
};

nlohmann::json MutantJson(const Mutant& mutant) {
  nlohmann::json operations = nlohmann::json::array();
  for (Opcode opcode : mutant.opcodes) operations.push_back(std::string(Name(opcode)));
  nlohmann::json json = {
      {"target", mutant.target()}, {"operations", operations}, {"description", mutant.description}};
  if (mutant.innocent()) json["profile"] = mutant.profile;
  return json;
}

// The tables of docs/mutants.md.
void PrintMarkdown() {
  std::cout << "| defect | what is wrong |\n|---|---|\n";
  for (const Mutant& mutant : Mutants()) {
    if (!mutant.innocent()) {
      std::cout << "| `" << mutant.target() << "` | " << mutant.description << " |\n";
    }
  }
  std::cout << "\n| innocent variant | what it does | legal under |\n|---|---|---|\n";
  for (const Mutant& mutant : Mutants()) {
    if (mutant.innocent()) {
      std::cout << "| `" << mutant.target() << "` | " << mutant.description << " | " << mutant.profile
                << " |\n";
    }
  }
}

int MutantsCommand::Run() const {
  if (markdown) {
    PrintMarkdown();
    return kExitOk;
  }
  nlohmann::json list = nlohmann::json::array();
  for (const Mutant& mutant : Mutants()) {
    if (!GlobMatches(filter, mutant.name)) continue;
    if (output.json) {
      list.push_back(MutantJson(mutant));
      continue;
    }
    absl::PrintF("%-58s %s%s\n", mutant.target(), mutant.description,
                 mutant.innocent() ? absl::StrCat(" (legal under ", mutant.profile, ")") : "");
  }
  if (output.json) std::cout << list.dump(2) << "\n";
  return kExitOk;
}

}  // namespace

void AddMutantsCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<MutantsCommand>();
  CLI::App* sub = app.add_subcommand(
      "mutants",
      "The targets mutant:NAME, golden with a planted defect, and innocent:NAME, golden in a form "
      "that is legal under a profile: what the suite itself is examined by");
  sub->add_option("--filter", command->filter, "Those whose name matches, e.g. 'pad/*'")
      ->type_name("GLOB");
  sub->add_flag("--markdown", command->markdown, "The tables of docs/mutants.md");
  command->output.AddJsonTo(sub);
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay
