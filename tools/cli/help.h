// Help texts and complaints about the command line itself. Tests: show_cli_test.py,
// bad_input_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_HELP_H_
#define ASSAY_TOOLS_CLI_HELP_H_

#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/string_view.h"
#include "tools/cli/terminal.h"

namespace assay {

// Wraps descriptions at the width of the terminal. Lines of a footer that begin with a blank are
// examples and stay as they are.
std::shared_ptr<CLI::FormatterBase> HelpFormatter();

// Prints the help that was asked for, or what is wrong with the command line (as JSON too with
// --json). The exit code.
int FinishParse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

// Validators for options, with a message that says what is wanted.
CLI::Validator WholeNumber();    // from 0 up
CLI::Validator PositiveCount();  // from 1 up, at most 2^31 - 1
CLI::Validator BudgetCount();    // from 0 up, or -1
CLI::Validator BudgetSeconds();  // finite, from 0 up, or -1; more than a year is a year

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_HELP_H_
