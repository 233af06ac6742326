// The time of an enclosure, compared with the golden evaluation of the same program.
#include <fstream>
#include <sstream>

#include "benchmark/benchmark.h"
#include "conformance/enclosure/enclosure.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

// Programs of conformance/samples.
const char* const kSamples[] = {"mlp_train_step", "transformer_block", "convnet_forward",
                                "black_scholes",  "matmul_chain",      "scan_rnn",
                                "mlp_train_loop", "f64_ode_rk4",       "transformer_block_bf16"};

// And what programs are made of, large.
struct Part {
  const char* name;
  const char* text;
};
const Part kParts[] = {
    {"chain of 6 elementwise operations",
     "ENTRY e { a = f32[65536] parameter(0)\n b = exponential(a)\n c = multiply(b, a)\n"
     " d = add(c, b)\n e = tanh(d)\n f = divide(e, b)\n ROOT g = maximum(f, a) }"},
    {"dot",
     "ENTRY e { a = f32[128,128] parameter(0)\n x = tanh(a)\n"
     " ROOT d = dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }"},
    {"reduce",
     "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = add(a, b) }\n"
     "ENTRY e { a = f32[256,256] parameter(0)\n x = tanh(a)\n z = f32[] constant(0)\n"
     " ROOT r = reduce(x, z), dimensions={1}, to_apply=add }"},
    {"loop of 100 turns",
     "cond { s = (s32[], f32[1024]) parameter(0)\n i = get-tuple-element(s), index=0\n"
     " n = s32[] constant(100)\n ROOT c = compare(i, n), direction=LT }\n"
     "body { s = (s32[], f32[1024]) parameter(0)\n i = get-tuple-element(s), index=0\n"
     " x = get-tuple-element(s), index=1\n one = s32[] constant(1)\n j = add(i, one)\n"
     " y = tanh(x)\n z = multiply(y, x)\n ROOT t = tuple(j, z) }\n"
     "ENTRY e { a = f32[1024] parameter(0)\n i = s32[] constant(0)\n t = tuple(i, a)\n"
     " ROOT w = while(t), condition=cond, body=body }"}};

std::string Read(const std::string& sample) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR "/conformance/samples/") + sample + ".hlo");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Small positive numbers, which suit every program above.
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

// On one thread, so that both do the same work with the same means.
RunBudget OneThread() {
  RunBudget budget;
  budget.threads = 1;
  return budget;
}

void RunGolden(benchmark::State& state, const std::string& text) {
  const auto module = ParseModule(text);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  const std::vector<Literal> arguments = Arguments(**module);
  RunOptions options;
  options.budget = OneThread();
  for (auto _ : state) {
    auto value = Interpret(**module, arguments, options);
    if (!value.ok()) return state.SkipWithError(value.status().ToString().c_str());
  }
}

void RunEnclosure(benchmark::State& state, const std::string& text) {
  const auto module = ParseModule(text);
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  const std::vector<Literal> arguments = Arguments(**module);
  const auto profile = TargetProfile::Find("xla-cpu");
  for (auto _ : state) {
    auto box = Enclose(**module, arguments, *profile, OneThread());
    if (!box.ok()) return state.SkipWithError(box.status().ToString().c_str());
  }
}

void Register(const std::string& name, const std::string& text) {
  benchmark::RegisterBenchmark((name + "/golden").c_str(), RunGolden, text)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((name + "/enclosure").c_str(), RunEnclosure, text)
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const char* sample : kSamples) Register(sample, Read(sample));
  for (const Part& part : kParts) {
    Register(part.name, std::string("HloModule m\n") + part.text + "\n");
  }
  return true;
}();

}  // namespace
}  // namespace assay::conformance
