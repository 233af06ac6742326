// Regions: loops, branches, reductions, sorts, scatters.
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>, %arg2: tensor<2x1xi32>) -> (tensor<4xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c3 = stablehlo.constant dense<3> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c0, %x = %arg0) : tensor<i32>, tensor<4xf32> cond {
      %p = stablehlo.compare LT, %i, %c3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.tanh %x : tensor<4xf32>
      stablehlo.return %n, %y : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.case"(%arg1) ({
      stablehlo.return %0#1 : tensor<4xf32>
    }, {
      %n = stablehlo.negate %arg0 : tensor<4xf32>
      stablehlo.return %n : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %3:2 = "stablehlo.sort"(%1, %arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %lt = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %4 = stablehlo.slice %3#0 [0:4:2] : (tensor<4xf32>) -> tensor<2xf32>
    %5 = "stablehlo.scatter"(%3#1, %arg2, %4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
    %6 = call @helper(%5) : (tensor<4xf32>) -> tensor<4xf32>
    return %6, %2 : tensor<4xf32>, tensor<f32>
  }
  func.func private @helper(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.composite "my.square" %arg0 {composite_attributes = {k = 1 : i64}, decomposition = @square, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @square(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
