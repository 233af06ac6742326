// Operands for tests: all tuples of patterns of narrow types, edge cases and random patterns of
// wide ones.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_TESTING_ELEMENT_SAMPLES_H_
#define ASSAY_BACKENDS_CPU_VECTOR_TESTING_ELEMENT_SAMPLES_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "spec/element/element.h"

namespace assay::cpu {

// Bit patterns at which operations change their behaviour: limits, powers of two and their
// neighbours, small integers.
inline std::vector<uint64_t> EdgePatterns(ElementType type) {
  const int bits = Info(type).bits;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<uint64_t> patterns;
  for (uint64_t base : {uint64_t{0}, mask, mask >> 1, uint64_t{1} << (bits - 1)}) {
    for (int d = -3; d <= 3; ++d) patterns.push_back((base + d) & mask);
  }
  if (!IsFloat(type)) {
    for (int i = 0; i < bits; ++i) patterns.push_back(uint64_t{1} << i);
    return patterns;
  }
  for (const double x :
       {0.25,         0.5,    0.75,     1.0,      1.5,          2.0,          2.5,
        3.0,          7.0,    10.0,     88.5,     89.0,         128.0,        255.0,
        256.0,        300.0,  709.5,    745.0,    2147483647.0, 2147483648.0, 4294967295.0,
        4294967296.0, 0x1p63, 0x1p64,   1e22,     1e300,        1e-3,         1e-10,
        1e-20,        1e-300, 0x1p-126, 0x1p-149, 0x1p-1022,    0x1p127,      0x1p1000}) {
    for (int d = -1; d <= 1; ++d) {
      for (const double sign : {1.0, -1.0}) {
        patterns.push_back((EncodeFloat(type, sign * x) + d) & mask);
      }
    }
  }
  for (const uint64_t pattern :
       {Infinity(type), Infinity(type, true), CanonicalNan(type), MaxFinite(type), Lowest(type),
        MinNormal(type), MinPositive(type)}) {
    patterns.push_back(pattern);
  }
  return patterns;
}

// `arity` columns of equal length. `ordinary`: wide types have parts of ordinary size only, and
// zeros.
inline std::vector<std::vector<Element>> SampleTuples(ElementType type, int arity,
                                                      bool ordinary = false) {
  std::vector<std::vector<Element>> columns(arity);
  std::mt19937_64 random(arity * 100 + static_cast<int>(type));
  const ElementType part = IsComplex(type) ? Info(type).component : type;
  const int bits = Info(part).bits;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const bool all = bits * arity <= 16 && !IsComplex(type);
  if (all) {
    for (uint64_t i = 0; i < uint64_t{1} << (bits * arity); ++i) {
      for (int k = 0; k < arity; ++k) columns[k].push_back({.bits = (i >> (bits * k)) & mask});
    }
    return columns;
  }
  std::vector<uint64_t> edges = EdgePatterns(part);
  auto any = [&]() -> uint64_t {
    switch (ordinary ? (random() % 8 == 0 ? 4 : 1) : random() % 4) {
      case 0:
        return edges[random() % edges.size()];
      case 1:
        // Values near 1 in magnitude.
        if (IsFloat(part) && bits >= 16) {
          const double u = std::ldexp(static_cast<double>(random() >> 11), -53);
          const double x = std::ldexp(1 + u, static_cast<int>(random() % 12) - 6);
          return EncodeFloat(part, random() % 2 == 0 ? x : -x);
        }
        return random() & mask;
      case 4:
        return 0;
      default:
        return random() & mask;
    }
  };
  for (int i = 0; i < 3001; ++i) {
    for (int k = 0; k < arity; ++k) {
      const uint64_t re = any();
      columns[k].push_back({.bits = re, .imag = IsComplex(type) ? any() : 0});
    }
  }
  if (arity == 1 && !IsComplex(type)) {
    for (const uint64_t edge : edges) columns[0].push_back({.bits = edge});
  }
  if (arity == 2 && !IsComplex(type)) {
    for (const uint64_t x : edges) {
      for (size_t j = 0; j < edges.size(); j += 3) {
        columns[0].push_back({.bits = x});
        columns[1].push_back({.bits = edges[j]});
      }
    }
  }
  return columns;
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_TESTING_ELEMENT_SAMPLES_H_
