// Compares the width of a rule's interval with the smallest interval of the values that the rule
// admits (admitted_values.h), on operands that are few enough to enumerate. ASSAY_PRINT_WIDTHS=1
// prints the tables of docs/enclosures.md.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_WIDTH_TESTING_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_WIDTH_TESTING_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/enclosure/admitted_values.h"
#include "conformance/enclosure/enclosure_testing.h"

namespace assay::conformance {

// A part of an element of an operand. The real parts of complex operands have even indices.
struct OperandPart {
  int operand;
  int64_t index;
};
std::vector<OperandPart> ElementwiseParts(int operands, int64_t i);

using AdmitsValues = std::function<PlaceRange(int64_t part, const Reals& operands)>;

// The widths that were measured for one rule on one type.
struct MeasuredRule {
  std::string rule;
  ElementType type;    // of all numbers: T in the texts below; C is its complex type
  std::string result;  // shape of the operation's result
  std::string operation;
  std::vector<std::string> shapes;  // of the operands x0, x1, ...
  std::string computations;
  // The parts of operands that part i of the result depends on, and the values that it may have for
  // them.
  std::function<std::vector<OperandPart>(int64_t i)> parts;
  AdmitsValues admits;
  int64_t most = 0;        // the number of places by which the interval may be too wide on one side
  double least = 1.0 / 8;  // the least magnitude of operands
  double largest = 8;
  bool positive = false;

  // For rules that admit much more than a rounding: the largest ratio of the interval's width to
  // the smallest width, both in ulps of the largest magnitude, ends included. 0 if `most` applies.
  double most_times = 0;
  // the values that enumerated algorithms return for known operands
  AdmitsValues attains = nullptr;
  std::string before = {};  // instructions before the operation
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
// The types of linear algebra.
inline constexpr ElementType kWideWidthTypes[] = {ElementType::kF32, ElementType::kBF16,
                                                  ElementType::kF16};

class WidthsTest : public EnclosureTest {
 public:
  static void TearDownTestSuite();

 protected:
  // Measures a rule on operands that are points or lie in intervals of up to `steps` places.
  void Measure(const MeasuredRule& of, int steps);
  void MeasureBoth(MeasuredRule of, int steps = 2, int64_t more_of_intervals = 0);
  // Measures with one factor for points and another for intervals.
  void MeasureTimes(MeasuredRule of, int steps, double of_points, double of_intervals);
  // Expects that the interval of a rule on intervals is unbounded.
  void ExpectOpen(const MeasuredRule& of, int steps);

 private:
  BoxTree EncloseOn(const MeasuredRule& of, int steps);
  // Joins the values that are admitted for all values of a part's operands.
  static PlaceRange Admissible(const MeasuredRule& of, const BoxTree& tree, int64_t i,
                               const AdmitsValues& admits);
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_WIDTH_TESTING_H_
