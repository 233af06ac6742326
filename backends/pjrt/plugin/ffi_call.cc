#include "backends/pjrt/plugin/ffi_call.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/plugin/ffi_api.h"
#include "spec/stablehlo/text.h"

namespace assay::pjrt {
namespace {

using stablehlo::Attribute;
using stablehlo::AttributeKind;

// The attributes of a call in the form of the interface, with all that they point at.
class CallAttributeList {
 public:
  absl::Status Read(const std::string& config, ffi::Attributes* attributes) {
    *attributes = {{sizeof(ffi::Attributes), nullptr}, 0, nullptr, nullptr, nullptr};
    if (config.empty()) return absl::OkStatus();
    const absl::StatusOr<const Attribute*> dictionary = stablehlo::ParseAttribute(program_, config);
    if (!dictionary.ok()) return dictionary.status();
    if ((*dictionary)->kind != AttributeKind::kDictionary) return Unknown(**dictionary);
    return AddDictionary(**dictionary, attributes);
  }

 private:
  struct List {
    std::vector<ffi::AttributeType> types;
    std::vector<ffi::Text*> names;
    std::vector<void*> values;
  };

  static absl::Status Unknown(const Attribute& attribute) {
    return absl::UnimplementedError(
        absl::StrCat("the FFI has no attributes such as ", stablehlo::PrintAttribute(attribute)));
  }

  absl::Status AddDictionary(const Attribute& dictionary, ffi::Attributes* attributes) {
    List& list = lists_.emplace_back();
    for (const stablehlo::NamedAttribute& field : dictionary.fields) {
      names_.push_back({field.name.data(), field.name.size()});
      list.names.push_back(&names_.back());
      absl::Status status = AddValue(*field.value, &list);
      if (!status.ok()) return status;
    }
    *attributes = {{sizeof(ffi::Attributes), nullptr},
                   static_cast<int64_t>(list.names.size()),
                   list.types.data(),
                   list.names.data(),
                   list.values.data()};
    return absl::OkStatus();
  }

  absl::Status AddValue(const Attribute& value, List* list) {
    const auto add = [list](ffi::AttributeType type, void* what) {
      list->types.push_back(type);
      list->values.push_back(what);
      return absl::OkStatus();
    };
    const ElementType type = value.kind == AttributeKind::kBool ? ElementType::kPred
                             : value.type == nullptr            ? ElementType::kInvalid
                                                                : value.type->element_type();
    switch (value.kind) {
      case AttributeKind::kBool:
      case AttributeKind::kInteger:
      case AttributeKind::kFloat: {
        if (type == ElementType::kInvalid) return Unknown(value);
        numbers_.push_back(value.integer);
        scalars_.push_back({static_cast<int32_t>(type), &numbers_.back()});
        return add(ffi::AttributeType::kScalar, &scalars_.back());
      }
      case AttributeKind::kString:
        texts_.push_back({value.text.data(), value.text.size()});
        return add(ffi::AttributeType::kString, &texts_.back());
      case AttributeKind::kInts: {
        if (type == ElementType::kInvalid) return Unknown(value);
        std::string& bytes = bytes_.emplace_back();
        for (const int64_t number : value.ints) {
          bytes.append(reinterpret_cast<const char*>(&number), Info(type).storage_bytes);
        }
        arrays_.push_back({static_cast<int32_t>(type), value.ints.size(), bytes.data()});
        return add(ffi::AttributeType::kArray, &arrays_.back());
      }
      case AttributeKind::kDense: {
        if (type == ElementType::kInvalid) return Unknown(value);
        int64_t count = 1;
        for (const int64_t size : value.type->dimensions) count *= size;
        std::string& bytes = bytes_.emplace_back();
        const std::string given(reinterpret_cast<const char*>(value.bytes.get()),
                                static_cast<size_t>(value.byte_count));
        for (int64_t i = 0; i < (value.is_splat ? count : 1); ++i) bytes += given;
        arrays_.push_back({static_cast<int32_t>(type), static_cast<size_t>(count), bytes.data()});
        return add(ffi::AttributeType::kArray, &arrays_.back());
      }
      case AttributeKind::kDictionary:
        dictionaries_.emplace_back();
        if (absl::Status s = AddDictionary(value, &dictionaries_.back()); !s.ok()) return s;
        return add(ffi::AttributeType::kDictionary, &dictionaries_.back());
      default:
        return Unknown(value);
    }
  }

  stablehlo::Program program_;
  // Deques: what is pointed at stays where it is. Numbers are little endian, so that the first
  // bytes are the value in its type.
  std::deque<List> lists_;
  std::deque<ffi::Text> names_, texts_;
  std::deque<int64_t> numbers_;
  std::deque<ffi::Scalar> scalars_;
  std::deque<ffi::Array> arrays_;
  std::deque<std::string> bytes_;
  std::deque<ffi::Attributes> dictionaries_;
};

// Arrays in the form of the interface.
class BufferList {
 public:
  absl::Status Add(const Shape& shape, void* data) {
    if (shape.element_type() != ElementType::kPred && Info(shape.element_type()).bits < 8) {
      return absl::UnimplementedError(absl::StrCat("handlers get no arrays of ", shape.ToString(),
                                                   ": its elements are packed"));
    }
    dims_.emplace_back(shape.dimensions().begin(), shape.dimensions().end());
    buffers_.push_back({{sizeof(ffi::Buffer), nullptr},
                        static_cast<int32_t>(shape.element_type()),
                        data,
                        static_cast<int64_t>(dims_.back().size()),
                        dims_.back().data()});
    pointers_.push_back(&buffers_.back());
    types_.push_back(ffi::kBuffer);
    return absl::OkStatus();
  }
  ffi::Values Frame() {
    return {{sizeof(ffi::Values), nullptr},
            static_cast<int64_t>(pointers_.size()),
            types_.data(),
            pointers_.data()};
  }
  // Where the data lie, as the original interface wants them.
  std::vector<void*> Data() const {
    std::vector<void*> data;
    for (const ffi::Buffer& buffer : buffers_) data.push_back(buffer.data);
    return data;
  }

 private:
  std::deque<std::vector<int64_t>> dims_;
  std::deque<ffi::Buffer> buffers_;
  std::vector<void*> pointers_;
  std::vector<int32_t> types_;
};

// Arguments and results of one call, which the function fills.
struct CallBuffers {
  absl::Status Prepare(const CustomCall& call) {
    for (const Literal& operand : call.operands) {
      for (Literal& leaf : Flatten(operand)) {
        if (!leaf.is_array()) continue;
        operands.push_back(std::move(leaf));
        // Handlers may not write into arguments; the interface has no type that says so.
        void* data = const_cast<std::byte*>(std::as_const(operands.back()).data());
        if (absl::Status s = arguments.Add(operands.back().shape(), data); !s.ok()) return s;
      }
    }
    for (const Shape* shape : Leaves(call.instruction.shape())) {
      if (!shape->is_array()) {
        leaves.push_back(Literal::Token());
        continue;
      }
      absl::StatusOr<Literal> zeros = call.Zeros(*shape);
      if (!zeros.ok()) return zeros.status();
      leaves.push_back(*std::move(zeros));
      if (absl::Status s = results.Add(*shape, leaves.back().mutable_data()); !s.ok()) return s;
    }
    return absl::OkStatus();
  }
  std::deque<Literal> operands;
  std::vector<Literal> leaves;
  BufferList arguments, results;
};

absl::Status Named(const std::string& target, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(target, ": ", status.message()));
}

absl::StatusOr<Literal> CallHandler(const std::string& target, const HandlerBundle& bundle,
                                    const CustomCall& call) {
  static std::atomic<int64_t> runs{0};
  CallBuffers buffers;
  CallAttributeList list;
  ffi::Attributes attributes;
  absl::Status status = buffers.Prepare(call);
  if (status.ok()) status = list.Read(call.instruction.annotations().backend_config, &attributes);
  if (!status.ok()) return Named(target, status);
  ffi::Context context;
  context.device =
      static_cast<int32_t>(call.process.replica * call.grid.partitions + call.process.partition);
  context.run_id = ++runs;
  const std::pair<ffi::Stage, ffi::Handler*> stages[] = {
      {ffi::Stage::kInstantiate, bundle.instantiate},
      {ffi::Stage::kPrepare, bundle.prepare},
      {ffi::Stage::kInitialize, bundle.initialize},
      {ffi::Stage::kExecute, bundle.execute}};
  for (const auto& [stage, handler] : stages) {
    if (handler == nullptr) continue;
    // Before execution there are no arrays.
    const bool runs_now = stage == ffi::Stage::kExecute;
    BufferList none;
    ffi::CallFrame frame = {{ffi::kCallFrameSize, nullptr},
                            &ffi::TheApi(),
                            &context,
                            stage,
                            runs_now ? buffers.arguments.Frame() : none.Frame(),
                            runs_now ? buffers.results.Frame() : none.Frame(),
                            attributes,
                            nullptr};
    status = ffi::ToStatus(handler(&frame));
    if (status.ok() && frame.future != nullptr) status = frame.future->Await();
    delete frame.future;
    if (!status.ok()) return Named(target, status);
  }
  return Unflatten(call.instruction.shape(), buffers.leaves);
}

absl::StatusOr<Literal> CallPlain(const std::string& target, PlainFunction* function,
                                  const CustomCall& call) {
  CallBuffers buffers;
  if (absl::Status s = buffers.Prepare(call); !s.ok()) return Named(target, s);
  const std::vector<void*> arguments = buffers.arguments.Data();
  std::vector<void*> results = buffers.results.Data();
  std::vector<const void*> in(arguments.begin(), arguments.end());
  function(call.instruction.shape().is_tuple() ? static_cast<void*>(results.data())
           : results.empty()                   ? nullptr
                                               : results.front(),
           in.data());
  return Unflatten(call.instruction.shape(), buffers.leaves);
}

struct Handlers {
  std::mutex mutex;
  std::map<std::string, CustomCallHandler> by_target;
};
Handlers& AllHandlers() {
  static Handlers& handlers = *new Handlers;
  return handlers;
}

void Keep(const std::string& target, CustomCallHandler handler) {
  Handlers& all = AllHandlers();
  const std::lock_guard lock(all.mutex);
  all.by_target[target] = std::move(handler);
}

}  // namespace

absl::Status RegisterHandler(const std::string& target, const HandlerBundle& bundle) {
  if (bundle.execute == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(target, " has no function that executes it"));
  }
  ffi::Metadata metadata = {};
  metadata.struct_size = ffi::kMetadataSize;
  metadata.version.head.struct_size = sizeof(metadata.version);
  ffi::MetadataExtension extension = {
      {sizeof(ffi::MetadataExtension), ffi::kMetadataExtension, nullptr}, &metadata};
  ffi::CallFrame frame = {};
  frame.head = {ffi::kCallFrameSize, &extension.base};
  frame.api = &ffi::TheApi();
  frame.stage = ffi::Stage::kExecute;
  if (absl::Status s = ffi::ToStatus(bundle.execute(&frame)); !s.ok()) return Named(target, s);
  if (metadata.version.major_version != ffi::kMajor) {
    return absl::InvalidArgumentError(absl::StrCat(
        target, " is made for version ", metadata.version.major_version, ".",
        metadata.version.minor_version, " of the FFI; Assay has ", ffi::kMajor, ".", ffi::kMinor));
  }
  Keep(target,
       [target, bundle](const CustomCall& call) { return CallHandler(target, bundle, call); });
  return absl::OkStatus();
}

absl::Status RegisterPlainFunction(const std::string& target, PlainFunction* function) {
  if (function == nullptr) return absl::InvalidArgumentError(absl::StrCat(target, " is null"));
  Keep(target,
       [target, function](const CustomCall& call) { return CallPlain(target, function, call); });
  return absl::OkStatus();
}

bool AddHandlers(CustomCallRegistry* registry) {
  Handlers& all = AllHandlers();
  const std::lock_guard lock(all.mutex);
  for (const auto& [target, handler] : all.by_target) registry->Register(target, handler);
  return !all.by_target.empty();
}

}  // namespace assay::pjrt

extern "C" __attribute__((visibility("default"))) const char* AssayPjrtRegisterHandler(
    const char* target, int32_t api_version, void* instantiate, void* prepare, void* initialize,
    void* execute) {
  using namespace assay::pjrt;
  static thread_local std::string message;
  absl::Status status;
  const auto handler = [](void* address) { return reinterpret_cast<ffi::Handler*>(address); };
  if (target == nullptr || (api_version != 0 && api_version != 1)) {
    status = absl::InvalidArgumentError("the interfaces of custom calls are 0 and 1");
  } else if (api_version == 0) {
    status = RegisterPlainFunction(target, reinterpret_cast<PlainFunction*>(execute));
  } else {
    status = RegisterHandler(
        target, {handler(instantiate), handler(prepare), handler(initialize), handler(execute)});
  }
  if (status.ok()) return nullptr;
  message = std::string(status.message());
  return message.c_str();
}
