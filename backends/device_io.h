// What a device is given for an execution of a module, and what it gives: values in this process's
// memory. Arrays of the queues stand in order; an item that is a tuple is its leaves, and one
// without leaves is none.
#ifndef ASSAY_BACKENDS_DEVICE_IO_H_
#define ASSAY_BACKENDS_DEVICE_IO_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/literal.h"

namespace assay {

struct DeviceInputs {
  std::vector<Literal> arguments;    // by parameter number
  std::vector<Literal> infeed = {};  // what its infeeds take
};

struct DeviceOutputs {
  Literal result;                     // the value of the entry's root
  std::vector<Literal> outfeed = {};  // what its outfeeds have given
};

// Of modules that have no feeds: arguments by device, results by device.
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
