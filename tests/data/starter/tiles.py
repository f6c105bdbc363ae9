#!/usr/bin/env python
import numpy as np
import kernel_tuner  # never imported: warptune only reads this file

n = np.int32(4096)
x = np.random.randn(n).astype(np.float32)
tune_params = dict()
tune_params["block_size_x"] = [2**i for i in range(5, 9)]  # 32 to 256
tune_params["tile_x"] = [1, 2,
                         4]
restrict = ["block_size_x * tile_x <= 256", "block_size_x / 2 > 16"]
raise SystemExit("executed")
kernel_tuner.tune_kernel("tiles", "tiles.cu", n, [np.zeros_like(x), x, n],
                         tune_params, restrictions=restrict, grid_div_x=["block_size_x", "tile_x"])
