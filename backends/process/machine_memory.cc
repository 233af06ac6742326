#include "backends/process/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace assay::process {
namespace {

// A file of one number; "max" is none, and so is what is not there.
std::optional<int64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  int64_t value = 0;
  if (!(file >> word) || !absl::SimpleAtoi(word, &value) || value <= 0) return std::nullopt;
  return value;
}

std::optional<int64_t> PhysicalMemory(const std::string& root) {
  std::ifstream file(absl::StrCat(root, "/proc/meminfo"));
  std::string word;
  int64_t kilobytes = 0;
  while (file >> word) {
    if (word == "MemTotal:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

// The least limit of a control group and those around it.
std::optional<int64_t> LeastLimit(absl::string_view mount, absl::string_view group,
                                  absl::string_view name) {
  std::optional<int64_t> least;
  while (true) {
    const auto own = ReadNumber(absl::StrCat(mount, group, "/", name));
    if (own) least = std::min(least.value_or(*own), *own);
    if (group.empty()) return least;
    group = group.substr(0, group.rfind('/'));
  }
}

std::optional<int64_t> GroupLimit(const std::string& root) {
  std::ifstream file(absl::StrCat(root, "/proc/self/cgroup"));
  std::optional<int64_t> least;
  // "0::/a/b" of version 2; "9:cpu,memory:/a/b" of version 1.
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<absl::string_view> controllers = absl::StrSplit(parts[1], ',');
    const std::string group = parts[2] == "/" ? "" : parts[2];
    std::optional<int64_t> own;
    if (parts[1].empty()) {
      own = LeastLimit(absl::StrCat(root, "/sys/fs/cgroup"), group, "memory.max");
    } else if (std::find(controllers.begin(), controllers.end(), "memory") != controllers.end()) {
      own = LeastLimit(absl::StrCat(root, "/sys/fs/cgroup/memory"), group, "memory.limit_in_bytes");
    }
    if (own) least = std::min(least.value_or(*own), *own);
  }
  return least;
}

}  // namespace

int64_t MachineMemory(const std::string& root) {
  const std::optional<int64_t> physical = PhysicalMemory(root), group = GroupLimit(root);
  if (physical && group) return std::min(*physical, *group);
  return physical ? *physical : group.value_or(0);
}

int64_t UsualTargetMemory(int64_t targets) {
  return kSanitized ? 0 : MachineMemory() / 4 * 3 / std::max<int64_t>(targets, 1);
}

}  // namespace assay::process
