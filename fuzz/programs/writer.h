// Writes a program instruction by instruction: keeps the values that later instructions can take,
// makes operands of a wanted shape from them, and has the shapes of results inferred by spec/ops.
// The rows of the grammar are written with it. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_WRITER_H_
#define ASSAY_FUZZ_PROGRAMS_WRITER_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/grammar.h"
#include "fuzz/programs/program.h"

namespace assay::fuzz {

using Sizes = absl::Span<const int64_t>;

// What a program has more of than others have.
enum class Scale : uint8_t {
  kSmall,
  kLong,  // elements: one size in four is beyond vectors, tiles and blocks
  kDeep,  // dimensions: up to eight
  kMany,  // operands, results, branches and iterations
  kHuge   // elements beyond 2^16, of few instructions
};

// The dimensions of most programs, at most.
inline constexpr int64_t kUsualRank = 4;

// The number of elements.
int64_t CountOf(Sizes sizes);

class ProgramWriter {
 public:
  // `records` begins with the header record. All must outlive the writer.
  ProgramWriter(const Grammar& grammar, absl::Span<const uint8_t> records, FuzzProgram* program);

  // The program of all records. Once.
  void Run();

  Choices& choices() { return *choices_; }
  const Grammar& grammar() const { return grammar_; }
  const ProgramLimits& limits() const { return limits_; }
  Scale scale() const { return scale_; }
  // The dimensions that results have at most.
  int64_t most_rank() const { return scale_ == Scale::kDeep ? 8 : 5; }
  // A number in [least, most], and in programs that have many of everything, up to `many`.
  int64_t Several(int64_t least, int64_t most, int64_t many) {
    if (scale_ != Scale::kMany) return choices().Between(least, most);
    const int64_t kind = choices().Below(4);
    return kind == 0   ? choices().Between(least, most)
           : kind == 1 ? choices().Between(least, many)
                       : many;
  }
  Module& module() { return *program_->module; }
  FuzzProgram& program() { return *program_; }

  // --- Values that an instruction takes. -------------------------------------------------------

  using Accepts = absl::FunctionRef<bool(const Shape&)>;
  // An earlier value that the row takes, of static sizes; null: there is none. Late ones come more
  // often.
  Instruction* FindValue(Accepts accepts);
  // An earlier value of one of the types that is accepted, or a new one of at most `most_rank`
  // dimensions and at least `least_rank`.
  Instruction* AnyArray(absl::Span<const ElementType> types, int64_t least_rank = 0,
                        int64_t most_rank = kUsualRank);
  // As above, with the types of the row, and without dimensions of size 0.
  Instruction* NonEmptyArray(Opcode opcode, int64_t least_rank = 0, int64_t most_rank = kUsualRank);
  Instruction* ArrayFor(Opcode opcode, int64_t least_rank = 0, int64_t most_rank = kUsualRank) {
    return AnyArray(grammar_.TypesOf(opcode), least_rank, most_rank);
  }
  // As ArrayFor, but now and then new values in a range in which implementations of the elementwise
  // operation take a branch of their own (conformance/corpus/argument_ranges.def).
  Instruction* OperandFor(Opcode opcode);
  // The same for the second operand, of the sizes and the type of the first one; now and then one
  // number in all elements that simplifications look for.
  Instruction* SecondOperandFor(Opcode opcode, const Instruction* first);
  // An array of exactly this type and these sizes: an earlier value, one made of an earlier value,
  // or a new one.
  Instruction* ArrayOf(ElementType type, Sizes sizes);
  Instruction* ScalarOf(ElementType type) { return ArrayOf(type, {}); }
  Instruction* LikeArray(const Instruction* other) {
    return ArrayOf(other->shape().element_type(), other->shape().dimensions());
  }
  // A new parameter in the entry, else a constant, with values of the profile where the type has
  // such.
  Instruction* NewArray(ElementType type, Sizes sizes, const ProfileUse& use);
  Instruction* NewArray(ElementType type, Sizes sizes) {
    return NewArray(type, sizes, AnyProfile(type));
  }
  // The same beyond the limit of arguments, where the limits of all values are raised (LongValues).
  Instruction* NewLongArray(ElementType type, Sizes sizes);
  // A new parameter of the entry: an array, or a tuple of arrays.
  void NewParameterOf(const Shape& shape);
  // Integers in [low, high] as far as the type reaches; now and then any value of the type.
  Instruction* IndexArray(ElementType type, Sizes sizes, int64_t low, int64_t high);
  // A constant with these elements, in any type that is not complex.
  Instruction* IntegerConstant(ElementType type, Sizes sizes, absl::Span<const int64_t> elements);
  Instruction* ProfileConstant(ElementType type, Sizes sizes, const ProfileUse& use);
  // A scalar constant of this number, rounded to the type, and an array that repeats it.
  Instruction* NumberConstant(ElementType type, double number);
  Instruction* Splat(ElementType type, Sizes sizes, double number);
  // 0, 1, 2, 0.5 and the like.
  Instruction* PlainSplat(ElementType type, Sizes sizes);

  // One of the types; the usual ones more often.
  ElementType AnyType(absl::Span<const ElementType> types);
  ElementType AnyIndexType();
  // A type of floats for a float, of integers for an integer, and so on.
  ElementType TypeOfClass(ElementType type);
  // A size that many arrays of the program have.
  int64_t AnySize() { return choices().Of(sizes_); }
  Dimensions AnySizes(int64_t least_rank, int64_t most_rank, int64_t most_elements);
  ProfileUse AnyProfile(ElementType type);

  // --- Instructions. ---------------------------------------------------------------------------

  std::unique_ptr<Instruction> Start(Opcode opcode, absl::Span<Instruction* const> operands,
                                     Shape declared = Shape());
  // Infers the shape and appends the instruction; its value, or the elements of its tuple, can be
  // taken by later ones. Null where the result goes beyond the limits or is refused.
  Instruction* Finish(std::unique_ptr<Instruction> instruction);
  // The same for a result whose shape is known.
  Instruction* FinishAs(std::unique_ptr<Instruction> instruction,
                        std::shared_ptr<const Shape> shape);
  // In one, for an instruction without attributes.
  Instruction* Add(Opcode opcode, absl::Span<Instruction* const> operands,
                   Shape declared = Shape()) {
    return Finish(Start(opcode, operands, std::move(declared)));
  }
  // As Add, but later instructions are not offered the value.
  Instruction* AddHidden(std::unique_ptr<Instruction> instruction);
  // Appends an instruction of a known shape that is no matter of limits: a token, a tuple of what
  // is there, a scalar.
  Instruction* AppendAs(std::unique_ptr<Instruction> instruction, const Shape& shape);
  // Ends what was started, whatever the limits: a start has a done.
  void AddDone(Opcode opcode, Instruction* started, const Shape& shape) {
    Offer(AppendAs(Start(opcode, {started}), shape));
  }
  Instruction* TupleOf(absl::Span<Instruction* const> elements);
  Instruction* ElementOf(Instruction* tuple, int64_t index);
  // Appends a copy of an instruction of another module, whose shape is known; null where it goes
  // beyond the limits.
  Instruction* FinishCopy(std::unique_ptr<Instruction> copy);
  // A computation of another module, with names of this program.
  Computation* CopyComputation(
      const Computation& original,
      const absl::flat_hash_map<const Computation*, Computation*>& callees);
  // Offers a value, or the elements of a tuple, to later instructions.
  void Offer(Instruction* value);

  // --- Computations that instructions call. -----------------------------------------------------

  // Begins a computation; everything goes into it until it ends. `place` says which rows may stand
  // in it.
  void BeginComputation(absl::string_view name, RowPlace place);
  Instruction* ComputationParameter(const Shape& shape);
  // Ends the computation, with this root, and gives it to the module.
  Computation* EndComputation(Instruction* root);
  // Reads so many records, each an instruction of the computation.
  void WriteRecords(int64_t count);
  // Writes by the row of the operation, which takes `value` if it can.
  void WriteOn(Opcode opcode, Instruction* value);
  // What later instructions are offered first; null: nothing yet.
  Instruction* LatestValue() { return scope().values.empty() ? nullptr : scope().values.back(); }
  // An instruction on earlier values of the scope that keeps the type of `value`; `value` itself
  // where nothing fits.
  Instruction* ElementwiseStep(Instruction* value);
  // A value of this shape in the computation: the latest one, or something made of it.
  Instruction* ResultOf(const Shape& shape);
  // The values that nobody uses, as one value: a tuple where there are several.
  Instruction* UnusedValues(bool with_parameters);
  // The levels of computations around.
  int64_t depth() const { return static_cast<int64_t>(scopes_.size()) - 1; }
  bool in_entry() const { return scopes_.size() == 1; }

  // --- What holds for the whole program. ---------------------------------------------------------

  int64_t devices() const { return program_->devices; }
  bool constrains_layouts() const { return constrains_layouts_; }
  int64_t NewChannel() { return ++channels_; }
  // The token of the last feed or transfer: they happen in one order.
  Instruction* LastToken();
  void SetLastToken(Instruction* token) { last_token_ = token; }
  // Adds an array to what the infeeds take.
  void AddInfeed(const Shape& shape);

  // The row wrote nothing since it would go beyond a limit.
  void LeaveOut() { ++program_->left_out; }

  // Whether the program is one instruction on parameters, which is judged alone.
  bool is_sole() const { return sole_; }

 private:
  friend class LongValues;
  struct Scope {
    std::unique_ptr<Computation> computation;
    RowPlace place;
    std::vector<Instruction*> values;
    Instruction* focus = nullptr;  // what the next instruction takes, if it takes such values
  };

  Scope& scope() { return scopes_.back(); }
  void ReadHeader(Choices header);
  void SetScale(Scale scale, Choices* header);
  void ChooseVocabulary(Choices* header);
  absl::Span<const Row* const> RowsHere() const;
  void WriteRecord(absl::Span<const uint8_t> record);
  // Writes further instructions, each on the value of the one before.
  void WriteChain(absl::Span<const Row* const> rows, int64_t links);
  Instruction* Append(std::unique_ptr<Instruction> instruction);
  // A value with the sizes in another type, or of the type in other sizes, made into what is
  // wanted; null: there is none.
  Instruction* Adapt(ElementType type, Sizes sizes);
  Instruction* NewParameter(ElementType type, Sizes sizes, const ProfileUse& use);
  std::string NewName(char first);

  const Grammar& grammar_;
  absl::Span<const uint8_t> records_;
  int64_t next_record_ = 0, record_count_ = 0;
  FuzzProgram* program_;
  Choices* choices_ = nullptr;
  std::vector<Scope> scopes_;
  std::vector<const Row*> entry_rows_;
  std::vector<const Row*> vocabulary_;  // the rows of called computations; empty: all
  ProgramLimits limits_;
  Scale scale_ = Scale::kSmall;
  std::array<int64_t, 4> sizes_{};
  int mood_ = 0;  // which profiles parameters have
  bool sole_ = false;
  ValueProfile profile_ = ValueProfile::kBenign;
  int64_t parameters_ = 0, names_ = 0, channels_ = 0, elements_ = 0;
  bool constrains_layouts_ = false;
  Instruction* last_token_ = nullptr;
};

// While it lives, values may have as many elements as in programs of long arrays; what is written
// then counts for no limit.
class LongValues {
 public:
  explicit LongValues(ProgramWriter* writer);
  ~LongValues();

 private:
  ProgramWriter& writer_;
  const ProgramLimits limits_;
  const int64_t elements_;
};

// The special values of a type one after the other, each for so many elements.
inline ProfileUse SpecialValues(uint64_t stride) {
  ProfileUse use;
  use.profile = ValueProfile::kSpecial;
  use.stride = stride;
  return use;
}

// The profiles whose values arrays of the type have, the usual one first.
absl::Span<const ValueProfile> ProfilesOf(ElementType type);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_WRITER_H_
