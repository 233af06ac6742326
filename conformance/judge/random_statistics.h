// Statistical tests of random numbers: whether an array may come from a generator of its
// distribution. Every test compares a count with a binomial distribution by Chernoff's bound
// P(n KL(count / n || p) > t) <= 2 exp(-t), which holds for every n, so that the false-alarm rate
// is derived and not simulated: all tests of one array together accuse a generator without a fault
// with a probability of at most kRandomFalseAlarm. Source: reference
// ops_control_and_collectives.md 9.3; docs/semantics/random_numbers.md lists the tests. Tests:
// random_statistics_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RANDOM_STATISTICS_H_
#define ASSAY_CONFORMANCE_JUDGE_RANDOM_STATISTICS_H_

#include <optional>
#include <string>

#include "conformance/judge/bounds.h"

namespace assay::conformance {

inline constexpr double kRandomFalseAlarm = 1e-10;

// Returns the reason why the array is not a sample of the instruction's distribution, or nothing if
// every test passes. `instruction` is an `rng`, or an `rng-bit-generator` of the default algorithm
// whose bits `actual` are.
std::optional<std::string> RefuteRandom(const Instruction& instruction,
                                        absl::Span<const Literal> operands, const Literal& actual);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_RANDOM_STATISTICS_H_
