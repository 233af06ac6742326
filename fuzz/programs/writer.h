// Writes a program instruction by instruction. It keeps the values that later instructions may use,
// makes operands of a given shape from them, and infers result shapes by spec/ops. The rows of the
// grammar use it. Tests: decoder_test.cc.
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

// The property in which a program exceeds most programs.
enum class Scale : uint8_t {
  kSmall,
  kLong,  // elements: one size in four is beyond vectors, tiles and blocks
  kDeep,  // dimensions: up to eight
  kMany,  // operands, results, branches and iterations
  kHuge   // elements beyond 2^16, of few instructions
};

// The largest rank in most programs.
inline constexpr int64_t kUsualRank = 4;

// Returns the number of elements.
int64_t CountOf(Sizes sizes);

class ProgramWriter {
 public:
  // `records` begins with the header record. All must outlive the writer.
  ProgramWriter(const Grammar& grammar, absl::Span<const uint8_t> records, FuzzProgram* program);

  // Writes the program of all records. Must be called once.
  void Run();

  Choices& choices() { return *choices_; }
  const Grammar& grammar() const { return grammar_; }
  const ProgramLimits& limits() const { return limits_; }
  Scale scale() const { return scale_; }
  // The largest rank of results.
  int64_t most_rank() const { return scale_ == Scale::kDeep ? 8 : 5; }
  // Returns a number in [least, most], or up to `many` in programs of Scale::kMany.
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
  // Returns an earlier value of static sizes that `accepts` permits, or null. Recent values are
  // more likely.
  Instruction* FindValue(Accepts accepts);
  // Returns an accepted earlier value of one of the types, or a new one with `least_rank` to
  // `most_rank` dimensions.
  Instruction* AnyArray(absl::Span<const ElementType> types, int64_t least_rank = 0,
                        int64_t most_rank = kUsualRank);
  // The same with the types of the row and without dimensions of size 0.
  Instruction* NonEmptyArray(Opcode opcode, int64_t least_rank = 0, int64_t most_rank = kUsualRank);
  Instruction* ArrayFor(Opcode opcode, int64_t least_rank = 0, int64_t most_rank = kUsualRank) {
    return AnyArray(grammar_.TypesOf(opcode), least_rank, most_rank);
  }
  // Like ArrayFor, but sometimes a new array in a range for which implementations of the
  // elementwise operation have a special branch (conformance/corpus/argument_ranges.def).
  Instruction* OperandFor(Opcode opcode);
  // The same for the second operand, with the sizes and the type of the first. Sometimes all
  // elements are a number for which compilers have a simplification.
  Instruction* SecondOperandFor(Opcode opcode, const Instruction* first);
  // Returns an array of exactly this type and these sizes: an earlier value, a value derived from
  // one, or a new one.
  Instruction* ArrayOf(ElementType type, Sizes sizes);
  Instruction* ScalarOf(ElementType type) { return ArrayOf(type, {}); }
  Instruction* LikeArray(const Instruction* other) {
    return ArrayOf(other->shape().element_type(), other->shape().dimensions());
  }
  // Returns a new parameter in the entry, or a constant elsewhere, with values of the profile if
  // the type has such.
  Instruction* NewArray(ElementType type, Sizes sizes, const conformance::ProfileUse& use);
  Instruction* NewArray(ElementType type, Sizes sizes) {
    return NewArray(type, sizes, AnyProfile(type));
  }
  // The same beyond the limit of arguments, while LongValues raises the limits of all values.
  Instruction* NewLongArray(ElementType type, Sizes sizes);
  // Adds a parameter to the entry: an array or a tuple of arrays.
  void NewParameterOf(const Shape& shape);
  // Returns integers in [low, high], limited by the type; sometimes any value of the type.
  Instruction* IndexArray(ElementType type, Sizes sizes, int64_t low, int64_t high);
  // Returns a constant with these elements, of any type that is not complex.
  Instruction* IntegerConstant(ElementType type, Sizes sizes, absl::Span<const int64_t> elements);
  Instruction* ProfileConstant(ElementType type, Sizes sizes, const conformance::ProfileUse& use);
  // Return a scalar constant of this number, rounded to the type, and an array that repeats it.
  Instruction* NumberConstant(ElementType type, double number);
  Instruction* Splat(ElementType type, Sizes sizes, double number);
  // Returns an array that repeats 0, 1, 2, 0.5 or a similar number.
  Instruction* PlainSplat(ElementType type, Sizes sizes);

  // Returns one of the types; common types are more likely.
  ElementType AnyType(absl::Span<const ElementType> types);
  ElementType AnyIndexType();
  // Returns a type of the same class: a float type for a float, an integer type for an integer, and
  // so on.
  ElementType TypeOfClass(ElementType type);
  // Returns a size that many arrays of the program have.
  int64_t AnySize() { return choices().Of(sizes_); }
  Dimensions AnySizes(int64_t least_rank, int64_t most_rank, int64_t most_elements);
  conformance::ProfileUse AnyProfile(ElementType type);

  // --- Instructions. ---------------------------------------------------------------------------

  std::unique_ptr<Instruction> Start(Opcode opcode, absl::Span<Instruction* const> operands,
                                     Shape declared = Shape());
  // Infers the shape and appends the instruction. Later instructions may use its value, or the
  // elements of its tuple. Returns null if the result exceeds the limits or is rejected.
  Instruction* Finish(std::unique_ptr<Instruction> instruction);
  // The same, and null without counting it where the instruction is not valid, or where its result
  // has another shape than that of `like`, if there is one.
  Instruction* FinishIfLegal(std::unique_ptr<Instruction> instruction,
                             const Instruction* like = nullptr);
  // The same for a result whose shape is known.
  Instruction* FinishAs(std::unique_ptr<Instruction> instruction,
                        std::shared_ptr<const Shape> shape);
  // Creates and finishes an instruction without attributes.
  Instruction* Add(Opcode opcode, absl::Span<Instruction* const> operands,
                   Shape declared = Shape()) {
    return Finish(Start(opcode, operands, std::move(declared)));
  }
  // Like Add, but later instructions do not use the value.
  Instruction* AddHidden(std::unique_ptr<Instruction> instruction);
  // Appends an instruction of a known shape without checking limits: a token, a tuple of existing
  // values, a scalar.
  Instruction* AppendAs(std::unique_ptr<Instruction> instruction, const Shape& shape);
  // Appends the done of an async start, regardless of limits.
  void AddDone(Opcode opcode, Instruction* started, const Shape& shape) {
    Offer(AppendAs(Start(opcode, {started}), shape));
  }
  Instruction* TupleOf(absl::Span<Instruction* const> elements);
  Instruction* ElementOf(Instruction* tuple, int64_t index);
  // Appends a copy of an instruction of another module, whose shape is known. Returns null if it
  // exceeds the limits.
  Instruction* FinishCopy(std::unique_ptr<Instruction> copy);
  // Copies a computation of another module, with names of this program.
  Computation* CopyComputation(
      const Computation& original,
      const absl::flat_hash_map<const Computation*, Computation*>& callees);
  // Offers a value, or the elements of a tuple, to later instructions.
  void Offer(Instruction* value);

  // --- Computations that instructions call. -----------------------------------------------------

  // Begins a computation, to which all instructions are added until it ends. `place` selects its
  // rows.
  void BeginComputation(absl::string_view name, RowPlace place);
  Instruction* ComputationParameter(const Shape& shape);
  // Ends the computation with this root and adds it to the module.
  Computation* EndComputation(Instruction* root);
  // Reads `count` records, each of which is an instruction of the computation.
  void WriteRecords(int64_t count);
  // Writes an instruction of the operation on `value`, if its row accepts it.
  void WriteOn(Opcode opcode, Instruction* value);
  // The computation that is written at present.
  Computation& computation() { return *scope().computation; }
  // Returns true if the computation may have the operation.
  bool MayWrite(Opcode opcode) const;
  // Returns the latest instruction of the operation at or behind an index, or null.
  Instruction* LatestOf(Opcode opcode, int64_t from);
  // Returns the most recent value, or null if there is none.
  Instruction* LatestValue() { return scope().values.empty() ? nullptr : scope().values.back(); }
  // Writes an instruction that keeps the type of `value`, or returns `value` itself if no row fits.
  Instruction* ElementwiseStep(Instruction* value);
  // Returns a value of this shape: the latest value, or one derived from it.
  Instruction* ResultOf(const Shape& shape);
  // Returns the unused values as one value, a tuple if there are several.
  Instruction* UnusedValues(bool with_parameters);
  // The nesting depth of computations.
  int64_t depth() const { return static_cast<int64_t>(scopes_.size()) - 1; }
  bool in_entry() const { return scopes_.size() == 1; }

  // --- What holds for the whole program. ---------------------------------------------------------

  int64_t devices() const { return program_->devices; }
  bool constrains_layouts() const { return constrains_layouts_; }
  int64_t NewChannel() { return ++channels_; }
  // Returns the token of the last feed or transfer, which orders them.
  Instruction* LastToken();
  void SetLastToken(Instruction* token) { last_token_ = token; }
  // Adds an array to the infeeds.
  void AddInfeed(const Shape& shape);

  // Counts a record without an instruction because a limit would be exceeded.
  void LeaveOut() { ++program_->left_out; }

  // Returns true if the program is a single instruction on parameters.
  bool is_sole() const { return sole_; }

 private:
  friend class LongValues;
  struct Scope {
    std::unique_ptr<Computation> computation;
    RowPlace place;
    std::vector<Instruction*> values;
    Instruction* focus = nullptr;  // the preferred operand of the next instruction
  };

  Scope& scope() { return scopes_.back(); }
  void ReadHeader(Choices header);
  void SetScale(Scale scale, Choices* header);
  void ChooseVocabulary(Choices* header);
  absl::Span<const Row* const> RowsHere() const;
  void WriteRecord(absl::Span<const uint8_t> record);
  // Writes a chain of instructions, each on the value of the one before.
  void WriteChain(absl::Span<const Row* const> rows, int64_t links);
  // Appends an instruction whose inferred shape is known, or returns null beyond the limits.
  Instruction* AddInferred(std::unique_ptr<Instruction> instruction, Shape shape);
  bool IsTooCostly(const Instruction& instruction) const;
  // Returns true if an idiom may not write the operation. Its regions may have any.
  bool IsForbidden(const Instruction& instruction) const;
  // Adds a computation to the module. In an idiom of named operations it waits for the end of the
  // idiom, since what was to call it may have been left out.
  Computation* Keep(std::unique_ptr<Computation> computation);
  void AddCalledComputations();
  Instruction* Append(std::unique_ptr<Instruction> instruction);
  // Converts an earlier value with these sizes or this type to the requested type and sizes.
  // Returns null if there is none.
  Instruction* Adapt(ElementType type, Sizes sizes);
  Instruction* NewParameter(ElementType type, Sizes sizes, const conformance::ProfileUse& use);
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
  int mood_ = 0;  // selects the profiles of parameters
  bool sole_ = false;
  std::vector<std::unique_ptr<Computation>> ended_;  // that wait for the end of the idiom
  size_t idiom_depth_ = 0;  // the number of scopes where an idiom is written; 0 outside of idioms
  conformance::ValueProfile profile_ = conformance::ValueProfile::kBenign;
  int64_t parameters_ = 0, names_ = 0, channels_ = 0, elements_ = 0;
  bool constrains_layouts_ = false;
  Instruction* last_token_ = nullptr;
};

// A scope in which values may be as large as in programs of long arrays. They do not count towards
// the limits.
class LongValues {
 public:
  explicit LongValues(ProgramWriter* writer);
  ~LongValues();

 private:
  ProgramWriter& writer_;
  const ProgramLimits limits_;
  const int64_t elements_;
};

// Returns a profile of the special values of a type, each repeated for `stride` elements.
inline conformance::ProfileUse SpecialValues(uint64_t stride) {
  conformance::ProfileUse use;
  use.profile = conformance::ValueProfile::kSpecial;
  use.stride = stride;
  return use;
}

// Returns the profiles for arrays of the type, the most common first.
absl::Span<const conformance::ValueProfile> ProfilesOf(ElementType type);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_WRITER_H_
