#include "conformance/runner/json_fields.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace assay::conformance {
namespace {

bool IsWhole(const nlohmann::json& json) {
  return json.is_number_integer() &&
         (!json.is_number_unsigned() ||
          json.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string path, absl::Status* status)
    : object_(object), path_(std::move(path)), status_(status) {
  if (!object_.is_object()) Complain("", "an object is expected");
}

const nlohmann::json* JsonFields::Find(const char* key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

std::string JsonFields::PathOf(absl::string_view key) const {
  return absl::StrCat(path_, path_.empty() || key.empty() ? "" : ".", key);
}

void JsonFields::Complain(absl::string_view key, absl::string_view what) const {
  if (!status_->ok()) return;
  const std::string path = PathOf(key);
  *status_ = absl::InvalidArgumentError(absl::StrCat(path, path.empty() ? "" : ": ", what));
}

void JsonFields::ComplainOfName(absl::string_view key, absl::string_view name) const {
  Complain(key, absl::StrCat("there is no '", name, "'"));
}

void JsonFields::Get(const char* key, std::string* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_string()) return Complain(key, "a text is expected");
  *value = json->get<std::string>();
}

void JsonFields::Get(const char* key, bool* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_boolean()) return Complain(key, "true or false is expected");
  *value = json->get<bool>();
}

void JsonFields::Get(const char* key, int64_t* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!IsWhole(*json)) return Complain(key, "a whole number is expected");
  *value = json->get<int64_t>();
}

void JsonFields::Get(const char* key, uint64_t* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_number_unsigned()) return Complain(key, "a whole number from 0 up is expected");
  *value = json->get<uint64_t>();
}

void JsonFields::Get(const char* key, std::optional<double>* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json->is_number()) {
    *value = json->get<double>();
  } else if (*json == "inf" || *json == "-inf") {
    *value = *json == "inf" ? kInfinity : -kInfinity;
  } else if (*json == "nan") {
    *value = std::numeric_limits<double>::quiet_NaN();
  } else {
    Complain(key, "a number is expected");
  }
}

void JsonFields::Get(const char* key, std::vector<std::string>* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_array()) return Complain(key, "an array of texts is expected");
  for (const nlohmann::json& each : *json) {
    if (!each.is_string()) return Complain(key, "an array of texts is expected");
    value->push_back(each.get<std::string>());
  }
}

void JsonFields::Get(const char* key, std::vector<int64_t>* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_array()) return Complain(key, "an array of whole numbers is expected");
  for (const nlohmann::json& each : *json) {
    if (!IsWhole(each)) return Complain(key, "an array of whole numbers is expected");
    value->push_back(each.get<int64_t>());
  }
}

void JsonFields::GetSeconds(const char* key, double* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_number() || !(json->get<double>() >= 0 && json->get<double>() <= 1e9)) {
    return Complain(key, "a time from 0 to 1e9 s is expected");
  }
  *value = json->get<double>();
}

void JsonFields::GetCount(const char* key, int64_t* value) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!IsWhole(*json) || json->get<int64_t>() < 0 || json->get<int64_t>() > kMostCounted) {
    return Complain(key, absl::StrCat("a count from 0 to ", kMostCounted, " is expected"));
  }
  *value = json->get<int64_t>();
}

void JsonFields::Within(const char* key, const std::function<void(const JsonFields&)>& read) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  const JsonFields inner(*json, PathOf(key), status_);
  if (json->is_object()) read(inner);
}

void JsonFields::ForEach(const char* key,
                         const std::function<void(const JsonFields&)>& read) const {
  const nlohmann::json* json = Find(key);
  if (json == nullptr) return;
  if (!json->is_array()) return Complain(key, "an array of objects is expected");
  for (size_t i = 0; i < json->size(); ++i) {
    const JsonFields inner((*json)[i], absl::StrCat(PathOf(key), "[", i, "]"), status_);
    if ((*json)[i].is_object()) read(inner);
  }
}

}  // namespace assay::conformance
