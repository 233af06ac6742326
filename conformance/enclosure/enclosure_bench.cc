// What an enclosure costs beside the golden evaluation of the same program.
#include <fstream>
#include <sstream>

#include "benchmark/benchmark.h"
#include "conformance/enclosure/enclosure.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

std::unique_ptr<Module> Load(const std::string& name) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR "/conformance/samples/") + name + ".hlo");
  std::stringstream text;
  text << file.rdbuf();
  auto module = ParseModule(text.str());
  if (!module.ok()) std::abort();
  return *std::move(module);
}

// Small positive numbers, which suit every sample below.
std::vector<Literal> Arguments(const Module& module) {
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    Literal argument = Literal::Zeros(parameter->shape());
    for (int64_t i = 0; i < argument.element_count(); ++i) {
      const ElementType type = argument.element_type();
      if (IsFloat(type)) {
        argument.Set(i, Element{EncodeFloat(type, 0.01 * static_cast<double>(i % 37 + 1))});
      }
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

const char* const kSamples[] = {"mlp_train_step", "transformer_block", "convnet_forward",
                                "black_scholes", "matmul_chain"};

void BM_Golden(benchmark::State& state) {
  const auto module = Load(kSamples[state.range(0)]);
  const std::vector<Literal> arguments = Arguments(*module);
  for (auto _ : state) {
    auto value = Interpret(*module, arguments);
    if (!value.ok()) return state.SkipWithError(value.status().ToString().c_str());
  }
  state.SetLabel(kSamples[state.range(0)]);
}
BENCHMARK(BM_Golden)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

void BM_Enclosure(benchmark::State& state) {
  const auto module = Load(kSamples[state.range(0)]);
  const std::vector<Literal> arguments = Arguments(*module);
  const auto profile = TargetProfile::Find("xla-cpu");
  for (auto _ : state) {
    auto box = Enclose(*module, arguments, *profile, RunBudget{});
    if (!box.ok()) return state.SkipWithError(box.status().ToString().c_str());
  }
  state.SetLabel(kSamples[state.range(0)]);
}
BENCHMARK(BM_Enclosure)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
