#include "tools/cli/module_json.h"

#include <cmath>
#include <vector>

#include "absl/strings/escaping.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "nlohmann/json.hpp"
#include "spec/proto/conversions.h"
#include "tools/cli/report.h"

namespace assay::cli {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

Json ToJson(const Message& message);

// XLA's strings may hold any bytes, so the wire declares them as bytes; they are text all the same.
Json Text(const FieldDescriptor& field, const std::string& value) {
  const bool payload = field.containing_type()->name() == "LiteralProto";
  return payload ? absl::Base64Escape(value) : value;
}

Json Number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

// Element `i` of a repeated field, or the value of a single one.
Json Value(const Message& message, const FieldDescriptor& field, int i) {
  const Reflection& in = *message.GetReflection();
  const bool list = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToJson(list ? in.GetRepeatedMessage(message, &field, i)
                         : in.GetMessage(message, &field));
    case FieldDescriptor::CPPTYPE_STRING:
      return Text(field,
                  list ? in.GetRepeatedString(message, &field, i) : in.GetString(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int number =
          list ? in.GetRepeatedEnumValue(message, &field, i) : in.GetEnumValue(message, &field);
      const auto* word = field.enum_type()->FindValueByNumber(number);
      return word == nullptr ? Json(number) : Json(word->name());
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return list ? in.GetRepeatedBool(message, &field, i) : in.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_INT32:
      return list ? in.GetRepeatedInt32(message, &field, i) : in.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return list ? in.GetRepeatedInt64(message, &field, i) : in.GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return list ? in.GetRepeatedUInt32(message, &field, i) : in.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return list ? in.GetRepeatedUInt64(message, &field, i) : in.GetUInt64(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Number(list ? in.GetRepeatedFloat(message, &field, i) : in.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Number(list ? in.GetRepeatedDouble(message, &field, i)
                         : in.GetDouble(message, &field));
  }
  return nullptr;
}

// Recurses on nested messages, whose depth the conversion to protobuf has bounded.
Json ToJson(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  Json object = Json::object();
  for (const FieldDescriptor* field : fields) {
    if (!field->is_repeated()) {
      object[field->name()] = Value(message, *field, 0);
      continue;
    }
    Json list = Json::array();
    const int size = message.GetReflection()->FieldSize(message, field);
    for (int i = 0; i < size; ++i) list.push_back(Value(message, *field, i));
    object[field->name()] = std::move(list);
  }
  return object;
}

}  // namespace

absl::StatusOr<std::string> ModuleToJson(const Module& module) {
  absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
  if (!proto.ok()) return proto.status();
  return JsonText(ToJson(*proto));
}

}  // namespace assay::cli
