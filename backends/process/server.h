// The process side of docs/process_backend.md: any backend of this program answers requests of
// another one. `assay serve` is this function with the golden interpreter. Tests:
// process_cli_test.py.
#ifndef ASSAY_BACKENDS_PROCESS_SERVER_H_
#define ASSAY_BACKENDS_PROCESS_SERVER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "backends/backend.h"

namespace assay {

// The highest version of the protocol that both sides of it speak.
inline constexpr int64_t kProcessProtocol = 4;

struct ServerOptions {
  std::string name = "assay", version;  // what hello says
  int64_t protocol = kProcessProtocol;  // the highest version that is spoken
  int64_t devices = 1;
  // Called with every module before it is compiled: INVALID_ARGUMENT for an illegal one.
  std::function<absl::Status(const Module&)> check;
};

// Answers the requests that come over one descriptor on the other, until `bye` or the end of the
// channel. INVALID_ARGUMENT for requests that are none.
absl::Status Serve(Backend& backend, const ServerOptions& options, int request_fd, int response_fd);

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_SERVER_H_
