#include "backends/pjrt/driver/plugin_client.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "backends/pjrt/abi/types.h"
#include "spec/element/narrow_bits.h"

namespace assay::pjrt {
namespace {

constexpr size_t kMostDevices = 1 << 16;

absl::Status Nonsense(absl::string_view what) {
  return absl::InternalError(absl::StrCat("the plug-in ", what));
}

std::string Text(const char* text, size_t size) {
  constexpr size_t kLongest = 1024;
  return text == nullptr ? "" : std::string(text, std::min(size, kLongest));
}

PJRT_NamedValue OptionOf(const std::string& name, const std::string& value) {
  PJRT_NamedValue option = {};
  option.struct_size = kStructSize<PJRT_NamedValue>;
  option.name = name.data();
  option.name_size = name.size();
  option.value_size = 1;
  int64_t number = 0;
  if (value == "true" || value == "false") {
    option.type = PJRT_NamedValue_Bool;
    option.value.bool_value = value == "true";
  } else if (absl::SimpleAtoi(value, &number)) {
    option.type = PJRT_NamedValue_Int64;
    option.value.int64_value = number;
  } else {
    option.type = PJRT_NamedValue_String;
    option.value.string_value = value.data();
    option.value_size = value.size();
  }
  return option;
}

// The bits of a value that is narrower than a byte; hosts and plug-ins differ about the others.
// A pred has a byte of its own, which is the plug-in's to answer for.
void ClearHighBits(Literal* array) {
  if (IsPred(array->element_type())) return;
  ClearUnusedBits(array->element_type(), array->mutable_data(), array->element_count());
}

}  // namespace

PluginArray::~PluginArray() {
  if (buffer_ == nullptr) return;
  Padded<PJRT_Buffer_Destroy_Args> args;
  args->buffer = buffer_;
  (void)library_.Call(&PJRT_Api::Buffer_Destroy, args);
}

absl::StatusOr<std::unique_ptr<PluginClient>> PluginClient::Create(const PluginLibrary& library,
                                                                   const PluginOptions& options) {
  Padded<PJRT_Plugin_Initialize_Args> initialize;
  if (absl::Status status = library.Call(&PJRT_Api::Plugin_Initialize, initialize); !status.ok()) {
    return status;
  }
  std::vector<PJRT_NamedValue> values;
  for (const auto& [name, value] : options) values.push_back(OptionOf(name, value));
  Padded<PJRT_Client_Create_Args> create;
  create->create_options = values.data();
  create->num_options = values.size();
  if (absl::Status status = library.Call(&PJRT_Api::Client_Create, create); !status.ok()) {
    return status;
  }
  if (create->client == nullptr) return Nonsense("made a null client");
  std::unique_ptr<PluginClient> client(new PluginClient(library));
  client->client_ = create->client;
  absl::Status status = client->ReadNames();
  if (status.ok()) status = client->ReadDevices();
  if (!status.ok()) return status;
  client->ReadAttributes();
  return client;
}

PluginClient::~PluginClient() {
  Padded<PJRT_Client_Destroy_Args> args;
  args->client = client_;
  (void)library_.Call(&PJRT_Api::Client_Destroy, args);
}

absl::Status PluginClient::ReadNames() {
  Padded<PJRT_Client_PlatformName_Args> name;
  name->client = client_;
  absl::Status status = library_.Call(&PJRT_Api::Client_PlatformName, name);
  Padded<PJRT_Client_PlatformVersion_Args> version;
  version->client = client_;
  status.Update(library_.Call(&PJRT_Api::Client_PlatformVersion, version));
  platform_name_ = Text(name->platform_name, name->platform_name_size);
  platform_version_ = Text(version->platform_version, version->platform_version_size);
  return status;
}

absl::Status PluginClient::ReadDevices() {
  Padded<PJRT_Client_AddressableDevices_Args> list;
  list->client = client_;
  absl::Status status = library_.Call(&PJRT_Api::Client_AddressableDevices, list);
  if (!status.ok()) return status;
  const size_t count = list->num_addressable_devices;
  if (count == 0 || count > kMostDevices) {
    return Nonsense(absl::StrCat("says that it has ", count, " devices"));
  }
  if (list->addressable_devices == nullptr) return Nonsense("gave a null list of devices");
  devices_.assign(list->addressable_devices, list->addressable_devices + count);
  for (PJRT_Device* device : devices_) {
    Padded<PJRT_Device_GetDescription_Args> description;
    description->device = device;
    status = library_.Call(&PJRT_Api::Device_GetDescription, description);
    if (!status.ok()) return status;
    Padded<PJRT_DeviceDescription_Id_Args> id;
    id->device_description = description->device_description;
    status = library_.Call(&PJRT_Api::DeviceDescription_Id, id);
    if (!status.ok()) return status;
    device_ids_.push_back(id->id);
  }
  return absl::OkStatus();
}

void PluginClient::ReadAttributes() {
  Padded<PJRT_Plugin_Attributes_Args> args;
  if (!library_.Call(&PJRT_Api::Plugin_Attributes, args).ok() || args->attributes == nullptr) {
    return;
  }
  constexpr size_t kMost = 1000;
  for (size_t i = 0; i < std::min(args->num_attributes, kMost); ++i) {
    const PJRT_NamedValue& each = args->attributes[i];
    if (Text(each.name, each.name_size) != "stablehlo_current_version") continue;
    if (each.type != PJRT_NamedValue_Int64List || each.value_size != 3) continue;
    const int64_t* version = each.value.int64_array_value;
    stablehlo_version_ = absl::StrCat(version[0], ".", version[1], ".", version[2]);
  }
}

absl::StatusOr<std::unique_ptr<PluginArray>> PluginClient::Upload(const Literal& array,
                                                                  size_t device) const {
  Padded<PJRT_Client_BufferFromHostBuffer_Args> args;
  args->client = client_;
  args->type = BufferTypeOf(array.element_type());
  if (!array.is_array() || args->type == PJRT_Buffer_INVALID) {
    return absl::UnimplementedError(
        absl::StrCat("PJRT has no buffers of type ", array.shape().ToString()));
  }
  const absl::Span<const int64_t> dimensions = array.shape().dimensions();
  static const std::byte nothing[1] = {};
  args->data = array.byte_size() == 0 ? nothing : array.data();
  args->dims = dimensions.data();
  args->num_dims = dimensions.size();
  args->host_buffer_semantics = PJRT_HostBuffer_OnlyDuringCall;
  args->device = devices_[device];
  absl::Status status = library_.Call(&PJRT_Api::Client_BufferFromHostBuffer, args);
  if (!status.ok()) return status;
  if (args->buffer == nullptr) return Nonsense("made a null buffer");
  auto made = std::make_unique<PluginArray>(library_, args->buffer);
  status = library_.Await(args->done_with_host_buffer);
  if (!status.ok()) return status;
  return made;
}

absl::StatusOr<Literal> PluginClient::Download(PJRT_Buffer* buffer, const Shape& shape) const {
  Padded<PJRT_Buffer_ElementType_Args> type;
  type->buffer = buffer;
  absl::Status status = library_.Call(&PJRT_Api::Buffer_ElementType, type);
  Padded<PJRT_Buffer_Dimensions_Args> dims;
  dims->buffer = buffer;
  status.Update(library_.Call(&PJRT_Api::Buffer_Dimensions, dims));
  if (!status.ok()) return status;
  if (ElementTypeOf(type->type) != shape.element_type()) {
    return Nonsense(absl::StrCat("gives elements of PJRT's type ", type->type, " for a result ",
                                 shape.ToString()));
  }
  const absl::Span<const int64_t> given(
      dims->dims, dims->dims == nullptr ? 0 : std::min<size_t>(dims->num_dims, 256));
  if (!std::equal(given.begin(), given.end(), shape.dimensions().begin(),
                  shape.dimensions().end())) {
    return Nonsense(absl::StrCat("gives an array of other sizes for a result ", shape.ToString()));
  }
  absl::StatusOr<Literal> array = Literal::Create(shape);
  if (!array.ok()) return array;
  std::vector<int64_t> minor_to_major;
  for (auto d = static_cast<int64_t>(given.size()) - 1; d >= 0; --d) minor_to_major.push_back(d);
  Padded<PJRT_Buffer_MemoryLayout> layout;
  layout->type = PJRT_MemoryLayout_Tiled;
  layout->value.tiled.struct_size = kStructSize<PJRT_Buffer_MemoryLayout_Tiled>;
  layout->value.tiled.minor_to_major = minor_to_major.data();
  layout->value.tiled.minor_to_major_size = minor_to_major.size();
  Padded<PJRT_Buffer_ToHostBuffer_Args> args;
  args->src = buffer;
  args->host_layout = &layout.args;
  status = library_.Call(&PJRT_Api::Buffer_ToHostBuffer, args);
  if (!status.ok()) return status;
  const auto size = static_cast<size_t>(array->byte_size());
  if (args->dst_size < size) {
    return Nonsense(absl::StrCat("says that ", shape.ToString(), " has ", args->dst_size,
                                 " bytes; it has ", size));
  }
  constexpr size_t kMostExcess = 4096;
  if (args->dst_size - size > kMostExcess) {
    return Nonsense(absl::StrCat("says that ", shape.ToString(), " has ", args->dst_size,
                                 " bytes; it has ", size));
  }
  std::vector<std::byte> bytes(std::max<size_t>(1, args->dst_size));
  args->dst = bytes.data();
  args->event = nullptr;
  status = library_.Call(&PJRT_Api::Buffer_ToHostBuffer, args);
  if (status.ok()) status = library_.Await(args->event);
  if (!status.ok()) return status;
  std::copy_n(bytes.begin(), size, array->mutable_data());
  ClearHighBits(&*array);
  return array;
}

absl::StatusOr<std::unique_ptr<PluginProgramHandle>> PluginClient::Compile(
    const PluginProgram& program) const {
  std::string code = program.code;  // the interface takes a pointer to mutable bytes
  Padded<PJRT_Program> given;
  given->code = code.data();
  given->code_size = code.size();
  given->format = program.format.data();
  given->format_size = program.format.size();
  Padded<PJRT_Client_Compile_Args> args;
  args->client = client_;
  args->program = &given.args;
  args->compile_options = program.options.data();
  args->compile_options_size = program.options.size();
  absl::Status status = library_.Call(&PJRT_Api::Client_Compile, args);
  if (!status.ok()) return status;
  if (args->executable == nullptr) return Nonsense("made a null executable");
  return std::make_unique<PluginProgramHandle>(*this, args->executable);
}

PluginProgramHandle::~PluginProgramHandle() {
  Padded<PJRT_LoadedExecutable_Destroy_Args> args;
  args->executable = executable_;
  (void)client_.library().Call(&PJRT_Api::LoadedExecutable_Destroy, args);
}

absl::Status PluginProgramHandle::Check(size_t results, size_t devices) {
  const PluginLibrary& library = client_.library();
  Padded<PJRT_LoadedExecutable_GetExecutable_Args> get;
  get->loaded_executable = executable_;
  absl::Status status = library.Call(&PJRT_Api::LoadedExecutable_GetExecutable, get);
  if (!status.ok()) return status;
  Padded<PJRT_Executable_NumOutputs_Args> outputs;
  outputs->executable = get->executable;
  status = library.Call(&PJRT_Api::Executable_NumOutputs, outputs);
  Padded<PJRT_Executable_Destroy_Args> destroy;
  destroy->executable = get->executable;
  (void)library.Call(&PJRT_Api::Executable_Destroy, destroy);
  Padded<PJRT_LoadedExecutable_AddressableDevices_Args> list;
  list->executable = executable_;
  status.Update(library.Call(&PJRT_Api::LoadedExecutable_AddressableDevices, list));
  if (!status.ok()) return status;
  if (outputs->num_outputs != results) {
    return Nonsense(
        absl::StrCat("says that a module of ", results, " results has ", outputs->num_outputs));
  }
  if (list->num_addressable_devices != devices || list->addressable_devices == nullptr) {
    return Nonsense(
        absl::StrCat("runs a module of ", devices, " devices on ", list->num_addressable_devices));
  }
  results_ = results;
  for (size_t i = 0; i < devices; ++i) {
    const auto& all = client_.devices_;
    const auto found = std::find(all.begin(), all.end(), list->addressable_devices[i]);
    if (found == all.end()) return Nonsense("runs a module on a device that it does not list");
    devices_.push_back(static_cast<size_t>(found - all.begin()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PluginProgramHandle::Arrays>> PluginProgramHandle::Execute(
    const std::vector<std::vector<PJRT_Buffer*>>& arguments, double* seconds) {
  const PluginLibrary& library = client_.library();
  const size_t devices = arguments.size();
  std::vector<PJRT_Buffer* const*> argument_lists;
  for (const std::vector<PJRT_Buffer*>& own : arguments) argument_lists.push_back(own.data());
  std::vector<std::vector<PJRT_Buffer*>> outputs(devices, std::vector<PJRT_Buffer*>(results_ + 1));
  std::vector<PJRT_Buffer**> output_lists;
  for (std::vector<PJRT_Buffer*>& own : outputs) output_lists.push_back(own.data());
  std::vector<PJRT_Event*> events(devices, nullptr);
  Padded<PJRT_ExecuteOptions> options;
  Padded<PJRT_LoadedExecutable_Execute_Args> args;
  args->executable = executable_;
  args->options = &options.args;
  args->argument_lists = argument_lists.data();
  args->num_devices = devices;
  args->num_args = arguments.front().size();
  args->output_lists = output_lists.data();
  args->device_complete_events = events.data();
  const auto start = std::chrono::steady_clock::now();
  absl::Status status = library.Call(&PJRT_Api::LoadedExecutable_Execute, args);
  if (!status.ok()) return status;
  // Every event is awaited and destroyed, also behind an error.
  for (PJRT_Event* event : events) {
    const absl::Status own = library.Await(event);
    if (status.ok()) status = own;
  }
  *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<Arrays> arrays(devices);
  for (size_t d = 0; d < devices; ++d) {
    for (size_t i = 0; i < results_; ++i) {
      arrays[d].push_back(std::make_unique<PluginArray>(library, outputs[d][i]));
      if (outputs[d][i] == nullptr && status.ok()) status = Nonsense("gave a null result");
    }
  }
  if (!status.ok()) return status;
  return arrays;
}

}  // namespace assay::pjrt
