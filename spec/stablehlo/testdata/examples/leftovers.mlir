// CHLO, dynamic shapes, quantised types, resources, and the generic form.
"builtin.module"() <{sym_name = "leftovers"}> ({
  "func.func"() <{function_type = (tensor<?x3xf32>, tensor<2xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<?x3xf32>, %arg1: tensor<2xf32>):
    %0 = "chlo.broadcast_add"(%arg1, %arg1) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %1 = "chlo.erf"(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2:2 = "chlo.top_k"(%1) <{k = 1 : i64}> : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>)
    %3 = "stablehlo.get_dimension_size"(%arg0) <{dimension = 0 : i64}> : (tensor<?x3xf32>) -> tensor<i32>
    %4 = "stablehlo.constant"() <{value = dense_resource<weights> : tensor<2xf32>}> : () -> tensor<2xf32>
    %5 = "stablehlo.uniform_quantize"(%4) : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 3.400000e+01:16>>
    %6 = "stablehlo.uniform_dequantize"(%5) : (tensor<2x!quant.uniform<i8:f32, 3.400000e+01:16>>) -> tensor<2xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
