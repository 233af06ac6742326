// The grammar of programs: a row for each operation of the catalogue, with the function that writes
// an instruction and the element types of its first operand. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_GRAMMAR_H_
#define ASSAY_FUZZ_PROGRAMS_GRAMMAR_H_

#include <array>
#include <bitset>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fuzz/programs/program.h"
#include "spec/op_info.h"

namespace assay::fuzz {

class ProgramWriter;
class SeedModules;

// The places where a row may be used.
enum class RowPlace : uint8_t {
  kAnywhere,     // in fused computations too
  kComputation,  // in called computations, but not in a fusion
  kEntry,        // in the entry only: collectives and async operations
  kEffects       // in the entry of a program with effects only: feeds, transfers, random numbers
};

struct Row {
  Opcode opcode;
  RowPlace place;
  void (*write)(ProgramWriter& writer, Opcode opcode);
};

// Returns the rows in the order of the catalogue. The done of an async operation has no row.
absl::Span<const Row> Rows();

// Returns the element types that strict rules permit for the first operand, or for the result if
// there is no operand.
absl::Span<const ElementType> LegalTypes(Opcode opcode);

struct GrammarOptions {
  std::vector<std::string> operations;  // the names of operations; empty for all
  std::vector<std::string> types;       // the names of types that rows may choose; empty for all
  // Allows collectives, feeds, transfers and random numbers even if `operations` does not name
  // them.
  bool collectives = true;
  bool effects = true;
  ProgramLimits limits;
  // Modules whose subgraphs programs use in addition to the rows; null for none.
  std::shared_ptr<const SeedModules> seeds;
};

class Grammar {
 public:
  // Returns INVALID_ARGUMENT, with similar names, for names that do not exist.
  static absl::StatusOr<Grammar> Create(const GrammarOptions& options = {});

  const ProgramLimits& limits() const { return limits_; }
  // Returns the rows for a place, in the order of the catalogue. `with_effects` matters only for
  // the entry.
  absl::Span<const Row* const> RowsAt(RowPlace place) const {
    return rows_[static_cast<size_t>(place)];
  }
  // Returns the LegalTypes that the options permit, or all LegalTypes if the options permit none of
  // them.
  absl::Span<const ElementType> TypesOf(Opcode opcode) const {
    return types_[static_cast<size_t>(opcode)];
  }
  // Returns the types of values that no row restricts.
  absl::Span<const ElementType> types() const { return all_types_; }
  bool collectives() const { return collectives_; }
  bool effects() const { return effects_; }
  // Returns true if the options name operations. Idioms (idioms.h) then leave all others out.
  bool names_operations() const { return named_.any(); }
  // Returns true if an idiom may write the operation: all if the options name none, and what
  // operands are made by.
  bool Permits(Opcode opcode) const {
    return !names_operations() || named_[static_cast<size_t>(opcode)];
  }
  const SeedModules* seeds() const { return seeds_.get(); }

 private:
  ProgramLimits limits_;
  std::array<std::vector<const Row*>, 4> rows_;
  std::array<std::vector<ElementType>, kOpcodeCount> types_;
  std::vector<ElementType> all_types_;
  bool collectives_ = true, effects_ = true;
  std::bitset<kOpcodeCount> named_;  // none if the options name no operation
  std::shared_ptr<const SeedModules> seeds_;
};

// The functions of the rows, by family (write_*.cc).
void WriteUnary(ProgramWriter& writer, Opcode opcode);
void WriteBinary(ProgramWriter& writer, Opcode opcode);
void WriteClamp(ProgramWriter& writer, Opcode opcode);
void WriteCompare(ProgramWriter& writer, Opcode opcode);
void WriteComplex(ProgramWriter& writer, Opcode opcode);
void WriteConvert(ProgramWriter& writer, Opcode opcode);
void WriteReducePrecision(ProgramWriter& writer, Opcode opcode);
void WriteSelect(ProgramWriter& writer, Opcode opcode);
void WriteStochasticConvert(ProgramWriter& writer, Opcode opcode);

void WriteBitcast(ProgramWriter& writer, Opcode opcode);
void WriteBitcastConvert(ProgramWriter& writer, Opcode opcode);
void WriteBroadcast(ProgramWriter& writer, Opcode opcode);
void WriteConcatenate(ProgramWriter& writer, Opcode opcode);
void WriteConstant(ProgramWriter& writer, Opcode opcode);
void WriteCopy(ProgramWriter& writer, Opcode opcode);
void WriteDynamicReshape(ProgramWriter& writer, Opcode opcode);
void WriteGetDimensionSize(ProgramWriter& writer, Opcode opcode);
void WriteIota(ProgramWriter& writer, Opcode opcode);
void WritePad(ProgramWriter& writer, Opcode opcode);
void WriteReshape(ProgramWriter& writer, Opcode opcode);
void WriteReverse(ProgramWriter& writer, Opcode opcode);
void WriteSetDimensionSize(ProgramWriter& writer, Opcode opcode);
void WriteSlice(ProgramWriter& writer, Opcode opcode);
void WriteTranspose(ProgramWriter& writer, Opcode opcode);

void WriteDynamicSlice(ProgramWriter& writer, Opcode opcode);
void WriteDynamicUpdateSlice(ProgramWriter& writer, Opcode opcode);
void WriteGather(ProgramWriter& writer, Opcode opcode);
void WriteScatter(ProgramWriter& writer, Opcode opcode);

void WriteBatchNorm(ProgramWriter& writer, Opcode opcode);
void WriteMap(ProgramWriter& writer, Opcode opcode);
void WriteReduce(ProgramWriter& writer, Opcode opcode);
void WriteReduceWindow(ProgramWriter& writer, Opcode opcode);
void WriteScan(ProgramWriter& writer, Opcode opcode);
void WriteSelectAndScatter(ProgramWriter& writer, Opcode opcode);
void WriteSort(ProgramWriter& writer, Opcode opcode);
void WriteTopK(ProgramWriter& writer, Opcode opcode);

void WriteConvolution(ProgramWriter& writer, Opcode opcode);
void WriteDot(ProgramWriter& writer, Opcode opcode);
void WriteRaggedDot(ProgramWriter& writer, Opcode opcode);
void WriteScaledDot(ProgramWriter& writer, Opcode opcode);
void WriteCholesky(ProgramWriter& writer, Opcode opcode);
void WriteFft(ProgramWriter& writer, Opcode opcode);
void WriteTriangularSolve(ProgramWriter& writer, Opcode opcode);

void WriteAddDependency(ProgramWriter& writer, Opcode opcode);
void WriteAsyncStart(ProgramWriter& writer, Opcode opcode);
void WriteCall(ProgramWriter& writer, Opcode opcode);
void WriteConditional(ProgramWriter& writer, Opcode opcode);
void WriteCopyStart(ProgramWriter& writer, Opcode opcode);
void WriteDomain(ProgramWriter& writer, Opcode opcode);
void WriteFusion(ProgramWriter& writer, Opcode opcode);
void WriteOptBarrier(ProgramWriter& writer, Opcode opcode);
void WriteParameter(ProgramWriter& writer, Opcode opcode);
void WriteTuple(ProgramWriter& writer, Opcode opcode);
void WriteWhile(ProgramWriter& writer, Opcode opcode);

void WriteAllGather(ProgramWriter& writer, Opcode opcode);
void WriteAllReduce(ProgramWriter& writer, Opcode opcode);
void WriteAllToAll(ProgramWriter& writer, Opcode opcode);
void WriteCollectiveBroadcast(ProgramWriter& writer, Opcode opcode);
void WriteCollectivePermute(ProgramWriter& writer, Opcode opcode);
void WriteDeviceId(ProgramWriter& writer, Opcode opcode);
void WriteRaggedAllToAll(ProgramWriter& writer, Opcode opcode);
void WriteReduceScatter(ProgramWriter& writer, Opcode opcode);

void WriteCustomCall(ProgramWriter& writer, Opcode opcode);
void WriteInfeed(ProgramWriter& writer, Opcode opcode);
void WriteOutfeed(ProgramWriter& writer, Opcode opcode);
void WriteRng(ProgramWriter& writer, Opcode opcode);
void WriteRngBitGenerator(ProgramWriter& writer, Opcode opcode);
void WriteRngState(ProgramWriter& writer, Opcode opcode);
void WriteTransfer(ProgramWriter& writer, Opcode opcode);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_GRAMMAR_H_
