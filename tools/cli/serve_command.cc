// `assay serve`: the golden interpreter, or a mutant of it, as a process for another Assay
// (docs/process_backend.md). Test: process_cli_test.py.
#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backends/process/server.h"
#include "conformance/corpus/corpus_case.h"
#include "spec/verify/verifier.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"

namespace assay::cli {
namespace {

struct ServeCommand {
  std::string target = "golden";
  int64_t protocol = process::kProcessProtocol;
  BudgetOptions budget;
  OutputOptions output;

  int Run() const;
};

constexpr char kStarted[] = "`assay serve` (as in: assay test --target \"process:assay serve\")";

int ServeCommand::Run() const {
  const absl::StatusOr<int> requests = process::DescriptorOf("ASSAY_REQUEST_FD", kStarted);
  if (!requests.ok()) return Fail(requests.status(), output);
  const absl::StatusOr<int> responses = process::DescriptorOf("ASSAY_RESPONSE_FD", kStarted);
  if (!responses.ok()) return Fail(responses.status(), output);
  BackendOptions backend_options;
  backend_options.budget = budget.budget;
  const absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(target, backend_options);
  if (!backend.ok()) return Fail(backend.status(), output);
  process::ServerOptions options;
  options.name = target;
  options.version = ASSAY_VERSION;
  options.protocol = protocol;
  options.devices =
      std::min<int64_t>(conformance::kMostProcessesOfCase, (*backend)->capabilities().devices);
  options.check = [](const Module& module) {
    return VerificationStatus(VerifyModule(module, {.rules = Rules::kStrict}));
  };
  const absl::Status status = process::Serve(**backend, options, *requests, *responses);
  return status.ok() ? kExitOk : Fail(status, output);
}

}  // namespace

void AddServeCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<ServeCommand>();
  CLI::App* sub = app.add_subcommand(
      "serve", "Answer the requests of another Assay, as a target of process:assay serve");
  sub->add_option("--target", command->target, "golden, or a mutant of it (assay mutants)")
      ->type_name("TARGET")
      ->capture_default_str();
  sub->add_option("--protocol", command->protocol,
                  "The highest version of the protocol to speak, for tests of the older ones")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, process::kProcessProtocol))
      ->capture_default_str();
  command->output.AddJsonTo(sub);
  command->budget.AddTo(sub, "a request that spends one is refused as exhausted");
  sub->footer(
      "Example:\n"
      "  assay test --target \"process:assay serve\"\n"
      "docs/process_backend.md describes the protocol.");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
