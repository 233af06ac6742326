#include "tools/cli/reductions.h"

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/reduce/artifacts.h"
#include "fuzz/reduce/reduction.h"
#include "tools/cli/terminal.h"

namespace assay::cli {

Reductions::Reductions(std::string folder, Backend* target,
                       const conformance::TargetProfile& profile, RunBudget budget,
                       std::string target_name, std::string profile_name)
    : folder_(std::move(folder)),
      target_(target),
      profile_(profile),
      budget_(std::move(budget)),
      target_name_(std::move(target_name)),
      profile_name_(std::move(profile_name)) {}

void Reductions::Reduce(const Module& module, absl::Span<const DeviceInputs> inputs,
                        const std::string& kind, const std::string& origin) {
  if (!wanted() || target_ == nullptr || !kinds_.insert(kind).second) return;
  fuzz::ReductionOptions options;
  options.target = target_;
  options.profile = &profile_;
  options.budget = budget_;
  options.limits = {400, 60};
  const absl::StatusOr<fuzz::Reduction> reduction = fuzz::ReduceFinding(module, inputs, options);
  absl::Status status = reduction.status();
  std::string folder;
  if (status.ok()) {
    folder = absl::StrCat(folder_, "/", fuzz::FolderName(reduction->last.signature));
    status = fuzz::WriteReduction(*reduction, target_name_, profile_name_, origin, folder);
  }
  if (!status.ok()) {
    std::cerr << "assay: " << Printable(origin)
              << " was not reduced: " << Printable(status.message()) << "\n";
    return;
  }
  std::cerr << "assay: " << Printable(origin) << ", " << module.instruction_count()
            << " instructions, is reduced to " << reduction->reduced.module->instruction_count()
            << " in " << folder << "\n";
}

void ReducingObserver::TakeInstruction(const conformance::InstructionVerdict& verdict,
                                       const conformance::Excerpt& excerpt) {
  if (next_ != nullptr) next_->TakeInstruction(verdict, excerpt);
}

void ReducingObserver::TakeWhole(const conformance::WholeVerdict& whole) {
  if (next_ != nullptr) next_->TakeWhole(whole);
}

void ReducingObserver::TakeEntry(const conformance::TriageInput& input,
                                 const conformance::TriageEntry& entry) {
  if (next_ != nullptr) next_->TakeEntry(input, entry);
  const bool fails = entry.triage_class == conformance::TriageClass::kWrong ||
                     entry.triage_class == conformance::TriageClass::kFailed;
  if (!fails) return;
  reductions_->Reduce(*input.module, WithoutFeeds(input.arguments),
                      absl::StrCat(conformance::TriageClassName(entry.triage_class), " ",
                                   entry.operation, " ", entry.kind),
                      input.name);
}

void AddReduceOption(CLI::App* app, std::string* folder) {
  app->add_option("--reduce", *folder,
                  "Reduces the first module of each kind of failure and gets a folder for it, as "
                  "`assay reduce` writes it")
      ->type_name("DIR");
}

}  // namespace assay::cli
