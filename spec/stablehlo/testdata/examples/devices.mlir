// Collectives, channels, tokens, Shardy.
module @devices attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=1], device_ids=[1, 0, 2, 3]>
  func.func @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}p1], replicated={"y"}>}, %arg1: !stablehlo.token) -> tensor<4x2xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %1 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x":(1)2}, {}]> : tensor<4x2xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<1x2xf32>) {
      %m = stablehlo.negate %arg2 : tensor<1x2xf32>
      sdy.return %m : tensor<1x2xf32>
    } : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %4:2 = "stablehlo.infeed"(%arg1) <{infeed_config = "", layout = [[1, 0]]}> : (!stablehlo.token) -> (tensor<4x2xf32>, !stablehlo.token)
    %5 = "stablehlo.send"(%4#0, %4#1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
    %6 = stablehlo.replica_id : tensor<ui32>
    return %3 : tensor<4x2xf32>
  }
}
