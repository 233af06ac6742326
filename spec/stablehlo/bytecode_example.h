// A portable artifact byte by byte, for the tests of the readers:
//   func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
//     %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
//     %1 = stablehlo.add %a, %0 : tensor<2xf32>
//     return %1 : tensor<2xf32>
//   }
// as MLIR writes it for StableHLO 1.17.0 (bytecode 6) and 0.9.0 (bytecode 0).
#ifndef ASSAY_SPEC_STABLEHLO_BYTECODE_EXAMPLE_H_
#define ASSAY_SPEC_STABLEHLO_BYTECODE_EXAMPLE_H_

#include <string>

#include "absl/strings/escaping.h"

namespace assay::stablehlo {

inline std::string ExampleArtifact() {
  return absl::HexStringToBytes(
      "4d4cef52"                              // magic
      "0d"                                    // bytecode version 6
      "537461626c65484c4f5f76312e31372e3000"  // "StableHLO_v1.17.0"
      "011b"                                  // section 1: dialects, 13 bytes
      "05"                                    // two dialects: strings 0 and 2
      "0105"                                  // without a version
      "0b"                                    // five names of operations
      "01030b"                                // builtin: one, string 2, registered
      "03090f13171b"                          // vhlo: four, strings 3 to 6
      "032f"                                  // section 3: offsets, 23 bytes
      "1907"                                  // 12 attributes, 3 types
      "010f0b131313131313"                    // builtin: 7, of 2, 4, 4, ... bytes
      "030b0b0b0b0b2f"                        // vhlo: 5, of 2, 2, 2, 2, 11 bytes
      "0307131707"                            // vhlo: 3 types of 4, 5, 1 bytes
      "026f"                                  // section 2: attributes and types, 55 bytes
      "050f"                                  // "-", a string
      "17010101170103031701032317010511"      // places in that file
      "1701071117010907"                      // two more
      "0301"                                  // []
      "2303"                                  // type 1
      "1d11"                                  // "main"
      "1d13"                                  // ""
      "1f01110000803f00000040"                // a tensor of type 0, 8 bytes
      "29030905"                              // type 0: tensor, one dimension of 2, type 2
      "1103010301"                            // type 1: function of type 0 to type 0
      "09"                                    // type 2: f32
      "0459"                                  // section 4: operations, 44 bytes
      "05"                                    // one operation
      "015003010704490301"                    // builtin.module, one isolated region
      "050350050307043503070f0303070005420905030107060b030105010309040d0305"
      "06030105010099"          // sections 6 and 5, empty; 0: strings, 76 bytes
      "15030b05150f19110f0b11"  // ten; their sizes, the last first
      "6275696c74696e0076686c6f006d6f64756c650066756e635f763100636f6e7374616e745f7631006164645f7631"
      "0072657475726e5f7631002d006d61696e0000"
      "0819070501010b0f110f13150317");  // section 8: properties, three
}

inline std::string OldExampleArtifact() {
  return absl::HexStringToBytes(
      "4d4cef5201537461626c65484c4f5f76302e392e30000119050103010305030907090b0d033f2907011f0b13330b"
      "0b0b0b0b1313130b131313030b0b0b0b0b2f030713170702a7050f17010101030b071f09210b1f0d230f25051105"
      "13051505170519170103031701032303031727051b170105111701071117010907030123031d1d1d1f1f01110000"
      "803f0000004029030905110301030109044d0501100307030105031111050703070f03011305031915030107061b"
      "030105010309041d03050603010501004a0221030b0d1f13151d1505150f19110f0b116275696c74696e0076686c"
      "6f006d6f64756c650066756e635f763100636f6e7374616e745f7631006164645f76310072657475726e5f763100"
      "2d006172675f61747472730066756e6374696f6e5f74797065007265735f61747472730073796d5f6e616d650073"
      "796d5f7669736962696c6974790076616c7565006d61696e0000");
}

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_BYTECODE_EXAMPLE_H_
