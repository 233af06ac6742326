// One slot for each function and type. Tests: narrow_functions_test.cc.
#include "evaluator/real/function_tables.h"

#include <cassert>
#include <mutex>
#include <vector>

#include "evaluator/real/real_patterns.h"

namespace assay::evaluator::real {
namespace {

constexpr int kTypes = 64;

template <class Pattern>
struct Slot {
  std::once_flag once;
  std::vector<Pattern> values;
};

struct Slots {
  Slot<uint16_t> unary[kRealFunctionCount][kTypes];
  Slot<uint8_t> binary[2][kTypes];
};

Slots& SharedSlots() {
  static Slots* const slots = new Slots;  // never destroyed: threads may still read it at exit
  return *slots;
}

}  // namespace

const uint16_t* TableOf(RealFunction function, ElementType type) {
  Slot<uint16_t>& slot = SharedSlots().unary[static_cast<int>(function)][static_cast<int>(type)];
  std::call_once(slot.once, [&] {
    slot.values.resize(size_t{1} << Info(type).bits);
    for (size_t x = 0; x < slot.values.size(); ++x) {
      slot.values[x] = static_cast<uint16_t>(RealPattern(function, type, x, RealContext()));
    }
  });
  return slot.values.data();
}

const uint8_t* TableOf(RealFunction2 function, ElementType type) {
  assert(function == RealFunction2::kAtan2 || function == RealFunction2::kPower);
  Slot<uint8_t>& slot = SharedSlots().binary[static_cast<int>(function)][static_cast<int>(type)];
  std::call_once(slot.once, [&] {
    const int bits = Info(type).bits;
    const size_t mask = (size_t{1} << bits) - 1;
    slot.values.resize(size_t{1} << (2 * bits));
    for (size_t i = 0; i < slot.values.size(); ++i) {
      slot.values[i] =
          static_cast<uint8_t>(RealPattern(function, type, i >> bits, i & mask, RealContext()));
    }
  });
  return slot.values.data();
}

}  // namespace assay::evaluator::real
