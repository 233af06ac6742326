// The text form of a protobuf knows one NaN. Here the bits of the others go into a field beside
// the numbers and back. Test: module_file_test.cc.
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::RepeatedField;

// Calls visit(literal) for every literal in the message, until it returns an error.
template <typename Visit>
absl::Status ForEachLiteral(Message* message, Visit visit) {
  if (auto* literal = dynamic_cast<wire::LiteralProto*>(message)) {
    if (absl::Status status = visit(literal); !status.ok()) return status;
  }
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    const int count = field->is_repeated() ? reflection.FieldSize(*message, field) : 1;
    for (int i = 0; i < count; ++i) {
      Message* part = field->is_repeated() ? reflection.MutableRepeatedMessage(message, field, i)
                                           : reflection.MutableMessage(message, field);
      if (absl::Status status = ForEachLiteral(part, visit); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

template <typename Bits, typename Number>
void Mark(const RepeatedField<Number>& field, wire::LiteralProto* literal) {
  constexpr auto kWritten = std::bit_cast<Bits>(std::numeric_limits<Number>::quiet_NaN());
  for (int i = 0; i < field.size(); ++i) {
    const Number number = field[i];
    const auto bits = std::bit_cast<Bits>(number);
    if (number == number || bits == kWritten) continue;
    literal->mutable_text_form_nans()->add_places(i);
    literal->mutable_text_form_nans()->add_bits(bits);
  }
}

template <typename Bits, typename Number>
absl::Status Restore(const wire::NanBits& nans, RepeatedField<Number>* field) {
  if (field->empty()) return absl::OkStatus();
  if (nans.places_size() != nans.bits_size()) {
    return absl::InvalidArgumentError(absl::StrCat("text_form_nans has ", nans.places_size(),
                                                   " places and ", nans.bits_size(),
                                                   " bit patterns"));
  }
  for (int i = 0; i < nans.places_size(); ++i) {
    const int64_t place = nans.places(i);
    if (place < 0 || place >= field->size() || (*field)[place] == (*field)[place]) {
      return absl::InvalidArgumentError(
          absl::StrCat("text_form_nans names place ", place, ", where no NaN stands"));
    }
    (*field)[static_cast<int>(place)] = std::bit_cast<Number>(static_cast<Bits>(nans.bits(i)));
  }
  return absl::OkStatus();
}

}  // namespace

void MarkNans(Message* message) {
  const absl::Status marked = ForEachLiteral(message, [](wire::LiteralProto* literal) {
    Mark<uint32_t>(literal->f32s(), literal);
    Mark<uint64_t>(literal->f64s(), literal);
    Mark<uint32_t>(literal->c64s(), literal);
    Mark<uint64_t>(literal->c128s(), literal);
    return absl::OkStatus();
  });
  marked.IgnoreError();  // marking has none
}

absl::Status RestoreNans(Message* message) {
  return ForEachLiteral(message, [](wire::LiteralProto* literal) {
    if (!literal->has_text_form_nans()) return absl::OkStatus();
    const wire::NanBits nans = literal->text_form_nans();
    literal->clear_text_form_nans();
    absl::Status status = Restore<uint32_t>(nans, literal->mutable_f32s());
    if (status.ok()) status = Restore<uint64_t>(nans, literal->mutable_f64s());
    if (status.ok()) status = Restore<uint32_t>(nans, literal->mutable_c64s());
    if (status.ok()) status = Restore<uint64_t>(nans, literal->mutable_c128s());
    return status;
  });
}

}  // namespace assay
