// Where the random streams of processes stand: each instruction that draws has one, for each
// process. Source: reference ops_control_and_collectives.md 9, decision 12 of 16.
#ifndef ASSAY_RUNTIME_RANDOM_STATE_H_
#define ASSAY_RUNTIME_RANDOM_STATE_H_

#include <cstdint>
#include <map>
#include <utility>

namespace assay {
class Instruction;
}

namespace assay::runtime {

// Of one process: how far each instruction has counted.
struct RandomState {
  std::map<const Instruction*, unsigned __int128> counters;
};

// By program and process.
using RandomStates = std::map<std::pair<int64_t, int64_t>, RandomState>;

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_RANDOM_STATE_H_
