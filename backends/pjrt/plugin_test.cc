// The plug-in as a host uses it: through its table alone. What it computes is the matter of
// pjrt_suite_test; here are buffers, events, errors and executables. plugin_lives_test.cc has sizes
// of structs and the lives of objects.
#include <cstring>
#include <string>
#include <vector>

#include "backends/pjrt/testing/plugin_host.h"

namespace assay::pjrt {
namespace plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(PluginTest, FillsEverySlot) {
  const auto* slot = reinterpret_cast<void* const*>(&Api().Error_Destroy);
  for (size_t i = 0; i < kApiFunctions; ++i) EXPECT_NE(slot[i], nullptr) << i;
  EXPECT_EQ(Api().struct_size, 1144u);
  Guarded<PJRT_Other_Args> other(sizeof(PJRT_Other_Args));
  EXPECT_EQ(Take(Api().Client_DmaMap(other.args())).code, PJRT_UNIMPLEMENTED);
}

TEST_F(PluginTest, RefusesOptionsThatThereAreNot) {
  Failure failure;
  EXPECT_EQ(Create({Option("colour")}, &failure), nullptr);
  EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message, HasSubstr("'colour' is not an option of Assay's plug-in"));
  PJRT_NamedValue count = Option("device_count");
  count.type = PJRT_NamedValue_Int64;
  EXPECT_EQ(Create({count}, &failure), nullptr);
  EXPECT_THAT(failure.message, HasSubstr("device_count must be a number from 1 to 4096"));
}

TEST_F(PluginTest, ReadsStridesAndWritesLayouts) {
  const int32_t data[] = {1, 2, 3, 4, 5, 6};
  // The transposed array, the reversed one, every second column.
  PJRT_Buffer* transposed = Upload(ElementType::kS32, {3, 2}, data, {4, 12});
  EXPECT_THAT(Download<int32_t>(transposed), ElementsAre(1, 4, 2, 5, 3, 6));
  PJRT_Buffer* reversed = Upload(ElementType::kS32, {2, 3}, data + 2, {12, -4});
  EXPECT_THAT(Download<int32_t>(reversed), ElementsAre(3, 2, 1, 6, 5, 4));
  PJRT_Buffer* second = Upload(ElementType::kS32, {2, 2}, data, {12, 8});
  EXPECT_THAT(Download<int32_t>(second), ElementsAre(1, 3, 4, 6));
  PJRT_Buffer* repeated = Upload(ElementType::kS32, {2, 2}, data, {0, 4});
  EXPECT_THAT(Download<int32_t>(repeated), ElementsAre(1, 2, 1, 2));
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = kStructSize<PJRT_Buffer_MemoryLayout>;
  const int64_t column_major[] = {0, 1};
  layout.value.tiled.minor_to_major = column_major;
  layout.value.tiled.minor_to_major_size = 2;
  EXPECT_THAT(Download<int32_t>(transposed, &layout), ElementsAre(1, 2, 3, 4, 5, 6));
  PJRT_Buffer* empty = Upload(ElementType::kS32, {0, 3}, nullptr, {0, 0});
  EXPECT_TRUE(Download<int32_t>(empty).empty());
  PJRT_Buffer* scalar = Upload(ElementType::kS32, {}, data + 4);
  EXPECT_THAT(Download<int32_t>(scalar), ElementsAre(5));
  for (PJRT_Buffer* each : {transposed, reversed, second, repeated, empty, scalar}) Destroy(each);
}

TEST_F(PluginTest, ClearsTheBitsAroundNarrowValues) {
  const uint8_t bytes[] = {0xff, 0x07, 0x80, 0x00};
  PJRT_Buffer* s4 = Upload(ElementType::kS4, {4}, bytes);
  EXPECT_THAT(Download<uint8_t>(s4), ElementsAre(0x0f, 0x07, 0x00, 0x00));
  PJRT_Buffer* u1 = Upload(ElementType::kU1, {4}, bytes);
  EXPECT_THAT(Download<uint8_t>(u1), ElementsAre(1, 1, 0, 0));
  PJRT_Buffer* pred = Upload(ElementType::kPred, {4}, bytes);
  EXPECT_THAT(Download<uint8_t>(pred), ElementsAre(1, 1, 1, 0));
  for (PJRT_Buffer* each : {s4, u1, pred}) Destroy(each);
}

// A large array is read where it lies until nobody needs it.
TEST_F(PluginTest, KeepsTheHostsMemoryAsLongAsItIsRead) {
  const std::vector<double> data(100000, 1.5);
  PJRT_Event* done = nullptr;
  PJRT_Buffer* buffer = Upload(ElementType::kF64, {100000}, data.data(), {}, &done);
  Guarded<PJRT_Event_IsReady_Args> ready;
  ready->event = done;
  Do(Api().Event_IsReady, ready);
  EXPECT_FALSE(ready->is_ready);
  EXPECT_EQ(Download<double>(buffer), data);
  Destroy(buffer);
  EXPECT_EQ(Await(done).code, PJRT_OK);
}

TEST_F(PluginTest, ExecutesAndDonates) {
  const float x[] = {1, 2, 3}, y[] = {10, 20, 30};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  PJRT_Buffer* b = Upload(ElementType::kF32, {3}, y);
  PJRT_LoadedExecutable* sum = Compiled(kSum);
  PJRT_Buffer* result = nullptr;
  EXPECT_EQ(Execute(sum, {a, b}, &result).code, PJRT_OK);
  EXPECT_THAT(Download<float>(result), ElementsAre(11, 22, 33));
  Destroy(result);
  std::string donating = kSum;
  donating.insert(std::strlen("HloModule sum"), ", input_output_alias={ {}: (0, {}) }");
  PJRT_LoadedExecutable* taking = Compiled(donating);
  EXPECT_EQ(Execute(taking, {a, b}, &result).code, PJRT_OK);
  EXPECT_THAT(Download<float>(result), ElementsAre(11, 22, 33));
  Destroy(result);
  Guarded<PJRT_Buffer_IsDeleted_Args> deleted;
  deleted->buffer = a;
  Do(Api().Buffer_IsDeleted, deleted);
  EXPECT_TRUE(deleted->is_deleted);
  const Failure failure = Execute(sum, {a, b}, &result);
  EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message, HasSubstr("argument 0 on device 0 has been deleted"));
  for (PJRT_LoadedExecutable* each : {sum, taking}) Destroy(each);
  for (PJRT_Buffer* each : {a, b}) Destroy(each);
}

// As XLA: the host would lose an argument that it still gives.
TEST_F(PluginTest, RefusesADonatedArgumentThatIsGivenTwice) {
  const float x[] = {1, 2, 3};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  std::string donating = kSum;
  donating.insert(std::strlen("HloModule sum"), ", input_output_alias={ {}: (1, {}) }");
  PJRT_LoadedExecutable* taking = Compiled(donating);
  PJRT_Buffer* result = nullptr;
  const Failure failure = Execute(taking, {a, a}, &result);
  EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
  EXPECT_THAT(
      failure.message,
      HasSubstr("argument 1 on device 0 is donated, and the same buffer is argument 0 too"));
  EXPECT_THAT(Download<float>(a), ElementsAre(1, 2, 3));
  Destroy(taking);
  Destroy(a);
}

// JAX says in which memory a result shall lie before it says how it lies on the devices.
TEST_F(PluginTest, FindsTheMemoryOfAResultBehindItsSharding) {
  PJRT_LoadedExecutable* placed = Compiled(R"(HloModule placed
ENTRY e {
  x = f32[3] parameter(0)
  there = f32[3] custom-call(x), custom_call_target="annotate_device_placement",
    custom_call_has_side_effect=true, frontend_attributes={_xla_buffer_placement="pinned_host"}
  ROOT r = f32[3] custom-call(there), custom_call_target="xla.sdy.FuncResultSharding",
    custom_call_has_side_effect=true,
    frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@empty_mesh, [{}]>]>"}
})");
  Guarded<PJRT_LoadedExecutable_GetExecutable_Args> get;
  get->loaded_executable = placed;
  Do(Api().LoadedExecutable_GetExecutable, get);
  Guarded<PJRT_Executable_OutputMemoryKinds_Args> kinds;
  kinds->executable = get->executable;
  Do(Api().Executable_OutputMemoryKinds, kinds);
  ASSERT_EQ(kinds->num_outputs, 1u);
  EXPECT_EQ(std::string(kinds->memory_kinds[0], kinds->memory_kind_sizes[0]), "pinned_host");
  Guarded<PJRT_Executable_Destroy_Args> destroy;
  destroy->executable = get->executable;
  Do(Api().Executable_Destroy, destroy);
  Destroy(placed);
}

// A result has the layout and the memory that the entry says; what lies in memory is row-major, and
// a host that wants the bytes as they lie is refused.
TEST_F(PluginTest, TellsTheLayoutOfAResult) {
  PJRT_LoadedExecutable* copy = Compiled(
      "HloModule m, entry_computation_layout={(s32[2,3]{1,0})->s32[2,3]{0,1:S(5)}}\n"
      "ENTRY e {\n ROOT x = s32[2,3] parameter(0)\n}\n");
  const int32_t data[] = {1, 2, 3, 4, 5, 6};
  PJRT_Buffer* a = Upload(ElementType::kS32, {2, 3}, data);
  PJRT_Buffer* result = nullptr;
  EXPECT_EQ(Execute(copy, {a}, &result).code, PJRT_OK);
  Guarded<PJRT_Buffer_GetMemoryLayout_Args> get;
  get->buffer = result;
  Do(Api().Buffer_GetMemoryLayout, get);
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = get->layout.value.tiled;
  EXPECT_THAT(absl::MakeConstSpan(tiled.minor_to_major, tiled.minor_to_major_size),
              ElementsAre(0, 1));
  // Without a layout of the host it is the buffer's.
  EXPECT_THAT(Download<int32_t>(result), ElementsAre(1, 4, 2, 5, 3, 6));
  Guarded<PJRT_Buffer_UnsafePointer_Args> pointer;
  pointer->buffer = result;
  const Failure failure = Take(Api().Buffer_UnsafePointer(pointer.args()));
  EXPECT_EQ(failure.code, PJRT_UNIMPLEMENTED);
  EXPECT_THAT(failure.message, HasSubstr("in row-major layout alone, not of s32[2,3]{0,1}"));
  Guarded<PJRT_Buffer_Memory_Args> memory;
  memory->buffer = result;
  Do(Api().Buffer_Memory, memory);
  Guarded<PJRT_Memory_Kind_Args> kind;
  kind->memory = memory->memory;
  Do(Api().Memory_Kind, kind);
  EXPECT_EQ(std::string(kind->kind, kind->kind_size), "pinned_host");
  Destroy(copy);
  for (PJRT_Buffer* each : {a, result}) Destroy(each);
}

TEST_F(PluginTest, RefusesArgumentsThatDoNotFit) {
  const float x[] = {1, 2, 3};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  PJRT_Buffer* bits = Upload(ElementType::kS32, {3}, x);
  PJRT_LoadedExecutable* sum = Compiled(kSum);
  PJRT_Buffer* result = nullptr;
  Failure failure = Execute(sum, {a}, &result);
  EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message, HasSubstr("takes 2 arguments and was given 1"));
  failure = Execute(sum, {a, bits}, &result);
  EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message, HasSubstr("has the shape s32[3]; the program wants f32[3]"));
  Destroy(sum);
  for (PJRT_Buffer* each : {a, bits}) Destroy(each);
}

// What fails while it runs fails in the events, and in what uses the results.
TEST_F(PluginTest, HandsErrorsOnWithTheResults) {
  wire::CompileOptions options;
  (*options.mutable_env_option_overrides())["assay_budget_steps"].set_int_field(1);
  PJRT_LoadedExecutable* poor = Compiled(kSum, options);
  PJRT_LoadedExecutable* rich = Compiled(kSum);
  const float x[] = {1, 2, 3};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  PJRT_Buffer *broken = nullptr, *more = nullptr;
  Failure run;
  EXPECT_EQ(Execute(poor, {a, a}, &broken, &run).code, PJRT_OK);
  EXPECT_EQ(run.code, PJRT_RESOURCE_EXHAUSTED) << run.message;
  EXPECT_EQ(Execute(rich, {broken, a}, &more, &run).code, PJRT_OK);
  EXPECT_EQ(run.code, PJRT_RESOURCE_EXHAUSTED) << run.message;
  Guarded<PJRT_Buffer_ReadyEvent_Args> ready;
  ready->buffer = more;
  Do(Api().Buffer_ReadyEvent, ready);
  EXPECT_EQ(Await(ready->event).code, PJRT_RESOURCE_EXHAUSTED);
  for (PJRT_LoadedExecutable* each : {poor, rich}) Destroy(each);
  for (PJRT_Buffer* each : {a, broken, more}) Destroy(each);
}

TEST_F(PluginTest, SaysWhyItDoesNotCompile) {
  PJRT_LoadedExecutable* none = nullptr;
  EXPECT_EQ(Compile("HloModule m\nENTRY e {", {}, &none).code, PJRT_INVALID_ARGUMENT);
  EXPECT_EQ(Compile(kSum, {}, &none, "ptx").code, PJRT_INVALID_ARGUMENT);
  wire::CompileOptions options;
  options.mutable_executable_build_options()->set_num_replicas(3);
  const Failure failure = Compile(kSum, options, &none);
  EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
  EXPECT_THAT(failure.message, HasSubstr("3 replicas and 1 partitions on 2 devices"));
  options.Clear();
  (*options.mutable_env_option_overrides())["speed"].set_bool_field(true);
  EXPECT_THAT(Compile(kSum, options, &none).message, HasSubstr("'speed' is not an option"));
}

TEST_F(PluginTest, StoresAndLoadsExecutables) {
  PJRT_LoadedExecutable* sum = Compiled(kSum);
  Guarded<PJRT_LoadedExecutable_GetExecutable_Args> get;
  get->loaded_executable = sum;
  Do(Api().LoadedExecutable_GetExecutable, get);
  Guarded<PJRT_Executable_Serialize_Args> serialize;
  serialize->executable = get->executable;
  Do(Api().Executable_Serialize, serialize);
  Guarded<PJRT_Executable_DeserializeAndLoad_Args> load;
  load->client = client_;
  load->serialized_executable = serialize->serialized_bytes;
  load->serialized_executable_size = serialize->serialized_bytes_size;
  Do(Api().Executable_DeserializeAndLoad, load);
  serialize->serialized_executable_deleter(serialize->serialized_executable);
  const float x[] = {1, 2, 3};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  PJRT_Buffer* result = nullptr;
  EXPECT_EQ(Execute(load->loaded_executable, {a, a}, &result).code, PJRT_OK);
  EXPECT_THAT(Download<float>(result), ElementsAre(2, 4, 6));
  Guarded<PJRT_Executable_DeserializeAndLoad_Args> junk;
  junk->client = client_;
  junk->serialized_executable = "junk";
  junk->serialized_executable_size = 4;
  EXPECT_EQ(Take(Api().Executable_DeserializeAndLoad(junk.args())).code, PJRT_INVALID_ARGUMENT);
  Guarded<PJRT_Executable_Destroy_Args> destroy;
  destroy->executable = get->executable;
  Do(Api().Executable_Destroy, destroy);
  for (PJRT_LoadedExecutable* each : {sum, load->loaded_executable}) Destroy(each);
  for (PJRT_Buffer* each : {a, result}) Destroy(each);
}

TEST_F(PluginTest, EventsOfTheHostCallBackOnce) {
  Guarded<PJRT_Event_Create_Args> create;
  Do(Api().Event_Create, create);
  Guarded<PJRT_Event_OnReady_Args> on_ready;
  std::vector<Failure> seen;
  on_ready->event = create->event;
  on_ready->callback = [](PJRT_Error* error, void* user) {
    static_cast<std::vector<Failure>*>(user)->push_back(Take(error));
  };
  on_ready->user_arg = &seen;
  Do(Api().Event_OnReady, on_ready);
  EXPECT_TRUE(seen.empty());
  Guarded<PJRT_Event_Set_Args> set;
  set->event = create->event;
  set->error_code = PJRT_NOT_FOUND;
  set->error_message = "gone";
  set->error_message_size = 4;
  Do(Api().Event_Set, set);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].code, PJRT_NOT_FOUND);
  EXPECT_EQ(seen[0].message, "gone");
  EXPECT_EQ(Take(Api().Event_Set(set.args())).code, PJRT_FAILED_PRECONDITION);
  EXPECT_EQ(Await(create->event).code, PJRT_NOT_FOUND);
}

}  // namespace
}  // namespace plugin_test
}  // namespace assay::pjrt
