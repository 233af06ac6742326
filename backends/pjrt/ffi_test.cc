// Custom calls of users through the plug-in's table. The handlers are written against the layouts
// of ffi_abi.h; tools/peers/ffi_peer_test.py compiles others against the headers of jaxlib.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "backends/pjrt/plugin/ffi_api.h"
#include "backends/pjrt/plugin/ffi_call.h"
#include "backends/pjrt/testing/plugin_host.h"

namespace assay::pjrt {
namespace plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using FfiTest = PluginTest;

// Answers what every handler is asked first. Returns true if that was the question.
bool SaysVersion(ffi::CallFrame* frame, int major = 0) {
  if (frame->head.extension_start == nullptr) return false;
  auto* extension = reinterpret_cast<ffi::MetadataExtension*>(frame->head.extension_start);
  extension->metadata->version.major_version = major;
  extension->metadata->version.minor_version = 3;
  return true;
}

ffi::Error* Fail(ffi::CallFrame* frame, const char* message, int32_t code) {
  ffi::ErrorCreate create = {{sizeof(create), nullptr}, message, code};
  return frame->api->error_create(&create);
}

const void* AttributeOf(const ffi::CallFrame* frame, const std::string& name,
                        ffi::AttributeType type) {
  for (int64_t i = 0; i < frame->attributes.size; ++i) {
    const ffi::Text& own = *frame->attributes.names[i];
    if (std::string(own.data, own.size) != name) continue;
    EXPECT_EQ(frame->attributes.types[i], type) << name;
    return frame->attributes.values[i];
  }
  ADD_FAILURE() << "no attribute " << name;
  return nullptr;
}

// x * factor + sum(offsets); more: a count of the elements as the second result.
ffi::Error* Scale(ffi::CallFrame* frame) {
  if (SaysVersion(frame)) return nullptr;
  const auto* factor =
      static_cast<const ffi::Scalar*>(AttributeOf(frame, "factor", ffi::AttributeType::kScalar));
  const auto* offsets =
      static_cast<const ffi::Array*>(AttributeOf(frame, "offsets", ffi::AttributeType::kArray));
  const auto* word =
      static_cast<const ffi::Text*>(AttributeOf(frame, "word", ffi::AttributeType::kString));
  EXPECT_EQ(factor->type, static_cast<int32_t>(ElementType::kF32));
  EXPECT_EQ(offsets->type, static_cast<int32_t>(ElementType::kS64));
  if (std::string(word->data, word->size) == "fail") return Fail(frame, "as you wish", 9);
  float value = 0;
  std::memcpy(&value, factor->value, sizeof(value));
  int64_t sum = 0;
  for (size_t i = 0; i < offsets->size; ++i) sum += static_cast<int64_t*>(offsets->data)[i];
  const auto& x = *static_cast<ffi::Buffer*>(frame->arguments.values[0]);
  const auto& y = *static_cast<ffi::Buffer*>(frame->results.values[0]);
  EXPECT_EQ(x.rank, 1);
  for (int64_t i = 0; i < x.dims[0]; ++i) {
    static_cast<float*>(y.data)[i] =
        static_cast<const float*>(x.data)[i] * value + static_cast<float>(sum);
  }
  return nullptr;
}

std::string ScaleText(const std::string& config) {
  return "HloModule m\nENTRY e {\n x = f32[3] parameter(0)\n ROOT y = f32[3] custom-call(x), "
         "custom_call_target=\"test.scale\", api_version=API_VERSION_TYPED_FFI, backend_config=" +
         config + "\n}\n";
}

TEST_F(FfiTest, CallsHandlersWithAttributes) {
  ASSERT_TRUE(RegisterHandler("test.scale", {.execute = Scale}).ok());
  const float x[] = {1, 2, 3};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  const std::string given = "factor = 2.5 : f32, offsets = array<i64: 1, 2, 3>";
  PJRT_LoadedExecutable* scale =
      Compiled(ScaleText("{" + given + ", word = \"go\", inner = {n = 1 : i32}}"));
  PJRT_Buffer* result = nullptr;
  Failure run;
  EXPECT_EQ(Execute(scale, {a}, &result, &run).code, PJRT_OK);
  EXPECT_EQ(run.code, PJRT_OK) << run.message;
  EXPECT_THAT(Download<float>(result), ElementsAre(8.5F, 11, 13.5F));
  PJRT_LoadedExecutable* fail = Compiled(ScaleText("{" + given + ", word = \"fail\"}"));
  PJRT_Buffer* nothing = nullptr;
  EXPECT_EQ(Execute(fail, {a}, &nothing, &run).code, PJRT_OK);
  EXPECT_EQ(run.code, PJRT_FAILED_PRECONDITION);
  EXPECT_THAT(run.message, HasSubstr("test.scale: as you wish"));
  for (PJRT_LoadedExecutable* each : {scale, fail}) Destroy(each);
  for (PJRT_Buffer* each : {a, result, nothing}) Destroy(each);
}

// A state from the first stage to the last, memory, a task, and a future that is set late.
int destroyed = 0;
int64_t state_type = 0;

ffi::Error* Instantiate(ffi::CallFrame* frame) {
  const ffi::TypeInfo info = {{sizeof(info), nullptr}, [](void* object) {
                                ++destroyed;
                                delete static_cast<float*>(object);
                              }};
  ffi::TypeRegister type = {{sizeof(type), nullptr}, {"test.state", 10}, &state_type, &info};
  EXPECT_EQ(frame->api->type_register(&type), nullptr);
  EXPECT_EQ(frame->arguments.size, 0);
  ffi::State set = {
      {sizeof(set), nullptr}, frame->context, frame->stage, &state_type, new float(7)};
  return frame->api->state_set(&set);
}

ffi::Error* UseState(ffi::CallFrame* frame) {
  if (SaysVersion(frame)) return nullptr;
  ffi::State get = {
      {sizeof(get), nullptr}, frame->context, ffi::Stage::kInstantiate, &state_type, nullptr};
  if (ffi::Error* error = frame->api->state_get(&get)) return error;
  ffi::MemoryAllocate memory = {{sizeof(memory), nullptr}, frame->context, 100, 16, nullptr};
  if (ffi::Error* error = frame->api->memory_allocate(&memory)) return error;
  std::memset(memory.data, 0, 100);
  const auto& y = *static_cast<ffi::Buffer*>(frame->results.values[0]);
  std::pair<float*, float> work = {static_cast<float*>(y.data), *static_cast<float*>(get.state)};
  ffi::Schedule schedule = {{sizeof(schedule), nullptr},
                            frame->context,
                            [](void* data) {
                              const auto& given = *static_cast<std::pair<float*, float>*>(data);
                              given.first[0] = given.second;
                            },
                            &work};
  if (ffi::Error* error = frame->api->schedule(&schedule)) return error;
  ffi::FutureArgs future = {{sizeof(future), nullptr}, nullptr, nullptr};
  if (ffi::Error* error = frame->api->future_create(&future)) return error;
  frame->future = future.future;
  return frame->api->future_set_available(&future);
}

TEST_F(FfiTest, StagesLeaveStatesForEachOther) {
  ASSERT_TRUE(
      RegisterHandler("test.state", {.instantiate = Instantiate, .execute = UseState}).ok());
  PJRT_LoadedExecutable* program = Compiled(
      "HloModule m\nENTRY e {\n ROOT y = f32[] custom-call(), custom_call_target=\"test.state\", "
      "api_version=API_VERSION_TYPED_FFI, custom_call_has_side_effect=true\n}\n");
  PJRT_Buffer* result = nullptr;
  Failure run;
  EXPECT_EQ(Execute(program, {}, &result, &run).code, PJRT_OK);
  EXPECT_EQ(run.code, PJRT_OK) << run.message;
  EXPECT_THAT(Download<float>(result), ElementsAre(7));
  EXPECT_EQ(destroyed, 1);
  Destroy(program);
  Destroy(result);
}

TEST_F(FfiTest, RefusesWhatItCannotCall) {
  EXPECT_THAT(RegisterHandler("test.none", {}).message(), HasSubstr("no function"));
  const auto future_version = [](ffi::CallFrame* frame) -> ffi::Error* {
    SaysVersion(frame, 1);
    return nullptr;
  };
  EXPECT_THAT(RegisterHandler("test.new", {.execute = future_version}).message(),
              HasSubstr("test.new is made for version 1.3 of the FFI; Assay has 0.3"));
  EXPECT_STREQ(AssayPjrtRegisterHandler("t", 2, nullptr, nullptr, nullptr, nullptr),
               "the interfaces of custom calls are 0 and 1");
}

TEST_F(FfiTest, CallsFunctionsOfTheOriginalInterface) {
  PlainFunction* twice = [](void* out, const void** in) {
    for (int i = 0; i < 3; ++i) {
      static_cast<float*>(out)[i] = 2 * static_cast<const float*>(in[0])[i];
    }
  };
  ASSERT_EQ(AssayPjrtRegisterHandler("test.plain", 0, nullptr, nullptr, nullptr,
                                     reinterpret_cast<void*>(twice)),
            nullptr);
  const float x[] = {1, 2, 3};
  PJRT_Buffer* a = Upload(ElementType::kF32, {3}, x);
  PJRT_LoadedExecutable* program = Compiled(
      "HloModule m\nENTRY e {\n x = f32[3] parameter(0)\n ROOT y = f32[3] "
      "custom-call(x), custom_call_target=\"test.plain\"\n}\n");
  PJRT_Buffer* result = nullptr;
  EXPECT_EQ(Execute(program, {a}, &result).code, PJRT_OK);
  EXPECT_THAT(Download<float>(result), ElementsAre(2, 4, 6));
  Destroy(program);
  for (PJRT_Buffer* each : {a, result}) Destroy(each);
}

}  // namespace
}  // namespace plugin_test
}  // namespace assay::pjrt
