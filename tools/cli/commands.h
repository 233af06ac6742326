// The subcommands of `assay`. Each adds itself to the command line; its callback stores the exit
// code (exit_code.h). Tests: show_cli_test.py and the other tests of this folder.
#ifndef ASSAY_TOOLS_CLI_COMMANDS_H_
#define ASSAY_TOOLS_CLI_COMMANDS_H_

#include "CLI/CLI.hpp"

namespace assay::cli {

void AddRunCommand(CLI::App& app, int* exit_code);
void AddDiffCommand(CLI::App& app, int* exit_code);
void AddShowCommand(CLI::App& app, int* exit_code);
void AddExplainCommand(CLI::App& app, int* exit_code);
void AddVerifyCommand(CLI::App& app, int* exit_code);
void AddOpsCommand(CLI::App& app, int* exit_code);
void AddTriageCommand(CLI::App& app, int* exit_code);
void AddCorpusCommand(CLI::App& app, int* exit_code);
void AddJudgeCommand(CLI::App& app, int* exit_code);
void AddReportCommand(CLI::App& app, int* exit_code);
void AddTestCommand(CLI::App& app, int* exit_code);
void AddMutantsCommand(CLI::App& app, int* exit_code);
void AddServeCommand(CLI::App& app, int* exit_code);
void AddProfileCommand(CLI::App& app, int* exit_code);
void AddFuzzCommand(CLI::App& app, int* exit_code);
void AddReduceCommand(CLI::App& app, int* exit_code);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_COMMANDS_H_
