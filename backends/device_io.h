// The inputs and outputs of an execution on a device, as values in this process's memory. Queues
// are lists of arrays in order; an item that is a tuple contributes its leaves. Tests:
// golden/golden_backend_test.cc.
#ifndef ASSAY_BACKENDS_DEVICE_IO_H_
#define ASSAY_BACKENDS_DEVICE_IO_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/literal.h"

namespace assay {

struct DeviceInputs {
  std::vector<Literal> arguments;    // by parameter number
  std::vector<Literal> infeed = {};  // the arrays for its infeeds
};

struct DeviceOutputs {
  Literal result;                     // the value of the entry's root
  std::vector<Literal> outfeed = {};  // the arrays of its outfeeds
};

// Convert arguments and results by device, for modules without feeds.
inline std::vector<DeviceInputs> WithoutFeeds(absl::Span<const std::vector<Literal>> arguments) {
  std::vector<DeviceInputs> inputs;
  for (const std::vector<Literal>& own : arguments) inputs.push_back({own});
  return inputs;
}

inline std::vector<Literal> ResultsOf(absl::Span<const DeviceOutputs> outputs) {
  std::vector<Literal> results;
  for (const DeviceOutputs& own : outputs) results.push_back(own.result);
  return results;
}

}  // namespace assay

#endif  // ASSAY_BACKENDS_DEVICE_IO_H_
