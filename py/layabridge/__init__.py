"""The Python side of layactl: kernels, references, model packages and the boundary that Go calls."""
