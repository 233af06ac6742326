// `assay verify`: everything that is wrong with modules, by clause.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "spec/ops/checks.h"
#include "spec/verify/verifier.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/module_files.h"
#include "tools/cli/options.h"
#include "tools/cli/program_options.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

struct VerifyCommand {
  std::vector<std::string> arguments;
  ProgramOptions program;
  std::string rules = "xla";
  int64_t max_findings = 1000;
  OutputOptions output;

  int Run() const;

 private:
  Verification VerifyFile(const std::string& path) const;
};

// What a reader says becomes a finding like any other: position and clause are taken out of the
// message, "FILE:3:14: add is written without shape, and none follows: [binary_c3] ...".
Finding FindingOf(const absl::Status& status, const std::string& path) {
  absl::string_view text = status.message();
  text = text.substr(0, text.find('\n'));
  Finding finding;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, path) && absl::ConsumePrefix(&rest, ":")) {
    const std::vector<absl::string_view> parts = absl::StrSplit(rest, absl::MaxSplits(':', 2));
    TextPosition position;
    if (parts.size() == 3 && absl::SimpleAtoi(parts[0], &position.line) &&
        absl::SimpleAtoi(parts[1], &position.column)) {
      finding.position = position;
      rest = parts[2];
    }
    text = absl::StripLeadingAsciiWhitespace(rest);
  }
  finding.clause = "read_c1";
  finding.message = std::string(text);
  const size_t bracket = text.find('[');
  if (bracket != absl::string_view::npos) {
    const ViolationParts parts = PartsOfViolation(absl::InvalidArgumentError(text.substr(bracket)));
    // HLO's clauses are like "pad_c3", StableHLO's constraints like "pad (C3)".
    if (absl::StrContains(parts.clause, "_c") || absl::EndsWith(parts.clause, ")")) {
      finding.clause = parts.clause;
      finding.expected = parts.expected;
      finding.found = parts.found;
      finding.message = absl::StrReplaceAll(text, {{absl::StrCat("[", parts.clause, "] "), ""}});
    }
  }
  if (finding.expected.empty()) finding.expected = finding.message;
  return finding;
}

Verification VerifyCommand::VerifyFile(const std::string& path) const {
  const absl::StatusOr<stablehlo::ToModuleOptions> reading = program.Parse();
  absl::StatusOr<ModuleFile> file =
      reading.ok() ? OpenModuleFile(path, *reading) : absl::StatusOr<ModuleFile>(reading.status());
  if (!file.ok()) {
    Verification unread;
    unread.findings.push_back(FindingOf(file.status(), path));
    return unread;
  }
  VerifyOptions options;
  options.rules = rules == "strict" ? Rules::kStrict : Rules::kXla;
  options.max_findings = max_findings;
  return VerifyModule(*file->module, options);
}

void PrintText(const std::string& path, const Verification& verification) {
  for (const Finding& finding : verification.findings) {
    std::string line = path;
    if (finding.position.line > 0) {
      absl::StrAppend(&line, ":", finding.position.line, ":", finding.position.column);
    }
    absl::StrAppend(&line, ": [", finding.clause, "] ", ForPeople(finding.message));
    std::cout << line << "\n";
  }
  if (verification.left_out > 0) {
    std::cout << path << ": " << verification.left_out << " more findings\n";
  }
}

nlohmann::json ToJson(const std::string& path, const Verification& verification) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : verification.findings) {
    list.push_back({{"clause", finding.clause},
                    {"rules", finding.strict_only ? "strict" : "xla"},
                    {"line", finding.position.line},
                    {"column", finding.position.column},
                    {"computation", finding.computation},
                    {"instruction", finding.instruction},
                    {"message", ForPeople(finding.message)},
                    {"expected", ForPeople(finding.expected)},
                    {"found", ForPeople(finding.found)}});
  }
  return {{"file", path},
          {"ok", verification.ok()},
          {"findings", std::move(list)},
          {"left_out", verification.left_out}};
}

int VerifyCommand::Run() const {
  absl::StatusOr<std::vector<std::string>> files = ModuleFiles(arguments);
  if (!files.ok()) return Fail(files.status(), output);
  if (files->empty()) return Fail(NoModules(arguments), output);
  int64_t failed = 0, findings = 0;
  nlohmann::json reports = nlohmann::json::array();
  for (const std::string& path : *files) {
    const Verification verification = VerifyFile(path);
    failed += !verification.ok();
    findings += static_cast<int64_t>(verification.findings.size()) + verification.left_out;
    if (output.json) {
      reports.push_back(ToJson(path, verification));
    } else {
      PrintText(path, verification);
    }
  }
  const int64_t count = static_cast<int64_t>(files->size());
  if (output.json) {
    const nlohmann::json report = {{"modules", count},
                                   {"failed", failed},
                                   {"findings", findings},
                                   {"files", std::move(reports)}};
    std::cout << JsonText(report);
  } else if (!output.quiet) {
    std::cout << count << (count == 1 ? " module, " : " modules, ") << failed << " failed, "
              << findings << (findings == 1 ? " finding\n" : " findings\n");
  }
  return failed > 0 ? kExitBadInput : kExitOk;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App* sub = app.add_subcommand("verify", "Find everything that is wrong with modules");
  AddModuleFilesTo(sub, "FILE", &command->arguments);
  sub->add_option("--rules", command->rules,
                  "xla: what XLA's own verifier demands; strict: also what only the documents do")
      ->check(CLI::IsMember({"xla", "strict"}))
      ->capture_default_str();
  sub->add_option("--max-findings", command->max_findings, "Of one module; the rest are counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->program.AddTo(sub);
  command->output.AddTo(sub);
  sub->footer(
      "Each finding has its place, the instruction, the clause (docs/clauses.md), what it demands\n"
      "and what was found. Exit code 2 when a module fails.\n"
      "Examples:\n"
      "  assay verify module.hlo\n"
      "  assay verify dumps/ --rules strict --json");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
