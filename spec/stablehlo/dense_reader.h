// Reads the elements of one dense constant into storage. Private to the readers.
#ifndef ASSAY_SPEC_STABLEHLO_DENSE_READER_H_
#define ASSAY_SPEC_STABLEHLO_DENSE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/stablehlo/text_lexer.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// Makes a constant whose elements are all equal the splat that it is, as MLIR does.
void NormalizeSplat(int64_t element_bytes, Attribute& dense);

class DenseReader {
 public:
  // `type` is a tensor of known sizes.
  DenseReader(TextLexer& lexer, const Type& type);

  // From the lexer's current token up to `close`. False after an error, which error() says.
  bool Read(const char* close, Attribute& dense);
  // Of digits without "0x".
  bool ReadHex(const char* at, absl::string_view digits, Attribute& dense);

  const char* error_at() const { return error_at_; }
  const std::string& error() const { return error_; }

 private:
  bool Fail(absl::string_view message) { return FailAt(lexer_.token().begin, message); }
  bool FailAt(const char* at, absl::string_view message);
  bool Prepare(Attribute& dense);
  bool ReadNested(size_t depth);
  bool ReadElement();
  bool ReadPart(std::byte* to);
  bool ReadFloatPart(bool negative, std::byte* to);
  bool ReadIntegerPart(bool negative, std::byte* to);
  bool FailLength(size_t depth, int64_t found);
  // Makes room for `elements` elements.
  void Reserve(int64_t elements);
  std::byte* NextElement();
  bool TooLarge() const { return elements_ < 0; }

  TextLexer& lexer_;
  const Type& type_;
  ElementType element_ = ElementType::kInvalid;  // of what is stored
  int64_t element_bytes_ = 0;
  int64_t elements_ = 1;  // of the type; -1 where they are more than 2^63
  const char* close_ = nullptr;
  // What was read so far: grows with the text, so that a type that promises much costs nothing.
  std::shared_ptr<std::byte[]> bytes_;
  int64_t capacity_ = 0;
  int64_t count_ = 0;
  const char* error_at_ = nullptr;
  std::string error_;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_DENSE_READER_H_
