"""The sizes of the network's layers, which the compiled kernel has as constants."""

FRAMES, SIZE = 4, 84  # the input: the last 4 observed frames, 84×84 grey
FILTERS_1, KERNEL_1, STRIDE_1, SIDE_1 = 16, 8, 4, 20
FILTERS_2, KERNEL_2, STRIDE_2, SIDE_2 = 32, 4, 2, 9
PATCH_1 = FRAMES * KERNEL_1**2
PATCH_2 = FILTERS_1 * KERNEL_2**2
FLAT = FILTERS_2 * SIDE_2**2
HIDDEN = 256
