// See ordering.h. Test: ordering_test.cc.
#include "spec/proto/ordering.h"

#include <functional>
#include <queue>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/element/element_type.h"

namespace assay {
namespace {

// Walks backwards along unmet needs: every item that is left has one.
std::vector<int64_t> FindCycle(absl::Span<const std::vector<int64_t>> needs,
                               absl::Span<const int64_t> unmet) {
  int64_t at = 0;
  while (unmet[at] == 0) ++at;
  std::vector<int64_t> position(needs.size(), -1);
  std::vector<int64_t> path;
  while (position[at] < 0) {
    position[at] = static_cast<int64_t>(path.size());
    path.push_back(at);
    for (int64_t need : needs[at]) {
      if (unmet[need] != 0) {
        at = need;
        break;
      }
    }
  }
  std::vector<int64_t> cycle(path.begin() + position[at], path.end());
  cycle.push_back(at);
  // A message should stay readable.
  constexpr size_t kMaxNamed = 8;
  if (cycle.size() > kMaxNamed) cycle.resize(kMaxNamed);
  return cycle;
}

}  // namespace

Ordering OrderByNeed(absl::Span<const std::vector<int64_t>> needs) {
  const int64_t count = static_cast<int64_t>(needs.size());
  std::vector<int64_t> unmet(count, 0);
  bool in_order = true;
  for (int64_t i = 0; i < count; ++i) {
    unmet[i] = static_cast<int64_t>(needs[i].size());
    for (int64_t need : needs[i]) in_order &= need < i;
  }
  Ordering result;
  result.order.reserve(count);
  if (in_order) {
    for (int64_t i = 0; i < count; ++i) result.order.push_back(i);
    return result;
  }
  std::vector<std::vector<int64_t>> users(count);
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ready;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t need : needs[i]) users[need].push_back(i);
    if (unmet[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const int64_t next = ready.top();
    ready.pop();
    result.order.push_back(next);
    for (int64_t user : users[next]) {
      if (--unmet[user] == 0) ready.push(user);
    }
  }
  if (static_cast<int64_t>(result.order.size()) != count) result.cycle = FindCycle(needs, unmet);
  return result;
}

bool HasNeedsFirst(absl::Span<const std::vector<int64_t>> needs, absl::Span<const int64_t> order) {
  if (order.size() != needs.size()) return false;
  std::vector<bool> seen(needs.size(), false);
  for (int64_t item : order) {
    if (seen[item]) return false;
    for (int64_t need : needs[item]) {
      if (!seen[need]) return false;
    }
    seen[item] = true;
  }
  return true;
}

std::string SanitizedName(absl::string_view name, absl::string_view fallback) {
  std::string clean(name.empty() ? fallback : name);
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (char& c : clean) {
    const bool good = is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!good) c = '_';
  }
  if (clean.empty() || !is_letter(clean[0])) clean = absl::StrCat("_", clean);
  if (absl::StartsWith(clean, "__") && !absl::StartsWith(clean, "__xla_")) clean[0] = 'a';
  if (ElementTypeFromName(clean)) absl::StrAppend(&clean, "_");
  return clean;
}

}  // namespace assay
