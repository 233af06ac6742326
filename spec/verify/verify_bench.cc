// Speed of the verifier on modules already in memory, and of reading plus verifying a text.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "spec/text/parser.h"
#include "spec/verify/verifier.h"

namespace assay {
namespace {

// A chain of what real modules are made of: elementwise, broadcast, dot, reduce, slice.
std::string Text(int64_t instructions) {
  std::string text = R"(HloModule bench
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  z = f32[] constant(0)
  x0 = f32[64,64]{1,0} parameter(0)
)";
  int64_t at = 0;
  for (int64_t i = 3; i + 6 < instructions; i += 6) {
    const std::string x = absl::StrCat("x", at++);
    absl::StrAppend(&text, "  a", at, " = f32[64,64]{1,0} add(", x, ", ", x, ")\n");
    absl::StrAppend(&text, "  d", at, " = f32[64,64]{1,0} dot(a", at, ", ", x,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
    absl::StrAppend(&text, "  r", at, " = f32[64]{0} reduce(d", at,
                    ", z), dimensions={1}, to_apply=add\n");
    absl::StrAppend(&text, "  b", at, " = f32[64,64]{1,0} broadcast(r", at, "), dimensions={0}\n");
    absl::StrAppend(&text, "  t", at, " = f32[64,64]{1,0} tanh(b", at, ")\n");
    absl::StrAppend(&text, "  x", at, " = f32[64,64]{1,0} multiply(t", at, ", d", at, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[64,64]{1,0} negate(x", at, ")\n}\n");
  return text;
}

void BM_Verify(benchmark::State& state) {
  const std::unique_ptr<Module> module = *ParseModule(Text(state.range(0)));
  for (auto _ : state) {
    const Verification result = VerifyModule(*module);
    if (!result.ok()) state.SkipWithError(result.findings[0].message.c_str());
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations() * module->instruction_count());
}
BENCHMARK(BM_Verify)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void BM_ReadAndVerify(benchmark::State& state) {
  const std::string text = Text(state.range(0));
  int64_t count = 0;
  for (auto _ : state) {
    const std::unique_ptr<Module> module = *ParseModule(text);
    if (!VerifyModule(*module).ok()) state.SkipWithError("refused");
    count = module->instruction_count();
  }
  state.SetItemsProcessed(state.iterations() * count);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_ReadAndVerify)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
