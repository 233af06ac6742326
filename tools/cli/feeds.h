// The host program's side of a run, in files: what infeeds and receives take, what outfeeds and
// sends give. Arrays are named infeed0, infeed1, ... and outfeed0, ...: the leaves of the items in
// order, so that a tuple takes as many as it has leaves; host transfers KEY.0, KEY.1, ... by the
// rendezvous of the instruction, else its channel id. With several processes .devD says whose they
// are; what has no device goes to each. docs/processes.md describes it. Test: feeds_cli_test.py.
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

namespace assay {

struct FeedOptions {
  // A file for each program; a single one unless programs run together.
  std::vector<std::string> infeed, outfeed, host_recv, host_send;

  void AddTo(CLI::App* app);
  bool active() const;
  // Of the two, host transfers: golden alone has them.
  bool transfers() const { return !host_recv.empty() || !host_send.empty(); }
  // Finds what would fail after the work: too many files, files that cannot be written.
  absl::Status Check(size_t programs) const;
  // Fills the queues of the programs, which have these processes. A file may have so many bytes;
  // negative: the default of readers.
  absl::Status Load(absl::Span<const runtime::ProcessGrid> grids, int64_t max_bytes,
                    runtime::QueueHost* host) const;
  // Writes what was fed out and sent.
  absl::Status Save(absl::Span<const runtime::ProcessGrid> grids,
                    const runtime::QueueHost& host) const;
};

// What a program has fed out, as in a file.
std::vector<NamedLiteral> NameOutfeeds(const runtime::QueueHost& host, int64_t program,
                                       const runtime::ProcessGrid& grid);
// Says on standard error what data nobody has taken.
void WarnOfUnusedFeeds(const runtime::QueueHost& host);
// Says on standard error where the order of infeeds or of outfeeds is the interpreter's choice.
void WarnOfFeedOrder(const Module& module);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_FEEDS_H_
