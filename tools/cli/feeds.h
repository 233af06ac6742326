// The host program's side of a run, as files: the inputs of infeeds and receives, the outputs of
// outfeeds and sends. Arrays are named infeed0, infeed1, ... and outfeed0, ...: the leaves of the
// items in order, so that a tuple takes as many as it has leaves; host transfers KEY.0, KEY.1, ...
// by the rendezvous of the instruction, else its channel id. With several devices a suffix .devD
// names the device; arrays without it go to each device. See docs/devices.md. Test:
// feeds_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_FEEDS_H_
#define ASSAY_TOOLS_CLI_FEEDS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/process_groups.h"
#include "runtime/queue_host.h"
#include "spec/arrays/arrays.h"

namespace assay::cli {

struct FeedOptions {
  // A file for each program; a single one unless programs run together.
  std::vector<std::string> infeed, outfeed, host_recv, host_send;

  void AddTo(CLI::App* app);
  bool active() const;
  // Returns true if there are host transfers, which only golden supports.
  bool transfers() const { return !host_recv.empty() || !host_send.empty(); }
  // Returns errors before the run that would otherwise occur after it: too many files, files that
  // cannot be written.
  absl::Status Check(size_t programs) const;
  // Fills the queues of programs with these grids. `max_bytes` limits the size of a file; negative
  // for the default of readers.
  absl::Status Load(absl::Span<const runtime::ProcessGrid> grids, int64_t max_bytes,
                    runtime::QueueHost* host) const;
  // Writes the outfeeds and sends.
  absl::Status Save(absl::Span<const runtime::ProcessGrid> grids,
                    const runtime::QueueHost& host) const;
};

// Returns the outfeeds of a program, with their names in files.
std::vector<NamedLiteral> NameOutfeeds(const runtime::QueueHost& host, int64_t program,
                                       const runtime::ProcessGrid& grid);
// Warns on standard error about unused feeds.
void WarnOfUnusedFeeds(const runtime::QueueHost& host);
// Warns on standard error if the order of infeeds or outfeeds is unspecified.
void WarnOfFeedOrder(const Module& module);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_FEEDS_H_
