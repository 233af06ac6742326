// A cursor over part of a bytecode file. An error sticks: everything that is read after it is zero
// or empty, so that callers check once for many reads. Counts never exceed the bytes that are left,
// which bounds every loop and every allocation by the size of the file.
// Source: MLIR's bytecode format, "Primitives". Tests: byte_reader_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_BYTE_READER_H_
#define ASSAY_SPEC_STABLEHLO_BYTE_READER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace assay::stablehlo {

class ByteReader {
 public:
  ByteReader() = default;
  // The bytes [begin, end) of the file.
  ByteReader(absl::string_view file, size_t begin, size_t end)
      : file_(file.data()), at_(file.data() + begin), end_(file.data() + end) {}

  bool ok() const { return error_ == nullptr; }
  bool empty() const { return at_ == end_; }
  size_t left() const { return end_ - at_; }
  size_t offset() const { return at_ - file_; }  // in the file

  uint8_t Byte() {
    if (at_ == end_) {
      Fail("the data ends early");
      return 0;
    }
    return static_cast<uint8_t>(*at_++);
  }

  // A variable-width integer: the number of trailing zero bits of the first byte is the number of
  // bytes that follow.
  uint64_t Varint() {
    if (at_ != end_ && (*at_ & 1) != 0) return static_cast<uint8_t>(*at_++) >> 1;
    return LongVarint();
  }
  // The bytes that are left, and the end of those that were read in another way.
  const char* position() const { return at_; }
  void SetPosition(const char* at) { at_ = at; }
  int64_t SignedVarint() {
    const uint64_t bits = Varint();
    return static_cast<int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  }
  // The number of items that follow, each of which takes a byte at least.
  size_t Count() {
    const uint64_t count = Varint();
    if (count > left()) {
      Fail("a count exceeds the data that is left");
      return 0;
    }
    return count;
  }

  absl::string_view Bytes(uint64_t size) {
    if (size > left()) {
      Fail("a size exceeds the data that is left");
      return absl::string_view();
    }
    const absl::string_view bytes(at_, size);
    at_ += size;
    return bytes;
  }
  // A size and that many bytes.
  absl::string_view Blob() { return Bytes(Varint()); }
  // Bytes up to a NUL, without it.
  absl::string_view CString();
  // Skips padding up to an offset in the file that is a multiple of `alignment`.
  void AlignTo(uint64_t alignment);

  // `why` is a literal. The first error stays.
  void Fail(const char* why) {
    if (error_ == nullptr) {
      error_ = why;
      error_offset_ = offset();
    }
    at_ = end_;
  }
  const char* error() const { return error_; }
  // INVALID_ARGUMENT "what: error, at byte N"; OK when there is no error.
  absl::Status status(absl::string_view what) const;

 private:
  uint64_t LongVarint();

  const char* file_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* error_ = nullptr;
  size_t error_offset_ = 0;
};

// A cursor without checks of its own, for places where enough bytes are left: each number may take
// eight of them.
class UncheckedReader {
 public:
  explicit UncheckedReader(const char* at) : at_(at) {}
  const char* at() const { return at_; }
  // Returns false once a number had more than 8 bytes.
  bool ok() const { return ok_; }

  uint8_t Byte() { return static_cast<uint8_t>(*at_++); }
  // The next eight bytes, the first one lowest.
  uint64_t Peek() const { return LoadLittleEndian(at_); }
  void Skip(size_t bytes) { at_ += bytes; }
  uint64_t Varint() {
    const uint64_t bits = Peek();
    ok_ &= (bits & 0xFF) != 0;
    const int size = std::countr_zero(bits | 0x80) + 1;
    at_ += size;
    return bits << (64 - 8 * size) >> (64 - 7 * size);
  }

 private:
  static uint64_t LoadLittleEndian(const char* at) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, sizeof(bits));
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
    return bits;
  }

  const char* at_;
  bool ok_ = true;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTE_READER_H_
