#include "fuzz/differential/ways.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/golden/golden_backend.h"
#include "spec/proto/conversions.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::fuzz {
namespace {

// Sees every instruction and does nothing: being observed changes how a plan is made.
class IdleObserver : public Observer {};

absl::StatusOr<std::unique_ptr<Module>> ThroughText(const Module& module) {
  return ParseModule(PrintModule(module, PrintOptions::Lossless()));
}

absl::StatusOr<std::unique_ptr<Module>> ThroughProto(const Module& module) {
  absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
  if (!proto.ok()) return proto.status();
  return ModuleFromProto(*std::move(proto));
}

absl::StatusOr<std::vector<DeviceOutputs>> RunGoldenBy(const Module& module,
                                                       absl::Span<const DeviceInputs> inputs,
                                                       const GoldenOptions& options,
                                                       bool observed = false) {
  GoldenBackend backend(options);
  CompileOptions compile;
  compile.observed = observed;
  const absl::StatusOr<std::unique_ptr<Executable>> executable = backend.Compile(module, compile);
  if (!executable.ok()) return executable.status();
  return RunOnDevices(backend, **executable, inputs);
}

std::string LeafDifference(const Literal& a, const Literal& b) {
  if (!Shape::Compatible(a.shape(), b.shape())) {
    return absl::StrCat(a.shape().ToString(), " and ", b.shape().ToString());
  }
  if (!a.is_array()) return "";
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const Element x = a.Get(i), y = b.Get(i);
    if (x.bits == y.bits && x.imag == y.imag) continue;
    return absl::StrCat("element ", i, ": ", PrintElement(a.element_type(), x), " (0x",
                        absl::Hex(x.bits), ") and ", PrintElement(a.element_type(), y), " (0x",
                        absl::Hex(y.bits), ")");
  }
  return Literal::BitEqual(a, b) ? "" : "current sizes of dimensions";
}

std::string ValueDifference(const Literal& a, const Literal& b) {
  const std::vector<Literal> left = Flatten(a), right = Flatten(b);
  if (left.size() != right.size()) return "numbers of arrays";
  for (size_t k = 0; k < left.size(); ++k) {
    const std::string difference = LeafDifference(left[k], right[k]);
    if (!difference.empty()) return absl::StrCat("array ", k, ", ", difference);
  }
  return "";
}

}  // namespace

absl::string_view WayName(Way way) {
  switch (way) {
    case Way::kDefinitions:
      return "definitions";
    case Way::kTwoThreads:
      return "2 threads";
    case Way::kSevenThreads:
      return "7 threads";
    case Way::kObserved:
      return "observed";
    case Way::kText:
      return "from text";
    case Way::kProto:
      return "from protobuf";
  }
  return "";
}

absl::StatusOr<std::vector<DeviceOutputs>> RunByKernels(const Module& module,
                                                        absl::Span<const DeviceInputs> inputs,
                                                        const RunBudget& budget) {
  GoldenOptions options;
  options.run.budget = budget;
  options.run.budget.threads = 1;
  return RunGoldenBy(module, inputs, options);
}

absl::StatusOr<std::vector<DeviceOutputs>> RunBy(Way way, const Module& module,
                                                 absl::Span<const DeviceInputs> inputs,
                                                 const RunBudget& budget) {
  GoldenOptions options;
  options.run.budget = budget;
  options.run.budget.threads = way == Way::kTwoThreads ? 2 : way == Way::kSevenThreads ? 7 : 1;
  if (way == Way::kDefinitions) options.plan.straight = true;
  if (way == Way::kText || way == Way::kProto) {
    const absl::StatusOr<std::unique_ptr<Module>> other =
        way == Way::kText ? ThroughText(module) : ThroughProto(module);
    if (!other.ok()) return other.status();
    return RunGoldenBy(**other, inputs, options);
  }
  IdleObserver observer;
  if (way == Way::kObserved) options.run.observers = {&observer};
  return RunGoldenBy(module, inputs, options, way == Way::kObserved);
}

bool SameOutputs(absl::Span<const DeviceOutputs> a, absl::Span<const DeviceOutputs> b) {
  if (a.size() != b.size()) return false;
  for (size_t device = 0; device < a.size(); ++device) {
    if (!Literal::BitEqual(a[device].result, b[device].result)) return false;
    if (a[device].outfeed.size() != b[device].outfeed.size()) return false;
    for (size_t k = 0; k < a[device].outfeed.size(); ++k) {
      if (!Literal::BitEqual(a[device].outfeed[k], b[device].outfeed[k])) return false;
    }
  }
  return true;
}

std::string FirstDifference(absl::Span<const DeviceOutputs> a, absl::Span<const DeviceOutputs> b) {
  if (a.size() != b.size()) return "numbers of devices";
  for (size_t device = 0; device < a.size(); ++device) {
    std::string difference = ValueDifference(a[device].result, b[device].result);
    if (!difference.empty()) return absl::StrCat("result of device ", device, ", ", difference);
    if (a[device].outfeed.size() != b[device].outfeed.size()) return "numbers of outfeeds";
    for (size_t k = 0; k < a[device].outfeed.size(); ++k) {
      difference = ValueDifference(a[device].outfeed[k], b[device].outfeed[k]);
      if (!difference.empty()) {
        return absl::StrCat("outfeed ", k, " of device ", device, ", ", difference);
      }
    }
  }
  return "";
}

std::optional<WayDifference> FindWayThatDiffers(const Module& module,
                                                absl::Span<const DeviceInputs> inputs,
                                                absl::Span<const DeviceOutputs> golden,
                                                absl::Span<const Way> ways,
                                                const RunBudget& budget) {
  for (const Way way : ways) {
    const absl::StatusOr<std::vector<DeviceOutputs>> outputs = RunBy(way, module, inputs, budget);
    // Definitions take longer than kernels: a budget that is spent says nothing of values.
    if (absl::IsResourceExhausted(outputs.status())) continue;
    if (!outputs.ok()) {
      return WayDifference{way, absl::StrCat("fails: ", outputs.status().message())};
    }
    if (!SameOutputs(golden, *outputs))
      return WayDifference{way, FirstDifference(golden, *outputs)};
  }
  return std::nullopt;
}

}  // namespace assay::fuzz
