#include "conformance/runner/run_identity.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace assay::conformance {
namespace {

using Json = nlohmann::json;

// Avoids dump(), which would recurse as deep as an untrusted value is nested.
std::string InWords(const Json* value) {
  if (value == nullptr) return "none";
  if (value->is_primitive()) return value->dump(-1, ' ', false, Json::error_handler_t::replace);
  const bool texts = value->is_array() && std::all_of(value->begin(), value->end(),
                                                      [](const Json& e) { return e.is_string(); });
  if (!texts) return "something else";
  return absl::StrCat("\"", absl::StrJoin(value->get<std::vector<std::string>>(), "; "), "\"");
}

const Json* Member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

Json IdentityOf(const RunResult& run) {
  Json identity = HeaderToJson(run);
  for (const char* changes :
       {"target_version", "shard", "selected", "interrupted", "started", "seconds", "complaints"}) {
    identity.erase(changes);
  }
  return identity;
}

std::optional<std::string> FindDifference(const Json& other, const Json& own,
                                          absl::string_view name) {
  // Empty values have no member, so each object may have members that the other lacks.
  for (const Json* each : {&own, &other}) {
    for (const auto& item : each->items()) {
      const Json* theirs = Member(other, item.key());
      const Json* ours = Member(own, item.key());
      if (theirs != nullptr && ours != nullptr && *theirs == *ours) continue;
      return absl::StrCat("its ", item.key(), " is ", InWords(theirs), ", that of ", name, " ",
                          InWords(ours));
    }
  }
  return std::nullopt;
}

}  // namespace assay::conformance
