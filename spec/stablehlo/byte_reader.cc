#include "spec/stablehlo/byte_reader.h"

#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace assay::stablehlo {
namespace {

constexpr char kPadding = static_cast<char>(0xCB);

}  // namespace

uint64_t ByteReader::LongVarint() {
  if (at_ == end_) {
    Fail("the data ends early");
    return 0;
  }
  const uint8_t first = static_cast<uint8_t>(*at_);
  const int size = first == 0 ? 9 : std::countr_zero(first) + 1;
  if (left() < static_cast<size_t>(size)) {
    Fail("an integer ends early");
    return 0;
  }
  uint64_t bits = 0;
  if (size == 9) {
    for (int i = 8; i > 0; --i) bits = bits << 8 | static_cast<uint8_t>(at_[i]);
  } else {
    for (int i = size - 1; i >= 0; --i) bits = bits << 8 | static_cast<uint8_t>(at_[i]);
    bits >>= size;
  }
  at_ += size;
  return bits;
}

absl::string_view ByteReader::CString() {
  const void* nul = std::memchr(at_, 0, left());
  if (at_ == end_ || nul == nullptr) {
    Fail("a string has no terminating null character");
    return absl::string_view();
  }
  const absl::string_view text(at_, static_cast<const char*>(nul) - at_);
  at_ += text.size() + 1;
  return text;
}

void ByteReader::AlignTo(uint64_t alignment) {
  if (!std::has_single_bit(alignment)) return Fail("an alignment is not a power of two");
  const uint64_t padding = -static_cast<uint64_t>(offset()) & (alignment - 1);
  for (char byte : Bytes(padding)) {
    if (byte != kPadding) return Fail("padding has a byte other than 0xCB");
  }
}

absl::Status ByteReader::status(absl::string_view what) const {
  if (ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", error_, ", at byte ", error_offset_));
}

}  // namespace assay::stablehlo
