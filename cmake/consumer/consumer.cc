#include <cstdio>

#include "interpreter/interpreter.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

int main() {
  auto module = assay::ParseModule(
      "ENTRY add { x = f32[2] parameter(0) y = f32[2] parameter(1) ROOT sum = f32[2] add(x, y) }");
  auto x = assay::ParseTypedLiteral("f32[2]{0} {1, 2}");
  auto y = assay::ParseTypedLiteral("f32[2]{0} {3, 4}");
  auto sum = assay::Interpret(**module, {*x, *y});
  std::printf("%s\n", sum.ok() ? assay::PrintTypedLiteral(*sum).c_str() : "failed");
  return sum.ok() ? 0 : 1;
}
