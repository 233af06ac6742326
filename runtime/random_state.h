// The states of random streams. Each instruction that draws random numbers has one stream for each
// device. Tests: interpreter/random_test.cc. Source: reference ops_control_and_collectives.md 9,
// decision 12 of 16.
#ifndef ASSAY_RUNTIME_RANDOM_STATE_H_
#define ASSAY_RUNTIME_RANDOM_STATE_H_

#include <cstdint>
#include <map>
#include <utility>

namespace assay {
class Instruction;
}

namespace assay::runtime {

// The counters of a device's streams, by instruction.
struct RandomState {
  std::map<const Instruction*, unsigned __int128> counters;
};

// By program and device.
using RandomStates = std::map<std::pair<int64_t, int64_t>, RandomState>;

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_RANDOM_STATE_H_
