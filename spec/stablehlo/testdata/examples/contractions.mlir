// Dots, convolutions, windows, gathers, and what moves elements.
func.func @main(%arg0: tensor<2x8x8x4xf32>, %arg1: tensor<3x3x4x6xf32>, %arg2: tensor<3xi32>, %arg3: tensor<i32>) -> tensor<2x8x8x6xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x8x8x6xf32>
  %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x8x8x6xf32>, tensor<2x8x8x6xf32>) -> tensor<2x6x6xf32>
  %2 = "stablehlo.gather"(%1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 1, 6>}> : (tensor<2x6x6xf32>, tensor<3xi32>) -> tensor<2x3x6xf32>
  %3 = stablehlo.dynamic_slice %2, %arg3, %arg3, %arg3, sizes = [1, 2, 6] : (tensor<2x3x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x6xf32>
  %4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %5 = "stablehlo.reduce_window"(%3, %4) <{padding = dense<[[0, 0], [1, 0], [0, 0]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x2x6xf32>, tensor<f32>) -> tensor<1x2x3xf32>
  %6 = stablehlo.transpose %5, dims = [2, 0, 1] : (tensor<1x2x3xf32>) -> tensor<3x1x2xf32>
  %7 = stablehlo.pad %6, %4, low = [0, 1, -1], high = [1, 0, 0], interior = [0, 0, 2] : (tensor<3x1x2xf32>, tensor<f32>) -> tensor<4x2x3xf32>
  %8 = stablehlo.iota dim = 0 : tensor<4xui8>
  %9 = stablehlo.reduce_precision %7, format = e5m10 : tensor<4x2x3xf32>
  %10 = stablehlo.concatenate %9, %9, dim = 1 : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x4x3xf32>
  %11 = stablehlo.optimization_barrier %0 : tensor<2x8x8x6xf32>
  return %11 : tensor<2x8x8x6xf32>
}
