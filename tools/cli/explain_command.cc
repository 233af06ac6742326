// `assay explain`: one element of a result, and the elements that it was computed from.
#include <iostream>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "interpreter/explain.h"
#include "nlohmann/json.hpp"
#include "spec/ir/source_text.h"
#include "spec/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/custom_call_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/options.h"
#include "tools/cli/program_options.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

struct ExplainCommand {
  ProgramOptions program;
  std::string module;
  std::string element;
  ExplainOptions options;
  InputOptions inputs;
  CustomCallOptions custom_calls;
  BudgetOptions budget;
  OutputOptions output;

  int Run() const;
};

// "0:[3,5]", "0:3,5", or "1" for the scalar output 1.
absl::StatusOr<ElementQuery> ParseElement(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  absl::string_view list = parts.second;
  if (absl::ConsumePrefix(&list, "[") && !absl::ConsumeSuffix(&list, "]")) list = "?";
  ElementQuery query;
  bool good = absl::SimpleAtoi(parts.first, &query.output);
  if (!list.empty()) {
    for (absl::string_view number : absl::StrSplit(list, ',')) {
      int64_t index = 0;
      good = good && absl::SimpleAtoi(number, &index);
      query.index.push_back(index);
    }
  }
  if (good) return query;
  return absl::InvalidArgumentError(absl::StrCat(
      "--element ", text, ": OUTPUT:[INDEX,...] is wanted, as 0:[3,5]; 0 for a scalar"));
}

std::string ElementName(const ElementTrace& trace) {
  std::string name = trace.instruction->name();
  if (trace.instruction->shape().is_tuple()) absl::StrAppend(&name, "{", trace.leaf, "}");
  return absl::StrCat(name, "[", absl::StrJoin(trace.index, ","), "]");
}

// The source of the instruction as the file has it: what is evaluated may be a copy of it.
std::string SourceOf(const ElementTrace& trace, const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() == trace.instruction->name()) return SourceText(*instruction);
    }
  }
  return "";
}

// Not recursive on more levels than --depth allows.
void AppendText(const ElementTrace& trace, const Module& module, int indent, std::string* text) {
  const std::string blanks(2 * indent, ' ');
  absl::StrAppend(text, blanks, ElementName(trace), " = ", PrintElement(trace.type, trace.value),
                  "  ", Name(trace.type), " ", Name(trace.instruction->opcode()));
  if (!trace.context.empty()) absl::StrAppend(text, ", in ", absl::StrJoin(trace.context, ", "));
  if (!trace.through.empty()) {
    constexpr size_t kShown = 6;
    std::vector<std::string> names = trace.through;
    if (names.size() > kShown) {
      names.resize(kShown);
      names.push_back(absl::StrCat(trace.through.size() - kShown, " more"));
    }
    absl::StrAppend(text, ", through ", absl::StrJoin(names, ", "));
  }
  if (const std::string source = SourceOf(trace, module); !source.empty()) {
    absl::StrAppend(text, "  (", source, ")");
  }
  absl::StrAppend(text, "\n");
  for (const ElementTrace& read : trace.reads) AppendText(read, module, indent + 1, text);
  if (trace.reads_left_out > 0) {
    absl::StrAppend(text, blanks, "  ... ", trace.reads_left_out, " more\n");
  }
}

nlohmann::json Json(const ElementTrace& trace, const Module& module) {
  nlohmann::json reads = nlohmann::json::array();
  for (const ElementTrace& read : trace.reads) reads.push_back(Json(read, module));
  nlohmann::json json = {{"instruction", trace.instruction->name()},
                         {"opcode", std::string(Name(trace.instruction->opcode()))},
                         {"index", std::vector<int64_t>(trace.index.begin(), trace.index.end())},
                         {"type", std::string(Name(trace.type))},
                         {"value", PrintElement(trace.type, trace.value)},
                         {"reads", std::move(reads)},
                         {"reads_left_out", trace.reads_left_out}};
  if (const std::string source = SourceOf(trace, module); !source.empty()) {
    json["source"] = source;
  }
  if (trace.instruction->shape().is_tuple()) json["leaf"] = trace.leaf;
  if (!trace.context.empty()) json["context"] = trace.context;
  if (!trace.through.empty()) json["through"] = trace.through;
  return json;
}

int ExplainCommand::Run() const {
  absl::StatusOr<ElementQuery> query = ParseElement(element);
  if (!query.ok()) return Fail(query.status(), output);
  absl::StatusOr<ModuleFile> file = program.Load(module, inputs.inputs);
  if (!file.ok()) return Fail(file.status(), output);
  absl::StatusOr<std::vector<Literal>> arguments = inputs.Load(*file, budget.budget.bytes);
  if (!arguments.ok()) return Fail(arguments.status(), output);
  ExplainOptions explain = options;
  explain.budget = budget.budget;
  const absl::StatusOr<std::unique_ptr<CustomCallRegistry>> registry =
      custom_calls.Load(*file->module, budget.budget.bytes);
  if (!registry.ok()) return Fail(registry.status(), output);
  explain.custom_calls = registry->get();
  ExplainStats stats;
  absl::StatusOr<ElementTrace> trace =
      ExplainElement(*file->module, *arguments, *query, explain, &stats);
  if (!trace.ok()) return Fail(trace.status(), output);
  if (output.json) {
    const nlohmann::json report = {{"module", file->module->name()},
                                   {"output", query->output},
                                   {"element", Json(*trace, *file->module)},
                                   {"elements_computed", stats.elements}};
    std::cout << JsonText(report);
  } else if (!output.quiet) {
    std::string text;
    AppendText(*trace, *file->module, 0, &text);
    std::cout << text << stats.elements << " elements were computed\n";
  }
  return kExitOk;
}

}  // namespace

void AddExplainCommand(CLI::App& app, int* exit_code) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App* sub = app.add_subcommand(
      "explain", "Compute one element of a result, and show the elements that it comes from");
  sub->add_option("MODULE", command->module, "As for assay run")->required();
  sub->add_option("--element", command->element,
                  "OUTPUT:[INDEX,...]: the output's number (over all arrays of the result) and the "
                  "element's index")
      ->required();
  sub->add_option("--depth", command->options.depth, "Levels of the tree that are shown")
      ->check(CLI::Range(0, 500))
      ->capture_default_str();
  sub->add_option("--width", command->options.width,
                  "Elements shown of those that one element was computed from")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  sub->add_option("--nodes", command->options.nodes, "Elements shown in all")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->inputs.AddTo(sub);
  command->program.AddTo(sub);
  command->custom_calls.AddTo(sub);
  command->budget.AddTo(sub);
  command->output.AddTo(sub);
  sub->footer(
      "Only what the element needs is computed, each element once; custom calls are made on whole\n"
      "operands.\n"
      "Examples:\n"
      "  assay explain step.hlo --inputs step.inputs.npz --element 0:[3,5]\n"
      "  assay explain step.hlo --inputs random --element 2 --depth 10 --width 3 --json");
  sub->callback([command, exit_code] { *exit_code = command->Run(); });
}

}  // namespace assay::cli
