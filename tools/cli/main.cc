// The `assay` command line.
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>

#include "CLI/CLI.hpp"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/terminal.h"

int main(int argc, char** argv) {
  assay::ReserveStandardStreams();
  CLI::App app(
      "assay: a reference interpreter and conformance suite for XLA's operations. It evaluates HLO "
      "modules exactly (every result is the exact one, rounded once) and measures how far other "
      "implementations are from that.");
  app.name("assay");
  app.formatter(assay::HelpFormatter());
  app.set_version_flag("--version", std::string("assay ") + ASSAY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\n"
      "Exit codes: 0 fine, 1 mismatch, 2 bad input, 3 refused by a budget, 4 not supported, 5 the "
      "other implementation failed. assay COMMAND --help tells more about a command. Pages that "
      "help texts cite, as docs/profiles.md, are in the source tree and in share/assay of an "
      "installation.");
  int exit_code = assay::kExitOk;
  assay::AddRunCommand(app, &exit_code);
  assay::AddDiffCommand(app, &exit_code);
  assay::AddShowCommand(app, &exit_code);
  assay::AddExplainCommand(app, &exit_code);
  assay::AddVerifyCommand(app, &exit_code);
  assay::AddOpsCommand(app, &exit_code);
  assay::AddTriageCommand(app, &exit_code);
  assay::AddCorpusCommand(app, &exit_code);
  assay::AddJudgeCommand(app, &exit_code);
  assay::AddReportCommand(app, &exit_code);
  assay::AddTestCommand(app, &exit_code);
  assay::AddMutantsCommand(app, &exit_code);
  assay::AddServeCommand(app, &exit_code);
  assay::AddProfileCommand(app, &exit_code);
  assay::AddFuzzCommand(app, &exit_code);
  assay::AddReduceCommand(app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = assay::FinishParse(app, error, argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "assay: there is not enough memory for this input\n";
    exit_code = assay::kExitBudget;
  } catch (const std::length_error& error) {
    // Abseil and the standard library throw it where a size is beyond what they can hold.
    std::cerr << "assay: " << error.what() << "\n";
    exit_code = assay::kExitBudget;
  }
  return assay::FinishOutput(exit_code);
}
