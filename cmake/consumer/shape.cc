#include "spec/ir/shape.h"

#include <cstdio>

int main() {
  const assay::Shape shape(assay::ElementType::kF32, {2, 3});
  std::puts(shape.ToString().c_str());
}
