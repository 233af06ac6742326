#include "conformance/report/bundle.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/offline/case_folder.h"
#include "conformance/profiles/profile.h"
#include "conformance/report/case_graph.h"
#include "conformance/report/describe.h"
#include "conformance/report/graph_page.h"
#include "spec/files/file_io.h"

namespace assay::conformance {
namespace {

constexpr char kProfileFile[] = "./profile.textproto";

// What follows `assay`, in the folder.
std::vector<std::string> Arguments(const RunResult& run) {
  std::vector<std::string> arguments = {"test", "--cases", "case.txt"};
  for (std::string& option : TargetOptions(run)) {
    const bool file = option == run.profile && TargetProfile::IsFile(option);
    arguments.push_back(file ? kProfileFile : std::move(option));
  }
  return arguments;
}

// Text that CMake takes as it is.
std::string Bracketed(absl::string_view text) {
  std::string marks = "=";
  while (absl::StrContains(text, absl::StrCat("]", marks, "]"))) marks += "=";
  return absl::StrCat("[", marks, "[", text, "]", marks, "]");
}

std::string CmakeText(const CorpusCase& corpus_case, const RunResult& run) {
  std::string text = absl::StrCat(
      "# Alone (cmake -S . -B build && ctest --test-dir build) or by add_subdirectory.\n"
      "cmake_minimum_required(VERSION 3.18)\n"
      "project(assay_bundle NONE)\n"
      "enable_testing()\n"
      "find_program(ASSAY assay REQUIRED)\n"
      "add_test(NAME ",
      Bracketed(corpus_case.id), "\n  COMMAND ${ASSAY}");
  for (const std::string& argument : Arguments(run)) {
    absl::StrAppend(&text, "\n  ", Bracketed(argument));
  }
  return absl::StrCat(text, "\n  WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})\n");
}

// The smallest module that shows the failure of a program.
std::string FirstDivergenceText(const CaseResult& result) {
  const ProbeResult* first = result.FirstDivergence();
  if (first == nullptr) return "";
  return absl::StrCat("\nThe first that goes wrong is ",
                      ProbeFolder(".", first - result.probes.data()), " (", first->name,
                      "): a module of its own with golden operands.\n");
}

std::string ReadmeText(const CorpusCase& corpus_case, const CaseResult& result,
                       const RunResult& run) {
  std::vector<std::string> command = {"assay"};
  for (const std::string& argument : Arguments(run)) command.push_back(ShellQuoted(argument));
  return absl::StrCat(
      corpus_case.id, ": ", OutcomeName(result.outcome), "\n\n", Describe(result),
      FirstDivergenceText(result), "\nIn this folder:\n\n  ", absl::StrJoin(command, " "),
      "\n\nThe target's command must be found from here. Without Assay: module.hlo with inputs.npz "
      "should give\nexpected.npz. case.txt is the case, result.json all that is known of this "
      "failure, CMakeLists.txt a\ntest that fails until it is mended. Of a program, graph.html "
      "shows "
      "the verdicts of its instructions.\n");
}

}  // namespace

absl::Status WriteBundle(const std::string& root, const CorpusCase& corpus_case,
                         const CaseResult& result, const RunResult& run, const RunBudget& budget) {
  const std::string folder = absl::StrCat(root, "/", corpus_case.id);
  const TraceDepth depth{std::max<int64_t>(run.iterations, 1), run.subgraphs};
  const absl::Status of_case = ExportCase(corpus_case, root, budget, depth);
  const auto write = [&folder](absl::string_view name, absl::string_view text) {
    return WriteFileAtomically(absl::StrCat(folder, "/", name), text);
  };
  absl::Status status = write("result.json", FormatLine(result) + "\n");
  status.Update(write("CMakeLists.txt", CmakeText(corpus_case, run)));
  status.Update(write("README.txt", ReadmeText(corpus_case, result, run)));
  if (const std::optional<nlohmann::json> graph = CaseGraph(corpus_case.module, result)) {
    status.Update(write("graph.html", GraphPage(*graph)));
  }
  if (TargetProfile::IsFile(run.profile)) {
    // Whole: what it extends is not in the folder.
    const absl::StatusOr<TargetProfile> profile = TargetProfile::Find(run.profile);
    status.Update(profile.ok() ? write(kProfileFile, profile->Text()) : profile.status());
  }
  status.Update(of_case);
  return status;
}

absl::Status WriteBundles(const std::string& root, absl::Span<const CorpusCase> cases,
                          const RunResult& run, const RunBudget& budget) {
  absl::Status status;
  for (const CaseResult& result : run.cases) {
    if (!IsFailure(result.outcome) || result.waived()) continue;
    const auto found = std::lower_bound(
        cases.begin(), cases.end(), result.id,
        [](const CorpusCase& each, const std::string& id) { return each.id < id; });
    if (found == cases.end() || found->id != result.id) continue;
    status.Update(WriteBundle(root, *found, result, run, budget));
  }
  return status;
}

}  // namespace assay::conformance
