// The server side of docs/process_backend.md: a backend of this program responds to requests of
// another program. `assay serve` is this server with the golden interpreter. Tests:
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

namespace assay::process {

// The highest version of the protocol that client and server support.
inline constexpr int64_t kProcessProtocol = 4;

struct ServerOptions {
  std::string name = "assay", version;  // the name and version in the response to hello
  int64_t protocol = kProcessProtocol;  // the highest version that the server offers
  int64_t devices = 1;
  bool feeds = true;          // true if modules with infeeds and outfeeds are supported
  bool dynamic_sizes = true;  // true if dynamic dimensions are supported
  // the names of the supported element types; all if not set
  std::optional<std::vector<std::string>> types;
  // Called with every module before it is compiled. Returns INVALID_ARGUMENT for an illegal module.
  std::function<absl::Status(const Module&)> check;
};

// Reads requests from one descriptor and writes responses to the other, until `bye` or the end of
// the input. Returns INVALID_ARGUMENT for malformed requests.
absl::Status Serve(Backend& backend, const ServerOptions& options, int request_fd, int response_fd);
// Responds to the first request with an error, for a program that cannot start.
absl::Status ServeError(const absl::Status& error, int request_fd, int response_fd);
// Returns the descriptor in an environment variable, ASSAY_REQUEST_FD or ASSAY_RESPONSE_FD.
absl::StatusOr<int> DescriptorOf(const char* variable, absl::string_view program);

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_SERVER_H_
