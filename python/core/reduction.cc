// The smallest program on which a target is wrong, by the reducer of the fuzzer.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "conformance/profiles/profile.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/reduce/reducer.h"
#include "python/core/binding.h"

namespace assay::python {
namespace {

struct Reduction {
  fuzz::ReducedModule program;
  fuzz::Examination shown;  // of the reduced program
};

// (module, arguments, golden results, results of the target, what is wrong, how often the target
// was asked), or None where the target is not wrong on the program.
nb::object Reduce(const LoadedModule& loaded, const ArraysByDevice& arrays,
                  const nb::object& target_name, const std::string& profile_name,
                  const runtime::RunBudget& budget, int64_t questions, double seconds) {
  const conformance::TargetProfile profile = Value(conformance::TargetProfile::Find(profile_name));
  Interruption interruption;
  BackendOptions backend;
  backend.budget = budget;
  const std::unique_ptr<Backend> target = MakeTarget(target_name, backend, interruption);
  fuzz::ExaminerOptions options;
  options.budget = budget;
  options.ways = options.relations = options.repeat = false;
  fuzz::Examiner examiner(target.get(), profile, options);
  const Module& module = *loaded.module;
  std::optional<Reduction> found =
      Value(Unlocked(interruption, [&]() -> absl::StatusOr<std::optional<Reduction>> {
        const absl::StatusOr<int64_t> devices = DevicesOf(module);
        if (!devices.ok()) return devices.status();
        const auto arguments = ArgumentsOf(module, arrays, *devices);
        if (!arguments.ok()) return arguments.status();
        const std::vector<DeviceInputs> whole = WithoutFeeds(*arguments);
        const auto is_wrong = [](const fuzz::Examination& each) {
          return each.outcome == fuzz::Outcome::kFinding &&
                 each.signature.kind == fuzz::FindingKind::kWrong;
        };
        const fuzz::Examination first = examiner.AskTarget(module, whole);
        if (!is_wrong(first)) return std::nullopt;
        const auto keeps = [&](const Module& smaller, absl::Span<const DeviceInputs> inputs) {
          const fuzz::Examination now = examiner.AskTarget(smaller, inputs);
          return is_wrong(now) && now.signature.error == first.signature.error;
        };
        Reduction reduction;
        reduction.program = fuzz::ReduceModule(module, whole, keeps, {questions, seconds});
        reduction.shown = examiner.AskTarget(*reduction.program.module, reduction.program.inputs);
        if (!is_wrong(reduction.shown)) return std::nullopt;
        return reduction;
      }));
  if (!found) return nb::none();
  std::vector<Literal> arguments;
  for (DeviceInputs& device : found->program.inputs) {
    arguments.push_back(Literal::Tuple(std::move(device.arguments)));
  }
  found->program.inputs.clear();
  std::vector<Literal> golden = ResultsOf(found->shown.golden);
  std::vector<Literal> actual = ResultsOf(found->shown.actual);
  found->shown.golden.clear();
  found->shown.actual.clear();
  return nb::make_tuple(LoadedModule{std::move(found->program.module)},
                        LeavesOf(std::move(arguments)), LeavesOf(std::move(golden)),
                        LeavesOf(std::move(actual)), found->shown.detail, found->program.questions);
}

}  // namespace

void BindReduction(nb::module_& m) { m.def("reduce", &Reduce); }

}  // namespace assay::python
