// What a case costs that is sent to a process: a module of one instruction on four elements,
// compiled, executed and released, in one request and step by step; the C++ example and a Python
// target that computes nothing.
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/process/process_backend.h"
#include "benchmark/benchmark.h"
#include "spec/text/parser.h"

namespace assay::process {
namespace {

constexpr char kAdd[] =
    "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) ROOT s = f32[4] add(x, y) }";

enum class Way { kOneRequest, kSteps };

void Overhead(benchmark::State& state, const std::string& command, Way way) {
  ProcessOptions options;
  options.command = command;
  ProcessBackend backend(options);
  const auto module = *ParseModule(kAdd);
  const Literal four = *ParseTypedLiteral("f32[4]{0} {1, 2, 3, 4}");
  const std::vector<DeviceInputs> inputs = {{{four, four}}};
  for (auto _ : state) {
    const auto run = way == Way::kOneRequest ? backend.Run(*module, inputs, 1)
                                             : backend.Backend::RunSets(*module, {{inputs}, {0}});
    if (!run.ok()) {
      state.SkipWithError(run.status().ToString().c_str());
      break;
    }
  }
}

const std::string& Python() {
  static const auto& command = *new std::string(absl::StrCat(
      "python3 ", ASSAY_SOURCE_DIR, "/backends/process/testdata/misbehaving_target.py nothing"));
  return command;
}

BENCHMARK_CAPTURE(Overhead, example_one_request, ASSAY_EXAMPLE_TARGET, Way::kOneRequest)
    ->UseRealTime();
BENCHMARK_CAPTURE(Overhead, example_steps, ASSAY_EXAMPLE_TARGET, Way::kSteps)->UseRealTime();
BENCHMARK_CAPTURE(Overhead, python_one_request, Python(), Way::kOneRequest)->UseRealTime();
BENCHMARK_CAPTURE(Overhead, python_steps, Python(), Way::kSteps)->UseRealTime();

}  // namespace
}  // namespace assay::process
