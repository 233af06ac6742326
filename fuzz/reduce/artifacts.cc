#include "fuzz/reduce/artifacts.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/offline/case_folder.h"
#include "fuzz/programs/program.h"
#include "fuzz/reduce/lax_program.h"
#include "nlohmann/json.hpp"
#include "spec/arrays/arrays.h"
#include "spec/files/file_io.h"

namespace assay::fuzz {
namespace {

// The program for modules that jax.lax cannot write. It reads the files beside it; needs numpy,
// ml_dtypes and jax.
constexpr char kRepro[] = R"py(#!/usr/bin/env python3
"""Runs module.hlo on XLA CPU with inputs.npz and compares with expected.npz, without Assay."""
import os
import sys

import jax
import jaxlib
import ml_dtypes
import numpy as np
from jax._src.lib import xla_client as xc

HERE = os.path.dirname(os.path.abspath(__file__))
jax.config.update('jax_enable_x64', True)
LACKING = {'bf16': 'bfloat16', 's4': 'int4', 'u4': 'uint4', 's2': 'int2', 'u2': 'uint2', 'f8e5m2': 'float8_e5m2',
           'f8e4m3': 'float8_e4m3', 'f8e3m4': 'float8_e3m4', 'f8e4m3fn': 'float8_e4m3fn',
           'f8e4m3fnuz': 'float8_e4m3fnuz', 'f8e4m3b11fnuz': 'float8_e4m3b11fnuz', 'f8e5m2fnuz': 'float8_e5m2fnuz',
           'f8e8m0fnu': 'float8_e8m0fnu', 'f4e2m1fn': 'float4_e2m1fn'}


def read(name, prefix):
    """The arrays of a file in their order; of several devices those of the first."""
    arrays = {}
    for member, array in np.load(os.path.join(HERE, name)).items():
        key, _, type_name = member.partition('@')
        if '.dev' in key and not key.endswith('.dev0'):
            continue
        number = int(key.split('.')[0][len(prefix):])
        arrays[number] = array.view(getattr(ml_dtypes, LACKING[type_name])) if type_name in LACKING else array
    return [arrays[k] for k in sorted(arrays)]


def main():
    with open(os.path.join(HERE, 'module.hlo'), encoding='utf-8') as file:
        text = file.read()
    proto = xc.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    module = jaxlib._jax.mlir.xla_computation_to_mlir_module(xc.hlo.XlaComputation(proto))
    device = jax.devices('cpu')[0]
    executable = device.client.compile_and_load(module, [device])
    arguments = [jax.device_put(array, device) for array in read('inputs.npz', 'arg')]
    results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
    different = 0
    for k, expected in enumerate(read('expected.npz', 'out')):
        actual = np.asarray(results[k][0])
        if actual.tobytes() == expected.tobytes():
            continue
        different += 1
        print(f'out{k} expected {expected.tolist()}\n     actual   {actual.tolist()}')
    print(f'{different} arrays differ')
    return 1 if different else 0


if __name__ == '__main__':
    sys.exit(main())
)py";

std::string Word(absl::string_view text) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte)) {
      word.push_back(absl::ascii_tolower(byte));
    } else if (!word.empty() && word.back() != '-') {
      word.push_back('-');
    }
  }
  while (absl::EndsWith(word, "-")) word.pop_back();
  return word.substr(0, 40);
}

absl::Status WriteActual(const FindingFolder& finding, const std::string& folder) {
  if (finding.examination->actual.empty()) return absl::OkStatus();
  std::vector<NamedLiteral> arrays = NameByDevice(ResultsOf(finding.examination->actual), "out");
  return WriteNpz(absl::StrCat(folder, "/actual.npz"), arrays);
}

std::string ReproText(const FindingFolder& finding) {
  const std::vector<DeviceOutputs>& golden = finding.examination->golden;
  if (finding.inputs.size() != 1 || golden.size() != 1) return kRepro;
  return LaxProgram(*finding.module, finding.inputs[0].arguments, golden[0].result)
      .value_or(kRepro);
}

std::string CaseText(const FindingFolder& finding) {
  const conformance::CorpusCase own =
      CaseOf(*finding.module, finding.inputs,
             absl::StrCat("fuzz/", FolderName(finding.examination->signature)));
  return absl::StrCat("# ", finding.examination->signature.Text(), "\n",
                      conformance::FormatCase(own));
}

nlohmann::json Description(const FindingFolder& finding) {
  const Signature& signature = finding.examination->signature;
  return {{"signature", signature.Text()},
          {"kind", FindingKindName(signature.kind)},
          {"operation", signature.operation},
          {"error", signature.error},
          {"relation", signature.relation},
          {"detail", finding.examination->detail},
          {"target", finding.target},
          {"profile", finding.profile},
          {"origin", finding.origin},
          {"bytes", finding.bytes},
          {"instructions", finding.module->entry()->instruction_count()}};
}

}  // namespace

std::string FolderName(const Signature& signature) {
  const std::string hash = conformance::HashOf(signature.Text());
  return absl::StrCat(FindingKindName(signature.kind), "-", Word(signature.operation), "-",
                      hash.substr(0, 6));
}

absl::Status WriteFindingFolder(const FindingFolder& finding, const std::string& folder) {
  absl::Status status = conformance::WriteQuestion(*finding.module, finding.inputs,
                                                   finding.examination->golden, folder);
  if (!status.ok()) return status;
  status.Update(WriteActual(finding, folder));
  const auto write = [&](absl::string_view name, absl::string_view text) {
    status.Update(WriteFileAtomically(absl::StrCat(folder, "/", name), text));
  };
  write("finding.cases", CaseText(finding));
  write("finding.json",
        Description(finding).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  write("repro.py", ReproText(finding));
  return status;
}

}  // namespace assay::fuzz
