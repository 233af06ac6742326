// `assay profile`: which profiles there are, and what one of them permits. Tests:
// profile_cli_test.py.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/profiles/profile.h"
#include "nlohmann/json.hpp"
#include "spec/nearest_name.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/options.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

using ProfileJson = nlohmann::json;

// The types of the columns; complex ones have a column where an operation takes them.
constexpr ElementType kBudgetTypes[] = {ElementType::kF64,  ElementType::kF32, ElementType::kF16,
                                        ElementType::kBF16, ElementType::kC64, ElementType::kC128};

struct ProfileCommand {
  std::string name;
  std::string op;
  OutputOptions output;

  int List() const;
  int Show() const;
};

std::string BudgetText(const conformance::UlpBudget& budget) {
  if (budget.exact()) return "0";
  std::string text = absl::StrFormat("%.4g", budget.ulps);
  if (budget.absolute != 0) absl::StrAppendFormat(&text, "+%.2g", budget.absolute);
  return text;
}

bool TakesType(const OpInfo& op, ElementType type) {
  return IsComplex(type) ? op.types.is_complex : op.types.is_float;
}

// Elementwise operations whose results are not exact, or the one that is asked for.
std::vector<const OpInfo*> Budgeted(const conformance::TargetProfile& profile,
                                    const std::string& op) {
  std::vector<const OpInfo*> found;
  for (const OpInfo& info : Catalogue()) {
    if (!op.empty() && info.name != op) continue;
    bool any = !op.empty();
    for (const ElementType type : kBudgetTypes) {
      any = any || (info.accuracy == Accuracy::kFunction && TakesType(info, type) &&
                    !profile.FindBudget(info.opcode, type).exact());
    }
    if (any) found.push_back(&info);
  }
  return found;
}

ProfileJson BudgetsJson(const conformance::TargetProfile& profile,
                        const std::vector<const OpInfo*>& ops) {
  ProfileJson budgets = ProfileJson::object();
  for (const OpInfo* op : ops) {
    for (const ElementType type : kBudgetTypes) {
      if (!TakesType(*op, type)) continue;
      const conformance::UlpBudget budget = profile.FindBudget(op->opcode, type);
      ProfileJson& entry = budgets[std::string(op->name)][std::string(Name(type))];
      entry = {{"ulps", budget.ulps}};
      if (budget.absolute != 0) entry["absolute"] = budget.absolute;
    }
  }
  return budgets;
}

void PrintBudgets(const conformance::TargetProfile& profile,
                  const std::vector<const OpInfo*>& ops) {
  std::cout << "\nError budgets, in ulp of the exact result (0: the correctly rounded value only; "
               "-: the operation does not take the type)\n";
  std::cout << absl::StreamFormat("  %-24s", "operation");
  for (const ElementType type : kBudgetTypes) std::cout << absl::StreamFormat(" %8s", Name(type));
  std::cout << "\n";
  for (const OpInfo* op : ops) {
    std::cout << absl::StreamFormat("  %-24s", op->name);
    for (const ElementType type : kBudgetTypes) {
      std::cout << absl::StreamFormat(
          " %8s", TakesType(*op, type) ? BudgetText(profile.FindBudget(op->opcode, type)) : "-");
    }
    std::cout << "\n";
  }
}

void PrintItem(absl::string_view name, absl::string_view meaning) {
  constexpr size_t kColumn = 26;
  std::cout << absl::StreamFormat("  %-*s%s\n", static_cast<int>(kColumn - 2), name,
                                  Wrapped(meaning, TextWidth() - kColumn, kColumn));
}

void PrintPermissions(const conformance::TargetProfile& profile) {
  std::cout << "\nPermitted deviations\n";
  bool any = false;
  for (int i = 0; i < conformance::kFreedoms; ++i) {
    const auto freedom = static_cast<conformance::Freedom>(i);
    if (!profile.Grants(freedom)) continue;
    PrintItem(conformance::FreedomName(freedom), conformance::FreedomMeaning(freedom));
    any = true;
  }
  if (!any) std::cout << "  none\n";
  std::cout << "\nDecision points of the specification at which other values than golden's pass\n";
  any = false;
  for (int i = 0; i < conformance::kDecisionPoints; ++i) {
    const auto point = static_cast<conformance::DecisionPoint>(i);
    if (!profile.Admits(point)) continue;
    PrintItem(conformance::DecisionPointName(point), conformance::DecisionPointMeaning(point));
    any = true;
  }
  if (!any) std::cout << "  none\n";
  any = false;
  for (int i = 0; i < conformance::kDecisionPoints; ++i) {
    const auto point = static_cast<conformance::DecisionPoint>(i);
    const std::string* finding = profile.KnownDeviation(point);
    if (finding == nullptr) continue;
    if (!any) std::cout << "\nKnown deviations, which are reported and do not fail a run\n";
    any = true;
    PrintItem(conformance::DecisionPointName(point),
              absl::StrCat(conformance::DecisionPointMeaning(point), " (", *finding, ")"));
  }
}

int ProfileCommand::List() const {
  ProfileJson list = ProfileJson::array();
  for (const std::string& each : conformance::TargetProfile::BuiltIn()) {
    const absl::StatusOr<conformance::TargetProfile> profile =
        conformance::TargetProfile::Find(each);
    if (!profile.ok()) return Fail(profile.status(), output);
    if (output.json) {
      list.push_back({{"name", each}, {"description", profile->description()}});
    } else {
      PrintItem(each, profile->description());
    }
  }
  if (output.json) std::cout << JsonText(list);
  return kExitOk;
}

int ProfileCommand::Show() const {
  const absl::StatusOr<conformance::TargetProfile> profile = conformance::TargetProfile::Find(name);
  if (!profile.ok()) return Fail(profile.status(), output);
  if (!op.empty() && !OpcodeFromName(op).has_value()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat("there is no operation ", op,
                                                        DidYouMean(NearestOpcodeName(op)),
                                                        "; assay ops lists all ", kOpcodeCount)),
                output);
  }
  const std::vector<const OpInfo*> ops = Budgeted(*profile, op);
  if (output.json) {
    ProfileJson json = {{"name", profile->name()},
                        {"description", profile->description()},
                        {"budgets", BudgetsJson(*profile, ops)},
                        {"permitted_deviations", ProfileJson::array()},
                        {"decision_points", ProfileJson::array()},
                        {"known_deviations", ProfileJson::object()}};
    for (int i = 0; i < conformance::kFreedoms; ++i) {
      const auto freedom = static_cast<conformance::Freedom>(i);
      if (profile->Grants(freedom))
        json["permitted_deviations"].push_back(conformance::FreedomName(freedom));
    }
    for (int i = 0; i < conformance::kDecisionPoints; ++i) {
      const auto point = static_cast<conformance::DecisionPoint>(i);
      if (profile->Admits(point))
        json["decision_points"].push_back(conformance::DecisionPointName(point));
      if (const std::string* finding = profile->KnownDeviation(point)) {
        json["known_deviations"][std::string(conformance::DecisionPointName(point))] = *finding;
      }
    }
    std::cout << JsonText(json);
    return kExitOk;
  }
  std::cout << profile->name()
            << (profile->description().empty() ? "" : absl::StrCat(": ", profile->description()))
            << "\n";
  PrintBudgets(*profile, ops);
  if (op.empty()) PrintPermissions(*profile);
  return kExitOk;
}

}  // namespace

void AddProfileCommand(CLI::App& app, int* exit_code) {
  CLI::App* sub = app.add_subcommand("profile", "The profiles: what a target may do under each");
  sub->require_subcommand(1);
  sub->footer(
      "A profile says how far the functions of a target may be off and which deviations from the "
      "golden results are permitted (docs/profiles.md).\n"
      "Examples:\n"
      "  assay profile list\n"
      "  assay profile show xla-cpu\n"
      "  assay profile show ./mine.textproto --op tanh");
  const auto add = [&](const char* name, const char* description,
                       int (ProfileCommand::*run)() const) {
    auto command = std::make_shared<ProfileCommand>();
    CLI::App* own = sub->add_subcommand(name, description);
    own->callback([command, run, exit_code] { *exit_code = (command.get()->*run)(); });
    command->output.AddJsonTo(own);
    return std::pair(own, command);
  };
  add("list", "The names of the built-in profiles and whom each is for", &ProfileCommand::List);
  const auto show =
      add("show", "Error budgets, permitted deviations and decision points", &ProfileCommand::Show);
  show.first->add_option("PROFILE", show.second->name, "A built-in profile or a file")->required();
  show.first->add_option("--op", show.second->op, "Only the error budgets of this operation")
      ->type_name("NAME");
}

}  // namespace assay::cli
