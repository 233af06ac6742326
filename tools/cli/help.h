// Help texts and errors of the command line itself. Tests: show_cli_test.py, bad_input_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_HELP_H_
#define ASSAY_TOOLS_CLI_HELP_H_

#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/string_view.h"
#include "tools/cli/terminal.h"

namespace assay::cli {

// Returns a formatter that wraps descriptions at the width of the terminal. Indented lines of a
// footer are examples and are not wrapped.
std::shared_ptr<CLI::FormatterBase> HelpFormatter();

// Prints the requested help, or the error of the command line (also as JSON with --json). Returns
// the exit code.
int FinishParse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

// Validators for options, whose messages tell what is expected.
CLI::Validator WholeNumber();    // from 0 up
CLI::Validator PositiveCount();  // from 1 up, at most 2^31 - 1
CLI::Validator BudgetCount();    // from 0 up, or -1
CLI::Validator BudgetSeconds();  // finite, from 0 up, or -1; more than a year is a year

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_HELP_H_
