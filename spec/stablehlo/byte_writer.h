// The other direction of byte_reader.h.
// Source: MLIR's bytecode format, "Primitives". Tests: artifact_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_BYTE_WRITER_H_
#define ASSAY_SPEC_STABLEHLO_BYTE_WRITER_H_

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace assay::stablehlo {

class ByteWriter {
 public:
  void Byte(uint8_t byte) { bytes_ += static_cast<char>(byte); }
  void Bytes(absl::string_view bytes) { bytes_.append(bytes.data(), bytes.size()); }

  void Varint(uint64_t value) {
    const int bits = std::bit_width(value | 1);
    const int size = bits > 56 ? 9 : (bits + 6) / 7;
    if (size == 9) {
      Byte(0);
      LittleEndian(value, 8);
    } else {
      LittleEndian((value << 1 | 1) << (size - 1), size);
    }
  }
  void SignedVarint(int64_t value) {
    Varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void VarintWithFlag(uint64_t value, bool flag) { Varint(value << 1 | (flag ? 1 : 0)); }
  void Blob(absl::string_view bytes) {
    Varint(bytes.size());
    Bytes(bytes);
  }

  void Reserve(size_t more) { bytes_.reserve(bytes_.size() + more); }
  const std::string& bytes() const { return bytes_; }
  std::string Release() && { return std::move(bytes_); }

 private:
  void LittleEndian(uint64_t value, int size) {
    for (int i = 0; i < size; ++i, value >>= 8) Byte(static_cast<uint8_t>(value));
  }

  std::string bytes_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTE_WRITER_H_
