// The width of a rule's interval beside the smallest interval of the values that the rule admits
// (admitted_values.h), on operands few enough to enumerate. ASSAY_PRINT_WIDTHS=1 prints the tables
// of docs/enclosures.md.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_WIDTH_TESTING_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_WIDTH_TESTING_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/enclosure/admitted_values.h"
#include "conformance/enclosure/enclosure_testing.h"

namespace assay {

// One part of one element: of complex operands the real parts are even.
struct OperandPart {
  int operand;
  int64_t index;
};
std::vector<OperandPart> ElementwiseParts(int operands, int64_t i);

using AdmitsValues = std::function<PlaceRange(int64_t part, const Reals& operands)>;

// One rule on one type.
struct MeasuredRule {
  std::string rule;
  ElementType type;    // of all numbers: T in the texts below; C is its complex type
  std::string result;  // shape of the operation's result
  std::string operation;
  std::vector<std::string> shapes;  // of the operands x0, x1, ...
  std::string computations;
  // The parts of operands that part i of the result is made of, and what it may be of their values.
  std::function<std::vector<OperandPart>(int64_t i)> parts;
  AdmitsValues admits;
  int64_t most = 0;        // places on one side that the interval may have too many
  double least = 1.0 / 8;  // of the operands' magnitudes
  double largest = 8;
  bool positive = false;

  // Where the rule admits much more than a rounding: how many times as wide the interval may be,
  // both measured in ulps of its largest magnitude and their ends included. 0: `most` counts.
  double most_times = 0;
  AdmitsValues attains = nullptr;  // what enumerated algorithms give of known operands
  std::string before = {};         // instructions in front of the operation
  std::function<Real(int operand, int64_t part, Real value)> adjust = nullptr;  // of operands
  std::function<bool(int64_t i)> skips = nullptr;  // parts of the result that are unconstrained
};

// Reducers and comparisons of T.
inline constexpr char kAdder[] =
    "add { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] add(a, b) }\n"
    "mul { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] multiply(a, b) }\n"
    "least { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] minimum(a, b) }\n"
    "most { a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT s = T[] maximum(a, b) }\n"
    "ge { a = T[] parameter(0)\n b = T[] parameter(1)\n"
    " ROOT c = pred[] compare(a, b), direction=GE }\n";

inline constexpr ElementType kWidthTypes[] = {ElementType::kF32, ElementType::kBF16,
                                              ElementType::kF16, ElementType::kF8E4M3FN,
                                              ElementType::kF8E5M2};
// Those that linear algebra has.
inline constexpr ElementType kWideWidthTypes[] = {ElementType::kF32, ElementType::kBF16,
                                                  ElementType::kF16};

class WidthsTest : public EnclosureTest {
 public:
  static void TearDownTestSuite();

 protected:
  // Operands are known, or lie in intervals of up to `steps` places.
  void Measure(const MeasuredRule& of, int steps);
  void MeasureBoth(MeasuredRule of, int steps = 2, int64_t more_of_intervals = 0);
  // With another factor for intervals.
  void MeasureTimes(MeasuredRule of, int steps, double of_points, double of_intervals);
  // The interval of a rule on intervals is unbounded.
  void ExpectOpen(const MeasuredRule& of, int steps);

 private:
  BoxTree EncloseOn(const MeasuredRule& of, int steps);
  // Joins what all values admit that the operands of a part may have.
  static PlaceRange Admissible(const MeasuredRule& of, const BoxTree& tree, int64_t i,
                               const AdmitsValues& admits);
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_WIDTH_TESTING_H_
