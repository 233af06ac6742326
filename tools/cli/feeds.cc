#include "tools/cli/feeds.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/verify/verifier.h"
#include "tools/cli/options.h"

namespace assay::cli {
namespace {

constexpr int64_t kEveryDevice = -1;

// The arrays of each queue by device, key and number.
using Queues = std::map<int64_t, std::map<std::string, std::map<int64_t, Literal>>>;

// Cuts the digits off the end of a name.
std::optional<int64_t> CutNumber(absl::string_view* name) {
  size_t begin = name->size();
  while (begin > 0 && absl::ascii_isdigit((*name)[begin - 1])) --begin;
  int64_t number = 0;
  if (!absl::SimpleAtoi(name->substr(begin), &number)) return std::nullopt;
  *name = name->substr(0, begin);
  return number;
}

// Puts an array where its name says; `key_end` stands between key and number.
absl::Status Sort(NamedLiteral array, absl::string_view key_end, Queues* queues) {
  absl::string_view name = array.name;
  int64_t device = kEveryDevice;
  constexpr absl::string_view kDevice = ".dev";
  absl::string_view before = name;
  const std::optional<int64_t> last = CutNumber(&before);
  if (last && absl::ConsumeSuffix(&before, kDevice)) {
    device = *last;
    name = before;
  }
  const std::optional<int64_t> number = CutNumber(&name);
  if (!number || !absl::ConsumeSuffix(&name, key_end) || name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the array ", array.name, " is not named KEY",
                                                   key_end, "N or KEY", key_end, "N.devD"));
  }
  const auto [at, is_new] =
      (*queues)[device][std::string(name)].emplace(*number, std::move(array.value));
  if (is_new) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there are two arrays ", array.name));
}

absl::Status CheckGaps(const Queues& queues, absl::string_view key_end, int64_t devices) {
  if (queues.size() > 1 && queues.begin()->first == kEveryDevice) {
    return absl::InvalidArgumentError("some arrays are named for a device (.devD), some are not");
  }
  for (const auto& [device, keys] : queues) {
    if (device >= devices) {
      return absl::InvalidArgumentError(absl::StrCat("arrays for device ", device, ", but there ",
                                                     "are ", devices,
                                                     ": see --replicas and --partitions"));
    }
    for (const auto& [key, arrays] : keys) {
      if (arrays.rbegin()->first < static_cast<int64_t>(arrays.size())) continue;
      int64_t missing = 0;
      while (arrays.count(missing) > 0) ++missing;
      return absl::InvalidArgumentError(
          absl::StrCat("the array ", key, key_end, missing, " is missing"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Queues> ReadQueues(const std::string& path, absl::string_view prefix,
                                  absl::string_view key_end, int64_t devices, int64_t max_bytes) {
  absl::StatusOr<std::vector<NamedLiteral>> arrays =
      ReadArrays(path, max_bytes < 0 ? kDefaultMaxArrayBytes : max_bytes, prefix);
  if (!arrays.ok()) return arrays.status();
  const auto in_file = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  };
  Queues queues;
  for (NamedLiteral& array : *arrays) {
    absl::Status status = Sort(std::move(array), key_end, &queues);
    if (!status.ok()) return in_file(status);
  }
  if (absl::Status status = CheckGaps(queues, key_end, devices); !status.ok()) {
    return in_file(status);
  }
  return queues;
}

ProcessId ProcessOf(size_t program, const ProcessGrid& grid, int64_t device) {
  return {static_cast<int64_t>(program), grid.ReplicaOf(device), grid.PartitionOf(device)};
}

// Hands every array to `put`, with the process and the key whose it is.
template <typename Put>
absl::Status ForEachQueued(const std::string& path, absl::string_view prefix,
                           absl::string_view key_end, size_t program, const ProcessGrid& grid,
                           int64_t max_bytes, const Put& put) {
  absl::StatusOr<Queues> queues = ReadQueues(path, prefix, key_end, grid.count(), max_bytes);
  if (!queues.ok()) return queues.status();
  for (const auto& device_and_keys : *queues) {
    const int64_t device = device_and_keys.first;
    for (const auto& key_and_arrays : device_and_keys.second) {
      for (const auto& number_and_array : key_and_arrays.second) {
        for (int64_t d = 0; d < grid.count(); ++d) {
          if (device != kEveryDevice && device != d) continue;
          absl::Status status =
              put(ProcessOf(program, grid, d), key_and_arrays.first, number_and_array.second);
          if (!status.ok()) return status;
        }
      }
    }
  }
  return absl::OkStatus();
}

void AppendNamed(const std::vector<Literal>& arrays, absl::string_view prefix, int64_t device,
                 std::vector<NamedLiteral>* named) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    std::string name = absl::StrCat(prefix, i);
    if (device >= 0) absl::StrAppend(&name, ".dev", device);
    named->push_back({std::move(name), ValidBox(arrays[i])});
  }
}

std::vector<NamedLiteral> NameSends(const runtime::QueueHost& host, size_t program,
                                    const ProcessGrid& grid) {
  std::vector<NamedLiteral> named;
  for (int64_t device = 0; device < grid.count(); ++device) {
    for (const auto& [key, arrays] : host.sent(ProcessOf(program, grid, device))) {
      AppendNamed(arrays, absl::StrCat(key, "."), grid.count() == 1 ? -1 : device, &named);
    }
  }
  return named;
}

}  // namespace

void FeedOptions::AddTo(CLI::App* app) {
  constexpr char kGroup[] = "The host program (docs/devices.md)";
  const auto add = [&](const char* name, std::vector<std::string>& files, const char* description) {
    app->add_option(name, files, description)
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->group(kGroup);
  };
  add("--infeed", infeed, "What infeeds take: a .npz with infeed0, infeed1, ... (leaves in order)");
  add("--outfeed", outfeed, "Write what is fed out to this .npz (outfeed0, outfeed1, ...)");
  add("--host-recv", host_recv, "What the host sends: a .npz with KEY.0, KEY.1, ... (golden)");
  add("--host-send", host_send,
      "Write what the host receives to this .npz (KEY.0, KEY.1, ...; golden)");
}

bool FeedOptions::active() const { return !infeed.empty() || !outfeed.empty() || transfers(); }

absl::Status FeedOptions::Check(size_t programs) const {
  for (const auto& [name, files] : {std::pair("--infeed", &infeed),
                                    {"--outfeed", &outfeed},
                                    {"--host-recv", &host_recv},
                                    {"--host-send", &host_send}}) {
    if (files->size() > programs) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is given ", files->size(), " times for ", programs, " modules"));
    }
  }
  for (const std::vector<std::string>* files : {&outfeed, &host_send}) {
    for (const std::string& file : *files) {
      if (absl::Status status = CheckWritable(file); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status FeedOptions::Load(absl::Span<const ProcessGrid> grids, int64_t max_bytes,
                               runtime::QueueHost* host) const {
  if (!host_send.empty()) host->TakeSends();
  for (size_t program = 0; program < infeed.size(); ++program) {
    const std::string& file = infeed[program];
    absl::Status status =
        ForEachQueued(file, "infeed", "", program, grids[program], max_bytes,
                      [&](const ProcessId& process, const std::string& key, const Literal& array) {
                        if (key != "infeed") {
                          return absl::InvalidArgumentError(absl::StrCat(
                              file, ": an array is named ", key, "N, not infeedN or infeedN.devD"));
                        }
                        host->PutInfeed(process, array);
                        return absl::OkStatus();
                      });
    if (!status.ok()) return status;
  }
  for (size_t program = 0; program < host_recv.size(); ++program) {
    absl::Status status =
        ForEachQueued(host_recv[program], "KEY.", ".", program, grids[program], max_bytes,
                      [&](const ProcessId& process, const std::string& key, const Literal& array) {
                        host->PutReceive(process, key, array);
                        return absl::OkStatus();
                      });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status FeedOptions::Save(absl::Span<const ProcessGrid> grids,
                               const runtime::QueueHost& host) const {
  for (size_t program = 0; program < outfeed.size(); ++program) {
    absl::Status status = WriteNpz(
        outfeed[program], NameOutfeeds(host, static_cast<int64_t>(program), grids[program]));
    if (!status.ok()) return status;
  }
  for (size_t program = 0; program < host_send.size(); ++program) {
    absl::Status status = WriteNpz(host_send[program], NameSends(host, program, grids[program]));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::vector<NamedLiteral> NameOutfeeds(const runtime::QueueHost& host, int64_t program,
                                       const ProcessGrid& grid) {
  std::vector<NamedLiteral> named;
  for (int64_t device = 0; device < grid.count(); ++device) {
    AppendNamed(host.outfed(ProcessOf(program, grid, device)), "outfeed",
                grid.count() == 1 ? -1 : device, &named);
  }
  return named;
}

void WarnOfUnusedFeeds(const runtime::QueueHost& host) {
  const auto warn = [](int64_t count, absl::string_view what) {
    if (count == 0) return;
    std::cerr << "assay: warning: " << count << " arrays " << what << " were not taken\n";
  };
  warn(host.unused_infeeds(), "of infeed data");
  warn(host.unused_receives(), "that the host sends");
}

void WarnOfFeedOrder(const Module& module) {
  bool feeds = false;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      feeds |=
          instruction->opcode() == Opcode::kInfeed || instruction->opcode() == Opcode::kOutfeed;
    }
  }
  if (!feeds) return;
  VerifyOptions options;
  options.rules = Rules::kStrict;
  for (const Finding& finding : VerifyModule(module, options).findings) {
    if (finding.clause != "feed_c1") continue;
    std::cerr << "assay: warning: " << ForPeople(finding.message) << "\n";
  }
}

}  // namespace assay::cli
