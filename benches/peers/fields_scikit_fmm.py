#!/usr/bin/env python3
"""Times scikit-fmm on the grids of `experiments/distance_fields.rs`.

Usage: python3 benches/peers/fields_scikit_fmm.py [RESOLUTION ...]

Needs numpy and scikit-fmm. The unit sphere in [-1.05, 1.05]^3, inside only, second order; scikit-fmm is handed the
analytic level set, so no time for an initialisation from triangles is counted. Errors are against the sphere.
"""

import sys
import time

try:
    import numpy as np
    import skfmm
except ImportError as error:
    sys.exit(f"{error}: install numpy and scikit-fmm to compare with it")


def main() -> None:
    resolutions = [int(text) for text in sys.argv[1:]] or [20, 30, 40, 60, 128]
    print(f"scikit-fmm {skfmm.__version__}: unit sphere in [-1.05, 1.05]^3, inside only, second order")
    print(f"{'grid':>5} {'ms':>10} {'mean error':>11} {'max error':>11}")
    for resolution in resolutions:
        line = np.linspace(-1.05, 1.05, resolution)
        x, y, z = np.meshgrid(line, line, line, indexing="ij")
        exact = np.sqrt(x * x + y * y + z * z) - 1.0
        phi = np.ma.MaskedArray(exact, exact > 1.5 * (line[1] - line[0]))
        least = float("inf")
        for _ in range(max(1, min(20, 2_000_000 // resolution**3))):
            start = time.process_time()
            found = skfmm.distance(phi, dx=float(line[1] - line[0]), order=2)
            least = min(least, time.process_time() - start)
        error = np.abs(found - exact)[exact < 0.0]
        print(f"{resolution:>5} {1e3 * least:>10.3f} {error.mean():>11.3e} {error.max():>11.3e}")


if __name__ == "__main__":
    main()
