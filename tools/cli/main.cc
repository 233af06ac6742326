// The `assay` command line.
#include <cstring>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/terminal.h"

namespace {

// Modules, ids, the text of cases and JSON are data for programs; the rest is text for people.
bool PrintsData(int argc, char** argv) {
  const auto is = [&](int place, const char* word) {
    return place < argc && std::strcmp(argv[place], word) == 0;
  };
  if (is(1, "show") || is(1, "serve")) return true;
  if (is(1, "corpus") && (is(2, "show") || is(2, "list"))) return true;
  for (int i = 2; i < argc; ++i) {
    if (is(i, "--json") || is(i, "--list") || is(i, "--markdown")) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  assay::cli::ReserveStandardStreams();
  std::optional<assay::cli::WrappedOutput> wrapped;
  if (!PrintsData(argc, argv)) wrapped.emplace();
  CLI::App app(
      "assay: a reference interpreter and conformance suite for XLA's operations. It evaluates HLO "
      "modules exactly (every result is the exact one, rounded once) and measures how far other "
      "implementations are from that.");
  app.name("assay");
  app.formatter(assay::cli::HelpFormatter());
  app.set_version_flag("--version", std::string("assay ") + ASSAY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\n"
      "Exit codes: 0 fine, 1 mismatch, 2 bad input, 3 refused by a budget, 4 not supported, 5 the "
      "other implementation failed. assay COMMAND --help tells more about a command. Pages that "
      "help texts cite, as docs/profiles.md, are in the source tree and in share/assay of an "
      "installation.");
  // `assay help run` is `assay run --help`.
  std::vector<char*> words(argv, argv + argc);
  std::string help = "--help";
  if (argc > 1 && std::strcmp(argv[1], "help") == 0) {
    words.erase(words.begin() + 1);
    words.push_back(help.data());
  }
  int exit_code = assay::cli::kExitOk;
  assay::cli::AddRunCommand(app, &exit_code);
  assay::cli::AddDiffCommand(app, &exit_code);
  assay::cli::AddShowCommand(app, &exit_code);
  assay::cli::AddExplainCommand(app, &exit_code);
  assay::cli::AddVerifyCommand(app, &exit_code);
  assay::cli::AddOpsCommand(app, &exit_code);
  assay::cli::AddTriageCommand(app, &exit_code);
  assay::cli::AddCorpusCommand(app, &exit_code);
  assay::cli::AddJudgeCommand(app, &exit_code);
  assay::cli::AddReportCommand(app, &exit_code);
  assay::cli::AddTestCommand(app, &exit_code);
  assay::cli::AddMutantsCommand(app, &exit_code);
  assay::cli::AddServeCommand(app, &exit_code);
  assay::cli::AddProfileCommand(app, &exit_code);
  assay::cli::AddFuzzCommand(app, &exit_code);
  assay::cli::AddReduceCommand(app, &exit_code);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    exit_code = assay::cli::FinishParse(app, error, argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "assay: there is not enough memory for this input\n";
    exit_code = assay::cli::kExitBudget;
  } catch (const std::length_error& error) {
    // Abseil and the standard library throw it where a size is beyond what they can hold.
    std::cerr << "assay: " << error.what() << "\n";
    exit_code = assay::cli::kExitBudget;
  }
  wrapped.reset();
  return assay::cli::FinishOutput(exit_code);
}
