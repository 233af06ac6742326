#include "spec/text/printer.h"

#include <cstdio>

#include "spec/text/parser.h"

int main() {
  auto module = assay::ParseModule("ENTRY add { x = f32[2] parameter(0) ROOT sum = add(x, x) }");
  std::puts(assay::PrintModule(**module).c_str());
}
