// The `assay` command line.
#include <exception>
#include <iostream>
#include <string>

#include "CLI/CLI.hpp"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"

int main(int argc, char** argv) {
  CLI::App app(
      "assay: a reference interpreter and conformance suite for XLA's operations.\n"
      "It evaluates HLO modules exactly (every result is the exact one, rounded once) and "
      "measures\n"
      "how far other implementations are from that.");
  app.name("assay");
  app.set_version_flag("--version", std::string("assay ") + ASSAY_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 mismatch, 2 bad input, 3 refused by a budget, 4 not supported,\n"
      "            5 the other implementation failed.\n"
      "assay COMMAND --help tells more about a command.");
  int exit_code = assay::kExitOk;
  assay::AddRunCommand(app, &exit_code);
  assay::AddDiffCommand(app, &exit_code);
  assay::AddShowCommand(app, &exit_code);
  assay::AddExplainCommand(app, &exit_code);
  assay::AddVerifyCommand(app, &exit_code);
  assay::AddOpsCommand(app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? assay::kExitOk : assay::kExitBadInput;
  } catch (const std::exception& error) {
    // Abseil and the standard library throw where memory runs out.
    std::cerr << "assay: " << error.what() << "\n";
    return assay::kExitBudget;
  }
  return exit_code;
}
