// assay-pjrt-driver PLUGIN.so[?OPTION=VALUE&...]: a PJRT plug-in as a target of Assay
// (docs/process_backend.md), in a process that the plug-in may abort. Assay starts it for
// `--target pjrt:PLUGIN.so`. Test: driver_test.cc.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/pjrt/driver/plugin_backend.h"
#include "backends/pjrt/driver/type_probe.h"
#include "backends/process/server.h"

namespace assay::pjrt {
namespace {

// The argument, taken apart.
struct Target {
  std::string path;
  PluginOptions options;  // of the client
  CompilerFlags flags;    // written flag.NAME=VALUE
};

absl::StatusOr<Target> ParseTarget(absl::string_view argument) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(argument, absl::MaxSplits('?', 1));
  Target target;
  target.path = std::string(parts.first);
  for (absl::string_view each : absl::StrSplit(parts.second, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> option =
        absl::StrSplit(each, absl::MaxSplits('=', 1));
    absl::string_view name = option.first;
    if (name.empty() || !absl::StrContains(each, '=')) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", each, "' is not an option of the form NAME=VALUE"));
    }
    auto& list = absl::ConsumePrefix(&name, "flag.") ? target.flags : target.options;
    list.emplace_back(std::string(name), std::string(option.second));
  }
  return target;
}

absl::StatusOr<std::unique_ptr<PluginBackend>> Start(const Target& target,
                                                     absl::string_view argument) {
  absl::StatusOr<PluginLibrary> library = PluginLibrary::Open(target.path);
  if (!library.ok()) return library.status();
  absl::StatusOr<std::unique_ptr<PluginClient>> client =
      PluginClient::Create(*library, target.options);
  if (!client.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", target.path, "' makes no client: ", client.status().message()));
  }
  return std::make_unique<PluginBackend>(absl::StrCat("pjrt:", argument), *std::move(client),
                                         target.flags);
}

// What the answers about types depend on.
std::string KeyOf(const Target& target, absl::string_view argument) {
  struct stat file = {};
  stat(target.path.c_str(), &file);
  return absl::StrReplaceAll(absl::StrCat("2 ", argument, " ", file.st_size, " ", file.st_mtime),
                             {{"\n", " "}});
}

absl::Status Run(absl::string_view argument, int requests, int responses) {
  const absl::StatusOr<Target> target = ParseTarget(argument);
  if (!target.ok()) return process::ServeError(target.status(), requests, responses);
  process::ServerOptions options;
  if (access(target->path.c_str(), R_OK) == 0) {
    options.types = StoredTypes(KeyOf(*target, argument), [&]() -> absl::StatusOr<TypeQuestion> {
      absl::StatusOr<std::unique_ptr<PluginBackend>> backend = Start(*target, argument);
      if (!backend.ok()) return backend.status();
      return [asked = std::shared_ptr<PluginBackend>(*std::move(backend))](ElementType type) {
        return asked->TryType(type);
      };
    });
  }
  absl::StatusOr<std::unique_ptr<PluginBackend>> backend = Start(*target, argument);
  if (!backend.ok()) return process::ServeError(backend.status(), requests, responses);
  options.name = absl::StrReplaceAll((*backend)->display_name(), {{"\n", " "}});
  options.version = absl::StrCat("PJRT ", kApiMajor, ".", (*backend)->minor_version());
  constexpr int64_t kMostDevices = 4096;
  options.devices = std::min(kMostDevices, (*backend)->capabilities().devices);
  options.feeds = false;
  options.dynamic_sizes = false;
  return process::Serve(**backend, options, requests, responses);
}

}  // namespace
}  // namespace assay::pjrt

int main(int argc, char** argv) {
  const auto fail = [](const absl::Status& status) {
    std::fprintf(stderr, "assay-pjrt-driver: %s\n", std::string(status.message()).c_str());
    return 2;
  };
  if (argc != 2 || argv[1][0] == '-') {
    std::fprintf(stderr,
                 "usage: assay-pjrt-driver PLUGIN.so[?OPTION=VALUE&...]\n"
                 "Assay starts it: assay test --target pjrt:PLUGIN.so (docs/pjrt.md)\n");
    return 2;
  }
  const absl::StatusOr<int> requests = assay::process::DescriptorOf("ASSAY_REQUEST_FD", argv[0]);
  if (!requests.ok()) return fail(requests.status());
  const absl::StatusOr<int> responses = assay::process::DescriptorOf("ASSAY_RESPONSE_FD", argv[0]);
  if (!responses.ok()) return fail(responses.status());
  const absl::Status status = assay::pjrt::Run(argv[1], *requests, *responses);
  // A plug-in's own threads may still run; its destructors are not ours to call.
  std::fflush(nullptr);
  if (!status.ok()) _exit(fail(status));
  _exit(0);
}
