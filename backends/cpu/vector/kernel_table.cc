#include "backends/cpu/vector/kernel_table.h"

#include <cstdlib>
#include <string>

#include "runtime/processor.h"

namespace assay::cpu {
namespace {

Lane IntegerLane(int bits, bool is_signed) {
  const Lane first = is_signed ? Lane::kI8 : Lane::kU8;
  const int step = bits <= 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
  return static_cast<Lane>(static_cast<int>(first) + step);
}

const KernelTable& ChooseKernels() {
  const char* wish = std::getenv("ASSAY_CPU_ISA");
  for (const InstructionSet set :
       {InstructionSet::kAvx512, InstructionSet::kAvx2, InstructionSet::kBaseline}) {
    if (!Supports(set)) continue;
    const KernelTable& table = Kernels(set);
    if (wish == nullptr || std::string(wish) == table.name) return table;
  }
  // A set that the machine lacks, or a word that is no set.
  return Supports(InstructionSet::kAvx2) ? Kernels(InstructionSet::kAvx2)
                                         : Kernels(InstructionSet::kBaseline);
}

KernelTable MakeTable(const char* name, void (*fill)(KernelTable&)) {
  KernelTable table;
  table.name = name;
  fill(table);
  return table;
}

}  // namespace

Lane LaneOf(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.element_class) {
    case ElementClass::kSigned:
      return IntegerLane(info.bits, true);
    case ElementClass::kFloat:
      return type == ElementType::kF64 ? Lane::kF64 : Lane::kF32;
    case ElementClass::kComplex:
      return type == ElementType::kC64 ? Lane::kC64 : Lane::kC128;
    default:
      return IntegerLane(info.bits, false);
  }
}

bool StoredAsLane(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.element_class) {
    case ElementClass::kSigned:
    case ElementClass::kUnsigned:
      return info.bits >= 8;
    case ElementClass::kFloat:
      return info.bits >= 32;
    default:
      return true;
  }
}

bool Supports(InstructionSet set) {
#if defined(ASSAY_CPU_VECTOR_X86)
  switch (set) {
    case InstructionSet::kBaseline:
      return true;
    case InstructionSet::kAvx2:
      return runtime::Supports(runtime::InstructionSet::kAvx2);
    case InstructionSet::kAvx512:
      return runtime::Supports(runtime::InstructionSet::kAvx512);
  }
  return false;
#else
  return set == InstructionSet::kBaseline;
#endif
}

const KernelTable& Kernels(InstructionSet set) {
#if defined(ASSAY_CPU_VECTOR_X86)
  if (set == InstructionSet::kAvx2) {
    static const KernelTable table = MakeTable("avx2", avx2::FillTable);
    return table;
  }
  if (set == InstructionSet::kAvx512) {
    static const KernelTable table = MakeTable("avx512", avx512::FillTable);
    return table;
  }
#endif
  (void)set;
  static const KernelTable table = MakeTable("baseline", baseline::FillTable);
  return table;
}

const KernelTable& BestKernels() {
  static const KernelTable& table = ChooseKernels();
  return table;
}

}  // namespace assay::cpu
