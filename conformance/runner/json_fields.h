// Reads members of untrusted JSON objects. A missing member leaves the value unchanged; the first
// member of the wrong kind is reported as the error, with its path ("cases[3].probes[0].message").
// Tests: case_result_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_JSON_FIELDS_H_
#define ASSAY_CONFORMANCE_RUNNER_JSON_FIELDS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

class JsonFields {
 public:
  // The largest count of one case. Sums over the cases of a file then stay far below INT64_MAX.
  static constexpr int64_t kMostCounted = int64_t{1} << 36;

  // `status` receives the first error. Both must outlive this object.
  JsonFields(const nlohmann::json& object, std::string path, absl::Status* status);

  void Get(const char* key, std::string* value) const;
  void Get(const char* key, bool* value) const;
  void Get(const char* key, int64_t* value) const;
  void Get(const char* key, uint64_t* value) const;
  void Get(const char* key, std::optional<double>* value) const;  // or "inf", "-inf", "nan"
  void Get(const char* key, std::vector<std::string>* value) const;
  void Get(const char* key, std::vector<int64_t>* value) const;
  void GetSeconds(const char* key, double* value) const;  // from 0 to 1e9
  void GetCount(const char* key, int64_t* value) const;   // from 0 to kMostCounted

  // Reads a required member whose value is one of the names that `from_name` accepts.
  template <typename T>
  T Name(const char* key, std::optional<T> (*from_name)(absl::string_view), T otherwise) const {
    std::string name;
    Get(key, &name);
    const std::optional<T> value = from_name(name);
    if (!value) ComplainOfName(key, name);
    return value.value_or(otherwise);
  }

  // Reads an object that maps names to counts.
  template <typename T, size_t n>
  void GetCounts(const char* key, std::optional<T> (*from_name)(absl::string_view),
                 std::array<int64_t, n>* counts) const {
    Within(key, [&](const JsonFields& fields) {
      for (const auto& item : fields.object_.items()) {
        const std::optional<T> value = from_name(item.key());
        if (!value) {
          fields.ComplainOfName("", item.key());
        } else {
          fields.GetCount(item.key().c_str(), &(*counts)[static_cast<size_t>(*value)]);
        }
      }
    });
  }

  void Within(const char* key, const std::function<void(const JsonFields&)>& read) const;
  void ForEach(const char* key, const std::function<void(const JsonFields&)>& read) const;

  void Complain(absl::string_view key, absl::string_view what) const;

 private:
  const nlohmann::json* Find(const char* key) const;  // null if the member is missing
  void ComplainOfName(absl::string_view key, absl::string_view name) const;
  std::string PathOf(absl::string_view key) const;

  const nlohmann::json& object_;
  std::string path_;
  absl::Status* status_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_JSON_FIELDS_H_
