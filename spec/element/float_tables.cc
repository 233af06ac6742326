// The decoding tables, computed by the compiler. Tests: float_exhaustive_test.cc.
#include "spec/element/float_tables.h"

#include <cassert>

#include "spec/element/float_codec.h"
#include "spec/element/float_formats.h"

namespace assay::float_tables {
namespace {

constexpr ByteTable MakeTable(const FloatFormat& format) {
  ByteTable table = {};
  const uint64_t mask = float_formats::SignMask(format) | float_formats::MagnitudeMask(format);
  for (uint64_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = float_codec::Decode(format, byte & mask);
  }
  return table;
}

template <FloatFormat F>
constexpr ByteTable kTable = MakeTable(F);

}  // namespace

const ByteTable& ByteDecoder(ElementType type) {
  switch (type) {
#define BYTE_FLOAT(name)     \
  case ElementType::k##name: \
    return kTable<float_formats::k##name>;
    BYTE_FLOAT(F4E2M1FN)
    BYTE_FLOAT(F6E2M3FN)
    BYTE_FLOAT(F6E3M2FN)
    BYTE_FLOAT(F8E3M4)
    BYTE_FLOAT(F8E4M3)
    BYTE_FLOAT(F8E4M3FN)
    BYTE_FLOAT(F8E4M3FNUZ)
    BYTE_FLOAT(F8E4M3B11FNUZ)
    BYTE_FLOAT(F8E5M2)
    BYTE_FLOAT(F8E5M2FNUZ)
    BYTE_FLOAT(F8E8M0FNU)
#undef BYTE_FLOAT
    default:
      break;
  }
  assert(false && "not a float type of at most 8 bits");
  return kTable<float_formats::kF8E8M0FNU>;
}

}  // namespace assay::float_tables
