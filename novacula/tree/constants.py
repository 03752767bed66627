"""What the kernels of trees and those who call them both know. An edit here compiles every kernel anew."""

import numpy as np

STEP = np.dtype([("threshold", np.float64), ("child", np.int32), ("column", np.int32)])
"""What a row needs at a node, side by side in memory: `column` is one of numbers, or −1 − one of codes."""
