// What hosts do to the plug-in that its interface allows or barely allows: structs of other
// versions, null objects, objects that are destroyed in any order and while programs run.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/pjrt/testing/plugin_host.h"

namespace assay::pjrt {
namespace plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using PluginLivesTest = PluginTest;

// A caller of another version says a smaller or a larger size.
TEST_F(PluginLivesTest, TouchesNothingBeyondTheSizeOfAStruct) {
  for (const size_t size : {size_t{24}, size_t{32}, size_t{40}}) {
    Guarded<PJRT_Client_PlatformName_Args> name(size);
    name->client = client_;
    Do(Api().Client_PlatformName, name);
  }
  Guarded<PJRT_Client_PlatformName_Args> larger(104);
  larger->client = client_;
  Do(Api().Client_PlatformName, larger);
  EXPECT_EQ(std::string(larger->platform_name, larger->platform_name_size), "cpu");
}

// Whatever of its fields a function looks at without asking whether there is an object behind.
template <typename Args>
void CallWithNulls(PJRT_Error* (*function)(Args*)) {
  EXPECT_NE(Take(function(nullptr)).code, PJRT_OK);
  for (size_t size = 16; size <= std::max(kStructSize<Args>, size_t{16}) + 64; size += 8) {
    Guarded<Args> args(size);
    Take(function(args.args()));
  }
}
void CallWithNulls(void (*function)(PJRT_Error_Destroy_Args*)) { function(nullptr); }
void CallWithNulls(void (*function)(PJRT_Error_Message_Args*)) { function(nullptr); }
// These make objects from nothing, and one writes beyond struct_size for hosts that ask it to.
template <typename Args>
inline constexpr bool kMakesObjects =
    std::is_same_v<Args, PJRT_Client_Create_Args> || std::is_same_v<Args, PJRT_Event_Create_Args> ||
    std::is_same_v<Args, PJRT_ExecuteContext_Create_Args> ||
    std::is_same_v<Args, PJRT_TopologyDescription_Create_Args> ||
    std::is_same_v<Args, PJRT_Plugin_Attributes_Args>;

TEST_F(PluginLivesTest, NoFunctionReadsBehindNull) {
#define FUNCTION(name) \
  if constexpr (!kMakesObjects<PJRT_##name##_Args>) CallWithNulls(Api().name);
#define OTHER_FUNCTION(name) EXPECT_EQ(Take(Api().name(nullptr)).code, PJRT_UNIMPLEMENTED);
#include "backends/pjrt/abi/functions.def"
#undef OTHER_FUNCTION
#undef FUNCTION
}

// A program that takes a while: a loop of 20,000 iterations.
constexpr char kLoop[] = R"(HloModule slow
body { p = (s32[], f32[256]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[256] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[256] add(x, x) ROOT r = (s32[], f32[256]) tuple(j, y) }
condition { p = (s32[], f32[256]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(20000) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { x = f32[256] parameter(0) zero = s32[] constant(0) s = (s32[], f32[256]) tuple(zero, x)
  w = (s32[], f32[256]) while(s), condition=condition, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1 }
)";

// Starts it and returns its result and its event without waiting.
std::pair<PJRT_Buffer*, PJRT_Event*> Start(PJRT_LoadedExecutable* executable,
                                           PJRT_Buffer* argument) {
  PJRT_Buffer* result = nullptr;
  PJRT_Event* event = nullptr;
  PJRT_Buffer* const* arguments = &argument;
  PJRT_Buffer** results = &result;
  Guarded<PJRT_ExecuteOptions> options;
  Guarded<PJRT_LoadedExecutable_Execute_Args> execute;
  execute->executable = executable;
  execute->options = options.args();
  execute->argument_lists = &arguments;
  execute->num_devices = 1;
  execute->num_args = 1;
  execute->output_lists = &results;
  execute->device_complete_events = &event;
  Do(Api().LoadedExecutable_Execute, execute);
  return {result, event};
}

TEST_F(PluginLivesTest, AnExecutableAndItsArgumentsMayGoWhileItRuns) {
  const std::string folder = ::testing::TempDir() + "/pjrt_traces";
  std::filesystem::remove_all(folder);
  PJRT_NamedValue trace = Option("trace");
  trace.type = PJRT_NamedValue_String;
  trace.value.string_value = folder.c_str();
  trace.value_size = folder.size();
  Destroy(std::exchange(client_, Create({trace})));
  const std::vector<float> ones(256, 0.0F);
  PJRT_Buffer* x = Upload(ElementType::kF32, {256}, ones.data());
  PJRT_LoadedExecutable* slow = Compiled(kLoop);
  const auto [result, event] = Start(slow, x);
  Destroy(slow);
  Destroy(x);
  EXPECT_EQ(Await(event).code, PJRT_OK);
  EXPECT_EQ(Download<float>(result), ones);
  Destroy(result);
  for (const char* file :
       {"0000_slow.hlo", "0000_slow.run0.arguments.npz", "0000_slow.run0.results.npz"}) {
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + file)) << file;
  }
}

// Against the interface's rules: the client goes first, while a program runs.
TEST_F(PluginLivesTest, AClientMayGoBeforeItsObjects) {
  PJRT_Client* first = std::exchange(client_, Create({}));
  std::swap(first, client_);
  const std::vector<float> ones(256, 0.0F);
  PJRT_Buffer* x = Upload(ElementType::kF32, {256}, ones.data());
  PJRT_LoadedExecutable* slow = Compiled(kLoop);
  Guarded<PJRT_LoadedExecutable_GetExecutable_Args> get;
  get->loaded_executable = slow;
  Do(Api().LoadedExecutable_GetExecutable, get);
  const auto [result, event] = Start(slow, x);
  Destroy(std::exchange(client_, first));
  EXPECT_EQ(Await(event).code, PJRT_OK);
  EXPECT_EQ(Download<float>(result), ones);
  Destroy(slow);
  Guarded<PJRT_Executable_Destroy_Args> destroy;
  destroy->executable = get->executable;
  Do(Api().Executable_Destroy, destroy);
  for (PJRT_Buffer* each : {x, result}) Destroy(each);
}

// A donor whose bytes no result can have stays the host's.
TEST_F(PluginLivesTest, ADonorIsTakenForAResultOfItsSizeAlone) {
  const float values[] = {1, 2, 3, 4};
  for (const auto& [result, taken] : {std::pair("f32[4]", true), std::pair("f32[4,2]", false)}) {
    PJRT_Buffer* x = Upload(ElementType::kF32, {4}, values);
    PJRT_LoadedExecutable* program = Compiled(
        absl::StrCat("HloModule m, buffer_donor={ (0, {}) }\nENTRY e {\n x = f32[4] parameter(0)\n",
                     " ROOT r = ", result, " broadcast(x), dimensions={0}\n}\n"));
    PJRT_Buffer* out = nullptr;
    EXPECT_EQ(Execute(program, {x}, &out).code, PJRT_OK);
    Guarded<PJRT_Buffer_IsDeleted_Args> deleted;
    deleted->buffer = x;
    Do(Api().Buffer_IsDeleted, deleted);
    EXPECT_EQ(deleted->is_deleted, taken) << result;
    Destroy(program);
    for (PJRT_Buffer* each : {x, out}) Destroy(each);
  }
}

TEST_F(PluginLivesTest, ABufferMayGoBeforeItsCopyIsThere) {
  const std::vector<float> ones(256, 0.0F);
  PJRT_Buffer* x = Upload(ElementType::kF32, {256}, ones.data());
  PJRT_LoadedExecutable* slow = Compiled(kLoop);
  const auto [result, event] = Start(slow, x);
  std::vector<float> values(256, 1.0F);
  Guarded<PJRT_Buffer_ToHostBuffer_Args> to;
  to->src = result;
  to->dst = values.data();
  to->dst_size = values.size() * sizeof(float);
  Do(Api().Buffer_ToHostBuffer, to);
  Destroy(result);
  EXPECT_EQ(Await(to->event).code, PJRT_OK);
  EXPECT_EQ(values, ones);
  EXPECT_EQ(Await(event).code, PJRT_OK);
  Destroy(slow);
  Destroy(x);
}

}  // namespace
}  // namespace plugin_test
}  // namespace assay::pjrt
