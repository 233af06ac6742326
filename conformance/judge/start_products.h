// Real products with any number of uses of a start value that is no identity (decision W-12). The
// exact product of the elements is kept with an exponent of its own, since with one use it may be
// beyond the range of the type, and with another number within it. Tests: start_products_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_START_PRODUCTS_H_
#define ASSAY_CONFORMANCE_JUDGE_START_PRODUCTS_H_

#include <vector>

#include "conformance/judge/bounds.h"

namespace assay::conformance {

// kVacuous: roundings reach from one number of uses to the next, or lost digits reach anywhere, so
// that the bound decides nothing.
enum class StartAnswer : uint8_t { kNo, kVacuous, kYes };

class StartProducts {
 public:
  // The reduction is one of a single array of real numbers. `start` is finite and not zero.
  static absl::StatusOr<StartProducts> Of(const Subject& subject, ElementType type, double start);

  // Returns whether element `i` may have these bits with 2 to `most` uses of the start value.
  StartAnswer Explain(int64_t i, uint64_t actual, double most) const;

 private:
  StartProducts(ElementType type, bool flushes, double start)
      : type_(type), flushes_(flushes), start_(start) {}

  // The product of an element's terms and `uses` start values: mantissa * 2^exponent. `relative`
  // bounds its error while no partial product leaves the range of the type.
  struct Product {
    double mantissa = 0, exponent = 0, count = 0, relative = 0;
    // the binary logarithms of the largest and the smallest product of some of the factors, and the
    // error of both
    double largest = 0, smallest = 0, unsure = 0;
  };
  Product OfUses(int64_t i, double uses) const;
  // Sets the mantissa and the exponent.
  void SetValue(int64_t i, double uses, Product* product) const;
  StartAnswer Decide(const Product& product, uint64_t actual) const;
  StartAnswer DecideFinite(const Product& product, double actual) const;
  // Returns the part of the product that partial products may lose to underflow.
  double Lost(const Product& product) const;

  const ElementType type_;
  const bool flushes_;
  const double start_;
  // By element of the result, without the start value.
  std::vector<double> mantissas_, exponents_, counts_, largest_, smallest_;
  std::vector<double> specials_;  // the number of factors that are zero, infinite or NaN
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_START_PRODUCTS_H_
