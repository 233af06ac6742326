#include "tools/cli/depth_options.h"

#include <string>

#include "absl/strings/numbers.h"

namespace assay::cli {
namespace {

// The number stands for one member of a depth.
CLI::Validator DepthMember(int64_t conformance::TraceDepth::*member) {
  return CLI::Validator(
      [member](const std::string& text) -> std::string {
        conformance::TraceDepth depth;
        if (!absl::SimpleAtoi(text, &(depth.*member)))
          return "'" + text + "' is not a whole number";
        return std::string(conformance::CheckDepth(depth).message());
      },
      "");
}

}  // namespace

void DepthOptions::AddTo(CLI::App* sub) {
  sub->add_option("--subgraphs", depth.subgraphs,
                  "Of programs, ask for groups of 2 to N instructions that a target would fuse, "
                  "too, so that each such edge is in one (2 to 8; 0: none)")
      ->check(DepthMember(&conformance::TraceDepth::subgraphs))
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--iterations", depth.iterations,
                  "Of loops, and of what else runs several times, ask for N iterations: the first, "
                  "the last, and evenly between (1 to 64; 1: the first alone)")
      ->check(DepthMember(&conformance::TraceDepth::iterations))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace assay::cli
