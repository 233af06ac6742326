// The process side of docs/process_backend.md: any backend of this program answers requests of
// another one. `assay serve` is this function with the golden interpreter. Tests:
// process_cli_test.py.
#ifndef ASSAY_BACKENDS_PROCESS_SERVER_H_
#define ASSAY_BACKENDS_PROCESS_SERVER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"

namespace assay {

// The highest version of the protocol that both sides of it speak.
inline constexpr int64_t kProcessProtocol = 4;

struct ServerOptions {
  std::string name = "assay", version;  // what hello says
  int64_t protocol = kProcessProtocol;  // the highest version that is spoken
  int64_t devices = 1;
  bool feeds = true;          // modules with infeeds and outfeeds are taken
  bool dynamic_sizes = true;  // current sizes of dynamic dimensions are taken and given
  std::optional<std::vector<std::string>> types;  // element types by name; none: all
  // Called with every module before it is compiled: INVALID_ARGUMENT for an illegal one.
  std::function<absl::Status(const Module&)> check;
};

// Answers the requests that come over one descriptor on the other, until `bye` or the end of the
// channel. INVALID_ARGUMENT for requests that are none.
absl::Status Serve(Backend& backend, const ServerOptions& options, int request_fd, int response_fd);
// Answers the first request with an error: what a program does that cannot start.
absl::Status ServeError(const absl::Status& error, int request_fd, int response_fd);
// The descriptor that an environment variable names, ASSAY_REQUEST_FD or ASSAY_RESPONSE_FD.
absl::StatusOr<int> DescriptorOf(const char* variable, absl::string_view program);

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_SERVER_H_
