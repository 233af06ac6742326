// What an execution through the plug-in costs beyond the interpreter behind it: BM_Plugin less
// BM_Interpreter. Additions of more than 20,000 elements run on the plug-in's thread, whose
// processor time counts.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/abi.h"
#include "backends/pjrt/abi/types.h"
#include "backends/pjrt/plugin/engines.h"
#include "benchmark/benchmark.h"
#include "spec/text/parser.h"

extern "C" const assay::pjrt::PJRT_Api* GetPjrtApi();

namespace assay::pjrt {
namespace {

const PJRT_Api& Api() { return *GetPjrtApi(); }

std::string Text(int64_t elements) {
  return absl::StrCat("HloModule m\nENTRY e {\n x = f32[", elements, "] parameter(0)\n",
                      " ROOT s = f32[", elements, "] add(x, x)\n}\n");
}

template <typename Args>
Args Of(auto set) {
  Args args = {};
  args.struct_size = kStructSize<Args>;
  set(args);
  return args;
}

void AwaitAndDestroy(PJRT_Event* event) {
  auto await = Of<PJRT_Event_Await_Args>([&](auto& args) { args.event = event; });
  Api().Event_Await(&await);
  auto destroy = Of<PJRT_Event_Destroy_Args>([&](auto& args) { args.event = event; });
  Api().Event_Destroy(&destroy);
}

void BM_Interpreter(benchmark::State& state) {
  const auto module = ParseModule(Text(state.range(0)));
  const auto backend = MakeEngine("golden", {});
  const auto executable = (*backend)->Compile(**module);
  const Literal x = Literal::Zeros(Shape(ElementType::kF32, {state.range(0)}));
  for (auto _ : state) {
    std::vector<ExecuteInputs> inputs(1);
    const auto buffer = (*backend)->Upload(x, 0);
    inputs[0].arguments.emplace_back(buffer->get());
    const auto results = (*executable)->Execute(inputs);
    benchmark::DoNotOptimize((*backend)->Download(*results->devices[0].results[0]));
  }
}
BENCHMARK(BM_Interpreter)->Arg(4)->Arg(1024)->Arg(1 << 16)->MeasureProcessCPUTime();

// A run as a host makes it: an argument that is there, one execution, its event awaited.
void BM_Plugin(benchmark::State& state) {
  auto create = Of<PJRT_Client_Create_Args>([](auto& /*args*/) {});
  Api().Client_Create(&create);
  auto devices = Of<PJRT_Client_Devices_Args>([&](auto& args) { args.client = create.client; });
  Api().Client_Devices(&devices);
  std::string text = Text(state.range(0));
  PJRT_Program program = {};
  program.struct_size = kStructSize<PJRT_Program>;
  program.code = text.data();
  program.code_size = text.size();
  program.format = "hlo";
  program.format_size = 3;
  auto compile = Of<PJRT_Client_Compile_Args>([&](auto& args) {
    args.client = create.client;
    args.program = &program;
  });
  Api().Client_Compile(&compile);
  const std::vector<float> zeros(static_cast<size_t>(state.range(0)));
  const int64_t dims[] = {state.range(0)};
  auto from = Of<PJRT_Client_BufferFromHostBuffer_Args>([&](auto& args) {
    args.client = create.client;
    args.data = zeros.data();
    args.type = BufferTypeOf(ElementType::kF32);
    args.dims = dims;
    args.num_dims = 1;
    args.device = devices.devices[0];
  });
  Api().Client_BufferFromHostBuffer(&from);
  AwaitAndDestroy(from.done_with_host_buffer);
  for (auto _ : state) {
    PJRT_Buffer* result = nullptr;
    PJRT_Event* event = nullptr;
    PJRT_Buffer* const* arguments = &from.buffer;
    PJRT_Buffer** results = &result;
    auto execute = Of<PJRT_LoadedExecutable_Execute_Args>([&](auto& args) {
      args.executable = compile.executable;
      args.argument_lists = &arguments;
      args.num_devices = args.num_args = 1;
      args.output_lists = &results;
      args.device_complete_events = &event;
    });
    Api().LoadedExecutable_Execute(&execute);
    AwaitAndDestroy(event);
    auto destroy = Of<PJRT_Buffer_Destroy_Args>([&](auto& args) { args.buffer = result; });
    Api().Buffer_Destroy(&destroy);
  }
  auto buffer = Of<PJRT_Buffer_Destroy_Args>([&](auto& args) { args.buffer = from.buffer; });
  Api().Buffer_Destroy(&buffer);
  auto loaded = Of<PJRT_LoadedExecutable_Destroy_Args>(
      [&](auto& args) { args.executable = compile.executable; });
  Api().LoadedExecutable_Destroy(&loaded);
  auto client = Of<PJRT_Client_Destroy_Args>([&](auto& args) { args.client = create.client; });
  Api().Client_Destroy(&client);
}
BENCHMARK(BM_Plugin)->Arg(4)->Arg(1024)->Arg(1 << 16)->MeasureProcessCPUTime();

}  // namespace
}  // namespace assay::pjrt
