// `assay corpus`: the cases of the conformance corpus, to look at, to check, to take elsewhere.
// Test: corpus_cli_test.py.
#include <chrono>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/corpus/case_json.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/offline/case_folder.h"
#include "nlohmann/json.hpp"
#include "spec/arrays/arrays.h"
#include "spec/text/printer.h"
#include "tools/cli/case_selection.h"
#include "tools/cli/commands.h"
#include "tools/cli/depth_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

struct CorpusCommand {
  CaseSelection selection;
  BudgetOptions budget;
  DepthOptions depth;
  OutputOptions output;
  std::string folder;
  std::string format = "npz";
  bool golden = false;
  PlanOptions plan;

  int List() const;
  int Show() const;
  int Export() const;
  int Check() const;
};

int CorpusCommand::List() const {
  const absl::StatusOr<std::vector<conformance::CorpusCase>> cases = selection.Load();
  if (!cases.ok()) return Fail(cases.status(), output);
  nlohmann::json list = nlohmann::json::array();
  for (const conformance::CorpusCase& each : *cases) {
    if (output.json) {
      list.push_back(conformance::CaseJson(each));
    } else {
      std::cout << each.id << "\n";
    }
  }
  if (output.json) std::cout << JsonText(list, 1);
  return kExitOk;
}

// The case with the golden values written out. One that is to be refused stays as it is.
absl::Status WriteOutGolden(const RunBudget& budget, conformance::CorpusCase* each) {
  if (each->expect == conformance::CorpusCase::Expect::kRefused) return absl::OkStatus();
  const absl::StatusOr<conformance::ReadyCase> ready = conformance::MakeReady(*each, budget.bytes);
  if (!ready.ok()) return ready.status();
  const absl::StatusOr<std::vector<DeviceOutputs>> outputs = conformance::RunGolden(*ready, budget);
  if (!outputs.ok()) return outputs.status();
  each->expect = conformance::CorpusCase::Expect::kValues;
  each->expected.clear();
  each->outfeed.clear();
  const auto devices = static_cast<int64_t>(outputs->size());
  const auto append = [](int64_t device, const Literal& value,
                         std::vector<conformance::CaseArray>* arrays) {
    int64_t number = 0;
    for (NamedLiteral& leaf : NameLeaves(value, "out")) {
      conformance::CaseArray array;
      array.number = number++;
      array.device = device;
      array.shape = leaf.value.shape();
      array.literal = std::move(leaf.value);
      arrays->push_back(std::move(array));
    }
  };
  for (int64_t d = 0; d < devices; ++d) {
    const DeviceOutputs& own = (*outputs)[d];
    append(devices > 1 ? d : -1, own.result, &each->expected);
    append(devices > 1 ? d : -1, Literal::Tuple(own.outfeed), &each->outfeed);
  }
  return absl::OkStatus();
}

// The arrays of a case, those that are written out with their values.
nlohmann::json CaseArraysJson(const std::vector<conformance::CaseArray>& arrays) {
  nlohmann::json list = nlohmann::json::array();
  for (const conformance::CaseArray& each : arrays) {
    nlohmann::json entry = {{"number", each.number}, {"shape", each.shape.ToString()}};
    if (each.device >= 0) entry["device"] = each.device;
    if (each.literal) entry["value"] = PrintLiteral(*each.literal);
    list.push_back(std::move(entry));
  }
  return list;
}

int CorpusCommand::Show() const {
  absl::StatusOr<std::vector<conformance::CorpusCase>> cases = selection.Load();
  if (!cases.ok()) return Fail(cases.status(), output);
  nlohmann::json list = nlohmann::json::array();
  for (size_t i = 0; i < cases->size(); ++i) {
    conformance::CorpusCase& each = (*cases)[i];
    if (golden) {
      const absl::Status status = WriteOutGolden(budget.budget, &each);
      if (!status.ok()) return Fail(status, output);
    }
    if (output.json) {
      nlohmann::json entry = conformance::CaseJson(each);
      entry["module"] = each.module;
      entry["arguments"] = CaseArraysJson(each.inputs);
      entry["expected"] = CaseArraysJson(each.expected);
      entry["text"] = conformance::FormatCase(each);
      list.push_back(std::move(entry));
      continue;
    }
    std::cout << (i > 0 ? "\n" : "") << conformance::FormatCase(each);
  }
  if (output.json) std::cout << JsonText(list);
  return kExitOk;
}

int CorpusCommand::Export() const {
  const absl::StatusOr<std::vector<conformance::CorpusCase>> cases = selection.Load();
  if (!cases.ok()) return Fail(cases.status(), output);
  const conformance::ExportFormat as = format == "raw" ? conformance::ExportFormat::kRaw
                                       : format == "stablehlo"
                                           ? conformance::ExportFormat::kStablehlo
                                           : conformance::ExportFormat::kNpz;
  int64_t inexpressible = 0;
  for (const conformance::CorpusCase& each : *cases) {
    const absl::Status status =
        conformance::ExportCase(each, folder, budget.budget, depth.depth, as, &inexpressible);
    if (!status.ok()) return Fail(status, output);
  }
  if (output.json) {
    std::cout << JsonText(nlohmann::json{{"cases", cases->size()},
                                         {"folder", folder},
                                         {"format", format},
                                         {"not_expressible", inexpressible}});
  } else if (!output.quiet) {
    std::cout << cases->size() << " cases in " << folder << "\n";
    if (inexpressible > 0) {
      std::cout << inexpressible << " modules are not expressible as " << format
                << ": their unsupported.txt says why, and `assay judge` counts them so\n";
    }
  }
  return kExitOk;
}

int CorpusCommand::Check() const {
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<std::vector<conformance::CorpusCase>> cases = selection.Load();
  if (!cases.ok()) return Fail(cases.status(), output);
  nlohmann::json failures = nlohmann::json::array();
  int64_t unconfirmed = 0;
  for (const conformance::CorpusCase& each : *cases) {
    unconfirmed += each.confirmed.empty();
    const absl::Status status = conformance::CheckCase(each, budget.budget, plan);
    if (status.ok()) continue;
    const std::string message = ForPeople(status.message());
    failures.push_back({{"id", each.id}, {"message", message}});
    if (!output.json) std::cout << message << "\n";
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (output.json) {
    const nlohmann::json report = {{"cases", cases->size()},
                                   {"failed", failures.size()},
                                   {"unconfirmed", unconfirmed},
                                   {"seconds", seconds.count()},
                                   {"failures", failures}};
    std::cout << JsonText(report);
  } else if (!output.quiet) {
    std::cout << absl::StreamFormat("%d cases, %d failed, %d without a second reference, %.1f s\n",
                                    cases->size(), failures.size(), unconfirmed, seconds.count());
  }
  return failures.empty() ? kExitOk : kExitMismatch;
}

}  // namespace

void AddCorpusCommand(CLI::App& app, int* exit_code) {
  CLI::App* sub = app.add_subcommand("corpus", "The cases of the conformance corpus");
  sub->require_subcommand(1);
  sub->footer(
      "docs/corpus_format.md says what a case is.\n"
      "Examples:\n"
      "  assay corpus list --filter 'add/bf16/*'\n"
      "  assay corpus show divide/s32/examples\n"
      "  assay corpus list --tier quick --max-multiply-adds 100\n"
      "  assay corpus list --sweep exponential\n"
      "  assay corpus export out --filter 'pad/*'\n"
      "  assay corpus export out --tier quick --format raw\n"
      "  assay corpus check --cases mine.cases");
  const auto add = [&](const char* name, const char* description, bool filtered,
                       int (CorpusCommand::*run)() const) {
    auto command = std::make_shared<CorpusCommand>();
    CLI::App* own = sub->add_subcommand(name, description);
    command->selection.AddTo(own, filtered);
    own->callback([command, run, exit_code] { *exit_code = (command.get()->*run)(); });
    return std::pair(own, command);
  };
  const auto list = add("list", "The ids of cases", true, &CorpusCommand::List);
  list.second->output.AddJsonTo(list.first);
  const auto show = add("show", "The text of cases", false, &CorpusCommand::Show);
  show.first->add_option("ID", show.second->selection.filter.globs, "Ids, or globs")->required();
  show.first->add_flag("--golden", show.second->golden,
                       "With the values of the golden interpreter written out");
  show.second->output.AddJsonTo(show.first);
  const auto exported =
      add("export", "Writes cases as plain files, to be run elsewhere and judged by `assay judge`",
          true, &CorpusCommand::Export);
  exported.first
      ->add_option("DIR", exported.second->folder, "Writes a folder for each case into this folder")
      ->required();
  exported.first
      ->add_option("--format", exported.second->format,
                   "npz: HLO text and .npz; raw: .bin arrays and a question.json with operation, "
                   "attributes and shapes; stablehlo: module.mlir beside the .npz files")
      ->check(CLI::IsMember({"npz", "raw", "stablehlo"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  exported.second->depth.AddTo(exported.first);
  exported.second->output.AddTo(exported.first);
  exported.second->budget.AddTo(exported.first);
  const auto check =
      add("check", "Reads and verifies cases, runs them, and holds the expected values", true,
          &CorpusCommand::Check);
  check.first->add_flag("--straight", check.second->plan.straight,
                        "Evaluate by the definitions alone, without kernels (slow, same bits)");
  check.second->output.AddTo(check.first);
  check.second->budget.AddTo(check.first);
}

}  // namespace assay::cli
