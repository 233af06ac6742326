// The plug-in as a host uses it: through its table alone. What it computes is the matter of
// pjrt_suite_test; here are buffers, events, errors, sizes of structs and the lives of objects.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/abi.h"
#include "backends/pjrt/abi/compile_options.pb.h"
#include "backends/pjrt/abi/types.h"
#include "backends/pjrt/plugin/live_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" const assay::pjrt::PJRT_Api* GetPjrtApi();

namespace assay::pjrt {
namespace plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PJRT_Api& Api() { return *GetPjrtApi(); }

// Arguments with junk behind them, which nobody may touch.
template <typename Args>
struct Guarded {
  explicit Guarded(size_t size = kStructSize<Args>) {
    std::memset(bytes, 0xAB, sizeof(bytes));
    std::memset(bytes, 0, size);
    args()->struct_size = size;
    said = size;
  }
  ~Guarded() {
    for (size_t i = said; i < sizeof(bytes); ++i) EXPECT_EQ(bytes[i], 0xAB) << "byte " << i;
  }
  Args* args() { return reinterpret_cast<Args*>(bytes); }
  Args* operator->() { return args(); }
  alignas(16) unsigned char bytes[sizeof(Args) + 64];
  size_t said;
};

struct Failure {
  PJRT_Error_Code code = PJRT_OK;
  std::string message;
};

Failure Take(PJRT_Error* error) {
  if (error == nullptr) return {};
  Guarded<PJRT_Error_GetCode_Args> code;
  code->error = error;
  EXPECT_EQ(Api().Error_GetCode(code.args()), nullptr);
  Guarded<PJRT_Error_Message_Args> message;
  message->error = error;
  Api().Error_Message(message.args());
  Failure failure = {code->code, std::string(message->message, message->message_size)};
  Guarded<PJRT_Error_Destroy_Args> destroy;
  destroy->error = error;
  Api().Error_Destroy(destroy.args());
  return failure;
}

template <typename Args>
void Do(PJRT_Error* (*function)(Args*), Guarded<Args>& args) {
  const Failure failure = Take(function(args.args()));
  EXPECT_EQ(failure.code, PJRT_OK) << failure.message;
}

Failure Await(PJRT_Event* event) {
  Guarded<PJRT_Event_Await_Args> await;
  await->event = event;
  Failure failure = Take(Api().Event_Await(await.args()));
  Guarded<PJRT_Event_Destroy_Args> destroy;
  destroy->event = event;
  Do(Api().Event_Destroy, destroy);
  return failure;
}

class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    PJRT_NamedValue count = Option("device_count");
    count.type = PJRT_NamedValue_Int64;
    count.value.int64_value = 2;
    client_ = Create({count});
  }
  void TearDown() override {
    Destroy(client_);
    int64_t live[5];
    AssayPjrtLiveObjects(live);
    EXPECT_THAT(live, ElementsAre(0, 0, 0, 0, 0));
  }

  static PJRT_NamedValue Option(const char* name) {
    PJRT_NamedValue option = {};
    option.struct_size = kStructSize<PJRT_NamedValue>;
    option.name = name;
    option.name_size = std::strlen(name);
    option.value_size = 1;
    return option;
  }
  static PJRT_Client* Create(std::vector<PJRT_NamedValue> options, Failure* failure = nullptr) {
    Guarded<PJRT_Client_Create_Args> create;
    create->create_options = options.data();
    create->num_options = options.size();
    const Failure given = Take(Api().Client_Create(create.args()));
    if (failure != nullptr) *failure = given;
    return create->client;
  }
  static void Destroy(PJRT_Client* client) {
    Guarded<PJRT_Client_Destroy_Args> destroy;
    destroy->client = client;
    Do(Api().Client_Destroy, destroy);
  }

  PJRT_Device* Device(size_t number) {
    Guarded<PJRT_Client_Devices_Args> devices;
    devices->client = client_;
    Do(Api().Client_Devices, devices);
    return devices->devices[number];
  }

  PJRT_Buffer* Upload(ElementType type, std::vector<int64_t> dims, const void* data,
                      std::vector<int64_t> strides = {}, PJRT_Event** done = nullptr) {
    Guarded<PJRT_Client_BufferFromHostBuffer_Args> from;
    from->client = client_;
    from->data = data;
    from->type = BufferTypeOf(type);
    from->dims = dims.data();
    from->num_dims = dims.size();
    if (!strides.empty()) {
      from->byte_strides = strides.data();
      from->num_byte_strides = strides.size();
    }
    from->host_buffer_semantics = PJRT_HostBuffer_ImmutableZeroCopy;
    from->device = Device(0);
    Do(Api().Client_BufferFromHostBuffer, from);
    if (done != nullptr) {
      *done = from->done_with_host_buffer;
    } else {
      EXPECT_EQ(Await(from->done_with_host_buffer).code, PJRT_OK);
    }
    return from->buffer;
  }
  template <typename T>
  std::vector<T> Download(PJRT_Buffer* buffer, const PJRT_Buffer_MemoryLayout* layout = nullptr) {
    Guarded<PJRT_Buffer_ToHostBuffer_Args> to;
    to->src = buffer;
    to->host_layout = layout;
    Do(Api().Buffer_ToHostBuffer, to);
    std::vector<T> values(to->dst_size / sizeof(T));
    values.reserve(values.size() + 1);  // null would ask for the size again
    to->dst = values.data();
    Do(Api().Buffer_ToHostBuffer, to);
    EXPECT_EQ(Await(to->event).code, PJRT_OK);
    return values;
  }
  void Destroy(PJRT_Buffer* buffer) {
    Guarded<PJRT_Buffer_Destroy_Args> destroy;
    destroy->buffer = buffer;
    Do(Api().Buffer_Destroy, destroy);
  }

  Failure Compile(std::string text, const wire::CompileOptions& options,
                  PJRT_LoadedExecutable** executable, const char* format = "hlo") {
    Guarded<PJRT_Program> program;
    program->code = text.data();
    program->code_size = text.size();
    program->format = format;
    program->format_size = std::strlen(format);
    const std::string bytes = options.SerializeAsString();
    Guarded<PJRT_Client_Compile_Args> compile;
    compile->client = client_;
    compile->program = program.args();
    compile->compile_options = bytes.data();
    compile->compile_options_size = bytes.size();
    const Failure failure = Take(Api().Client_Compile(compile.args()));
    *executable = compile->executable;
    return failure;
  }
  PJRT_LoadedExecutable* Compiled(const std::string& text,
                                  const wire::CompileOptions& options = {}) {
    PJRT_LoadedExecutable* executable = nullptr;
    const Failure failure = Compile(text, options, &executable);
    EXPECT_EQ(failure.code, PJRT_OK) << failure.message;
    return executable;
  }
  void Destroy(PJRT_LoadedExecutable* executable) {
    Guarded<PJRT_LoadedExecutable_Destroy_Args> destroy;
    destroy->executable = executable;
    Do(Api().LoadedExecutable_Destroy, destroy);
  }
  // On one device, of one result. `run` gets the error of the event.
  Failure Execute(PJRT_LoadedExecutable* executable, std::vector<PJRT_Buffer*> arguments,
                  PJRT_Buffer** result, Failure* run = nullptr) {
    PJRT_Buffer* const* argument_list = arguments.data();
    PJRT_Buffer** output_list = result;
    PJRT_Event* event = nullptr;
    Guarded<PJRT_ExecuteOptions> options;
    Guarded<PJRT_LoadedExecutable_Execute_Args> execute;
    execute->executable = executable;
    execute->options = options.args();
    execute->argument_lists = &argument_list;
    execute->num_devices = 1;
    execute->num_args = arguments.size();
    execute->output_lists = &output_list;
    execute->device_complete_events = &event;
    Failure failure = Take(Api().LoadedExecutable_Execute(execute.args()));
    if (failure.code != PJRT_OK) return failure;
    const Failure own = Await(event);
    if (run != nullptr) *run = own;
    return failure;
  }

  PJRT_Client* client_ = nullptr;
};

constexpr char kSum[] =
    "HloModule sum\nENTRY e {\n x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n"
    " ROOT s = f32[3] add(x, y)\n}\n";

TEST_F(PluginTest, FillsEverySlot) {
  const auto* slot = reinterpret_cast<void* const*>(&Api().Error_Destroy);
  for (size_t i = 0; i < kApiFunctions; ++i) EXPECT_NE(slot[i], nullptr) << i;
  EXPECT_EQ(Api().struct_size, 1144u);
  Guarded<PJRT_Other_Args> other(sizeof(PJRT_Other_Args));
  EXPECT_EQ(Take(Api().Client_DmaMap(other.args())).code, PJRT_UNIMPLEMENTED);
}

// A caller of another version says a smaller or a larger size.
TEST_F(PluginTest, TouchesNothingBeyondTheSizeOfAStruct) {
  for (const size_t size : {size_t{24}, size_t{32}, size_t{40}}) {
    Guarded<PJRT_Client_PlatformName_Args> name(size);
    name->client = client_;
    Do(Api().Client_PlatformName, name);
  }
  Guarded<PJRT_Client_PlatformName_Args> larger;
  larger.args()->struct_size = 104;
  larger->client = client_;
  Do(Api().Client_PlatformName, larger);
  EXPECT_EQ(std::string(larger->platform_name, larger->platform_name_size), "cpu");
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
