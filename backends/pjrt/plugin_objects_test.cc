// What hosts make beside arrays and executables: topologies without devices, views of their memory,
// buffers of errors, promises of buffers; and what devices say of their memory.
#include <string>
#include <vector>

#include "backends/pjrt/testing/plugin_host.h"

namespace assay::pjrt {
namespace plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PluginObjectsTest : public PluginTest {
 protected:
  PJRT_Memory* Memory(size_t device) {
    Guarded<PJRT_Device_DefaultMemory_Args> memory;
    memory->device = Device(device);
    Do(Api().Device_DefaultMemory, memory);
    return memory->memory;
  }
  // The bytes in use and their peak.
  std::vector<int64_t> Use(PJRT_Device* device) {
    Guarded<PJRT_Device_MemoryStats_Args> stats;
    stats->device = device;
    Do(Api().Device_MemoryStats, stats);
    EXPECT_TRUE(stats->peak_bytes_in_use_is_set);
    EXPECT_FALSE(stats->bytes_limit_is_set);
    return {stats->bytes_in_use, stats->peak_bytes_in_use};
  }
  static Failure CreateTopology(std::string name, PJRT_TopologyDescription** topology) {
    Guarded<PJRT_TopologyDescription_Create_Args> create;
    create->topology_name = name.data();
    create->topology_name_size = name.size();
    create->topology = nullptr;
    const Failure failure = Take(Api().TopologyDescription_Create(create.args()));
    *topology = create->topology;
    return failure;
  }
  static void Destroy(PJRT_TopologyDescription* topology) {
    Guarded<PJRT_TopologyDescription_Destroy_Args> destroy;
    destroy->topology = topology;
    Do(Api().TopologyDescription_Destroy, destroy);
  }
  static size_t DeviceCount(PJRT_TopologyDescription* topology) {
    Guarded<PJRT_TopologyDescription_GetDeviceDescriptions_Args> get;
    get->topology = topology;
    Do(Api().TopologyDescription_GetDeviceDescriptions, get);
    return get->num_descriptions;
  }
  using PluginTest::Destroy;
};

TEST_F(PluginObjectsTest, DevicesSayHowManyBytesTheirArraysHave) {
  const float x[] = {1, 2, 3, 4};
  EXPECT_THAT(Use(Device(0)), ElementsAre(0, 0));
  PJRT_Buffer* four = Upload(ElementType::kF32, {4}, x);
  PJRT_Buffer* two = Upload(ElementType::kF32, {2}, x);
  EXPECT_THAT(Use(Device(0)), ElementsAre(24, 24));
  Guarded<PJRT_Buffer_CopyToDevice_Args> copy;
  copy->buffer = two;
  copy->dst_device = Device(1);
  Do(Api().Buffer_CopyToDevice, copy);
  EXPECT_THAT(Use(Device(1)), ElementsAre(8, 8));
  // A deleted buffer has no bytes, though its handle lives.
  Guarded<PJRT_Buffer_Delete_Args> gone;
  gone->buffer = four;
  Do(Api().Buffer_Delete, gone);
  EXPECT_THAT(Use(Device(0)), ElementsAre(8, 24));
  Guarded<PJRT_Device_ClearMemoryStats_Args> clear;
  clear->device = Device(0);
  Do(Api().Device_ClearMemoryStats, clear);
  EXPECT_THAT(Use(Device(0)), ElementsAre(8, 8));
  for (PJRT_Buffer* each : {four, two, copy->dst_buffer}) Destroy(each);
  EXPECT_THAT(Use(Device(0)), ElementsAre(0, 8));
}

TEST_F(PluginObjectsTest, TopologiesAreMadeStoredAndCompiledFor) {
  PJRT_TopologyDescription* three = nullptr;
  EXPECT_EQ(CreateTopology("3", &three).code, PJRT_OK);
  EXPECT_EQ(DeviceCount(three), 3u);
  Guarded<PJRT_TopologyDescription_Serialize_Args> serialize;
  serialize->topology = three;
  Do(Api().TopologyDescription_Serialize, serialize);
  Guarded<PJRT_TopologyDescription_Deserialize_Args> read;
  read->serialized_topology = serialize->serialized_bytes;
  read->serialized_topology_size = serialize->serialized_bytes_size;
  Do(Api().TopologyDescription_Deserialize, read);
  serialize->serialized_topology_deleter(serialize->serialized_topology);
  EXPECT_EQ(DeviceCount(read->topology), 3u);
  std::string text = kSum;
  Guarded<PJRT_Program> program;
  program->code = text.data();
  program->code_size = text.size();
  program->format = "hlo";
  program->format_size = 3;
  Guarded<PJRT_Compile_Args> compile;
  compile->topology = read->topology;
  compile->program = program.args();
  compile->compile_options = "";
  compile->compile_options_size = 0;
  compile->client = nullptr;
  Do(Api().Compile, compile);
  Destroy(three);
  Destroy(read->topology);
  // The executable outlives its topology.
  Guarded<PJRT_Executable_NumOutputs_Args> outputs;
  outputs->executable = compile->executable;
  Do(Api().Executable_NumOutputs, outputs);
  EXPECT_EQ(outputs->num_outputs, 1u);
  Guarded<PJRT_Executable_Destroy_Args> destroy;
  destroy->executable = compile->executable;
  Do(Api().Executable_Destroy, destroy);
}

TEST_F(PluginObjectsTest, RefusesTopologiesThatThereAreNot) {
  PJRT_TopologyDescription* none = nullptr;
  for (const char* name : {"v5e:2x2", "0", "-1", "5000"}) {
    const Failure failure = CreateTopology(name, &none);
    EXPECT_EQ(failure.code, PJRT_INVALID_ARGUMENT);
    EXPECT_THAT(failure.message, HasSubstr("by its number of devices, from 1 to 4096"));
  }
  EXPECT_EQ(none, nullptr);
  Guarded<PJRT_TopologyDescription_Deserialize_Args> junk;
  junk->serialized_topology = "junk";
  junk->serialized_topology_size = 4;
  EXPECT_EQ(Take(Api().TopologyDescription_Deserialize(junk.args())).code, PJRT_INVALID_ARGUMENT);
}

TEST_F(PluginObjectsTest, ViewsReadTheMemoryOfTheHostUntilTheyAreGone) {
  alignas(64) float data[] = {1, 2, 3};
  int64_t freed = 0;
  const int64_t dims[] = {3};
  Guarded<PJRT_Client_CreateViewOfDeviceBuffer_Args> view;
  view->client = client_;
  view->device_buffer_ptr = data;
  view->dims = dims;
  view->num_dims = 1;
  view->element_type = BufferTypeOf(ElementType::kF32);
  view->device = Device(1);
  view->on_delete_callback = [](void* /*data*/, void* user) { ++*static_cast<int64_t*>(user); };
  view->on_delete_callback_arg = &freed;
  Do(Api().Client_CreateViewOfDeviceBuffer, view);
  data[0] = 10;  // it is a view
  EXPECT_THAT(Download<float>(view->buffer), ElementsAre(10, 2, 3));
  EXPECT_EQ(freed, 0);
  Destroy(view->buffer);
  EXPECT_EQ(freed, 1);
}

TEST_F(PluginObjectsTest, ViewsOfAnotherOrderAreCopies) {
  alignas(64) int32_t data[] = {1, 2, 3, 4, 5, 6};
  int64_t freed = 0;
  const int64_t dims[] = {2, 3}, column_major[] = {0, 1};
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = kStructSize<PJRT_Buffer_MemoryLayout>;
  layout.value.tiled.minor_to_major = column_major;
  layout.value.tiled.minor_to_major_size = 2;
  Guarded<PJRT_Client_CreateViewOfDeviceBuffer_Args> view;
  view->client = client_;
  view->device_buffer_ptr = data;
  view->dims = dims;
  view->num_dims = 2;
  view->element_type = BufferTypeOf(ElementType::kS32);
  view->layout = &layout;
  view->device = Device(0);
  view->on_delete_callback = [](void* /*data*/, void* user) { ++*static_cast<int64_t*>(user); };
  view->on_delete_callback_arg = &freed;
  Do(Api().Client_CreateViewOfDeviceBuffer, view);
  EXPECT_EQ(freed, 1);
  EXPECT_THAT(Download<int32_t>(view->buffer), ElementsAre(1, 3, 5, 2, 4, 6));
  Destroy(view->buffer);
}

TEST_F(PluginObjectsTest, ArraysWithoutAValueAreZeros) {
  const int64_t dims[] = {2};
  Guarded<PJRT_Client_CreateUninitializedBuffer_Args> make;
  make->client = client_;
  make->shape_dims = dims;
  make->shape_num_dims = 1;
  make->shape_element_type = BufferTypeOf(ElementType::kF64);
  make->memory = Memory(0);
  Do(Api().Client_CreateUninitializedBuffer, make);
  EXPECT_THAT(Download<double>(make->buffer), ElementsAre(0, 0));
  Destroy(make->buffer);
}

TEST_F(PluginObjectsTest, BuffersOfErrorsHandThemOn) {
  const int64_t dims[] = {3};
  Guarded<PJRT_Client_CreateErrorBuffer_Args> make;
  make->client = client_;
  make->error_code = PJRT_NOT_FOUND;
  make->error_message = "lost on the way";
  make->error_message_size = 15;
  make->shape_dims = dims;
  make->shape_num_dims = 1;
  make->shape_element_type = BufferTypeOf(ElementType::kF32);
  make->memory = Memory(0);
  Do(Api().Client_CreateErrorBuffer, make);
  PJRT_LoadedExecutable* sum = Compiled(kSum);
  PJRT_Buffer* result = nullptr;
  Failure run;
  EXPECT_EQ(Execute(sum, {make->buffer, make->buffer}, &result, &run).code, PJRT_OK);
  EXPECT_EQ(run.code, PJRT_NOT_FOUND);
  EXPECT_EQ(run.message, "lost on the way");
  for (PJRT_Buffer* each : {make->buffer, result}) Destroy(each);
  Destroy(sum);
}

TEST_F(PluginObjectsTest, PromisedBuffersWaitForTheirValues) {
  const float x[] = {1, 2, 3};
  PJRT_Buffer* value = Upload(ElementType::kF32, {3}, x);
  PJRT_LoadedExecutable* sum = Compiled(kSum);
  for (const PJRT_Error_Code code : {PJRT_OK, PJRT_INTERNAL}) {
    const int64_t dims[] = {3};
    Guarded<PJRT_Client_CreateAliasBuffer_Args> promise;
    promise->client = client_;
    promise->memory = Memory(0);
    promise->shape_dims = dims;
    promise->shape_num_dims = 1;
    promise->shape_element_type = BufferTypeOf(ElementType::kF32);
    Do(Api().Client_CreateAliasBuffer, promise);
    PJRT_Buffer* const arguments[] = {promise->alias_buffer, value};
    PJRT_Buffer* result = nullptr;
    PJRT_Buffer* const* argument_list = arguments;
    PJRT_Buffer** output_list = &result;
    PJRT_Event* event = nullptr;
    Guarded<PJRT_LoadedExecutable_Execute_Args> execute;
    execute->executable = sum;
    execute->argument_lists = &argument_list;
    execute->num_devices = 1;
    execute->num_args = 2;
    execute->output_lists = &output_list;
    execute->device_complete_events = &event;
    Do(Api().LoadedExecutable_Execute, execute);
    Guarded<PJRT_Client_FulfillAliasBuffer_Args> fulfill;
    fulfill->client = client_;
    fulfill->buffer = code == PJRT_OK ? value : nullptr;
    fulfill->status_code = code;
    fulfill->fulfill_alias_buffer_cb = promise->fulfill_alias_buffer_cb;
    Do(Api().Client_FulfillAliasBuffer, fulfill);
    EXPECT_EQ(Await(event).code, code);
    if (code == PJRT_OK) {
      EXPECT_THAT(Download<float>(result), ElementsAre(2, 4, 6));
    }
    for (PJRT_Buffer* each : {promise->alias_buffer, result}) Destroy(each);
  }
  Destroy(value);
  Destroy(sum);
}

}  // namespace
}  // namespace plugin_test
}  // namespace assay::pjrt
