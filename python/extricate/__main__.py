"""The command line: ``python -m extricate`` and the console script ``extricate``."""

import sys

from extricate import _native


def main() -> int:
    """Run the command line of this process and return its exit code, as ``docs/cli.md`` lists them."""
    return _native.main(["extricate", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
