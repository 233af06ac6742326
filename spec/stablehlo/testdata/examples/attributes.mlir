// Attributes and types of every kind.
#loc = loc("model.py":3:9)
#named = loc("layer"(#loc))
module @attributes attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32, my.types = [f32, tensor<2x?xi1>, (i8) -> (ui16, index)], my.list = array<i64: 1, -2>, my.dictionary = {a = "text\00\FF", b = @main, "odd name" = 1.5 : f64}} {
  func.func public @main(%arg0: tensor<4x?xf32, #stablehlo.bounds<?, 8>> {jax.result_info = "x", mhlo.sharding = "{replicated}"}, %arg1: tuple<tensor<i32>, !stablehlo.token>) -> tensor<4x?xf32, #stablehlo.bounds<?, 8>> attributes {my.unit = true} {
    %0 = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi64> loc(#named)
    %1 = stablehlo.constant dense<"0x0000803F0000C07F"> : tensor<2xf32> loc(fused["a", #loc])
    %2 = stablehlo.constant dense<(1.0, -2.5)> : tensor<3xcomplex<f64>> loc(callsite("f" at "g"))
    %3 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %4 = stablehlo.constant dense<[0x7F, 0x3C]> : tensor<2xf8E4M3FN>
    %5 = stablehlo.constant dense<> : tensor<0x3xbf16>
    %6 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
    %7 = "stablehlo.custom_call"(%0) <{api_version = 4 : i32, backend_config = {k = 3 : i64, s = "x"}, call_target_name = "target", called_computations = [@region], has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> : (tensor<2x2xi64>) -> tensor<2x2xi64>
    %8 = stablehlo.cosine %1 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
    %9 = stablehlo.get_tuple_element %arg1[0] : (tuple<tensor<i32>, !stablehlo.token>) -> tensor<i32>
    return %arg0 : tensor<4x?xf32, #stablehlo.bounds<?, 8>> loc(unknown)
  }
  func.func private @region(%arg0: tensor<2x2xi64>) -> tensor<2x2xi64> {
    return %arg0 : tensor<2x2xi64>
  }
}
