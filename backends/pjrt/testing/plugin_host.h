// A host of the plug-in for its tests: structs of arguments with unreadable memory behind them, and
// a fixture that makes clients, arrays and executables through the table, and counts at the end
// what is still alive.
#ifndef ASSAY_BACKENDS_PJRT_TESTING_PLUGIN_HOST_H_
#define ASSAY_BACKENDS_PJRT_TESTING_PLUGIN_HOST_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/abi.h"
#include "backends/pjrt/abi/compile_options.pb.h"
#include "backends/pjrt/abi/types.h"
#include "backends/pjrt/plugin/live_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

extern "C" const assay::pjrt::PJRT_Api* GetPjrtApi();

namespace assay::pjrt::plugin_test {

inline const PJRT_Api& Api() { return *GetPjrtApi(); }

// Arguments of a host with `size` as struct_size. Bytes up to the next multiple of 8 are junk that
// must not change, and a page that must not be read follows them.
template <typename Args>
struct Guarded {
  explicit Guarded(size_t size = kStructSize<Args>) : said(size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* made =
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) std::abort();
    pages = static_cast<unsigned char*>(made);
    EXPECT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
    end = pages + page;
    bytes = end - (size + 7) / 8 * 8;
    std::memset(bytes + size, 0xAB, static_cast<size_t>(end - bytes) - size);
    std::memcpy(bytes, &size, sizeof(size));
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded() {
    for (unsigned char* byte = bytes + said; byte != end; ++byte) EXPECT_EQ(*byte, 0xAB);
    munmap(pages, 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  }
  Args* args() { return reinterpret_cast<Args*>(bytes); }
  Args* operator->() { return args(); }

  const size_t said;
  unsigned char *pages = nullptr, *bytes = nullptr, *end = nullptr;
};

struct Failure {
  PJRT_Error_Code code = PJRT_OK;
  std::string message;
};

inline Failure Take(PJRT_Error* error) {
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

inline Failure Await(PJRT_Event* event) {
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
    EXPECT_THAT(live, ::testing::ElementsAre(0, 0, 0, 0, 0));
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
    values.reserve(values.size() + 1);  // a null pointer would request the size again
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
  // Executes on one device a program with one result. Stores the event's error in `run`.
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

inline constexpr char kSum[] =
    "HloModule sum\nENTRY e {\n x = f32[3] parameter(0)\n y = f32[3] parameter(1)\n"
    " ROOT s = f32[3] add(x, y)\n}\n";

}  // namespace assay::pjrt::plugin_test

#endif  // ASSAY_BACKENDS_PJRT_TESTING_PLUGIN_HOST_H_
